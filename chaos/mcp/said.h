/*
 * What a server has said, in its order, until the client hears it.  Answers
 * take the road through the faults and come back later; what the server said
 * behind one waits for it, unless a fault holds it back.
 */
#ifndef CHAOS_SAID_H
#define CHAOS_SAID_H

#include "base/buf.h"
#include "base/loop.h"
#include "base/slice.h"
#include <stdbool.h>

struct said;

struct line_writer;

/* to: what the client reads; borrowed. */
struct said *said_new(struct loop *l, struct line_writer *to);
void said_free(struct said *s); /* NULL-safe; says no more */

/* It said a line that is for the client as it is; a torn one is its last. */
void said_line(struct said *s, struct slice line, bool is_torn);
/* It said the answer to that request, which is now on its way. */
void said_expect(struct said *s, uint64_t request);
/* All faults have let that answer go. */
void said_has_left(struct said *s, uint64_t request);
/* It has come; answer is taken.  One that nobody expected (a fault made it, or
 * held it back) is said at once. */
void said_answer(struct said *s, uint64_t request, struct buf *answer);

#endif
