/*
 * One fetch of /status a round, on the usual loop: what it shows is what any
 * other reader of that path could know.
 */
#include "gateway/service/top.h"

#include "base/buf.h"
#include "base/columns.h"
#include "base/fetch.h"
#include "base/loop.h"
#include "base/terminal.h"
#include <jansson.h>
#include <stdio.h>
#include <string.h>
#include <sys/time.h>

#define STATUS_MAX  (4U << 20)
#define PATIENCE_US (5 * US_PER_S)

struct top {
	struct top_options o;
	struct loop *loop;
	struct fetch_pool *pool;
	struct event *timer, *limit; /* the next round; of this one */
	struct fetch *fetch;
	struct buf body;
	int64_t rounds;
	json_t *before; /* the status of the round before, NULL */
	enum exit_code exit;
};

static void ask(struct top *t);

static void
stop(void *arg)
{
	struct top *t = arg;

	loop_quit(t->loop);
}

static json_int_t
int_of(json_t *o, const char *key)
{
	return json_integer_value(json_object_get(o, key));
}

static double
real_of(json_t *o, const char *key)
{
	return json_number_value(json_object_get(o, key));
}

static const char *
text_of(json_t *o, const char *key)
{
	const char *s = json_string_value(json_object_get(o, key));

	return s ? s : "?";
}

/* What a counter has grown by a second; 0 in the first round. */
static double
rate_of(const struct top *t, json_t *now, json_t *before, const char *key)
{
	return before ? (double)(int_of(now, key) - int_of(before, key)) *
	        1000 / (double)t->o.interval_ms
	              : 0;
}

#define EDGE_MAX 16
/* The last edge of the histogram that /status reads quantiles off; what lies
 * beyond it is told as this edge too, so only the one before is sure. */
#define EDGE_LAST_MS 81920

/* A quantile is the upper edge of a bucket, and no measured time. */
static const char *
edge_of(json_t *target, const char *key, char text[EDGE_MAX])
{
	double ms = real_of(target, key);

	if (ms <= 0)
		return "-";
	if (ms >= EDGE_LAST_MS)
		snprintf(text, EDGE_MAX, ">%d", EDGE_LAST_MS / 2);
	else
		snprintf(text, EDGE_MAX, "<%.0f", ms);
	return text;
}

#define FIGURES_WIDTH  80 /* of a row, behind the target's name */
#define NAME_MIN       12
#define NAME_MAX_WIDTH 36

/* How wide a target's name may be; 0: its figures stand below it. */
static int
name_width(void)
{
	int said = columns_said(stdout);
	int left = said - FIGURES_WIDTH;

	if (said == 0 || left > NAME_MAX_WIDTH)
		return NAME_MAX_WIDTH;
	return left < NAME_MIN ? 0 : left;
}

static void
print_below(const struct top *t, json_t *target, json_t *before)
{
	char text[256], p50[EDGE_MAX], p99[EDGE_MAX];

	columns_put_last(text_of(target, "breaker"),
	    printf("%s  ", text_of(target, "target")), stdout);
	snprintf(text, sizeof text,
	    "attempts %lld, failed %lld, %.1f/s, first %.1f ms, p50 %s ms, "
	    "p99 %s ms, %.6f USD",
	    (long long)int_of(target, "attempts"),
	    (long long)int_of(target, "failed"),
	    rate_of(t, target, before, "attempts"),
	    real_of(target, "first_token_ms"), edge_of(target, "p50_ms", p50),
	    edge_of(target, "p99_ms", p99), real_of(target, "cost_usd"));
	columns_put_last(text, printf("  "), stdout);
}

/* Targets keep their places, new ones come behind; a provider stands for what
 * passes untouched, and is shown once that has happened. */
static void
print_target(const struct top *t, json_t *target, json_t *before, int width)
{
	const char *name = text_of(target, "target");
	char p50[EDGE_MAX], p99[EDGE_MAX];

	if (!strchr(name, '/') && int_of(target, "attempts") == 0)
		return;
	if (width == 0) {
		print_below(t, target, before);
		return;
	}
	printf("%-*.*s %-9s %9lld %8lld %8.1f %9.1f %9s %9s %11.6f\n", width,
	    width, name, text_of(target, "breaker"),
	    (long long)int_of(target, "attempts"),
	    (long long)int_of(target, "failed"),
	    rate_of(t, target, before, "attempts"),
	    real_of(target, "first_token_ms"), edge_of(target, "p50_ms", p50),
	    edge_of(target, "p99_ms", p99), real_of(target, "cost_usd"));
}

static void
print_status(const struct top *t, json_t *status)
{
	json_t *targets = json_object_get(status, "targets"), *target;
	json_t *before = json_object_get(t->before, "targets");
	int width = name_width();
	double cost = 0;
	char text[256];
	size_t i;

	json_array_foreach(targets, i, target)
		cost += real_of(target, "cost_usd");
	if (terminal_is_drawn(stdout))
		fputs("\033[H\033[2J", stdout);
	snprintf(text, sizeof text,
	    "requests %lld  rate %.1f/s  in flight %lld  streams %lld  "
	    "clients gone %lld  cost %.6f USD",
	    (long long)int_of(status, "requests"),
	    rate_of(t, status, t->before, "requests"),
	    (long long)int_of(status, "in_flight"),
	    (long long)int_of(status, "streams"),
	    (long long)int_of(status, "clients_gone"), cost);
	columns_put_last(text, 0, stdout);
	if (width > 0)
		printf("%-*s %-9s %9s %8s %8s %9s %9s %9s %11s\n", width,
		    "target", "breaker", "attempts", "failed", "rate/s",
		    "first ms", "p50 ms", "p99 ms", "cost USD");
	json_array_foreach(targets, i, target)
		print_target(t, target, json_array_get(before, i), width);
	fflush(stdout);
}

static void
on_data(struct fetch *f, const char *p, size_t n, void *arg)
{
	struct top *t = arg;

	(void)f;
	buf_add(&t->body, p, n);
}

static void
fail(struct top *t, const char *text)
{
	fprintf(stderr, "kf-gateway: top: %s\n", text);
	t->exit = EXIT_ENV;
	loop_quit(t->loop);
}

static void
on_end(struct fetch *f, void *arg)
{
	struct top *t = arg;
	json_t *status = t->body.data
	    ? json_loadb(t->body.data, t->body.len, 0, NULL)
	    : NULL;

	(void)f;
	evtimer_del(t->limit);
	if (!json_is_object(status)) {
		json_decref(status);
		fail(t, "that is not a gateway's admin port");
		return;
	}
	print_status(t, status);
	json_decref(t->before);
	t->before = status;
	if (++t->rounds == t->o.count)
		loop_quit(t->loop);
	else
		loop_arm(t->timer, (uint64_t)t->o.interval_ms * US_PER_MS);
}

static void
on_fail(struct fetch *f, enum fetch_fail why, const char *text, void *arg)
{
	(void)f;
	(void)why;
	fail(arg, text);
}

static void
on_limit(evutil_socket_t fd, short what, void *arg)
{
	struct top *t = arg;

	(void)fd;
	(void)what;
	fetch_cancel(t->fetch);
	fail(t, "no answer within 5 s");
}

static void
on_timer(evutil_socket_t fd, short what, void *arg)
{
	(void)fd;
	(void)what;
	ask(arg);
}

static void
ask(struct top *t)
{
	static const struct fetch_ops ops = { .on_data = on_data,
		.on_end = on_end,
		.on_fail = on_fail };
	struct fetch_request r = { .addr = t->o.admin,
		.method = "GET",
		.target = "/status" };

	buf_clear(&t->body);
	loop_arm(t->limit, PATIENCE_US);
	t->fetch = fetch_start(t->pool, &r, &ops, t);
}

enum exit_code
top_run(const struct top_options *o)
{
	static const struct loop_ops ops = { stop, NULL };
	struct top t = { .o = *o, .exit = EXIT_DONE };

	t.loop = loop_new(&ops, &t);
	t.pool = fetch_pool_new(t.loop, NULL);
	t.timer = evtimer_new(loop_base(t.loop), on_timer, &t);
	t.limit = evtimer_new(loop_base(t.loop), on_limit, &t);
	buf_init(&t.body, STATUS_MAX);
	ask(&t);
	loop_run(t.loop);
	buf_done(&t.body);
	json_decref(t.before);
	event_free(t.timer);
	event_free(t.limit);
	fetch_pool_free(t.pool);
	loop_free(t.loop);
	return t.exit;
}
