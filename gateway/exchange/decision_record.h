/*
 * The decision log's line: what was asked, what was decided, how each
 * attempt ended.  Never a body, a key or a header's value beyond the few
 * metadata fields named here.
 */
#ifndef GATEWAY_DECISION_RECORD_H
#define GATEWAY_DECISION_RECORD_H

#include "gateway/exchange/call_state.h"

/* Bodies for the log; these do nothing unless the log keeps them. */
void record_asked(struct call *c);
void record_answered(struct call *c, const char *p, size_t n);
void record_reset(struct call *c); /* another attempt: its answer counts */
void record_done(struct call *c);
/* Whether the line says that pair of metadata. */
bool record_keeps(const char *name);
/* What was kept of them, without what looks like a secret; owned, NULL: none
 * was. */
void record_take(const struct call *c, char **asked, char **answered);
/* What an attempt has used and cost, into its line and the target's sums. */
void record_usage(struct call *c, enum cause cause, struct call_try *try);
/* What the answer under way has cost, were it over now. */
uint64_t record_cost(const struct call *c);
/* The line.  Its attempts, an array of JSON, stand in the gateway's as well
 * where the call has an entry in the store. */
void record_call(struct call *c, int status, enum cause cause);

#endif
