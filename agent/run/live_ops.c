/*
 * The command line's short way to a live run.  A key is taken from the
 * environment only: an option would stand in everybody's process list.
 */
#include "agent/run/live_ops.h"

#include "base/files.h"
#include "base/mask.h"
#include "base/mem.h"
#include "base/slice.h"
#include "ops/op.h"
#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define ENV_FILE_BYTES ((size_t)64 * 1024)

/* Where a key may be, in order. */
static const char *const live_keys[] = { "TFY_GATEWAY_API_KEY",
	"KERNELFORGE_API_KEY", "OPENAI_API_KEY", "DEEPSEEK_API_KEY" };

void
live_ops_add(struct live_ops *ops, const char *name)
{
	if (ops->n < RUN_SCENARIO_OPS_MAX)
		ops->names[ops->n++] = name;
}

enum err
live_ops_operators(const char *list, struct live_ops *ret, struct why *why)
{
	char *rest, *name;

	if (list && strcmp(list, "all") == 0) {
		for (size_t i = 0; i < op_count(); i++)
			live_ops_add(ret, op_at(i)->name);
		return ERR_OK;
	}
	ret->text = list ? xstrdup(list) : NULL;
	rest = ret->text;
	while (rest && (name = strsep(&rest, ",")) != NULL) {
		if (!*name)
			continue;
		if (ret->n == RUN_SCENARIO_OPS_MAX)
			return why_set(why, ERR_RANGE,
			    "--ops: more than %d operators",
			    RUN_SCENARIO_OPS_MAX);
		live_ops_add(ret, name);
	}
	return ERR_OK;
}

/* The value without spaces around and one pair of quotes. */
static char *
value_of(char *s)
{
	size_t n;

	while (isspace((unsigned char)*s))
		s++;
	n = strlen(s);
	while (n > 0 && isspace((unsigned char)s[n - 1]))
		s[--n] = '\0';
	if (n >= 2 && (*s == '"' || *s == '\'') && s[n - 1] == *s) {
		s[n - 1] = '\0';
		s++;
	}
	return s;
}

static enum err
take_line(const char *path, size_t number, char *line, struct why *why)
{
	static const char export[] = "export ";
	char *equals;

	while (isspace((unsigned char)*line))
		line++;
	if (!*line || *line == '#')
		return ERR_OK;
	if (strncmp(line, export, strlen(export)) == 0)
		line += strlen(export);
	equals = strchr(line, '=');
	if (equals)
		*equals = '\0';
	if (!equals || !slice_is_identifier(slice_of(line)))
		return why_set(why, ERR_SYNTAX,
		    "%s:%zu: expected NAME=VALUE (what was found may be a key "
		    "and is not shown)",
		    path, number);
	/* What the environment says already wins, as with every other reader of
	 * such files. */
	(void)setenv(line, value_of(equals + 1), 0);
	return ERR_OK;
}

enum err
live_ops_environment(const char *path, struct why *why)
{
	char *text = NULL, *rest, *line;
	size_t number = 0;
	enum err e;

	if (!path)
		return ERR_OK;
	e = files_read(path, ENV_FILE_BYTES, &text, NULL, why);
	rest = text;
	while (e == ERR_OK && (line = strsep(&rest, "\n")) != NULL)
		e = take_line(path, ++number, line, why);
	free(text);
	mask_add_environment();
	return e;
}

const char *
live_ops_key(void)
{
	for (size_t i = 0; i < COUNT(live_keys); i++) {
		const char *v = getenv(live_keys[i]);

		if (v && *v)
			return v;
	}
	/* Gateways on one's own machine want some key and accept any. */
	return LIVE_OPS_NO_KEY;
}
