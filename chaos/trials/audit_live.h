/*
 * What an audit sees, told to the control room of a running kf-chaos as it
 * happens: which run is under way, and what was judged.  A room that does not
 * answer is told once and left alone; the audit goes on.
 */
#ifndef CHAOS_AUDIT_LIVE_H
#define CHAOS_AUDIT_LIVE_H

#include "base/addr.h"
#include "base/loop.h"
#include "chaos/trials/audit.h"

struct audit_live;

/* room: the admin API's address; token NULL: none. */
struct audit_live *audit_live_new(struct loop *l, const struct addr *room,
    const char *token);
/* Waits for what is on its way, for a moment; NULL-safe. */
void audit_live_free(struct audit_live *v);

/* The row begins, or was judged (jitter too).  v NULL: nobody looks. */
void audit_live_tell(struct audit_live *v, const struct audit *a,
    const struct audit_row *row, bool is_over);

#endif
