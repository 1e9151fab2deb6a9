/*
 * Mixed traffic for a long time, and what became of every request: a whole
 * answer, an error that says so, or a client that hung up.  What must not
 * be: a short answer with a good end, a failure without a word, and no end
 * at all.
 */
#include "bench/llm.h"

#include "base/clock.h"
#include "base/loop.h"
#include "base/mem.h"
#include <event2/event_struct.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PATIENCE_MS 60000 /* longer than the gateway's own deadlines */
#define TAIL_BYTES  2048
#define PAUSE_US    2000   /* before a client's next request */
#define BACKOFF_US  200000 /* after it was told of an error */

/* clang-format off */
#define OUTCOMES(X) X(WHOLE, whole) X(TOLD, told) X(LEFT, left) \
	X(SHORT, short) X(SILENT, silent) X(HUNG, hung)
/* clang-format on */
#define AS_ENUM(upper, lower) OUTCOME_##upper,
#define AS_TEXT(upper, lower) #lower,

enum outcome { OUTCOMES(AS_ENUM) OUTCOME_NOUTCOMES };

struct soak {
	const struct llm_options *o;
	const struct addr *to;
	struct loop *loop;
	struct fetch_pool *pool;
	struct event tick;
	uint64_t until_ms, counts[OUTCOME_NOUTCOMES];
	int64_t busy;
	unsigned dice;
};

struct client { /* asks one thing after the other */
	struct soak *soak;
	struct fetch *fetch;
	struct event next;
	uint64_t sent_ms;
	bool is_stream;
	uint64_t leave_after; /* bytes; 0: stays to the end */
	uint64_t got;
	char tail[TAIL_BYTES + 1]; /* the end of what came */
	size_t ntail;
};

static void ask(struct client *c);

static unsigned
roll(struct soak *s, unsigned sides)
{
	return (unsigned)rand_r(&s->dice) % sides;
}

/* ---- the end of a request */

static void
settle(struct client *c, enum outcome outcome)
{
	struct soak *s = c->soak;

	s->counts[outcome]++;
	if (outcome >= OUTCOME_SHORT)
		fprintf(stderr,
		    "bench-llm: status %d, %" PRIu64 " bytes, the last: %s\n",
		    fetch_status(c->fetch), c->got, c->tail);
	c->fetch = NULL;
	if (clock_mono_ms() < s->until_ms)
		loop_arm(&c->next,
		    outcome == OUTCOME_TOLD ? BACKOFF_US : PAUSE_US);
	else if (--s->busy == 0)
		loop_quit(s->loop);
}

static void
on_end(struct fetch *f, void *arg)
{
	struct client *c = arg;

	if (fetch_status(f) != 200)
		settle(c,
		    strstr(c->tail, "\"error\"") ? OUTCOME_TOLD
		                                 : OUTCOME_SILENT);
	else if (slice_ends((struct slice){ c->tail, c->ntail },
	             c->is_stream ? "[DONE]\n\n" : "}}"))
		settle(c, OUTCOME_WHOLE);
	else
		settle(c, OUTCOME_SHORT);
}

static void
on_fail(struct fetch *f, enum fetch_fail fail, const char *text, void *arg)
{
	struct client *c = arg;

	(void)f;
	(void)fail;
	(void)text;
	settle(c,
	    c->is_stream && strstr(c->tail, "data: {\"error\"")
	        ? OUTCOME_TOLD
	        : OUTCOME_SILENT);
}

/* ---- its course */

static void
on_data(struct fetch *f, const char *p, size_t n, void *arg)
{
	struct client *c = arg;
	size_t keep = n < TAIL_BYTES ? n : TAIL_BYTES;
	size_t old =
	    c->ntail < TAIL_BYTES - keep ? c->ntail : TAIL_BYTES - keep;

	c->got += n;
	memmove(c->tail, c->tail + c->ntail - old, old);
	memcpy(c->tail + old, p + n - keep, keep);
	c->ntail = old + keep;
	c->tail[c->ntail] = '\0';
	if (c->leave_after && c->got >= c->leave_after) {
		fetch_cancel(f);
		settle(c, OUTCOME_LEFT);
	}
}

static const struct fetch_ops ops = { .on_data = on_data,
	.on_end = on_end,
	.on_fail = on_fail };

/* Half plain, half streams; one stream in five is left by its client. */
static void
ask(struct client *c)
{
	struct soak *s = c->soak;
	char body[LLM_BODY_BYTES];
	struct llm_stream stream = { 0, 0, 1 };

	c->is_stream = roll(s, 2);
	c->leave_after = 0;
	c->got = c->ntail = 0;
	c->tail[0] = '\0';
	if (c->is_stream) {
		stream.events = 1 + roll(s, (unsigned)s->o->events);
		stream.burst = 1 + roll(s, 4);
		if (roll(s, 5) == 0)
			c->leave_after = 1 + roll(s, 4000);
	}
	c->sent_ms = clock_mono_ms();
	stream.interval_ms = roll(s, (unsigned)s->o->interval_ms + 1);
	c->fetch = llm_ask(s->pool, s->to, s->o,
	    (struct slice){ body, llm_body(body, &stream) }, &ops, c);
}

static void
on_next(evutil_socket_t fd, short what, void *arg)
{
	(void)fd;
	(void)what;
	ask(arg);
}

/* ---- the whole */

static void
on_stop(void *arg)
{
	struct soak *s = arg;

	s->until_ms = clock_mono_ms();
}

static void
report(const struct soak *s)
{
	static const char *const names[] = { OUTCOMES(AS_TEXT) };
	uint64_t all = 0;

	for (int i = 0; i < OUTCOME_NOUTCOMES; i++) {
		printf("%s %" PRIu64 "\n", names[i], s->counts[i]);
		all += s->counts[i];
	}
	printf("asked %" PRIu64 "\n", all);
}

static void
on_tick(evutil_socket_t fd, short what, void *arg)
{
	struct client *c = arg;

	(void)fd;
	(void)what;
	for (int64_t i = 0; i < c->soak->o->count; i++)
		if (c[i].fetch &&
		    clock_mono_ms() - c[i].sent_ms > PATIENCE_MS) {
			fetch_cancel(c[i].fetch);
			settle(&c[i], OUTCOME_HUNG);
		}
}

enum exit_code
llm_soak(const struct llm_options *o, const struct addr *to)
{
	static const struct loop_ops loop_ops = { .on_stop = on_stop };
	struct soak s = { .o = o, .to = to, .busy = o->count, .dice = 1 };
	struct client *clients = xcalloc((size_t)o->count, sizeof *clients);

	s.loop = loop_new(&loop_ops, &s);
	s.pool = fetch_pool_new(s.loop, NULL);
	s.until_ms = clock_mono_ms() + (uint64_t)o->seconds * 1000;
	event_assign(&s.tick, loop_base(s.loop), -1, EV_PERSIST, on_tick,
	    clients);
	loop_arm(&s.tick, US_PER_S);
	for (int64_t i = 0; i < o->count; i++) {
		clients[i].soak = &s;
		event_assign(&clients[i].next, loop_base(s.loop), -1, 0,
		    on_next, &clients[i]);
		ask(&clients[i]);
	}
	loop_run(s.loop);
	event_del(&s.tick);
	fetch_pool_free(s.pool);
	loop_free(s.loop);
	free(clients);
	report(&s);
	return s.counts[OUTCOME_SHORT] + s.counts[OUTCOME_SILENT] +
	            s.counts[OUTCOME_HUNG] ==
	        0
	    ? EXIT_DONE
	    : EXIT_JUDGED;
}
