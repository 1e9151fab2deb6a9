/*
 * The program's hand on one lab child: starts it, gives it orders, waits for
 * answers against a deadline, and ends it whatever it does.
 *
 * A deadline is processor time of the child's, and for a child that sleeps the
 * clock (deadline.h).
 */
#ifndef LAB_CHILD_HANDLE_H
#define LAB_CHILD_HANDLE_H

#include "base/err.h"
#include "lab/run/order.h"
#include "lab/run/zygote_handle.h"

/* Of a build's files together, looked at a few times a second and at its end;
 * a file alone meets the sandbox's limit at once. */
#define CHILD_HANDLE_FILES_MAX ((uint64_t)128 << 20)

struct child_handle;

enum child_handle_event {
	CHILD_HANDLE_ANSWER,  /* *ret holds the answer */
	CHILD_HANDLE_TIMEOUT, /* the deadline passed; the child was killed */
	CHILD_HANDLE_DIED,    /* it ended, or broke the protocol */
	CHILD_HANDLE_FLOOD,   /* its files passed the cap; it was killed */
};

/* scratch: where the worker's folder is made; borrowed for the call. */
enum err child_handle_start(struct zygote *z, const char *scratch,
    struct child_handle **ret, struct why *why);
/* The same in the folder of another worker, for its compiler's cache; that
 * one must outlive it. */
enum err child_handle_start_beside(struct zygote *z,
    const struct child_handle *neighbour, struct child_handle **ret,
    struct why *why);
/* Kills the child with all it started and removes its folder; NULL-safe. */
void child_handle_stop(struct child_handle *w);

/* Gives the output's pages back, which no launch under way writes; the input's
 * cannot be, their seal forbids it. */
void child_handle_trim(struct child_handle *w);

/*
 * The shared arenas, at least this large; what they held may be lost, the
 * pointers last until the next call.  ERR_TOOBIG, ERR_IO.
 */
enum err child_handle_arenas(struct child_handle *w, size_t input_bytes,
    size_t output_bytes, void **ret_input, void **ret_output, struct why *why);

/* Sends an order; its deadline starts now.  A dead child shows in await. */
void child_handle_build(struct child_handle *w, const struct order_build *o,
    uint32_t deadline_ms);
void child_handle_launch(struct child_handle *w, const struct order_launch *o,
    uint32_t deadline_ms);
void child_handle_arm(struct child_handle *w, const struct order_arm *o,
    uint32_t deadline_ms);
void child_handle_count(struct child_handle *w, const struct order_count *o,
    uint32_t deadline_ms);
void child_handle_fire(struct child_handle *w, uint32_t slot,
    uint32_t deadline_ms);

pid_t child_handle_pid(const struct child_handle *w); /* 0: it is not running */

/* Waits until one of n children, one at least, each with an order, has
 * answered, died or passed its deadline: its index.  child_handle_await() of it
 * does not wait then. */
size_t child_handle_await_any(struct child_handle *const *workers, size_t n);

/* Waits for the answer to the last order.  Its text is one clean line. */
enum child_handle_event child_handle_await(struct child_handle *w,
    struct order_answer *ret);

/* The processor time that the last order took, once it was awaited. */
uint64_t child_handle_spent_us(const struct child_handle *w);

/* After CHILD_HANDLE_DIED: "signal 8 (Floating point exception)", "exit 1". */
void child_handle_describe_end(struct child_handle *w, char *out, size_t size);

#endif
