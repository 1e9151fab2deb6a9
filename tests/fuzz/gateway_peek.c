/*
 * Any bytes as a request body or an answer: no crash, and a spliced body is
 * as good as the one it came from.
 */
// links: base gateway
#include "gateway/text/answer_facts.h"
#include "gateway/text/request_peek.h"
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct peek_edit edits[] = { { "model", "\"m\"" },
		{ "x", "{\"y\":[]}" } };
	struct slice body = { (const char *)data, size };
	struct peek k, again;
	struct chunk chunk;
	struct buf out;

	for (unsigned i = 0; i < SCHEMA_NKINDS; i++)
		(void)chunk_read(schema_of((enum schema_kind)i), body, &chunk);
	if (peek_read(body, &k, NULL) != ERR_OK)
		return 0;
	buf_init(&out, size + 1000);
	if (peek_splice(&k, edits, 2, &out) != ERR_OK)
		abort();
	body = (struct slice){ out.data, out.len };
	if (peek_read(body, &again, NULL) != ERR_OK &&
	    k.n + 2 <= PEEK_MEMBERS_MAX)
		abort();
	if (again.n > 0 && !peek_get(&again, "model"))
		abort();
	buf_done(&out);
	return 0;
}
