/*
 * Any bytes as a question, an answer and a stream, in both directions: no
 * crash, a translated question is a good one, and a stream says the same
 * however its bytes come.
 */
// links: base gateway
#include "gateway/text/request_peek.h"
#include "gateway/translation/translation.h"
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
question(struct translation_target to, struct slice body)
{
	struct peek k;
	struct buf out;
	struct why why = { "" };

	buf_init(&out, 8 * body.n + 65536);
	if (translation_question(&to, body, &out, &why) == ERR_OK) {
		if (peek_read((struct slice){ out.data, out.len }, &k, NULL) !=
		        ERR_OK ||
		    !peek_get(&k, "messages"))
			abort();
	} else if (!why.text[0]) {
		abort();
	}
	buf_done(&out);
}

static void
stream(enum schema_kind to, const char *p, size_t n, size_t piece,
    struct buf *out)
{
	struct translation_stream *s =
	    translation_stream_new(to, 1, 1 << 20, 1);
	enum err e = ERR_OK;

	buf_init(out, (size_t)1 << 24);
	for (size_t at = 0; at < n && e == ERR_OK; at += piece)
		e = translation_stream_feed(s, p + at,
		    piece < n - at ? piece : n - at, out);
	if (e == ERR_OK)
		(void)translation_stream_end(s, out);
	translation_stream_free(s);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const enum schema_kind kinds[] = { SCHEMA_CHAT,
		SCHEMA_MESSAGES };
	struct slice body = { (const char *)data, size };
	struct translation_guess guess = { 1, 1, false };
	char message[64], code[16];
	struct buf a, b;

	translation_error(body, message, sizeof message, code, sizeof code);
	for (size_t i = 0; i < COUNT(kinds); i++) {
		for (int way = 0; way < CONTINUATION_NWAYS; way++)
			question((struct translation_target){ kinds[i],
			             (enum continuation_way)way, false },
			    body);
		buf_init(&a, 8 * size + 65536);
		(void)translation_answer(kinds[i], body, 1, &guess, &a, NULL);
		buf_done(&a);
		stream(kinds[i], body.p, size, size + 1, &a);
		stream(kinds[i], body.p, size, 3, &b);
		if (a.len != b.len ||
		    (a.len > 0 && memcmp(a.data, b.data, a.len) != 0))
			abort();
		buf_done(&a);
		buf_done(&b);
	}
	return 0;
}
