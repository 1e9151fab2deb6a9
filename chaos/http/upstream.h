/*
 * Where proxies forward to.  A scenario says HOST:PORT, a URL, or a bare name
 * whose address comes from --upstream NAME=HOST:PORT or NAME=@READYFILE; a
 * ready file is read when the first request needs it, because the program it
 * speaks of may start after us.
 */
#ifndef CHAOS_UPSTREAM_H
#define CHAOS_UPSTREAM_H

#include "base/addr.h"
#include "base/err.h"
#include "base/opts.h"

struct upstreams;

/* list: the values of --upstream, borrowed.  ERR_SYNTAX for a bad one. */
enum err upstreams_new(const struct opt_list *list, struct upstreams **ret,
    struct why *why);
void upstreams_free(struct upstreams *u); /* NULL-safe */

/* ERR_SYNTAX if spec can never be resolved: a bare name nobody defines. */
enum err upstreams_check(struct upstreams *u, const char *spec,
    struct why *why);

/* Can it be resolved without reading a ready file? */
bool upstreams_is_known(struct upstreams *u, const char *spec);

/* ERR_AGAIN: its ready file is not there yet. */
enum err upstreams_resolve(struct upstreams *u, const char *spec,
    struct url *ret, struct why *why);

#endif
