/*
 * The header fields that go on to an upstream: those of the client's that
 * stand in a list (the provider's forward_headers add to it), so that nobody's
 * credentials reach a provider, and the provider's own.
 */
#ifndef GATEWAY_UPSTREAM_HEADERS_H
#define GATEWAY_UPSTREAM_HEADERS_H

#include "base/http1.h"
#include "gateway/conf/conf.h"

#define UPSTREAM_HEADERS_FIELDS_MAX (HTTP1_HEADERS_MAX + 64)
#define UPSTREAM_HEADERS_TOLD_MAX   20

/* Copies of a head's fields, NUL-terminated, in one block; nearly always the
 * one within.  It is not moved. */
struct upstream_headers_text {
	char *text, *to; /* text is owned, or room */
	char room[1024];
};

void upstream_headers_text_init(struct upstream_headers_text *t,
    const struct http1_head *h);
void upstream_headers_text_done(struct upstream_headers_text *t);
/* f is of that head, and is put once. */
struct http1_field upstream_headers_text_put(struct upstream_headers_text *t,
    const struct http1_header *f);

struct upstream_headers {
	struct http1_field fields[UPSTREAM_HEADERS_FIELDS_MAX];
	size_t n;
	struct upstream_headers_text text; /* the client's fields */
};

/* Configuration strings are borrowed; the client's are copied.  wire: the API
 * that it is asked in, which may be another than the client's. */
void upstream_headers_init(struct upstream_headers *o,
    const struct http1_head *client, const struct conf_target *t,
    const struct schema *schema, const struct schema *wire, size_t key);
/* The same for a body that is passed on as it is. */
void upstream_headers_init_plain(struct upstream_headers *o,
    const struct http1_head *client, const struct conf_provider *p, size_t key);
void upstream_headers_done(struct upstream_headers *o);

/* What an upstream says of its limits and its time, for the client. */
struct upstream_headers_told {
	struct http1_field fields[UPSTREAM_HEADERS_TOLD_MAX];
	size_t n;
	struct upstream_headers_text text;
};

/* NULL: nothing, as from most upstreams. */
struct upstream_headers_told *
upstream_headers_told(const struct http1_head *answer,
    const struct conf_provider *p);
void upstream_headers_told_free(struct upstream_headers_told *o);

#endif
