/*
 * The program's hand on one lab child: starts it, gives it orders, waits for
 * answers against a deadline by its own clock, and ends it whatever it does.
 */
#ifndef LAB_WORKER_H
#define LAB_WORKER_H

#include "base/err.h"
#include "lab/run/order.h"
#include "lab/run/zygote.h"

struct worker;

enum worker_event {
	WORKER_ANSWER,  /* *ret holds the answer */
	WORKER_TIMEOUT, /* the deadline passed; the child was killed */
	WORKER_DIED,    /* it ended, or broke the protocol */
};

/* scratch: where the worker's folder is made; borrowed for the call. */
enum err worker_start(struct zygote *z, const char *scratch,
    struct worker **ret, struct why *why);
/* The same in the folder of another worker, for its compiler's cache; that
 * one must outlive it. */
enum err worker_start_beside(struct zygote *z, const struct worker *neighbour,
    struct worker **ret, struct why *why);
/* Kills the child with all it started and removes its folder; NULL-safe. */
void worker_stop(struct worker *w);

/*
 * The shared arenas, at least this large; what they held may be lost, the
 * pointers last until the next call.  ERR_TOOBIG, ERR_IO.
 */
enum err worker_arenas(struct worker *w, size_t input_bytes,
    size_t output_bytes, void **ret_input, void **ret_output, struct why *why);

/* Sends an order; its deadline starts now.  A dead child shows in await. */
void worker_build(struct worker *w, const struct order_build *o,
    uint32_t deadline_ms);
void worker_launch(struct worker *w, const struct order_launch *o,
    uint32_t deadline_ms);
void worker_arm(struct worker *w, const struct order_arm *o,
    uint32_t deadline_ms);
void worker_count(struct worker *w, const struct order_count *o,
    uint32_t deadline_ms);
void worker_fire(struct worker *w, uint32_t slot, uint32_t deadline_ms);

pid_t worker_pid(const struct worker *w); /* 0: it is not running */

/* Waits until one of n children, each with an order, has answered, died or
 * passed its deadline: its index.  worker_await() of it does not wait then. */
size_t worker_await_any(struct worker *const *workers, size_t n);

/* Waits for the answer to the last order.  Its text is one clean line. */
enum worker_event worker_await(struct worker *w, struct order_answer *ret);

/* After WORKER_DIED: "signal 8 (Floating point exception)", "exit 1". */
void worker_describe_end(struct worker *w, char *out, size_t size);

#endif
