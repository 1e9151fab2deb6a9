/*
 * Command lines by table.
 */
#include "base/opts.h"

#include "base/mask.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#ifndef KF_VERSION
#define KF_VERSION "0.2.0"
#endif

const char *
opts_version(void)
{
	return KF_VERSION;
}

static const struct opt *
find(const struct opt_command *cmd, const char *name, size_t n)
{
	for (size_t i = 0; i < cmd->nrows; i++)
		if (strlen(cmd->rows[i].name) == n &&
		    memcmp(cmd->rows[i].name, name, n) == 0)
			return &cmd->rows[i];
	return NULL;
}

static enum err
set_int(const struct opt *o, const char *text, char *dst, struct why *why)
{
	char *end;
	long long v;
	int64_t out;

	errno = 0;
	v = strtoll(text, &end, 10);
	if (errno || end == text || *end || v < o->min || v > o->max)
		return why_set(why, ERR_SYNTAX,
		    "--%s: found \"%s\", expected a number from %lld to %lld",
		    o->name, text, (long long)o->min, (long long)o->max);
	out = v;
	memcpy(dst, &out, sizeof out);
	return ERR_OK;
}

static enum err
set_value(const struct opt *o, const char *text, char *dst, struct why *why)
{
	struct opt_list *list;

	switch (o->type) {
	case OPT_FLAG:
		return why_set(why, ERR_SYNTAX, "--%s takes no value", o->name);
	case OPT_STRING:
		memcpy(dst, &text, sizeof text);
		return ERR_OK;
	case OPT_INT:
		return set_int(o, text, dst, why);
	case OPT_LIST:
		list = (struct opt_list *)(void *)dst;
		if (list->n == OPT_LIST_MAX)
			return why_set(why, ERR_TOOBIG,
			    "--%s: given more than %d times", o->name,
			    OPT_LIST_MAX);
		list->items[list->n++] = text;
		return ERR_OK;
	}
	return ERR_STATE;
}

/* One "--name", "--name=value" or "--name value"; *i moves past the value. */
static enum err
take_option(const struct opt_command *cmd, char **argv, int argc, int *i,
    void *dst, struct why *why)
{
	const char *word = argv[*i] + 2, *eq = strchr(word, '=');
	size_t n = eq ? (size_t)(eq - word) : strlen(word);
	const struct opt *o = find(cmd, word, n);

	if (!o)
		return why_set(why, ERR_SYNTAX,
		    "unknown option --%.*s (see %s --help)", (int)n, word,
		    cmd->name);
	if (o->type == OPT_FLAG && !eq) {
		bool yes = true;

		memcpy((char *)dst + o->offset, &yes, sizeof yes);
		return ERR_OK;
	}
	if (!eq && o->type != OPT_FLAG && *i + 1 >= argc)
		return why_set(why, ERR_SYNTAX, "--%s needs a value, %s",
		    o->name, o->value ? o->value : "VALUE");
	if (eq)
		return set_value(o, eq + 1, (char *)dst + o->offset, why);
	*i += 1;
	return set_value(o, argv[*i], (char *)dst + o->offset, why);
}

static enum err
take_word(const struct opt_command *cmd, const char *word, const char **args,
    size_t *nargs, struct why *why)
{
	if (*nargs == cmd->args_max)
		return why_set(why, ERR_SYNTAX,
		    "unexpected word \"%s\" (see %s --help)", word, cmd->name);
	args[(*nargs)++] = word;
	return ERR_OK;
}

static bool
is_option(const char *word)
{
	return word[0] == '-' && word[1] == '-' && word[2] != '\0';
}

enum err
opts_parse(const struct opt_command *cmd, int argc, char **argv, void *dst,
    const char **args, size_t *ret_nargs, struct why *why)
{
	bool words_only = false;
	size_t nargs = 0;
	enum err e = ERR_OK;

	/* What is wrong with a line is told in its own words, and one of them
	 * may be a key. */
	mask_add_environment();
	for (int i = 1; i < argc && e == ERR_OK; i++) {
		if (words_only || argv[i][0] != '-' || argv[i][1] == '\0') {
			e = take_word(cmd, argv[i], args, &nargs, why);
		} else if (strcmp(argv[i], "--") == 0) {
			words_only = true;
		} else if (strcmp(argv[i], "--help") == 0 ||
		    strcmp(argv[i], "-h") == 0) {
			opts_print_help(cmd, stdout);
			return ERR_STATE;
		} else if (strcmp(argv[i], "--man") == 0) {
			opts_print_man(cmd, stdout);
			return ERR_STATE;
		} else if (strcmp(argv[i], "--version") == 0) {
			printf("%s %s\n", cmd->name, opts_version());
			return ERR_STATE;
		} else if (is_option(argv[i])) {
			e = take_option(cmd, argv, argc, &i, dst, why);
		} else {
			e = why_set(why, ERR_SYNTAX,
			    "unknown option %s (see %s --help)", argv[i],
			    cmd->name);
		}
	}
	if (e == ERR_OK && nargs < cmd->args_min)
		e = why_set(why, ERR_SYNTAX, "expected %s (see %s --help)",
		    cmd->usage, cmd->name);
	if (e == ERR_OK && ret_nargs)
		*ret_nargs = nargs;
	return e;
}

const char *
opts_value(const struct opt_command *cmd, int argc, char **argv,
    const char *name)
{
	const char *value = NULL;

	for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
		const char *eq = strchr(argv[i], '=');
		const struct opt *o;

		if (!is_option(argv[i]))
			continue;
		o = find(cmd, argv[i] + 2, strcspn(argv[i] + 2, "="));
		if (!o || o->type == OPT_FLAG)
			continue;
		if (!eq && ++i == argc)
			break;
		if (strcmp(o->name, name) == 0)
			value = eq ? eq + 1 : argv[i];
	}
	return value;
}
