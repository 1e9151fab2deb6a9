/*
 * Writing, in one of three ways, chosen when the head passes:
 *
 *	gathered  a short answer of known length, sent whole at its end, so
 *	          that what looks at its bytes never sees how they came
 *	streamed  chunks by base/serve
 *	raw       head and framing by rawanswer.h: what a fault makes leave in
 *	          pieces or looks at (client_taps.h), and long answers of known
 *	          length
 *
 * An END that is not clean leaves the client with exactly the bytes that came
 * before it: a gathered answer is then written raw, with the length it
 * promised and fewer bytes.
 */
#include "chaos/http/answer_sink.h"

#include <stdlib.h>

#include "base/mem.h"
#include "base/serve.h"
#include "chaos/http/client_taps.h"
#include "chaos/http/exchange.h"
#include "chaos/http/rawanswer.h"

#define GATHER_MAX ((size_t)1 << 20)

enum way { GATHERED, STREAMED, RAW };

struct note {
	struct shot *shot; /* borrowed from the exchange */
	size_t at;         /* bytes of the body before it */
};

struct sink {
	struct stage stage;
	enum way way;
	struct buf gathered;
	struct rawanswer raw;
	/* What waits for gathered bytes, or for the rest of the head. */
	struct note notes[SHOTS_MAX];
	size_t nnotes;
	bool has_head;
};

/* ---- notes */

static void
keep_note(struct sink *k, struct shot *s)
{
	k->notes[k->nnotes++] = (struct note){ s, k->gathered.len };
}

/* All before the note has left, or is in the wire's hands; of what the wire
 * will be given next, `more` bytes belong to it. */
static void
pass_note(struct sink *k, struct shot *s, size_t more)
{
	struct exchange *x = k->stage.exchange;

	if (!exchange_wire(x))
		exchange_left(x, s);
	else if (k->way == GATHERED && k->has_head)
		keep_note(k, s);
	else
		wire_note(exchange_wire(x), s, more);
}

/* It speaks of the whole head, of which some may have been kept back. */
static void
on_head_note(struct shot *s, void *arg)
{
	struct sink *k = arg;

	if (k->raw.head.len && !exchange_wire(k->stage.exchange))
		keep_note(k, s);
	else
		pass_note(k, s, k->raw.head.len);
}

static void
release_notes(struct sink *k)
{
	size_t n = k->nnotes;

	k->nnotes = 0;
	for (size_t i = 0; i < n; i++)
		pass_note(k, k->notes[i].shot, 0);
}

/* ---- bytes */

static void
send_head(struct sink *k)
{
	struct exchange *x = k->stage.exchange;
	struct answer_head *a = exchange_answer(x);
	struct http1_field fields[ANSWER_HEAD_FIELDS_MAX];
	size_t n = answer_head_fields(a, fields);
	enum err e = ERR_OK;

	if (a->is_websocket)
		serve_tunnel(exchange_call(x));
	if (a->is_websocket || a->is_raw ||
	    (a->has_length && a->content_bytes > GATHER_MAX))
		k->way = RAW;
	else if (a->has_length)
		k->way = GATHERED;
	else
		k->way =
		    exchange_wire(x) || answer_head_reason(a) ? RAW : STREAMED;
	rawanswer_init(&k->raw, exchange_call(x), exchange_wire(x));
	if (k->way == RAW)
		e = rawanswer_head(&k->raw, a, a->head_first);
	else if (k->way == STREAMED)
		e = serve_start(exchange_call(x), a->status, fields, n);
	if (e == ERR_SYNTAX) {
		/* A head that cannot be written is the proxy's failure, and
		 * ends it. */
		serve_answer(exchange_call(x), 502, NULL, 0, NULL, 0);
		exchange_finished(x);
	} else {
		exchange_each_head_note(x, on_head_note, k);
	}
}

static void
send_bytes(struct sink *k, struct slice raw)
{
	struct exchange *x = k->stage.exchange;
	enum err e;

	if (raw.n == 0)
		return;
	if (k->way == GATHERED) {
		buf_add(&k->gathered, raw.p, raw.n);
		return;
	}
	e = k->way == RAW ? rawanswer_bytes(&k->raw, raw.p, raw.n)
	                  : serve_write(exchange_call(x), raw.p, raw.n);
	if (e == ERR_AGAIN)
		exchange_pause(x);
	if (k->nnotes && k->way == RAW)
		release_notes(k);
}

static void
write_gathered(struct sink *k)
{
	struct answer_head *a = exchange_answer(k->stage.exchange);

	struct wire *w = exchange_wire(k->stage.exchange);

	k->way = RAW;
	if (rawanswer_head(&k->raw, a, 0) != ERR_OK)
		return;
	for (size_t i = 0; w && i < k->nnotes; i++)
		wire_note(w, k->notes[i].shot, k->notes[i].at);
	k->nnotes = 0;
	rawanswer_bytes(&k->raw, k->gathered.data, k->gathered.len);
}

static void
finish_clean(struct sink *k, struct serve_call *call)
{
	struct answer_head *a = exchange_answer(k->stage.exchange);
	struct http1_field fields[ANSWER_HEAD_FIELDS_MAX];
	size_t n = answer_head_fields(a, fields);

	/* base/serve writes the usual reasons alone, and no length of a 304. */
	if (k->way == GATHERED &&
	    (exchange_wire(k->stage.exchange) || answer_head_reason(a) ||
	        (a->status == 304 && a->said_bytes)))
		write_gathered(k);
	if (k->way == RAW)
		rawanswer_end(&k->raw, ITEM_END_CLEAN);
	else if (k->way == GATHERED)
		/* Behind HEAD no byte follows, and its length is that of the
		 * body which GET would have brought. */
		serve_answer(call, a->status, fields, n, k->gathered.data,
		    a->said_bytes && slice_is(serve_head(call)->method, "HEAD")
		        ? a->said_bytes
		        : k->gathered.len);
	else
		serve_finish(call);
}

static void
finish_cut(struct sink *k, struct serve_call *call, enum item_end end)
{
	if (k->way == GATHERED)
		write_gathered(k);
	if (k->way == RAW)
		rawanswer_end(&k->raw, end);
	else
		serve_abort(call,
		    end == ITEM_END_RST ? SERVE_END_RST : SERVE_END_FIN);
}

/* No stage will speak any more, and the event of a fault that found nothing is
 * on file before the client knows that the answer is whole.  What acts on the
 * wire's bytes, or on the client's, may yet speak. */
static void
settle(struct exchange *x)
{
	size_t n;
	struct shot *shots = exchange_shots(x, &n);

	for (size_t i = 0; i < n; i++) {
		const struct fault_type *type = shot_type(&shots[i]);

		if (!exchange_wire(x) ||
		    (type->on_answer && !type->is_websocket &&
		        !shot_is_due(&shots[i])))
			shot_done(&shots[i], REASON_END);
	}
}

static void
finish(struct sink *k, enum item_end end)
{
	struct exchange *x = k->stage.exchange;

	settle(x);
	if (end == ITEM_END_CLEAN)
		finish_clean(k, exchange_call(x));
	else
		finish_cut(k, exchange_call(x), end);
	/* A wire may hold bytes for a while yet; it ends the exchange itself
	 * when the last of them has left. */
	if (!exchange_wire(x))
		exchange_finished(x);
}

static void
on_item(struct stage *st, const struct item *it)
{
	struct sink *k = (struct sink *)st;

	if (!exchange_call(st->exchange))
		return;
	switch (it->kind) {
	case ITEM_HEAD:
		k->has_head = true;
		send_head(k);
		return;
	case ITEM_EVENT:
	case ITEM_BYTES:
		send_bytes(k, it->raw);
		return;
	case ITEM_NOTE:
		pass_note(k, it->shot, 0);
		return;
	case ITEM_END:
		finish(k, it->end);
		return;
	}
}

static void
sink_free(struct stage *st)
{
	struct sink *k = (struct sink *)st;

	rawanswer_done(&k->raw);
	buf_done(&k->gathered);
	free(k);
}

static const struct stage_ops sink_ops = { on_item, sink_free };

struct stage *
sink_new(struct exchange *x)
{
	struct sink *k = xcalloc(1, sizeof *k);

	k->stage.ops = &sink_ops;
	k->stage.exchange = x;
	/* Twice what may be gathered, because a fault may lengthen a body whose
	 * length was known before. */
	buf_init(&k->gathered, 2 * GATHER_MAX);
	return &k->stage;
}
