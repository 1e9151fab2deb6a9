/*
 * What a server has said, in its order, until the client hears it.  Answers
 * take the road through the faults and come back later; what the server said
 * behind one waits for it, unless a fault holds it back.
 */
#ifndef CHAOS_REPLY_ORDER_H
#define CHAOS_REPLY_ORDER_H

#include "base/buf.h"
#include "base/loop.h"
#include "base/slice.h"
#include <stdbool.h>

struct reply_order;

struct line_writer;

/* to: what the client reads; borrowed.  on_torn comes when the torn end of an
 * answer was said, behind which nothing is. */
struct reply_order *reply_order_new(struct loop *l, struct line_writer *to,
    void (*on_torn)(void *arg), void *arg);
void reply_order_free(struct reply_order *s); /* NULL-safe; says no more */

/* It said a line that is for the client as it is; a torn one is its last. */
void reply_order_line(struct reply_order *s, struct slice line, bool is_torn);
/* It said the answer to that request, which is now on its way. */
void reply_order_expect(struct reply_order *s, uint64_t request);
/* All faults have let that answer go. */
void reply_order_has_left(struct reply_order *s, uint64_t request);
/* It has come; answer is taken.  One that nobody expected (a fault made it, or
 * held it back) is said at once. */
void reply_order_answer(struct reply_order *s, uint64_t request,
    struct buf *answer);
/* The same of an answer whose end is missing, which is the last. */
void reply_order_torn(struct reply_order *s, uint64_t request,
    struct buf *answer);

#endif
