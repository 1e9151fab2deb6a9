/*
 * The header fields that go on to an upstream: the client's, without what
 * ends at a proxy and without its credentials, plus the provider's own.
 */
#ifndef GATEWAY_ONWARD_H
#define GATEWAY_ONWARD_H

#include "base/http1.h"
#include "gateway/conf.h"

#define ONWARD_FIELDS_MAX (HTTP1_HEADERS_MAX + 64)

struct onward {
	struct http1_field fields[ONWARD_FIELDS_MAX];
	size_t n;
	char *text; /* owned: the client's fields, NUL-terminated */
};

/* Configuration strings are borrowed; the client's are copied. */
void onward_init(struct onward *o, const struct http1_head *client,
    const struct conf_target *t);
void onward_done(struct onward *o);

#endif
