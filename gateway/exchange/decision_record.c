/*
 * Written as the call ends, from what the call knows then; tokens that nobody
 * counted are estimated, and said to be.
 */
#include "gateway/exchange/decision_record.h"

#include "base/clock.h"
#include "base/mem.h"
#include "base/metadata_header.h"
#include "gateway/exchange/spans.h"
#include "gateway/telling/recent.h"
#include "gateway/text/jput.h"
#include "gateway/text/secret_shapes.h"
#include "gateway/text/token_estimate.h"
#include "gateway/translation/translation.h"
#include <stdlib.h>
#include <string.h>

#define LINE_MAX_BYTES 16384
#define TOKEN_US       20000       /* a token takes, when nothing is known */
#define TOKENS_MAX     1024        /* that nobody saw */
#define ESCAPED_MAX    ((size_t)6) /* bytes of JSON a byte can become */
#define UNLIMITED      UINT32_MAX  /* tokens of a choice */
#define EVENT_BYTES    1024        /* of an event that are no text */

/* What was asked and what the last upstream answered, each cut at a cap. */
struct bodies {
	struct buf asked, answered;
	bool is_cut;
};

static const char *const metadata_keys[] = { "scenario", "role", "op",
	"iteration", "escalate" };

/* Appends what still fits. */
static void
keep(struct bodies *bodies, struct buf *to, const char *p, size_t n)
{
	size_t room = to->max_bytes - to->len;

	bodies->is_cut |= n > room;
	buf_add(to, p, n < room ? n : room);
}

void
record_asked(struct call *c)
{
	size_t max = (size_t)c->conf->body_log_bytes;

	if (!max)
		return;
	c->bodies = xcalloc(1, sizeof *c->bodies);
	buf_init(&c->bodies->asked, max);
	buf_init(&c->bodies->answered, max);
	keep(c->bodies, &c->bodies->asked, c->peek->body.p, c->peek->body.n);
}

void
record_answered(struct call *c, const char *p, size_t n)
{
	if (c->bodies)
		keep(c->bodies, &c->bodies->answered, p, n);
}

void
record_reset(struct call *c)
{
	if (c->bodies)
		buf_clear(&c->bodies->answered);
}

void
record_done(struct call *c)
{
	if (!c->bodies)
		return;
	buf_done(&c->bodies->asked);
	buf_done(&c->bodies->answered);
	free(c->bodies);
}

bool
record_keeps(const char *name)
{
	for (size_t i = 0; i < COUNT(metadata_keys); i++)
		if (strcmp(metadata_keys[i], name) == 0)
			return true;
	return false;
}

static char *
without_secrets(const struct call *c, const struct buf *body)
{
	char *text = xstrndup(body->data ? body->data : "", body->len);

	secrets_mask(text);
	for (size_t i = 0; i < c->conf->nproviders; i++) {
		const struct conf_provider *p = &c->conf->providers[i];

		for (size_t k = 0; k < p->nsecrets; k++)
			secrets_mask_one(text, p->secrets[k].key);
		/* A stream's events may have a half of it each. */
		conf_hide_keys(c->conf->providers + i, text, strlen(text));
	}
	return text;
}

void
record_take(const struct call *c, char **asked, char **answered)
{
	*asked = *answered = NULL;
	if (!c->bodies)
		return;
	*asked = without_secrets(c, &c->bodies->asked);
	*answered = without_secrets(c, &c->bodies->answered);
}

static void
put_bodies(struct buf *b, const struct call *c)
{
	char *asked, *answered;

	record_take(c, &asked, &answered);
	if (!asked)
		return;
	jput_member(b, "asked", asked);
	jput_member(b, "answered", answered);
	jput_bool(b, "bodies_cut", c->bodies->is_cut);
	free(asked);
	free(answered);
}

static void
put_try(struct buf *b, const struct call_try *t)
{
	buf_adds(b, b->data[b->len - 1] == '[' ? "{" : ",{");
	jput_member(b, "target", t->target->name);
	jput_member(b, "cause", cause_facts(t->cause)->name);
	jput_uint(b, "status", (uint64_t)t->status);
	jput_ms(b, "ms", t->us);
	buf_addc(b, '}');
}

static void
put_attempts(struct buf *b, const struct call *c)
{
	buf_addc(b, '[');
	for (size_t i = 0; i < c->ntries; i++)
		put_try(b, &c->tries[i]);
	buf_addc(b, ']');
}

static void
put_asked(struct buf *b, const struct call *c)
{
	const char *value;

	jput_member(b, "request", c->id);
	if (c->caller->subject[0])
		jput_member(b, "subject", c->caller->subject);
	for (size_t i = 0; c->metadata && i < COUNT(metadata_keys); i++)
		if ((value =
		            metadata_header_get(c->metadata, metadata_keys[i])))
			jput_put_member(b, slice_of(metadata_keys[i]),
			    slice_of(value));
	jput_member(b, "from", c->model);
	if (c->schema->kind != SCHEMA_CHAT)
		jput_member(b, "api", c->schema->name);
	jput_bool(b, "stream", c->is_stream);
}

static uint64_t
total_cost(const struct call *c)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < c->ntries; i++)
		sum += c->tries[i].cost_nano;
	return sum;
}

static bool
is_estimated(const struct call *c)
{
	for (size_t i = 0; i < c->ntries; i++)
		if (c->tries[i].is_estimated)
			return true;
	return false;
}

static void
put_usage(struct buf *b, const struct call *c)
{
	uint64_t in = 0, out = 0;

	for (size_t i = 0; i < c->ntries; i++) {
		in += c->tries[i].tokens_in;
		out += c->tries[i].tokens_out;
	}
	jput_uint(b, "tokens_in", in);
	jput_uint(b, "tokens_out", out);
	jput_bool(b, "estimated", is_estimated(c));
	jput_decimal(b, "cost_usd", total_cost(c), 9);
}

static void
put_decided(struct buf *b, const struct call *c)
{
	const struct conf_target *t = call_target(c);

	jput_member(b, "rule", c->rule ? c->rule->id : "");
	jput_member(b, "target", t ? t->name : "");
	jput_member(b, "model", t ? t->model : "");
	jput_member(b, "reason", c->reason ? c->reason : "refused");
}

static uint64_t
lesser(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* A whole answer that nobody waited for was being written all the time, all of
 * its choices. */
static uint64_t
guess_written(const struct call *c, const struct call_try *try)
{
	struct output_limit limit = call_limit(c, try->target);
	uint64_t each = try->target->live->per_token_us;
	uint64_t made = try->us / (each ? each : TOKEN_US);

	return lesser(made, output_limit_each(&limit, TOKENS_MAX)) *
	    output_limit_choices(&limit);
}

/* The provider had the question when the client left, or its time or ours was
 * over, or its answer was not to be taken here; it bills that, unless it has said
 * that it will not answer. */
static bool
is_abandoned(const struct call *c, enum cause cause)
{
	static const bool waits_no_more[CAUSE_NCAUSES] = {
		[CAUSE_CLIENT_GONE] = true,
		[CAUSE_DEADLINE] = true,
		[CAUSE_FIRST_TOKEN] = true,
		[CAUSE_IDLE] = true,
		[CAUSE_SLOW] = true,
		[CAUSE_TIMEOUT] = true,
		[CAUSE_TOO_BIG] = true,
		[CAUSE_UNTRANSLATABLE] = true,
	};

	return c->is_sent && c->status < 300 && waits_no_more[cause];
}

/* Nobody writes more than was asked for, and vectors are no tokens. */
static uint64_t
written_at_most(const struct call *c, const struct call_try *try, uint64_t made)
{
	struct output_limit limit = call_limit(c, try->target);

	if (c->schema->kind == SCHEMA_EMBEDDINGS)
		return 0;
	return lesser(made,
	    output_limit_each(&limit, UNLIMITED) *
	        output_limit_choices(&limit));
}

/* One half of it was counted alone: the other was no less, and is not told. */
static bool
add_missing_half(const struct call *c, const struct call_try *try,
    const struct chunk *usage, uint64_t made, struct cost_usage *u)
{
	bool is_vector = c->schema->kind == SCHEMA_EMBEDDINGS;

	if (!usage->has_in)
		u->in = c->asked_tokens;
	if (!usage->has_out && !is_vector)
		u->out = written_at_most(c, try, made);
	return !usage->has_in || !(usage->has_out || is_vector);
}

/* What has come of an event that has not ended: most of a large one is text. */
static uint64_t
unread_bytes(const struct call *c)
{
	struct slice rest = { NULL, 0 };

	if (c->told_as)
		rest = translation_stream_pending(c->told_as);
	else if (c->sse)
		rest = sse_pending(c->sse);
	return rest.n > EVENT_BYTES ? rest.n - EVENT_BYTES : 0;
}

/* Tokens the upstream counted, or a guess at those it must have made. */
static bool
read_usage(const struct call *c, enum cause cause, const struct call_try *try,
    struct cost_usage *u)
{
	struct chunk counted = c->commit.last_usage;
	uint64_t made = token_estimate_stream(c->told_as
	        ? translation_stream_made(c->told_as)
	        : c->commit.events,
	    c->commit.bytes + unread_bytes(c));
	uint64_t whole = c->status == 200 && !c->is_events
	    ? token_estimate_text(c->body.len)
	    : made;

	/* What the client was told for want of counts is none. */
	if (c->told_as)
		translation_stream_counted(c->told_as, &counted);
	if (counted.has_counts) {
		*u = (struct cost_usage){ counted.tokens_in, counted.tokens_out,
			counted.tokens_cached };
		if (add_missing_half(c, try, &counted, whole, u))
			return true;
		/* Some count at the beginning, too: a stream that was cut has
		 * made what has come since. */
		if (cause != CAUSE_OK && !call_has_said_why(c))
			made = written_at_most(c, try, made);
		else
			made = 0;
		if (made <= u->out)
			return c->is_guess;
		u->out = made;
		return true;
	}
	made = whole;
	if (is_abandoned(c, cause) && !c->is_stream && !made)
		made = guess_written(c, try);
	/* No event, no bill, but where the model said that it has ended. */
	u->in = made || call_has_said_why(c) || is_abandoned(c, cause)
	    ? c->asked_tokens
	    : 0;
	u->out = written_at_most(c, try, made);
	u->cached = 0;
	return u->in > 0;
}

static void
count_latency(const struct call *c, struct target_health *l,
    const struct call_try *try)
{
	uint64_t first = c->first_token_us - c->try_started_us, each = 0;

	hist_add(&l->duration, HIST_SECONDS, (double)try->us / 1e6);
	if (!c->first_token_us)
		return;
	/* The bytes of a whole answer come when its tokens are long made. */
	if (c->is_events)
		hist_add(&l->first_token, HIST_SECONDS, (double)first / 1e6);
	if (c->is_events && try->tokens_out > 1) {
		each = (try->us - first) / (try->tokens_out - 1);
		hist_add(&l->per_token, HIST_PER_TOKEN, (double)each / 1e6);
	}
	target_health_latency(l, loop_now_us(c->gate->loop) / 1000, first,
	    each);
}

uint64_t
record_cost(const struct call *c)
{
	const struct call_try try = { .target = call_target(c) };
	struct cost_usage u;

	(void)read_usage(c, CAUSE_OK, &try, &u);
	return cost_nano(try.target->price, &u, clock_wall_ms() / 1000);
}

void
record_usage(struct call *c, enum cause cause, struct call_try *try)
{
	const struct conf_target *t = try->target;
	struct gateway_stats *stats = &c->gate->stats;
	uint64_t now_s = clock_wall_ms() / 1000;
	struct target_health *l = t->live;
	struct cost_usage u;

	try->is_estimated = read_usage(c, cause, try, &u);
	try->tokens_in = u.in;
	try->tokens_out = u.out;
	try->cost_nano = cost_nano(t->price, &u, now_s);
	l->tokens_in += u.in;
	l->tokens_out += u.out;
	l->cost_nano += try->cost_nano;
	if (c->is_escalated)
		stats->escalated_nano += try->cost_nano;
	if (cause != CAUSE_OK && cause != CAUSE_CLIENT_GONE) {
		l->wasted_nano += try->cost_nano;
		return;
	}
	stats->all_primary_nano += cost_nano(c->conf->primary, &u, now_s);
	stats->all_escalation_nano += cost_nano(c->conf->escalation, &u, now_s);
	hist_add(&l->in, HIST_TOKENS, (double)u.in);
	hist_add(&l->out, HIST_TOKENS, (double)u.out);
	count_latency(c, l, try);
}

/* What one attempt that went well spent on our side of the sockets. */
static void
count_overhead(struct call *c)
{
	uint64_t before = c->sent_us - c->started_us;
	uint64_t after = clock_exact_us() - c->came_us;

	if (c->ntries == 1 && c->came_us && !c->is_events)
		hist_add(&c->gate->stats.overhead, HIST_OVERHEAD,
		    (double)(before + after) / 1e6);
}

/* The time of day as text, made once a millisecond. */
static const char *
wall_text(struct gateway *g)
{
	uint64_t now = clock_wall_ms();

	if (now != g->wall_ms) {
		g->wall_ms = now;
		clock_iso(now, g->wall);
	}
	return g->wall;
}

void
record_call(struct call *c, int status, enum cause cause)
{
	struct gateway *g = c->gate;
	struct buf *b = &g->line;
	size_t at;

	count_overhead(c);
	g->stats.by_class[status / 100 < 6 ? status / 100 : 5]++;
	buf_reuse(b,
	    LINE_MAX_BYTES + 2 * ESCAPED_MAX * (size_t)c->conf->body_log_bytes);
	buf_addc(b, '{');
	put_asked(b, c);
	put_decided(b, c);
	if (c->failed)
		jput_member(b, "validator", c->failed);
	if (c->commit.malformed)
		jput_uint(b, "malformed", c->commit.malformed);
	jput_uint(b, "status", (uint64_t)status);
	jput_member(b, "outcome", cause_facts(cause)->name);
	jput_name(b, "attempts");
	at = b->len;
	put_attempts(b, c);
	if (c->spend.is_begun) {
		buf_reuse(&g->attempts, LINE_MAX_BYTES);
		buf_add(&g->attempts, b->data + at, b->len - at);
	}
	put_usage(b, c);
	jput_ms(b, "ms", loop_now_us(g->loop) - c->started_us);
	jput_member(b, "wall", wall_text(g));
	recent_add(g->recent, b);
	put_bodies(b, c);
	buf_addc(b, '}');
	decision_log_line(g->log, b);
	if (g->otel)
		spans_export(c, status, cause);
}
