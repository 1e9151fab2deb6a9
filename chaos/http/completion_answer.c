/*
 * Which of the two it is follows from the request; how it is written, from its
 * dialect (speech.h).
 */
#include "chaos/http/completion_answer.h"

#include <stdio.h>
#include <string.h>

#include "base/digest.h"
#include "chaos/http/exchange.h"
#include "chaos/rules/request_key.h"
#include "chaos/text/speech.h"

#define BODY_MAX    (4u << 20)
#define JSON_TYPE   "application/json"
#define STREAM_TYPE "text/event-stream; charset=utf-8"
#define LINES_TYPE  "application/x-ndjson"

void
completion_answer_id(struct exchange *x, char out[COMPLETION_ANSWER_ID_BYTES])
{
	const char *key = identity_key(exchange_facts(x));
	char hex[DIGEST_HEX];

	digest_sha256_hex(key, strlen(key), hex);
	snprintf(out, COMPLETION_ANSWER_ID_BYTES, "chatcmpl-%.24s", hex);
}

static void
send_event(const char *raw, size_t n, void *arg)
{
	exchange_bytes(arg, raw, n);
}

static void
send_stream(struct exchange *x, const struct dialect *d,
    const struct completion *c)
{
	struct answer_head *a = exchange_answer(x);

	a->status = 200;
	a->is_stream = true;
	a->is_lines = d->is_lines;
	answer_head_add(a, "content-type",
	    d->is_lines ? LINES_TYPE : STREAM_TYPE);
	exchange_head(x);
	if (d->speech)
		d->speech->stream(c,
		    &(struct speech_out){ .on_event = send_event, .arg = x });
	else
		completion_stream(c, send_event, x);
	exchange_end(x, ITEM_END_CLEAN);
}

enum err
completion_answer_send(struct exchange *x, const struct completion *c)
{
	struct facts *f = exchange_facts(x);
	const struct dialect *d = facts_dialect(f);
	struct buf body;
	enum err e;

	if (facts_stream(f)) {
		send_stream(x, d, c);
		return ERR_OK;
	}
	buf_init(&body, BODY_MAX);
	e = d->speech ? speech_whole(d->speech, c, &body)
	              : completion_whole(c, &body);
	if (e == ERR_OK)
		exchange_reply(x, 200, JSON_TYPE,
		    (struct slice){ body.data, body.len });
	buf_done(&body);
	return e;
}
