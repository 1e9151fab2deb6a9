/*
 * The loop: libevent's base and four signals.  Signals arrive as events, so
 * that whatever they end is ended between two callbacks and never inside one.
 */
#include "base/loop.h"

#include "base/clock.h"
#include "base/files.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/sdnotify.h"
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct loop {
	struct event_base *base; /* owned */
	struct event *stop[2];   /* owned: SIGTERM, SIGINT */
	struct event *hangup;    /* owned: SIGHUP; NULL: ignored */
	bool has_terminal;       /* and it may be closed over us */
	struct loop_ops ops;
	void *arg;
	bool stopping;
	int signal; /* that stops it; 0: none has come */
};

static struct loop *new_loop(const struct loop_ops *ops, void *arg, int flags);

static void
on_stop_signal(evutil_socket_t sig, short what, void *arg)
{
	struct loop *l = arg;

	(void)what;
	l->signal = (int)sig;
	/* Who asks twice does not want to wait for what is in flight. */
	if (l->stopping || !l->ops.on_stop) {
		loop_quit(l);
		return;
	}
	l->stopping = true;
	l->ops.on_stop(l->arg);
}

static bool
is_on_terminal(void)
{
	int fd = open("/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC);

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

static void
on_hangup_signal(evutil_socket_t sig, short what, void *arg)
{
	struct loop *l = arg;

	if (!l->ops.on_reload || (l->has_terminal && !is_on_terminal()))
		on_stop_signal(sig, what, l);
	else
		l->ops.on_reload(l->arg);
}

static struct event *
watch(struct loop *l, int sig, event_callback_fn fn)
{
	struct event *ev = evsignal_new(l->base, sig, fn, l);

	if (!ev || evsignal_add(ev, NULL) < 0)
		fatalx("cannot watch signal %d", sig);
	return ev;
}

/* nohup has it ignored: then the terminal's end means nothing to us. */
static struct event *
watch_hangup(struct loop *l)
{
	struct sigaction was;
	bool is_ignored =
	    sigaction(SIGHUP, NULL, &was) == 0 && was.sa_handler == SIG_IGN;

	/* Asked now: once it is gone nothing tells a terminal's end from a
	 * supervisor's wish to have the configuration read again. */
	l->has_terminal = !is_ignored && is_on_terminal();
	return is_ignored && !l->ops.on_reload
	    ? NULL
	    : watch(l, SIGHUP, on_hangup_signal);
}

struct loop *
loop_new(const struct loop_ops *ops, void *arg)
{
	return new_loop(ops, arg, EVENT_BASE_FLAG_NOLOCK);
}

struct loop *
loop_new_precise(const struct loop_ops *ops, void *arg)
{
	return new_loop(ops, arg,
	    EVENT_BASE_FLAG_NOLOCK | EVENT_BASE_FLAG_PRECISE_TIMER);
}

static struct loop *
new_loop(const struct loop_ops *ops, void *arg, int flags)
{
	struct loop *l = xcalloc(1, sizeof *l);
	struct event_config *conf = event_config_new();

	if (!conf)
		fatalx("libevent has no configuration");
	event_config_set_flag(conf, flags);
	l->base = event_base_new_with_config(conf);
	event_config_free(conf);
	if (!l->base)
		fatalx("libevent has no event base");
	if (ops)
		l->ops = *ops;
	l->arg = arg;
	signal(SIGPIPE, SIG_IGN);
	l->stop[0] = watch(l, SIGTERM, on_stop_signal);
	l->stop[1] = watch(l, SIGINT, on_stop_signal);
	l->hangup = watch_hangup(l);
	return l;
}

void
loop_free(struct loop *l)
{
	if (!l)
		return;
	event_free(l->stop[0]);
	event_free(l->stop[1]);
	if (l->hangup)
		event_free(l->hangup);
	event_base_free(l->base);
	free(l);
}

int
loop_stopped_by(const struct loop *l)
{
	return l->signal;
}

struct event_base *
loop_base(struct loop *l)
{
	return l->base;
}

void
loop_run(struct loop *l)
{
	if (event_base_dispatch(l->base) < 0)
		fatalx("the event loop failed");
}

void
loop_quit(struct loop *l)
{
	event_base_loopbreak(l->base);
}

void
loop_arm(struct event *timer, uint64_t in_us)
{
	struct timeval tv = { (time_t)(in_us / US_PER_S),
		(suseconds_t)(in_us % US_PER_S) };

	if (event_add(timer, &tv) < 0)
		fatalx("a timer cannot be set");
}

void
loop_arm_at(struct event *timer, uint64_t at_us)
{
	uint64_t now = clock_mono_us();

	loop_arm(timer, at_us > now ? at_us - now : 0);
}

enum err
loop_ready(const char *pairs, const char *file, struct why *why)
{
	char *line = xasprintf("ready %s\n", pairs);
	enum err e = ERR_OK;

	if (file)
		e = files_write(file, line, strlen(line), why);
	if (e == ERR_OK) {
		fputs(line, stdout);
		fflush(stdout);
		sdnotify_ready();
	}
	free(line);
	return e;
}
