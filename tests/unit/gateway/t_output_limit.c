/* What a request says of the length of its answer, read as leniently as the
 * most lenient of targets would. */
#include "gateway/text/output_limit.h"

#include "tests/unit.h"

static const struct row {
	const char *body;
	const char *edit_name, *edit_json; /* NULL: none */
	uint64_t each, choices;
} rows[] = {
	{ "{}", NULL, NULL, 0, 1 },
	{ "{\"max_tokens\":100}", NULL, NULL, 100, 1 },
	{ "{\"max_tokens\":100,\"n\":10}", NULL, NULL, 100, 10 },
	{ "{\"n\":3,\"best_of\":8}", NULL, NULL, 0, 8 },
	{ "{\"max_tokens\":1,\"max_completion_tokens\":5000}", NULL, NULL, 5000,
	    1 },
	{ "{\"max_tokens\":1,\"n_predict\":7}", NULL, NULL, 7, 1 },
	{ "{\"max_output_tokens\":12}", NULL, NULL, 12, 1 },
	{ "{\"max_tokens\":\"100\",\"n\":\" 4 \"}", NULL, NULL, 100, 4 },
	{ "{\"max_tokens\":1e3,\"n\":2.0}", NULL, NULL, 1000, 2 },
	{ "{\"max_tokens\":1e300,\"n\":99999999999}", NULL, NULL, 1000000000,
	    1000000000 },
	{ "{\"max_tokens\":-5,\"n\":0}", NULL, NULL, 0, 1 },
	{ "{\"max_tokens\":null,\"n\":true}", NULL, NULL, 0, 1 },
	{ "{\"max_tokens\":\"nan\",\"n\":\"\"}", NULL, NULL, 0, 1 },
	{ "{\"max_tokens\":[9],\"n\":{\"n\":9}}", NULL, NULL, 0, 1 },
	{ "{\"max_tokens\":900}", "max_tokens", "50", 50, 1 },
	{ "{\"n\":9}", "n", "1", 0, 1 },
	{ "{\"max_tokens\":5}", "model", "\"m\"", 5, 1 },
};

static void
reads_limits(void)
{
	for (size_t i = 0; i < COUNT(rows); i++) {
		const struct row *r = &rows[i];
		struct peek_edit edit = { r->edit_name, r->edit_json };
		struct output_limit l;
		struct peek k;

		CHECK_INT(peek_read(slice_of(r->body), &k, NULL), ERR_OK,
		    r->body);
		output_limit_read(&k, &l);
		output_limit_edit(&l, &edit, r->edit_name != NULL);
		CHECK_INT(output_limit_each(&l, 0), r->each, r->body);
		CHECK_INT(output_limit_each(&l, 7), r->each ? r->each : 7,
		    r->body);
		CHECK_INT(output_limit_choices(&l), r->choices, r->body);
	}
}

/* The other API has one word for it, which has to be said. */
static void
follows_translations(void)
{
	struct output_limit l;
	struct peek k;

	peek_read(slice_of("{\"max_completion_tokens\":70,\"n\":1}"), &k, NULL);
	output_limit_read(&k, &l);
	output_limit_translate(&l, 4096);
	CHECK_INT(l.said[OUTPUT_LIMIT_MAX_TOKENS], 70, "as the client says");
	CHECK_INT(l.said[OUTPUT_LIMIT_MAX_COMPLETION_TOKENS], 0, "in one word");
	peek_read(slice_of("{}"), &k, NULL);
	output_limit_read(&k, &l);
	output_limit_translate(&l, 4096);
	CHECK_INT(output_limit_each(&l, 0), 4096, "or what is put there");
}

void t_output_limit(void);

void
t_output_limit(void)
{
	reads_limits();
	follows_translations();
}
