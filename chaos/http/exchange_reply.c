/*
 * An answer in one piece, as a source gives it: by the same three calls as one
 * that comes from afar.
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
