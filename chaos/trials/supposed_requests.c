/*
 * One line, one request.
 */
#include "chaos/trials/supposed_requests.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/files.h"
#include "base/jfield.h"
#include "base/mem.h"

#define FILE_MAX  ((size_t)64 << 20)
#define LINES_MAX 100000u

struct raw {
	const char *proxy, *method, *path;
	json_t *headers, *body;
};

/* clang-format off */
static const struct jfield fields[] = {		/* sorted by key */
	{ "body",    JF_ANY,    0, 0, 0, offsetof(struct raw, body),    NULL },
	{ "headers", JF_OBJECT, 0, 0, 0, offsetof(struct raw, headers), NULL },
	{ "method",  JF_STRING, 0, 0, 0, offsetof(struct raw, method),  NULL },
	{ "path",    JF_STRING, 0, 0, 0, offsetof(struct raw, path),    NULL },
	{ "proxy",   JF_STRING, 0, 0, 0, offsetof(struct raw, proxy),   NULL },
};
/* clang-format on */

static const char *
proxy_named(const struct scenario *s, const char *name)
{
	if (!name && s->nproxies == 1)
		return s->proxies[0].name;
	for (size_t i = 0; name && i < s->nproxies; i++)
		if (strcmp(s->proxies[i].name, name) == 0)
			return s->proxies[i].name;
	return NULL;
}

static enum err
read_headers(struct supposed_request *a, json_t *headers, struct why *why)
{
	const char *name;
	json_t *v;

	if (json_object_size(headers) > HTTP1_HEADERS_MAX)
		return why_set(why, ERR_RANGE, "headers: expected at most %d",
		    HTTP1_HEADERS_MAX);
	json_object_foreach(headers, name, v) {
		if (!json_is_string(v))
			return why_set(why, ERR_SYNTAX,
			    "headers/%s: expected a string", name);
		a->head.headers[a->head.nheaders++] =
		    (struct http1_header){ slice_of(name),
			    slice_of(json_string_value(v)) };
	}
	return ERR_OK;
}

static enum err
read_line(struct supposed_request *a, const struct scenario *s, struct why *why)
{
	struct raw raw = { NULL, "POST", "/v1/chat/completions", NULL, NULL };
	enum err e = jfield_read(a->doc, "", fields, COUNT(fields), &raw, why);
	const char *proxy;

	if (e == ERR_OK)
		e = read_headers(a, raw.headers, why);
	if (e != ERR_OK)
		return e;
	proxy = proxy_named(s, raw.proxy);
	if (!proxy)
		return why_set(why, ERR_SYNTAX,
		    "/proxy: expected the name of a proxy of the scenario");
	a->body = json_is_string(raw.body)
	    ? xstrdup(json_string_value(raw.body))
	    : json_dumps(raw.body, JSON_COMPACT | JSON_ENCODE_ANY);
	a->head.method = slice_of(raw.method);
	a->head.target = slice_of(raw.path);
	facts_init(&a->facts, proxy, &a->head, slice_of(a->body));
	return ERR_OK;
}

static size_t
count_lines(const char *text)
{
	size_t n = 1;

	for (; *text; text++)
		n += *text == '\n';
	return n;
}

enum err
supposed_requests_read(const char *path, const struct scenario *s,
    struct supposed_request **ret, size_t *n, struct why *why)
{
	char *text = NULL, *rest, *line;
	struct supposed_request *list;
	size_t got = 0, number = 0;
	enum err e = files_read(path, FILE_MAX, &text, NULL, why);

	if (e != ERR_OK)
		return e;
	if (count_lines(text) > LINES_MAX) {
		free(text);
		return why_set(why, ERR_TOOBIG, "%s: more than %u lines", path,
		    LINES_MAX);
	}
	list = xcalloc(count_lines(text), sizeof *list);
	rest = text;
	while (e == ERR_OK && (line = strsep(&rest, "\n"))) {
		char at[32];

		number++;
		snprintf(at, sizeof at, "line %zu", number);
		if (!line[strspn(line, " \t\r")])
			continue;
		e = jfield_parse(at, line, strlen(line), &list[got].doc, why);
		if (e == ERR_OK) {
			e = read_line(&list[got++], s, why);
			if (e != ERR_OK)
				why_prefix(why, e, "%s", at);
		}
	}
	free(text);
	if (e != ERR_OK) {
		supposed_requests_free(list, got);
		return why_prefix(why, e, "%s", path);
	}
	*ret = list;
	*n = got;
	return ERR_OK;
}

void
supposed_requests_free(struct supposed_request *a, size_t n)
{
	for (size_t i = 0; a && i < n; i++) {
		facts_done(&a[i].facts);
		json_decref(a[i].doc);
		free(a[i].body);
	}
	free(a);
}
