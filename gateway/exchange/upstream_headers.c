/*
 * Three lists: what goes on, what a configuration adds, and what never goes on
 * whatever a configuration says (credentials, and what the framing needs).
 */
#include "gateway/exchange/upstream_headers.h"

#include "base/hopbyhop.h"
#include "base/mem.h"
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define NAME(text)                                                             \
	{                                                                      \
		(text), sizeof(text) - 1                                       \
	}

/* Sorted.  What an answer depends on, and what traces and SDKs say.  A list
 * of what stays here would miss the next name somebody gives to a key. */
static const struct slice goes_on[] = {
	NAME("accept"),
	NAME("accept-language"),
	NAME("anthropic-beta"),
	NAME("anthropic-version"),
	NAME("baggage"),
	NAME("cdn-loop"),
	NAME("idempotency-key"),
	NAME("openai-beta"),
	NAME("traceparent"),
	NAME("tracestate"),
	NAME("user-agent"),
	NAME("x-stainless-arch"),
	NAME("x-stainless-async"),
	NAME("x-stainless-helper-method"),
	NAME("x-stainless-lang"),
	NAME("x-stainless-os"),
	NAME("x-stainless-package-version"),
	NAME("x-stainless-retry-count"),
	NAME("x-stainless-runtime"),
	NAME("x-stainless-runtime-version"),
	NAME("x-stainless-timeout"),
};

static bool
is_one_of(struct slice name, const struct slice *list, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (list[i].n == name.n &&
		    strncasecmp(list[i].p, name.p, name.n) == 0)
			return true;
	return false;
}

/* "x-mine" is itself, "x-mine-*" is whatever begins so. */
static bool
fits(const char *pattern, struct slice name)
{
	size_t n = strlen(pattern);

	if (n > 0 && pattern[n - 1] == '*')
		return name.n >= n - 1 &&
		    strncasecmp(pattern, name.p, n - 1) == 0;
	return slice_is_nocase(name, pattern);
}

/* Whatever pattern of a configuration it falls under. */
static bool
never_goes_on(struct slice name)
{
	static const struct slice never[] = {
		NAME("accept-encoding"),
		NAME("api-key"),
		NAME("authorization"),
		NAME("content-encoding"),
		NAME("content-length"),
		NAME("content-type"),
		NAME("cookie"),
		NAME("expect"),
		NAME("host"),
		NAME("proxy-authorization"),
		NAME("x-api-key"),
	};

	return is_one_of(name, never, COUNT(never));
}

/* A client's would stand beside the provider's key. */
static bool
is_key_header(const struct conf_provider *p, struct slice name)
{
	return p->key_header && slice_is_nocase(name, p->key_header);
}

static bool
may_go_on(const struct conf_provider *p, struct slice name)
{
	if (never_goes_on(name))
		return false;
	if (is_one_of(name, goes_on, COUNT(goes_on)))
		return true;
	for (const struct ynode *n = p->forward ? p->forward->first : NULL; n;
	     n = n->next)
		if (fits(n->text, name))
			return true;
	return false;
}

static bool
is_in(const struct ynode *list, struct slice name)
{
	for (const struct ynode *n = list ? list->first : NULL; n; n = n->next)
		if (slice_is_nocase(name, n->key ? n->key : n->text))
			return true;
	return false;
}

static void
add(struct upstream_headers *o, const char *name, const char *value)
{
	if (value && o->n < UPSTREAM_HEADERS_FIELDS_MAX)
		o->fields[o->n++] = (struct http1_field){ name, value };
}

static char *
put(char *to, struct slice s)
{
	memcpy(to, s.p, s.n);
	to[s.n] = '\0';
	return to + s.n + 1;
}

void
upstream_headers_text_init(struct upstream_headers_text *t,
    const struct http1_head *h)
{
	size_t bytes = 1;

	for (size_t i = 0; i < h->nheaders; i++)
		bytes += h->headers[i].name.n + h->headers[i].value.n + 2;
	t->to = t->text = bytes <= sizeof t->room ? t->room : xmalloc(bytes);
}

void
upstream_headers_text_done(struct upstream_headers_text *t)
{
	if (t->text != t->room)
		free(t->text);
}

struct http1_field
upstream_headers_text_put(struct upstream_headers_text *t,
    const struct http1_header *f)
{
	struct http1_field field = { t->to, NULL };

	t->to = put(t->to, f->name);
	field.value = t->to;
	t->to = put(t->to, f->value);
	return field;
}

static void
add_field(struct upstream_headers *o, const struct http1_header *f)
{
	struct http1_field field = upstream_headers_text_put(&o->text, f);

	add(o, field.name, field.value);
}

/* Another API's, which means nothing to whom it is translated for. */
static bool
is_of_an_api(struct slice name)
{
	return fits("anthropic-*", name) || fits("openai-*", name);
}

static void
add_clients(struct upstream_headers *o, const struct http1_head *h,
    const struct conf_target *t, bool is_translated)
{
	for (size_t i = 0; i < h->nheaders; i++) {
		const struct http1_header *f = &h->headers[i];

		if (is_translated && is_of_an_api(f->name))
			continue;
		if (may_go_on(t->provider, f->name) &&
		    !is_key_header(t->provider, f->name) &&
		    !hopbyhop_ends_here(h, f->name) &&
		    !is_in(t->headers_remove, f->name) &&
		    !is_in(t->headers_set, f->name) &&
		    !is_in(t->provider->headers, f->name))
			add_field(o, f);
	}
}

static void
add_map(struct upstream_headers *o, const struct ynode *map)
{
	for (const struct ynode *n = map ? map->first : NULL; n; n = n->next)
		add(o, n->key, n->text);
}

static void
add_key(struct upstream_headers *o, const struct conf_provider *p,
    const struct schema *schema, size_t key)
{
	const char *value, *name = conf_key_header(p, schema, key, &value);

	/* One that the configuration sets is the one. */
	if (name && !is_in(p->headers, slice_of(name)))
		add(o, name, value);
}

void
upstream_headers_init(struct upstream_headers *o,
    const struct http1_head *client, const struct conf_target *t,
    const struct schema *schema, const struct schema *wire, size_t key)
{
	static const struct slice version = { "anthropic-version", 17 };
	bool is_translated = wire != schema;

	o->n = 0;
	upstream_headers_text_init(&o->text, client);
	add(o, "content-type", "application/json");
	add_key(o, t->provider, wire, key);
	add_map(o, t->provider->headers);
	add_map(o, t->headers_set);
	/* Its client knows nothing of it, and it has to be said. */
	if (is_translated && wire->kind == SCHEMA_MESSAGES &&
	    !is_in(t->provider->headers, version) &&
	    !is_in(t->headers_set, version))
		add(o, version.p, "2023-06-01");
	add_clients(o, client, t, is_translated);
}

/* What passes through unread is still what they say it is. */
static bool
is_of_a_body(struct slice name)
{
	return slice_is_nocase(name, "content-type") ||
	    slice_is_nocase(name, "content-encoding");
}

void
upstream_headers_init_plain(struct upstream_headers *o,
    const struct http1_head *client, const struct conf_provider *p, size_t key)
{
	const struct conf_target anything = { .provider = p };

	o->n = 0;
	upstream_headers_text_init(&o->text, client);
	for (size_t i = 0; i < client->nheaders; i++)
		if (is_of_a_body(client->headers[i].name))
			add_field(o, &client->headers[i]);
	add_key(o, p, schema_of(SCHEMA_CHAT), key);
	add_map(o, p->headers);
	add_clients(o, client, &anything, false);
}

void
upstream_headers_done(struct upstream_headers *o)
{
	upstream_headers_text_done(&o->text);
}

/* ---- coming back */

static bool
is_told(struct slice name)
{
	switch (name.p[0] | 0x20) {
	case 'a':
		return fits("anthropic-ratelimit-*", name);
	case 'o':
		return fits("openai-processing-ms", name);
	case 'x':
		return fits("x-ratelimit-*", name);
	default:
		return false;
	}
}

struct upstream_headers_told *
upstream_headers_told(const struct http1_head *answer,
    const struct conf_provider *p)
{
	struct upstream_headers_told *o = NULL;

	for (size_t i = 0; i < answer->nheaders; i++) {
		const struct http1_header *f = &answer->headers[i];

		if (!is_told(f->name) || hopbyhop_ends_here(answer, f->name))
			continue;
		if (!o) {
			o = xcalloc(1, sizeof *o);
			upstream_headers_text_init(&o->text, answer);
		}
		if (o->n < UPSTREAM_HEADERS_TOLD_MAX)
			o->fields[o->n++] =
			    upstream_headers_text_put(&o->text, f);
	}
	if (o)
		conf_hide_keys(p, o->text.text,
		    (size_t)(o->text.to - o->text.text));
	return o;
}

void
upstream_headers_told_free(struct upstream_headers_told *o)
{
	if (o)
		upstream_headers_text_done(&o->text);
	free(o);
}
