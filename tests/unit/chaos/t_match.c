/*
 * Match terms against one request, and the facts they read.
 */
#include "chaos/rules/match.h"

#include <string.h>

#include "base/jfield.h"
#include "tests/unit.h"

static const char body[] =
    "{\"model\":\"openai/gpt-x\",\"stream\":true,\"tools\":[{}],"
    "\"messages\":[{\"role\":\"system\"},{\"role\":\"user\"},"
    "{\"role\":\"model\"},{\"role\":\"user\"}]}";

static void
make_head(struct http1_head *h)
{
	memset(h, 0, sizeof *h);
	h->method = slice_of("POST");
	h->target = slice_of("/v1/chat/completions?x=1");
	h->nheaders = 2;
	h->headers[0] = (struct http1_header){ slice_of("X-Session-Id"),
		slice_of("naive/rope/2") };
	h->headers[1] = (struct http1_header){ slice_of("x-tfy-metadata"),
		slice_of("{\"op\":\"rope\",\"iteration\":\"2\","
		         "\"role\":\"naive\"}") };
}

void
t_match(void)
{
	static const struct {
		const char *json;
		bool want;
	} rows[] = {
		{ "{}", true },
		{ "{\"method\":\"POST\"}", true },
		{ "{\"method\":\"GET\"}", false },
		{ "{\"path\":\"/v1/*\"}", true },
		{ "{\"path\":\"/v1/chat/completions\"}", true },
		{ "{\"path\":\"/v2/*\"}", false },
		{ "{\"model\":\"gpt-x\"}", true },
		{ "{\"model\":\"openai/gpt-x\"}", false },
		{ "{\"op\":\"rope\",\"iteration\":2}", true },
		{ "{\"op\":\"rope\",\"iteration\":1}", false },
		{ "{\"op\":\"softmax\"}", false },
		{ "{\"stream\":true}", true },
		{ "{\"stream\":false}", false },
		{ "{\"has_tools\":true}", true },
		{ "{\"attempt\":3}", true },
		{ "{\"attempt\":1}", false },
		{ "{\"turn\":2}", true },
		{ "{\"turn\":3}", false },
		{ "{\"header\":{\"x-session-id\":\"naive/*\"}}", true },
		{ "{\"header\":{\"x-session-id\":\"other/*\"}}", false },
		{ "{\"header\":{\"absent\":\"?*\"}}", false },
		{ "{\"header\":{\"absent\":\"*\"}}", false },
		{ "{\"metadata\":{\"absent\":\"*\"}}", false },
		{ "{\"metadata\":{\"role\":\"naive\"}}", true },
		{ "{\"metadata\":{\"role\":\"kernelforge\"}}", false },
		{ "{\"body\":\"*system*\"}", true },
		{ "{\"body\":\"*assistant*\"}", false },
	};
	struct http1_head head;
	struct facts f;

	make_head(&head);
	facts_init(&f, "front", &head, slice_of(body));
	f.attempt = 3;
	for (size_t i = 0; i < COUNT(rows); i++) {
		json_t *v = json_loads(rows[i].json, 0, NULL);
		struct match m;
		struct why why = { "" };

		if (CHECK(match_read(v, "/match", &m, &why) == ERR_OK,
		        why.text))
			CHECK_INT(match_holds(&m, &f), rows[i].want,
			    rows[i].json);
		json_decref(v);
	}
	f.answer_model = slice_of("models/deepseek-coder");
	CHECK(slice_is(facts_model(&f), "deepseek-coder"),
	    "the model that answered counts");
	facts_done(&f);
}
