/*
 * Audits that tell the control room what they see (kf-chaos audit --room):
 * a row for each run, while it is under way and when it was judged.  The last
 * few are kept, for pages that are opened later.
 */
#ifndef CHAOS_CONTROL_ROOM_AUDITS_H
#define CHAOS_CONTROL_ROOM_AUDITS_H

#include "base/err.h"
#include "base/slice.h"
#include <jansson.h>

#define ROOMAUDITS_MAX      8    /* audits that are kept */
#define ROOMAUDITS_ROWS_MAX 1024 /* of one */

struct roomaudits;

struct roomaudits *roomaudits_new(void);
void roomaudits_free(struct roomaudits *a); /* NULL-safe */

/* [{"id", "command", "total", "rows"}], newest first; borrowed. */
json_t *roomaudits_json(const struct roomaudits *a);

/*
 * What an audit says: {"command": TEXT, "total": N, "at": ROW, "row": {"case",
 * "verdict", "severity", "how", "said"}}.  ERR_SYNTAX: it is not that;
 * ERR_RANGE: too much.
 */
enum err roomaudits_tell(struct roomaudits *a, struct slice id, json_t *said,
    struct why *why);

#endif
