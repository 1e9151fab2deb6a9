/*
 * A named HTTP proxy: a listener, a mode, the exchanges under way.
 */
#ifndef CHAOS_PROXY_H
#define CHAOS_PROXY_H

#include "base/loop.h"
#include "chaos/http/mode.h"

struct proxy;

/* ERR_EXISTS: the address is taken.  env is borrowed but for its conf. */
enum err proxy_new(struct loop *l, struct engine *e, const struct mode_env *env,
    struct proxy **ret, struct why *why);
void proxy_free(struct proxy *p); /* drops its exchanges; NULL-safe */

const char *proxy_name(const struct proxy *p);
enum proxy_mode proxy_mode(const struct proxy *p);
void proxy_address(const struct proxy *p, struct addr *ret);
void proxy_stop_accepting(struct proxy *p);
bool proxy_has_lost(const struct proxy *p); /* its record is incomplete */
size_t proxy_active(const struct proxy *p); /* exchanges under way */

#endif
