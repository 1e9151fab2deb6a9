/*
 * Writing.  An END that is not clean leaves the client with exactly the
 * bytes that came before it: a gathered answer is then written with the
 * length it promised and fewer bytes, and a reset waits until the bytes have
 * left us, because a reset throws away what still waits.
 */
#include "chaos/sink.h"

#include <stdlib.h>

#include "base/mem.h"
#include "base/serve.h"
#include "chaos/exchange.h"

#define GATHER_MAX    ((size_t)1 << 20)
#define RESET_POLL_US 1000

struct sink {
	struct stage stage;
	struct buf gathered;
	bool is_gathering;
	struct event *reset_timer; /* owned */
};

static void
send_head(struct sink *k)
{
	struct answer *a = exchange_answer(k->stage.exchange);
	struct http1_field fields[ANSWER_FIELDS_MAX];
	size_t n = answer_fields(a, fields);

	k->is_gathering = a->has_length && a->content_bytes <= GATHER_MAX;
	if (!k->is_gathering)
		serve_start(exchange_call(k->stage.exchange), a->status, fields,
		    n);
}

static void
send_bytes(struct sink *k, struct slice raw)
{
	struct exchange *x = k->stage.exchange;

	if (raw.n == 0)
		return;
	if (k->is_gathering)
		buf_add(&k->gathered, raw.p, raw.n);
	else if (serve_write(exchange_call(x), raw.p, raw.n) == ERR_AGAIN)
		exchange_pause(x);
}

static void
finish_clean(struct sink *k, struct serve_call *call)
{
	struct answer *a = exchange_answer(k->stage.exchange);
	struct http1_field fields[ANSWER_FIELDS_MAX];
	size_t n = answer_fields(a, fields);

	if (k->is_gathering)
		serve_answer(call, a->status, fields, n, k->gathered.data,
		    k->gathered.len);
	else
		serve_finish(call);
}

/* A head that promises the whole length, and what there is of the body. */
static void
send_cut(struct sink *k, struct serve_call *call)
{
	struct answer *a = exchange_answer(k->stage.exchange);
	struct http1_field fields[ANSWER_FIELDS_MAX];
	size_t n = answer_fields(a, fields);
	struct buf head;

	if (!k->is_gathering)
		return;
	buf_init(&head, GATHER_MAX);
	if (http1_write_response(&head, a->status, fields, n, HTTP1_LENGTH,
	        a->content_bytes) == ERR_OK) {
		serve_raw(call, head.data, head.len);
		serve_raw(call, k->gathered.data, k->gathered.len);
	}
	buf_done(&head);
}

static void
on_reset_timer(evutil_socket_t fd, short what, void *arg)
{
	struct sink *k = arg;
	struct exchange *x = k->stage.exchange;
	struct timeval again = { 0, RESET_POLL_US };

	(void)fd;
	(void)what;
	if (!exchange_call(x))
		return;
	if (serve_pending_bytes(exchange_call(x)) > 0) {
		evtimer_add(k->reset_timer, &again);
		return;
	}
	serve_abort(exchange_call(x), SERVE_END_RST);
	exchange_finished(x);
}

static void
finish(struct sink *k, enum item_end end)
{
	struct exchange *x = k->stage.exchange;
	struct serve_call *call = exchange_call(x);

	if (end == ITEM_END_CLEAN) {
		finish_clean(k, call);
		exchange_finished(x);
		return;
	}
	send_cut(k, call);
	if (end == ITEM_END_FIN) {
		serve_abort(call, SERVE_END_FIN);
		exchange_finished(x);
		return;
	}
	k->reset_timer =
	    evtimer_new(loop_base(exchange_loop(x)), on_reset_timer, k);
	on_reset_timer(-1, 0, k);
}

static void
on_item(struct stage *st, const struct item *it)
{
	struct sink *k = (struct sink *)st;

	if (!exchange_call(st->exchange))
		return;
	switch (it->kind) {
	case ITEM_HEAD:
		send_head(k);
		return;
	case ITEM_EVENT:
	case ITEM_BYTES:
		send_bytes(k, it->raw);
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

	if (k->reset_timer)
		event_free(k->reset_timer);
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
	buf_init(&k->gathered, 2 * GATHER_MAX);
	return &k->stage;
}
