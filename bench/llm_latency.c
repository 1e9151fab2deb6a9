/*
 * One request at a time on one kept connection: how long a plain answer
 * takes, and how long until a stream's first bytes are here.
 */
#include "bench/llm.h"
#include "bench/meter.h"

#include "base/clock.h"
#include "base/loop.h"
#include "base/mem.h"
#include <stdio.h>
#include <stdlib.h>

struct asking {
	const struct llm_options *o;
	const struct addr *to;
	struct loop *loop;
	struct fetch_pool *pool;
	struct slice body;
	uint64_t *first_us, *whole_us; /* owned; a sample a request */
	size_t n;
	uint64_t sent_us;
	bool is_first, is_bad;
};

static void ask(struct asking *a);

static void
on_data(struct fetch *f, const char *p, size_t n, void *arg)
{
	struct asking *a = arg;

	(void)f;
	(void)p;
	(void)n;
	if (a->is_first)
		a->first_us[a->n] = clock_mono_us() - a->sent_us;
	a->is_first = false;
}

static void
on_end(struct fetch *f, void *arg)
{
	struct asking *a = arg;

	a->is_bad |= fetch_status(f) != 200;
	a->whole_us[a->n++] = clock_mono_us() - a->sent_us;
	if (a->n == (size_t)a->o->count || a->is_bad)
		loop_quit(a->loop);
	else
		ask(a);
}

static void
on_fail(struct fetch *f, enum fetch_fail fail, const char *text, void *arg)
{
	struct asking *a = arg;

	(void)f;
	(void)fail;
	fprintf(stderr, "bench-llm: %s\n", text);
	a->is_bad = true;
	loop_quit(a->loop);
}

static const struct fetch_ops ops = { .on_data = on_data,
	.on_end = on_end,
	.on_fail = on_fail };

static void
ask(struct asking *a)
{
	a->is_first = true;
	a->sent_us = clock_mono_us();
	llm_ask(a->pool, a->to, a->o, a->body, &ops, a);
}

static void
on_stop(void *arg)
{
	struct asking *a = arg;

	a->is_bad = true;
	loop_quit(a->loop);
}

static bool
measure(struct asking *a, const char *name, int64_t events)
{
	const struct llm_stream stream = { events, 0, 1 };
	char body[LLM_BODY_BYTES];

	a->body = (struct slice){ body, llm_body(body, &stream) };
	a->n = 0;
	ask(a);
	loop_run(a->loop);
	if (a->is_bad)
		return false;
	printf("%s_first_p50_us %lu\n%s_whole_p50_us %lu\n"
	       "%s_whole_p99_us %lu\n",
	    name, meter_percentile(a->first_us, a->n, 50), name,
	    meter_percentile(a->whole_us, a->n, 50), name,
	    meter_percentile(a->whole_us, a->n, 99));
	return true;
}

enum exit_code
llm_latency(const struct llm_options *o, const struct addr *to)
{
	static const struct loop_ops loop_ops = { .on_stop = on_stop };
	struct asking a = { .o = o, .to = to };
	bool good;

	a.first_us = xcalloc((size_t)o->count, sizeof *a.first_us);
	a.whole_us = xcalloc((size_t)o->count, sizeof *a.whole_us);
	a.loop = loop_new(&loop_ops, &a);
	a.pool = fetch_pool_new(a.loop, NULL);
	good = measure(&a, "plain", 0) && measure(&a, "stream", 1);
	fetch_pool_free(a.pool);
	loop_free(a.loop);
	free(a.first_us);
	free(a.whole_us);
	return good ? EXIT_DONE : EXIT_ENV;
}
