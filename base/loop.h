/*
 * The event loop of a daemon: libevent's base, stopped gracefully by
 * SIGTERM and SIGINT, with SIGPIPE ignored.  SIGHUP says one of two things:
 * that the terminal is gone, which ends a program that was started on it
 * (but not under nohup), or, on any other day, that it shall reload.
 */
#ifndef BASE_LOOP_H
#define BASE_LOOP_H

#include "base/clock.h"
#include "base/err.h"
#include <event2/event.h>
#include <stdint.h>

struct loop;

struct loop_ops {
	void (*on_stop)(void *arg);   /* first SIGTERM or SIGINT: drain, then
	                                 loop_quit(); a second one quits */
	void (*on_reload)(void *arg); /* SIGHUP; NULL: it stops, too */
};

struct loop *loop_new(const struct loop_ops *ops, void *arg);
/* The same with timers that are exact to some microseconds instead of a
 * millisecond, at one more system call whenever the loop sleeps. */
struct loop *loop_new_precise(const struct loop_ops *ops, void *arg);
void loop_free(struct loop *l);
struct event_base *loop_base(struct loop *l);
void loop_run(struct loop *l);  /* until loop_quit() */
void loop_quit(struct loop *l); /* callable from any callback */
/* The last signal that asked it to stop; 0: none has. */
int loop_stopped_by(const struct loop *l);

/* Monotonic microseconds. */
static inline uint64_t
loop_now_us(struct loop *l)
{
	(void)l;
	return clock_mono_us();
}

/* The event is due so much later, and not when it was due before; a persistent
 * one again and again.  at_us: when; what is past is due at once. */
void loop_arm(struct event *timer, uint64_t in_us);
void loop_arm_at(struct event *timer, uint64_t at_us);

/*
 * Prints "ready NAME=HOST:PORT ..." (pairs is the part after "ready ") on
 * standard output and, when file is not NULL, writes it there whole; a service
 * manager that waits for it is told, too.
 */
enum err loop_ready(const char *pairs, const char *file, struct why *why);

#endif
