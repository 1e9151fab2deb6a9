/*
 * Thousands of streams at once, and what they cost the process in between.
 *
 *	OPENING --every stream has its first event--> HOLDING
 *	HOLDING --HOLD_US--> ENDING --the last stream has ended--> RESTING
 *	RESTING --REST_US--> OPENING (next round) | done
 *
 * A round's CPU time is taken while all streams are open and idle handshakes
 * are over.  Its memory is taken at the end of HOLDING (open streams) and of
 * RESTING (the same connections, kept alive and idle); at the end all are
 * closed.
 */
#include "bench/llm.h"
#include "bench/meter.h"

#include "base/clock.h"
#include "base/loop.h"
#include <event2/event_struct.h>
#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#define HOLD_US    3000000
#define REST_US    500000
#define ASKING_MAX 64 /* streams that wait for their first event */

enum phase { OPENING, HOLDING, ENDING, RESTING };

struct load {
	const struct llm_options *o;
	const struct addr *to;
	struct loop *loop;
	struct fetch_pool *pool;
	struct slice body;
	struct event timer;
	enum phase phase;
	int64_t round, asked, open, ended, failed;
	uint64_t lines; /* of all streams: an event has two */
	uint64_t opened_us, lines_before, cpu_before, rss_before;
};

static void open_more(struct load *l);
static void on_timer(evutil_socket_t fd, short what, void *arg);

/* ---- a stream */

static void
on_head(struct fetch *f, const struct http1_head *h, void *arg)
{
	struct load *l = arg;

	(void)f;
	if (h->status == 200)
		l->open++;
}

static void
hold(struct load *l)
{
	l->phase = HOLDING;
	l->lines_before = l->lines;
	l->cpu_before = meter_cpu_us((pid_t)l->o->pid);
	printf("round %" PRId64 " open %" PRId64 " in_ms %" PRIu64 "\n",
	    l->round, l->open, (clock_mono_us() - l->opened_us) / 1000);
	loop_arm(&l->timer, HOLD_US);
}

static void
on_data(struct fetch *f, const char *p, size_t n, void *arg)
{
	struct load *l = arg;

	(void)f;
	for (size_t i = 0; i < n; i++)
		l->lines += p[i] == '\n';
	if (l->phase != OPENING)
		return;
	open_more(l);
	if (l->open == l->o->count)
		hold(l);
}

static void
finish_one(struct load *l)
{
	if (++l->ended < l->o->count)
		return;
	if (l->phase < ENDING)
		event_del(&l->timer);
	l->phase = RESTING;
	loop_arm(&l->timer, REST_US);
}

static void
on_end(struct fetch *f, void *arg)
{
	(void)f;
	finish_one(arg);
}

static void
on_fail(struct fetch *f, enum fetch_fail fail, const char *text, void *arg)
{
	struct load *l = arg;

	(void)f;
	(void)fail;
	if (l->failed++ == 0)
		fprintf(stderr, "bench-llm: %s\n", text);
	finish_one(l);
}

static const struct fetch_ops ops = { .on_head = on_head,
	.on_data = on_data,
	.on_end = on_end,
	.on_fail = on_fail };

static void
open_more(struct load *l)
{
	while (l->asked < l->o->count &&
	    l->asked - l->open - l->failed < ASKING_MAX) {
		l->asked++;
		llm_ask(l->pool, l->to, l->o, l->body, &ops, l);
	}
}

/* ---- a round */

static void
start_round(struct load *l)
{
	l->round++;
	l->phase = OPENING;
	l->asked = l->open = l->ended = 0;
	l->opened_us = clock_mono_us();
	open_more(l);
}

static void
report_memory(const struct load *l, const char *when)
{
	pid_t pid = (pid_t)l->o->pid;
	uint64_t rss = meter_rss_kib(pid);
	double more = (double)rss - (double)l->rss_before;

	printf("%s rss_kib %" PRIu64 " fds %" PRIu64 " each_bytes %.0f\n", when,
	    rss, meter_fds(pid), more * 1024 / (double)l->o->count);
}

static void
report_cost(const struct load *l)
{
	uint64_t cpu = meter_cpu_us((pid_t)l->o->pid) - l->cpu_before;
	uint64_t events = (l->lines - l->lines_before) / 2;

	printf("events %" PRIu64 " cpu_us %" PRIu64 " cpu_us_per_event %.2f\n",
	    events, cpu, events ? (double)cpu / (double)events : 0.0);
}

static void
on_timer(evutil_socket_t fd, short what, void *arg)
{
	struct load *l = arg;

	(void)fd;
	(void)what;
	if (l->phase == HOLDING) {
		report_cost(l);
		report_memory(l, "held");
		l->phase = ENDING;
		return;
	}
	report_memory(l, "idle");
	if (l->round < l->o->rounds)
		start_round(l);
	else
		loop_quit(l->loop);
}

static void
on_stop(void *arg)
{
	struct load *l = arg;

	l->failed++;
	loop_quit(l->loop);
}

enum exit_code
llm_streams(const struct llm_options *o, const struct addr *to)
{
	static const struct loop_ops loop_ops = { .on_stop = on_stop };
	struct fetch_pool_conf conf = { .idle_per_host = 20000,
		.idle_timeout_ms = 600000 };
	struct load l = { .o = o, .to = to };
	const struct llm_stream stream = { o->events, o->interval_ms,
		o->burst };
	char body[LLM_BODY_BYTES];

	l.loop = loop_new(&loop_ops, &l);
	l.pool = fetch_pool_new(l.loop, &conf);
	l.body = (struct slice){ body, llm_body(body, &stream) };
	event_assign(&l.timer, loop_base(l.loop), -1, 0, on_timer, &l);
	l.rss_before = meter_rss_kib((pid_t)o->pid);
	report_memory(&l, "before");
	start_round(&l);
	loop_run(l.loop);
	fetch_pool_free(l.pool);
	event_del(&l.timer);
	loop_free(l.loop);
	(void)usleep(REST_US); /* the process in between closes its ends */
	report_memory(&l, "closed");
	printf("failed %" PRId64 "\n", l.failed);
	return l.failed == 0 ? EXIT_DONE : EXIT_JUDGED;
}
