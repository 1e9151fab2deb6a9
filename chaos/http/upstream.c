/*
 * Names to addresses. A ready file's address is kept once it was read: whoever
 * starts the programs says where they are once.
 */
#include "chaos/http/upstream.h"

#include <stdlib.h>
#include <string.h>

#include "base/files.h"
#include "base/mem.h"

#define READY_MAX  4096
#define READY_WORD "ready "

struct named {
	char *name;       /* owned */
	const char *file; /* borrowed; NULL: the address is known */
	struct url url;
	bool is_known;
};

struct upstreams {
	struct named items[OPT_LIST_MAX];
	size_t n;
};

static enum err
add_named(struct upstreams *u, const char *item, struct why *why)
{
	const char *equals = strchr(item, '=');
	struct named *n = &u->items[u->n];
	enum err e = ERR_OK;

	if (!equals || equals == item || !equals[1])
		return why_set(why, ERR_SYNTAX,
		    "--upstream %.60s: expected NAME=HOST:PORT or "
		    "NAME=@READYFILE",
		    item);
	if (equals[1] == '@')
		n->file = equals + 2;
	else
		e = url_parse_where(equals + 1, &n->url, why);
	if (e != ERR_OK)
		return why_prefix(why, e, "--upstream");
	n->is_known = !n->file;
	n->name = xstrndup(item, (size_t)(equals - item));
	u->n++;
	return ERR_OK;
}

enum err
upstreams_new(const struct opt_list *list, struct upstreams **ret,
    struct why *why)
{
	struct upstreams *u = xcalloc(1, sizeof *u);

	for (size_t i = 0; i < list->n; i++) {
		enum err e = add_named(u, list->items[i], why);

		if (e != ERR_OK) {
			upstreams_free(u);
			return e;
		}
	}
	*ret = u;
	return ERR_OK;
}

void
upstreams_free(struct upstreams *u)
{
	if (!u)
		return;
	for (size_t i = 0; i < u->n; i++)
		free(u->items[i].name);
	free(u);
}

static struct named *
find(struct upstreams *u, const char *spec)
{
	for (size_t i = 0; i < u->n; i++)
		if (strcmp(u->items[i].name, spec) == 0)
			return &u->items[i];
	return NULL;
}

enum err
upstreams_check(struct upstreams *u, const char *spec, struct why *why)
{
	struct url url;

	if (strchr(spec, ':'))
		return url_parse_where(spec, &url, why);
	if (find(u, spec))
		return ERR_OK;
	return why_set(why, ERR_SYNTAX,
	    "upstream %.60s: no address, expected --upstream %.60s=HOST:PORT "
	    "or =@READYFILE",
	    spec, spec);
}

bool
upstreams_is_known(struct upstreams *u, const char *spec)
{
	const struct named *n = find(u, spec);

	return strchr(spec, ':') || (n && n->is_known);
}

/* In "ready A=H:P B=H:P": the address of name, or else the first one. */
static enum err
parse_ready(char *line, const char *name, struct url *ret, struct why *why)
{
	char *save = NULL, *pair, *first = NULL;
	size_t n = strlen(name);

	if (strncmp(line, READY_WORD, strlen(READY_WORD)) != 0)
		return why_set(why, ERR_AGAIN, "not ready yet");
	line += strlen(READY_WORD);
	for (pair = strtok_r(line, " \r\n", &save); pair;
	     pair = strtok_r(NULL, " \r\n", &save)) {
		if (!strchr(pair, '='))
			continue;
		if (!first)
			first = strchr(pair, '=') + 1;
		if (strncmp(pair, name, n) == 0 && pair[n] == '=')
			return url_parse_where(pair + n + 1, ret, why);
	}
	if (!first)
		return why_set(why, ERR_SYNTAX, "no NAME=HOST:PORT in it");
	return url_parse_where(first, ret, why);
}

static enum err
read_ready_file(struct named *n, struct why *why)
{
	char *text = NULL;
	enum err e = files_read(n->file, READY_MAX, &text, NULL, why);

	/* The program that will write it may be starting still: this request is
	 * refused, and the next one looks again. */
	if (e == ERR_NOTFOUND)
		e = ERR_AGAIN;
	if (e == ERR_OK) {
		e = parse_ready(text, n->name, &n->url, why);
		if (e != ERR_OK)
			why_prefix(why, e, "%s", n->file);
	}
	n->is_known = e == ERR_OK;
	free(text);
	return e;
}

enum err
upstreams_resolve(struct upstreams *u, const char *spec, struct url *ret,
    struct why *why)
{
	struct named *n;
	enum err e = ERR_OK;

	if (strchr(spec, ':'))
		return url_parse_where(spec, ret, why);
	n = find(u, spec);
	if (!n)
		return upstreams_check(u, spec, why);
	if (!n->is_known)
		e = read_ready_file(n, why);
	if (e == ERR_OK)
		*ret = n->url;
	return e;
}
