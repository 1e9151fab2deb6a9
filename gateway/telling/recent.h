/*
 * The last requests, as lines of JSON in memory, for who looks at the gateway
 * while it runs.  What stands in the decision log, but never a body.
 */
#ifndef GATEWAY_RECENT_H
#define GATEWAY_RECENT_H

#include "base/buf.h"

struct recent;

struct recent *recent_new(void);
void recent_free(struct recent *r); /* NULL-safe */

/* An object of JSON without its last brace. */
void recent_add(struct recent *r, const struct buf *open);
/* {"requests":[...]}, the newest first. */
void recent_print(const struct recent *r, struct buf *out);

#endif
