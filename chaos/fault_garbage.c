/*
 * garbage{with_headers}: bytes that are no HTTP, or a good head and then
 * bytes that are no body of the length it promises.
 */
#include "chaos/fault.h"

#include <stdio.h>

#include "chaos/engine.h"
#include "chaos/exchange.h"

#define JUNK_BYTES 64
#define FIRST_PRINT                                                            \
	0x80 /* never ASCII: no parser takes it for a start line               \
	      */

struct conf {
	bool with_headers;
};

static const struct jfield fields[] = {
	{ "with_headers", JF_BOOL, 0, 0, 0, offsetof(struct conf, with_headers),
	    NULL },
};

static const char head[] = "HTTP/1.1 200 OK\r\n"
                           "Content-Type: application/json\r\n"
                           "Content-Length: 4096\r\n\r\n";

static enum fault_step
on_request(struct shot *s, struct exchange *x)
{
	const struct conf *c = shot_conf(s);
	struct serve_call *call = exchange_call(x);
	char junk[JUNK_BYTES];

	if (!shot_fire(s,
	        json_pack("{sb}", "with_headers", (int)c->with_headers)))
		return FAULT_GO_ON;
	for (uint64_t i = 0; i < JUNK_BYTES; i++) {
		char name[24];

		snprintf(name, sizeof name, "junk%llu", (unsigned long long)i);
		junk[i] = (char)(FIRST_PRINT | shot_between(s, name, 0, 127));
	}
	if (c->with_headers)
		serve_raw(call, head, sizeof head - 1);
	serve_raw(call, junk, sizeof junk);
	exchange_end(x, ITEM_END_FIN);
	return FAULT_ANSWERED;
}

const struct fault_type fault_garbage = {
	.name = "garbage",
	.about = "bytes that are no HTTP",
	.fields = fields,
	.nfields = sizeof fields / sizeof fields[0],
	.conf_bytes = sizeof(struct conf),
	.on_request = on_request,
};
