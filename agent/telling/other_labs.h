/*
 * Which other labs a run asked (run --lab), by what their answers say and where
 * they were asked, and what came of it: how often each accepted or refused a
 * candidate, and how many attempts ended by its word alone.
 */
#ifndef AGENT_OTHER_LABS_H
#define AGENT_OTHER_LABS_H

#include "agent/ledger/op_standing.h"
#include "base/buf.h"
#include <jansson.h>

/* An array of objects: name, version, url, accepted, refused, vetoed.  Empty:
 * no other lab said anything that counts.  Owned. */
json_t *other_labs_of(const struct standings *s);
/* Those of another shard go to those of the same lab. */
void other_labs_add(json_t *all, json_t *more);

/* A line for people for each, before and after around it. */
void other_labs_put(json_t *all, const char *before, const char *after,
    struct buf *b);

/* One attempt's: word, name, version, url.  NULL for none; owned. */
json_t *other_labs_word(const struct opinion *o);

#endif
