/*
 * The header fields that go on to an upstream: those of the client's that
 * stand in a list (the provider's forward_headers add to it), so that nobody's
 * credentials reach a provider, and the provider's own.
 */
#ifndef GATEWAY_ONWARD_H
#define GATEWAY_ONWARD_H

#include "base/http1.h"
#include "gateway/conf/conf.h"

#define ONWARD_FIELDS_MAX (HTTP1_HEADERS_MAX + 64)

/* Copies of a head's fields, NUL-terminated, in one block. */
struct onward_text {
	char *text, *to; /* text is owned */
};

void onward_text_init(struct onward_text *t, const struct http1_head *h);
void onward_text_done(struct onward_text *t);
/* f is of that head, and is put once. */
struct http1_field onward_text_put(struct onward_text *t,
    const struct http1_header *f);

struct onward {
	struct http1_field fields[ONWARD_FIELDS_MAX];
	size_t n;
	struct onward_text text; /* the client's fields */
};

/* Configuration strings are borrowed; the client's are copied. */
void onward_init(struct onward *o, const struct http1_head *client,
    const struct conf_target *t);
/* The same for a body that is passed on as it is. */
void onward_init_plain(struct onward *o, const struct http1_head *client,
    const struct conf_provider *p);
void onward_done(struct onward *o);

#endif
