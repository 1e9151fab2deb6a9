/*
 * garbage{with_headers,bytes}: bytes that mean nothing in the upstream's
 * place.  With headers they are the body of a 200 that says it is JSON;
 * without, they are all there is.  The bytes are drawn, so a repeated run
 * sends the same ones.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"
#include "chaos/http/exchange.h"
#include "chaos/rules/engine.h"
#include "chaos/rules/fault.h"

#define GARBAGE_MAX 65536

struct conf {
	bool with_headers;
	int64_t bytes;
};

/* clang-format off */
static const struct jfield fields[] = {		/* sorted by key */
	{ "bytes",        JF_INT,  0, 1, GARBAGE_MAX, offsetof(struct conf, bytes),        NULL },
	{ "with_headers", JF_BOOL, 0, 0, 0,           offsetof(struct conf, with_headers), NULL },
};
/* clang-format on */

static void
defaults(void *conf)
{
	((struct conf *)conf)->bytes = 64;
}

/* Never text: each byte has its high bit set. */
static char *
draw_bytes(const struct shot *s, size_t n)
{
	char *p = xmalloc(n), name[32];
	uint64_t u = 0;

	for (size_t i = 0; i < n; i++, u >>= 8) {
		if (i % sizeof u == 0) {
			snprintf(name, sizeof name, "garbage.%zu", i);
			u = shot_between(s, name, 0, UINT64_MAX);
		}
		p[i] = (char)(u | 0x80);
	}
	return p;
}

static enum fault_step
on_request(struct shot *s, struct exchange *x)
{
	const struct conf *c = shot_conf(s);
	struct slice bytes = { NULL, (size_t)c->bytes };
	char *p;

	if (!shot_fire(s,
	        json_pack("{sI sb}", "bytes", (json_int_t)c->bytes,
	            "with_headers", c->with_headers)))
		return FAULT_GO_ON;
	bytes.p = p = draw_bytes(s, bytes.n);
	if (c->with_headers)
		exchange_reply(x, 200, "application/json", bytes);
	else
		exchange_raw(x, bytes, ITEM_END_FIN);
	free(p);
	return FAULT_ANSWERED;
}

const struct fault_type fault_garbage = {
	.name = "garbage",
	.about = "bytes that mean nothing in the upstream's place",
	FAULT_CONF,
	.defaults = defaults,
	.on_request = on_request,
};
