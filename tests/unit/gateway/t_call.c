/*
 * What a client is told in every situation an upstream can bring about, and
 * what an upstream is asked.
 */
#include "tests/unit.h"
#include "tests/unit/gateway/stage.h"
#include <stdio.h>
#include <string.h>

/* clang-format off */
static const struct row {
	const char *what, *model;
	int status;
	bool stream;
	bool cut;		    /* the client sees a broken end */
	const char *body, *lacks;   /* parts of the answer; NULL: any */
	const char *tries;	    /* causes in x-kf-attempts, in order */
} rows[] = {
	{ "a plain answer",              "good", 200, false, false, "\"reasoning_content\":\"r\"", NULL, "ok" },
	{ "a 503 once is retried",       "once503", 200, false, false, "hi", NULL, "status ok" },
	{ "a 503 always falls back",     "always503", 200, false, false, "hi", NULL, "status status ok" },
	{ "and is told when alone",      "alone-always503", 503, false, false, "upstream says no", NULL, "status status" },
	{ "a 503 that is final falls at once", "final", 200, false, false, "hi", NULL, "status ok" },
	{ "and is told when alone",      "alone-final", 503, false, false, "upstream says no", NULL, "status" },
	{ "a 400 is the client's",       "says400", 400, false, false, "upstream says no", NULL, "status" },
	{ "a 401 falls at once",         "says401", 200, false, false, "hi", NULL, "status ok" },
	{ "a 418 fails at once",         "says418", 418, false, false, "upstream says no", NULL, "status" },
	{ "a 999 is told, and no time-out", "says999", 999, false, false, "\"server_error\"", "timeout_error", "status" },
	{ "no quota falls at once",      "quota", 200, false, false, "hi", NULL, "quota ok" },
	{ "no quota alone is told",      "alone-quota", 429, false, false, "no money", NULL, "quota" },
	{ "HTML becomes a 502",          "alone-html503", 502, false, false, "<html>", "down", "status status" },
	{ "HTML under 200 too",          "alone-html200", 502, false, false, "<html>", "hello", "not-json not-json" },
	{ "text keeps its status",       "alone-text500", 500, false, false, "upstream_500", NULL, "status status" },
	{ "cut JSON",                    "alone-cutjson", 502, false, false, "not-json", NULL, "not-json not-json" },
	{ "an empty body",               "alone-emptybody", 502, false, false, "not-json", NULL, "not-json not-json" },
	{ "an empty completion",         "alone-nothing", 502, false, false, "empty completion", NULL, "empty empty" },
	{ "an empty completion once",    "nothing1", 200, false, false, "hi", NULL, "empty ok" },
	{ "an error under 200",          "alone-error200", 502, false, false, "upstream says no", NULL, "stream-error stream-error" },
	{ "out of resources",            "alone-overload", 503, false, false, "ran out of resources", NULL, "overloaded overloaded" },
	{ "milliseconds to wait",        "alone-busyms", 429, false, false, "upstream says no", NULL, "status status" },
	{ "nobody listens",              "dead", 502, false, false, "refused the connection", NULL, "refused refused" },
	{ "closed without an answer",    "alone-close", 502, false, false, "without an answer", NULL, "no-answer no-answer" },
	{ "closed once",                 "close1", 200, false, false, "hi", NULL, "no-answer ok" },
	{ "a stream",                    "stream", 200, true, false, WORD WORD STOP ": x-kf-attempts", "error", "open" },
	{ "a stream without [DONE]",     "nodone", 200, true, false, DONE, "error", "open" },
	{ "a stream without an end",     "nofinish", 200, true, true, "unfinished", DONE, "open" },
	{ "cut before the first word",   "cut0", 200, true, false, DONE, "error", "cut cut open" },
	{ "cut after it",                "cut1", 200, true, true, "\"code\":\"cut\"", DONE, "open" },
	{ "reset after it",              "reset1", 200, true, true, "data: {\"error\"", DONE, "open" },
	{ "stalled before it",           "stall0", 200, true, false, DONE, "error", "first-token open" },
	{ "stalled after it",            "stall1", 200, true, true, "\"code\":\"idle\"", DONE, "open" },
	{ "silent",                      "silent", 502, true, false, "did not answer with a stream", NULL, "first-token not-stream not-stream not-stream" },
	{ "silent alone",                "alone-silent", 408, true, false, "no token in time", NULL, "first-token" },
	{ "an error event first",        "error0", 200, true, false, DONE, "upstream says no", "stream-error stream-error open" },
	{ "an error event beside the first word", "errorword", 200, true, false, DONE, "upstream says no", "stream-error stream-error open" },
	{ "an error event later",        "error1", 200, true, true, "upstream says no", DONE, "open" },
	{ "bad JSON later",              "badjson1", 200, true, true, "\"code\":\"malformed\"", DONE, "open" },
	{ "a stream of nothing",         "voidstream", 200, true, false, WORD, "error", "empty empty open" },
	{ "JSON for a stream",           "alone-html200", 502, true, false, "<html>", NULL, "not-json not-json" },
	{ "no such model",               "nope", 404, false, false, "model_not_found", NULL, "" },
};
/* clang-format on */

static void
check_row(struct stage *st, const struct row *r)
{
	char causes[200];

	stage_ask(st, r->model, r->stream, NULL);
	CHECK_INT(st->status, r->status, r->what);
	CHECK_INT(st->is_cut, r->cut, r->what);
	if (r->body && !CHECK(strstr(st->body.data, r->body), r->what))
		printf("    got: %s\n", st->body.data);
	if (r->lacks && !CHECK(!strstr(st->body.data, r->lacks), r->what))
		printf("    got: %s\n", st->body.data);
	stage_tried(st, causes, sizeof causes);
	CHECK_STR(causes, r->tries, r->what);
	CHECK(strstr(st->head.data, "\nx-local-gateway: yes\n"), r->what);
	CHECK(strstr(st->head.data, "\nx-request-id: "), r->what);
}

static void
tells_the_truth(void)
{
	struct stage st;

	if (stage_open(&st, "breaker: off"))
		for (size_t i = 0; i < COUNT(rows); i++)
			check_row(&st, &rows[i]);
	CHECK_INT(st.gate.ncalls, 0, "nothing is left in flight");
	stage_close(&st);
}

static void
rewrites_requests(void)
{
	struct stage st;

	if (!stage_open(&st, "breaker: off"))
		goto out;
	stage_ask(&st, "flash", false,
	    "{\"escalate\":\"pro\",\"op\":\"rope\"}");
	CHECK_STR(st.asked,
	    "{\"messages\":[],\"model\":\"pro\",\"stream\":false,\"x\":{\"y\":"
	    "[1]}}",
	    "only the model changes");
	CHECK(st.saw_key, "the provider's key is sent");
	CHECK(st.saw_session, "other headers pass");
	CHECK(strstr(st.head.data,
	          "\nx-tfy-routing: from=flash to=p/pro "
	          "reason=quality-escalation\n"),
	    "the escalation is told");
	CHECK(strstr(st.head.data, "\nx-tfy-resolved-model: p/pro\n"),
	    "so is the model");
	CHECK(strstr(st.head.data,
	          "\nx-tfy-metadata-echo: "
	          "{\"escalate\":\"pro\",\"op\":\"rope\"}\n"),
	    "the metadata comes back");
	CHECK(strstr(st.head.data, "\nx-tfy-applied-rules: pro\n"), "the rule");
	CHECK(strstr(st.head.data, "\nx-tfy-applied-configurations: conf\n"),
	    "the configuration");
	stage_ask(&st, "flash", false, NULL);
	CHECK(strstr(st.head.data, "from=flash to=p/flash reason=configured"),
	    "configured");
	stage_ask(&st, "always503", false, NULL);
	CHECK(strstr(st.head.data, "to=p/good reason=fallback"), "fallback");
	stage_ask(&st, "good", false, NULL);
	CHECK(strstr(st.asked, "\"seed\":7"), "parameters are overridden");
	stage_ask(&st, "dead/x", false, NULL);
	CHECK_INT(st.status, 502, "a direct target");
out:
	stage_close(&st);
}

static void
refuses_requests(void)
{
	static const struct {
		const char *what, *method, *path, *metadata, *body;
		int status;
		const char *says;
	} bad[] = {
		{ "an unknown path", "GET", "/nope", NULL, "", 404,
		    "unknown_path" },
		{ "a prefix alone", "GET", "/v1", NULL, "", 404,
		    "unknown_path" },
		{ "health is elsewhere", "GET", "/healthz", NULL, "", 404,
		    "unknown_path" },
		{ "the wrong method", "GET", "/v1/chat/completions", NULL, "",
		    405, "method_not_allowed" },
		{ "no body", "POST", "/chat/completions", NULL, "", 400,
		    "invalid_json" },
		{ "no JSON", "POST", "/api/llm/chat/completions", NULL, "{",
		    400, "invalid_json" },
		{ "no model", "POST", "/v1/chat/completions", NULL, "{\"a\":1}",
		    400, "invalid_model" },
		{ "a model that is none", "POST", "/v1/chat/completions", NULL,
		    "{\"model\":7}", 400, "invalid_model" },
		{ "a model with a line break", "POST", "/v1/chat/completions",
		    NULL, "{\"model\":\"a\\r\\nb: c\"}", 400, "invalid_model" },
		{ "metadata that is none", "POST", "/v1/chat/completions",
		    "{\"a\":[]}", "{\"model\":\"good\"}", 400,
		    "invalid_metadata" },
	};
	const char *listed;
	struct stage st;

	if (!stage_open(&st, "breaker: off"))
		goto out;
	for (size_t i = 0; i < COUNT(bad); i++) {
		stage_ask_raw(&st, bad[i].method, bad[i].path, bad[i].metadata,
		    bad[i].body);
		CHECK_INT(st.status, bad[i].status, bad[i].what);
		CHECK(strstr(st.body.data, bad[i].says), bad[i].what);
		CHECK(strstr(st.body.data, "\"type\":\""), bad[i].what);
		CHECK(strstr(st.body.data, "\"param\":null,\"code\":\""),
		    bad[i].what);
		CHECK(strstr(st.head.data, "\nx-local-gateway: yes\n"),
		    bad[i].what);
		CHECK(strstr(st.head.data, "\nx-request-id: "), bad[i].what);
	}
	stage_ask_raw(&st, "GET", "/v1/chat/completions", NULL, "");
	CHECK(strstr(st.head.data, "\nallow: POST\n"), "what is allowed");
	stage_ask_raw(&st, "GET", "/api/llm/models?x=1", NULL, "");
	CHECK_INT(st.status, 200, "models");
	CHECK(strstr(st.body.data, "\"id\":\"flash\""), "a rule's model");
	listed = strstr(st.body.data, "\"id\":\"p/good\"");
	CHECK(listed, "a target");
	CHECK(listed && !strstr(listed + 1, "\"id\":\"p/good\""), "once");
out:
	stage_close(&st);
}

void t_call(void);

void
t_call(void)
{
	tells_the_truth();
	rewrites_requests();
	refuses_requests();
}
