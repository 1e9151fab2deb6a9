/*
 * The life of an exchange:
 *
 *	ASKED --request faults, source--> ANSWERING --sink is done--> OVER
 *	ASKED, ANSWERING --client gone--> OVER
 *
 * OVER is entered once; the memory goes in the loop's next round.  A stage
 * that still holds items then (a delay) is freed with them.
 */
#include "chaos/http/exchange.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/mem.h"
#include "base/sse.h"
#include "chaos/http/answer_sink.h"
#include "chaos/http/client_taps.h"
#include "chaos/http/faults_by_header.h"
#include "chaos/http/websocket_client_side.h"
#include "chaos/text/ndjson_lines.h"
#include "chaos/text/speech_chat.h"

#define EVENT_MAX   (4u << 20) /* of one event in a stream that is watched */
#define ERROR_MAX   4096
#define REASON_GONE "the client went away first"

/* Each state is reached once, and in this order; ANSWERING may be left out. */
enum exchange_state {
	EXCHANGE_ASKED, /* request faults, and the source before its head */
	EXCHANGE_ANSWERING,
	EXCHANGE_OVER, /* freed in the loop's next round */
	EXCHANGE_NSTATES
};

struct exchange {
	const struct exchange_env *env; /* borrowed */
	struct serve_call *call;        /* borrowed; NULL: over */
	struct facts facts;
	struct answer_head answer;
	size_t nshots, request_at; /* request faults done so far */
	struct headerfault *asked; /* owned; NULL: nothing by header */
	enum exchange_state state;
	bool is_watched, is_settled;
	bool has_ended; /* the source passed its end, or is not heard */
	void *source;   /* owned; NULL: none */
	bool is_stopped, is_paused;
	struct stage *chain; /* owned list, sink last; NULL before the head */
	struct stage *stages[SHOTS_MAX + 2];
	size_t nstages;
	struct sse_parser *sse;     /* owned; when stages look at a stream */
	struct ndjson_lines *lines; /* the same, for lines; one of both */
	uint64_t fed, cut;          /* bytes it was given, and gave as blocks */
	struct wire *wire;          /* owned; when faults look at the bytes */
	struct clientside *said;    /* owned; when a client's words are heard */
	bool ends_later, was_cut;
	enum item_end late_end;
	struct event *timer;       /* owned: waiting, and the freeing round */
	struct traffic_view *view; /* owned; NULL: nobody watches */
	/* Last, and not cleared: an aimed one is written whole. */
	struct shot shots[SHOTS_MAX];
};

static void over(struct exchange *x, const char *reason);

static uint64_t
now_ms(struct exchange *x)
{
	return loop_now_us(x->env->loop) / 1000;
}

/* The only way from state to state; --verbose shows each. */
static void
set_state(struct exchange *x, enum exchange_state to)
{
	static const char *const names[EXCHANGE_NSTATES] = { "asked",
		"answering", "over" };

	log_debug(x->env->proxy, "exchange %p: %s -> %s", (void *)x,
	    names[x->state], names[to]);
	x->state = to;
}

/* ---- the request's side */

/* What was said to it while it started is said again. */
static void
start_source(struct exchange *x)
{
	traffic_view_reached_upstream(x->view);
	x->source = x->env->source->start(x, x->env->mode);
	if (!x->source)
		return;
	if (x->is_stopped)
		x->env->source->stop(x->source);
	else if (x->is_paused)
		x->env->source->pause(x->source);
}

/* Request faults one after the other, then the source. */
static void
go_on(struct exchange *x)
{
	/* The place is kept in x, because a fault that waits comes back
	 * here through the timer and must not be run again. */
	while (x->request_at < x->nshots) {
		struct shot *s = &x->shots[x->request_at++];
		const struct fault_type *type = shot_type(s);

		if (!type->on_request)
			continue;
		if (type->on_request(s, x) != FAULT_GO_ON)
			return;
	}
	start_source(x);
}

static void
on_timer(evutil_socket_t fd, short what, void *arg)
{
	struct exchange *x = arg;

	(void)fd;
	(void)what;
	/* Freed from the loop and not where it ended: that may be deep
	 * inside a stage of its own. */
	if (x->state == EXCHANGE_OVER) {
		x->env->on_over(x, x->env->arg);
		exchange_free(x);
		return;
	}
	if (x->ends_later)
		exchange_end(x, x->late_end);
	else
		go_on(x);
}

void
exchange_wait(struct exchange *x, uint64_t us)
{
	loop_arm(x->timer, us);
}

void
exchange_end_later(struct exchange *x, uint64_t us, enum item_end end)
{
	x->ends_later = true;
	x->late_end = end;
	exchange_wait(x, us);
}

/* What the request asks for itself comes before all rules.  False: it asked
 * for what there is not, and has its answer. */
static bool
ask_headers(struct exchange *x)
{
	struct why why = { "" };
	struct buf body;

	if (headerfault_read(&x->facts, &x->asked, &why) == ERR_OK) {
		if (x->asked)
			x->nshots = engine_aim(x->env->engine,
			    headerfault_rule(x->asked), &x->facts, now_ms(x),
			    x->shots);
		x->is_settled = x->asked != NULL;
		return true;
	}
	buf_init(&body, ERROR_MAX);
	completion_error(&body, why.text, "invalid_request_error",
	    "bad_fault_header");
	exchange_reply(x, 400, "application/json",
	    (struct slice){ body.data, body.len });
	buf_done(&body);
	return false;
}

struct exchange *
exchange_start(const struct exchange_env *env, struct serve_call *call)
{
	struct exchange *x = xmalloc(sizeof *x);

	memset(x, 0, offsetof(struct exchange, shots));
	x->env = env;
	x->call = call;
	x->timer = evtimer_new(loop_base(env->loop), on_timer, x);
	serve_set_data(call, x);
	facts_init(&x->facts, env->proxy, serve_head(call), serve_body(call));
	/* A rule that was made by hand (admin API) may come after the proxy was
	 * opened, which is why env alone does not say it. */
	x->is_watched = !env->is_untouched &&
	    (env->is_watched || engine_has_live(env->engine, env->proxy));
	if (x->is_watched || traffic_is_watched(env->traffic))
		engine_see(env->engine, &x->facts);
	x->view =
	    traffic_view_new(env->traffic, &x->facts, loop_now_us(env->loop));
	/* Before any rule: what a request asks for itself is for a test of
	 * one request, and must not depend on the scenario. */
	if (env->has_header_faults && !ask_headers(x))
		return x;
	if (x->is_watched && !x->is_settled)
		x->nshots =
		    engine_choose(env->engine, &x->facts, ENGINE_REQUEST,
		        now_ms(x), x->shots, SHOTS_MAX, &x->is_settled);
	go_on(x);
	return x;
}

/* ---- the answer's side */

static void
add_stage(struct exchange *x, struct stage *st)
{
	st->exchange = x;
	if (x->nstages)
		x->stages[x->nstages - 1]->next = st;
	x->stages[x->nstages++] = st;
}

/* On the answer's way, or on the client's. */
static void
place_stage(struct exchange *x, struct stage *st)
{
	if (!st->hears_client) {
		add_stage(x, st);
		return;
	}
	if (!x->said)
		x->said = clientside_new(x);
	clientside_add(x->said, st);
}

static bool
acts_on_answer(const struct shot *s)
{
	const struct fault_type *type = shot_type(s);

	return !s->is_reported &&
	    (type->on_answer || (type->toxic && !type->on_request));
}

static void
add_fault(struct exchange *x, struct shot *s)
{
	const struct fault_type *type = shot_type(s);
	struct stage *st;

	if (!acts_on_answer(s))
		return;
	/* A toxic acts on the connection's bytes, so it stands behind the
	 * sink, where head and framing are bytes too. */
	if (type->toxic && !type->on_request) {
		if (!x->wire)
			x->wire = wire_new(x);
		wire_add(x->wire, s);
		return;
	}
	if (type->is_websocket != x->answer.is_websocket) {
		shot_bypass(s,
		    type->is_websocket ? "not a WebSocket" : "a WebSocket");
		st = NULL;
	} else {
		st = type->on_answer(s, x);
	}
	if (st) {
		st->shot = s;
		place_stage(x, st);
	} else if (shot_is_due(s) && s->result == EVENT_BYPASSED) {
		exchange_left(x, s);
	} else {
		s->is_noted = shot_is_due(s);
	}
}

/* Two faults in one answer may undo each other's work. */
static void
defer_reports(struct exchange *x)
{
	size_t n = 0;

	for (size_t i = 0; i < x->nshots; i++)
		n += acts_on_answer(&x->shots[i]);
	for (size_t i = 0; i < x->nshots; i++)
		x->shots[i].is_deferred = n > 1;
}

/* Decides the answer's rules and builds the chain. */
static void
build_chain(struct exchange *x)
{
	x->facts.answer_model =
	    slice_of(answer_head_get(&x->answer, "x-tfy-resolved-model"));
	if (x->is_watched && !x->is_settled)
		x->nshots += engine_choose(x->env->engine, &x->facts,
		    ENGINE_ANSWER, now_ms(x), x->shots + x->nshots,
		    SHOTS_MAX - x->nshots, &x->is_settled);
	defer_reports(x);
	for (size_t i = 0; i < x->nshots; i++)
		add_fault(x, &x->shots[i]);
	if (x->nshots && !x->env->scenario->is_stealthy)
		answer_head_add(&x->answer, "x-chaos-fault",
		    x->shots[0].rule->id);
	/* Without a fault nobody needs to know where events end, and the
	 * bytes pass unparsed. */
	if ((x->nstages || x->wire) && x->answer.is_lines)
		x->lines = ndjson_lines_new(EVENT_MAX);
	else if ((x->nstages || x->wire) && x->answer.is_stream)
		x->sse = sse_parser_new(EVENT_MAX);
	/* Behind all faults: who watches sees what the client sees. */
	if (x->view)
		add_stage(x, traffic_view_stage(x->view));
	add_stage(x, sink_new(x));
	x->chain = x->stages[0];
}

static void
push(struct exchange *x, const struct item *it)
{
	/* Two faults may follow one another in the chain, and the first may
	 * have closed the connection already. */
	if (x->call)
		x->chain->ops->on_item(x->chain, it);
}

void
exchange_head(struct exchange *x)
{
	struct item head = { .kind = ITEM_HEAD };

	if (!x->call || x->chain)
		return;
	set_state(x, EXCHANGE_ANSWERING);
	build_chain(x);
	push(x, &head);
}

static bool
on_sse_item(const struct sse_item *sse, void *arg)
{
	struct exchange *x = arg;
	struct item it = { .kind = ITEM_EVENT, .raw = sse->raw };

	if (sse->kind == SSE_EVENT)
		it.data = sse->data;
	x->cut += sse->raw.n;
	push(x, &it);
	return x->call && !x->has_ended;
}

static void
push_bytes(struct exchange *x, struct slice raw)
{
	struct item it = { .kind = ITEM_BYTES, .raw = raw };

	if (raw.n)
		push(x, &it);
}

/* The beginning of an event that is not whole. */
static struct slice
pending(const struct exchange *x)
{
	if (x->lines)
		return ndjson_lines_pending(x->lines);
	return x->sse ? sse_pending(x->sse) : slice_of(NULL);
}

/* An event is longer than any stage may hold: it and what follows pass as
 * plain bytes.  p[0] is byte number `fed` of the stream. */
static void
stop_parsing(struct exchange *x, const char *p, size_t n)
{
	/* What the parser had given out before the overlong event must not pass
	 * a second time. */
	size_t skip = x->cut > x->fed ? (size_t)(x->cut - x->fed) : 0;
	struct sse_parser *sse = x->sse;
	struct ndjson_lines *lines = x->lines;

	push_bytes(x, pending(x));
	x->sse = NULL;
	x->lines = NULL;
	sse_parser_free(sse);
	ndjson_lines_free(lines);
	if (!x->has_ended)
		push_bytes(x, (struct slice){ p + skip, n - skip });
}

void
exchange_bytes(struct exchange *x, const char *p, size_t n)
{
	if (!x->call || x->has_ended)
		return;
	if (!x->sse && !x->lines)
		push_bytes(x, (struct slice){ p, n });
	else if ((x->lines ? ndjson_lines_feed(x->lines, p, n, on_sse_item, x)
	                   : sse_feed(x->sse, p, n, on_sse_item, x)) ==
	    ERR_TOOBIG)
		stop_parsing(x, p, n);
	x->fed += n;
}

void
exchange_end(struct exchange *x, enum item_end end)
{
	struct item it = { .kind = ITEM_END, .end = end };
	struct serve_call *call = x->call;
	bool is_late = !x->call || x->has_ended;

	exchange_stop_source(x);
	if (is_late)
		return;
	if (!x->chain) {
		/* No head came: the client sees what the upstream did, a
		 * connection that ends without a byte, and not a 502 of
		 * ours. */
		over(x, REASON_END);
		serve_abort(call,
		    end == ITEM_END_RST ? SERVE_END_RST : SERVE_END_FIN);
		return;
	}
	/* A stream that ends inside an event leaves its torn half with the
	 * client, as it would without us. */
	push_bytes(x, pending(x));
	push(x, &it);
}

void
exchange_stop_source(struct exchange *x)
{
	bool was_stopped = x->is_stopped;

	x->has_ended = x->is_stopped = true;
	if (x->source && !was_stopped)
		x->env->source->stop(x->source);
}

/* ---- back-pressure and the end */

void
exchange_pause(struct exchange *x)
{
	if (x->source && !x->is_stopped && !x->is_paused)
		x->env->source->pause(x->source);
	x->is_paused = true;
}

void
exchange_drain(struct exchange *x)
{
	if (x->source && !x->is_stopped && x->is_paused)
		x->env->source->resume(x->source);
	x->is_paused = false;
}

/* The one close: what is left to say is said, the rest waits for the loop. */
static void
over(struct exchange *x, const char *reason)
{
	if (x->state == EXCHANGE_OVER)
		return;
	set_state(x, EXCHANGE_OVER);
	x->call = NULL;
	traffic_view_over(x->view, &x->facts,
	    x->was_cut || strcmp(reason, REASON_GONE) == 0,
	    loop_now_us(x->env->loop));
	exchange_stop_source(x);
	wire_over(x->wire);
	for (size_t i = 0; i < x->nshots; i++)
		shot_done(&x->shots[i], REASON_END);
	loop_arm(x->timer, 0);
}

void
exchange_client_bytes(struct exchange *x, const char *p, size_t n)
{
	if (x->call && x->said)
		clientside_bytes(x->said, p, n);
	else
		clientside_say(x, p, n);
}

const struct source_ops *
exchange_source(struct exchange *x, void **arg)
{
	*arg = x->source;
	return x->call && x->source && !x->is_stopped ? x->env->source : NULL;
}

void
exchange_finished(struct exchange *x)
{
	over(x, REASON_END);
}

void
exchange_gone(struct exchange *x)
{
	over(x, REASON_GONE);
}

void
exchange_free(struct exchange *x)
{
	if (!x)
		return;
	if (x->state != EXCHANGE_OVER)
		over(x, REASON_GONE);
	if (x->source)
		x->env->source->free(x->source);
	for (size_t i = 0; i < x->nstages; i++)
		x->stages[i]->ops->free(x->stages[i]);
	for (size_t i = 0; i < x->nshots; i++)
		shot_release(&x->shots[i]);
	wire_free(x->wire);
	clientside_free(x->said);
	sse_parser_free(x->sse);
	ndjson_lines_free(x->lines);
	answer_head_done(&x->answer);
	headerfault_free(x->asked);
	facts_done(&x->facts);
	event_free(x->timer);
	traffic_view_free(x->view);
	free(x);
}

struct answer_head *
exchange_answer(struct exchange *x)
{
	return &x->answer;
}

struct facts *
exchange_facts(struct exchange *x)
{
	return &x->facts;
}

struct loop *
exchange_loop(struct exchange *x)
{
	return x->env->loop;
}

const struct exchange_env *
exchange_env(struct exchange *x)
{
	return x->env;
}

bool
exchange_is_open(const struct exchange *x)
{
	return x->is_watched && !x->is_settled;
}

struct shot *
exchange_shots(struct exchange *x, size_t *ret_n)
{
	*ret_n = x->nshots;
	return x->shots;
}

struct wire *
exchange_wire(struct exchange *x)
{
	return x->wire;
}

/* A fault that cannot be logged must not reach the client: its connection is
 * reset, and what was written with it. */
void
exchange_left(struct exchange *x, struct shot *s)
{
	if (shot_left(s) || !x->call)
		return;
	serve_abort(x->call, SERVE_END_RST);
	over(x, REASON_END);
}

void
exchange_each_head_note(struct exchange *x,
    void (*fn)(struct shot *s, void *arg), void *arg)
{
	for (size_t i = 0; i < x->nshots; i++)
		if (x->shots[i].is_noted && shot_is_due(&x->shots[i]))
			fn(&x->shots[i], arg);
}

void
exchange_was_cut(struct exchange *x)
{
	x->was_cut = true;
}

struct serve_call *
exchange_call(struct exchange *x)
{
	return x->call;
}
