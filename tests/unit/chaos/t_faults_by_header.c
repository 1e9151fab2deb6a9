/*
 * Headers that ask for faults: what they become, and what is refused.
 */
#include "chaos/http/faults_by_header.h"

#include <string.h>

#include "tests/unit.h"

static const struct {
	const char *name, *value;
	enum err want;
	const char *type; /* the fault; NULL: none */
	const char *says;
} rows[] = {
	{ "x-other", "latency", ERR_OK, NULL, "" },
	{ "X-Chaos-Fault", "latency;latency=5; jitter=1", ERR_OK, "latency",
	    "" },
	{ "x-chaos-fault", "http_error;status=503;provider=cdn", ERR_OK,
	    "http_error", "" },
	{ "x-chaos-fault", "body;html", ERR_OK, "body", "" },
	{ "x-chaos-fault", "fire", ERR_SYNTAX, NULL,
	    "x-chaos-fault/type: found string \"fire\"" },
	{ "x-chaos-fault", "http_error;status=200", ERR_RANGE, NULL,
	    "x-chaos-fault/status" },
	{ "x-chaos-fault", "latency;delay=5", ERR_SYNTAX, NULL,
	    "x-chaos-fault/delay: unknown key" },
	{ "x-chaos-fault", ";", ERR_SYNTAX, NULL, "x-chaos-fault/type" },
	{ "x-chaos-fault", "llm_refusal;text=\"a;b\\\";c\"", ERR_OK,
	    "llm_refusal", "" },
	{ "x-chaos-fault", "latency;latency=5;latency=6", ERR_SYNTAX, NULL,
	    "x-chaos-fault/latency: given twice" },
	{ "x-chaos-fault", "latency;type=noop", ERR_SYNTAX, NULL,
	    "x-chaos-fault/type: given twice" },
	{ "x-chaos-fault", "latency;latency=", ERR_SYNTAX, NULL,
	    "x-chaos-fault/latency: no value" },
	{ "x-chaos-fault", "", ERR_SYNTAX, NULL, "x-chaos-fault: empty" },
	{ "x-chaos-fault", "latency_recorded;file=/etc/hosts", ERR_DENIED, NULL,
	    "x-chaos-fault/file: a header" },
	{ "x-chaos-fault", "latency_recorded;samples=[1,2]", ERR_OK,
	    "latency_recorded", "" },
	{ "x-envoy-fault-delay-request", "250", ERR_OK, "latency", "" },
	{ "x-envoy-fault-delay-request", "soon", ERR_SYNTAX, NULL,
	    "x-envoy-fault-delay-request/latency" },
	{ "x-envoy-fault-abort-request", "503", ERR_OK, "http_error", "" },
	{ "x-envoy-fault-abort-request", "99", ERR_RANGE, NULL,
	    "x-envoy-fault-abort-request/status" },
	{ "x-envoy-fault-throughput-response", "8", ERR_OK, "drip", "" },
	{ "x-envoy-fault-throughput-response", "0", ERR_RANGE, NULL,
	    "x-envoy-fault-throughput-response/bytes" },
	/* 2^54 + 8: times 1024 it would be 8192 again in 64 bits. */
	{ "x-envoy-fault-throughput-response", "18014398509481992", ERR_RANGE,
	    NULL, "x-envoy-fault-throughput-response/bytes" },
};

static void
check_row(size_t i)
{
	struct http1_head h = { 0 };
	struct headerfault *got = NULL;
	const struct rule *r;
	struct why why = { "" };
	struct facts f;

	h.method = slice_of("POST");
	h.target = slice_of("/");
	h.nheaders = 1;
	h.headers[0] = (struct http1_header){ slice_of(rows[i].name),
		slice_of(rows[i].value) };
	facts_init(&f, "p", &h, slice_of(""));
	CHECK_INT(headerfault_read(&f, &got, &why), rows[i].want,
	    rows[i].value);
	CHECK(strncmp(why.text, rows[i].says, strlen(rows[i].says)) == 0,
	    why.text);
	r = headerfault_rule(got);
	CHECK((r != NULL) == (rows[i].type != NULL), rows[i].value);
	if (r && rows[i].type)
		CHECK_STR(r->faults[0].type->name, rows[i].type, rows[i].value);
	headerfault_free(got);
	facts_done(&f);
}

static void
check_two_headers(void)
{
	struct http1_head h = { .method = slice_of("POST"),
		.target = slice_of("/"),
		.nheaders = 2 };
	struct headerfault *got = NULL;
	struct why why = { "" };
	struct facts f;

	h.headers[0] = h.headers[1] =
	    (struct http1_header){ slice_of("x-chaos-fault"),
		    slice_of("noop") };
	facts_init(&f, "p", &h, slice_of(""));
	CHECK_INT(headerfault_read(&f, &got, &why), ERR_SYNTAX, "two headers");
	CHECK(strstr(why.text, "given twice"), why.text);
	facts_done(&f);
}

void
t_faults_by_header(void)
{
	check_two_headers();
	for (size_t i = 0; i < COUNT(rows); i++)
		check_row(i);
}
