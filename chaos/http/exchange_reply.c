/*
 * An answer in one piece: by the same three calls as one that comes from afar,
 * or in bytes that are no answer.  And a client that is not read meanwhile, or
 * to whom nothing is said.
 */
#include "chaos/http/exchange.h"

void
exchange_reply(struct exchange *x, int status, const char *type,
    struct slice body)
{
	struct answer_head *a = exchange_answer(x);

	a->status = status;
	a->has_length = true;
	a->content_bytes = body.n;
	answer_head_add(a, "content-type", type);
	exchange_head(x);
	exchange_bytes(x, body.p, body.n);
	exchange_end(x, ITEM_END_CLEAN);
}

void
exchange_raw(struct exchange *x, struct slice bytes, enum item_end end)
{
	if (exchange_call(x))
		serve_raw(exchange_call(x), bytes.p, bytes.n);
	exchange_end(x, end);
}

void
exchange_hold_client(struct exchange *x, bool is_held)
{
	if (exchange_call(x))
		serve_tunnel_pause(exchange_call(x), is_held);
}

void
exchange_hush(struct exchange *x)
{
	if (exchange_call(x))
		serve_hush(exchange_call(x));
}
