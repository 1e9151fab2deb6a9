/*
 * Breakers, buffers, wishes, costs, limits, validators, draining and the log,
 * each through the whole gateway.
 */
#include "base/files.h"
#include "gateway/service/metrics.h"
#include "tests/unit.h"
#include "tests/unit/gateway/stage.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void
breaks_circuits(void)
{
	struct stage st;

	if (!stage_open(&st, "breaker: demo"))
		goto out;
	stage_ask(&st, "alone-always503", false, NULL);
	CHECK_INT(st.status, 503, "two failures");
	st.asked[0] = '\0';
	stage_ask(&st, "alone-always503", false, NULL);
	CHECK_INT(st.status, 503, "open");
	CHECK_STR(st.asked, "", "the upstream is not asked");
	CHECK(strstr(st.head.data, "\nretry-after: 8\n"), "when to come back");
	CHECK(strstr(st.body.data, "\"code\":\"breaker\""), "why");
	stage_ask(&st, "always503", false, NULL);
	CHECK_INT(st.status, 200, "another target serves");
	CHECK(strstr(st.head.data, "to=p/good reason=breaker"), "and says so");
out:
	stage_close(&st);
}

static void
demotes_targets(void)
{
	struct stage st;

	if (!stage_open(&st, "breaker: truefoundry"))
		goto out;
	stage_ask(&st, "always503", false, NULL);
	CHECK(strstr(st.head.data, "to=p/good reason=fallback"), "it fails");
	stage_ask(&st, "always503", false, NULL);
	CHECK(strstr(st.head.data, "to=p/good reason=breaker"), "goes last");
	stage_ask(&st, "alone-always503", false, NULL);
	CHECK(strstr(st.body.data, "upstream says no"), "but is asked alone");
out:
	stage_close(&st);
}

static void
leaves_slow_targets(void)
{
	static const char settings[] =
	    "breaker: off\n"
	    "rules:\n"
	    "  - {id: sla, type: priority-based-routing, when: {models: "
	    "[sla]}, load_balance_targets: [{target: p/late, priority: 0, "
	    "sla_cutoff: {time_to_first_token_ms: 4}}, {target: p/stream, "
	    "priority: 1}]}\n"
	    "---";
	struct stage st;

	if (!stage_open(&st, settings))
		goto out;
	stage_ask(&st, "sla", true, NULL);
	CHECK(strstr(st.head.data, "to=p/late reason=configured"), "unknown");
	stage_ask(&st, "sla", true, NULL);
	CHECK(strstr(st.head.data, "to=p/stream reason=sla"), "too slow");
out:
	stage_close(&st);
}

static void
holds_whole_streams(void)
{
	static const char *const broken[] = { "cut1", "stall1", "error1",
		"badjson1", "nofinish" };
	struct stage st;

	if (!stage_open(&st,
	        "breaker: off\nbuffer: {max_bytes: 65536, "
	        "max_ms: 100000}"))
		goto out;
	for (size_t i = 0; i < COUNT(broken); i++) {
		stage_ask(&st, broken[i], true, NULL);
		CHECK_INT(st.status, 200, broken[i]);
		CHECK(!st.is_cut, broken[i]);
		CHECK(strstr(st.body.data, DONE), broken[i]);
		CHECK(!strstr(st.body.data, "error\""), broken[i]);
		CHECK(strstr(st.head.data, "reason=fallback"), broken[i]);
	}
out:
	stage_close(&st);
}

/* Its library's times are nobody's fault, those it wrote are its own. */
static void
refuses_times(struct stage *st)
{
	static const struct {
		const char *name, *value;
		int status;
	} rows[] = {
		{ "x-tfy-request-timeout", "-5", 400 },
		{ "x-tfy-request-timeout", "0", 400 },
		{ "x-tfy-request-timeout", "99999999999999999999", 200 },
		{ "x-tfy-request-timeout", "9999999999", 200 },
		{ "x-tfy-ttft-timeout-ms", "nan", 400 },
		{ "x-tfy-ttft-timeout-ms", "", 400 },
		{ "x-stainless-timeout", "nan", 200 },
		{ "x-stainless-timeout", "-5", 200 },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		st->extra = (struct http1_field){ rows[i].name, rows[i].value };
		stage_ask(st, "good", false, NULL);
		CHECK_INT(st->status, rows[i].status, rows[i].value);
	}
}

static void
obeys_wishes(void)
{
	static const char *const no_statuses[] = {
		"{\"on_status_codes\":[\"abc\"]}",
		"{\"on_status_codes\":[\"429\",null]}",
		"{\"on_status_codes\":[99]}", "{\"on_status_codes\":[\"4e2\"]}"
	};
	struct stage st;
	char causes[200], ms[24];

	if (!stage_open(&st, "breaker: off"))
		goto out;
	st.extra = (struct http1_field){ "x-stainless-retry-count", "1" };
	stage_ask(&st, "alone-always503", false, NULL);
	stage_tried(&st, causes, sizeof causes);
	CHECK_STR(causes, "status", "what the client repeats we do not");
	st.extra = (struct http1_field){ "x-tfy-retry-config",
		"{\"attempts\":3,\"delay\":1,\"on_status_codes\":[\"418\"]}" };
	stage_ask(&st, "says418", false, NULL);
	stage_tried(&st, causes, sizeof causes);
	CHECK_STR(causes, "status status status status", "its own retries");
	st.extra.value = "{\"attempts\":\"many\"}";
	stage_ask(&st, "good", false, NULL);
	CHECK_INT(st.status, 400, "nonsense");
	for (size_t i = 0; i < COUNT(no_statuses); i++) {
		st.extra.value = no_statuses[i];
		stage_ask(&st, "good", false, NULL);
		CHECK_INT(st.status, 400, no_statuses[i]);
	}
	refuses_times(&st);
	st.extra = (struct http1_field){ "x-tfy-request-timeout", "30" };
	stage_ask(&st, "alone-silent", false, NULL);
	CHECK_INT(st.status, 504, "its deadline");
	CHECK(strstr(st.body.data, "\"code\":\"deadline\""), "is told");
	snprintf(ms, sizeof ms, "%ld", 4 * stage_patience_ms());
	st.extra.value = ms;
	stage_ask(&st, "silent", false, NULL);
	CHECK_INT(st.status, 200, "half of it is the next target's");
	snprintf(ms, sizeof ms, "%ld", stage_patience_ms());
	st.extra = (struct http1_field){ "x-tfy-ttft-timeout-ms", ms };
	stage_ask(&st, "silent", false, NULL);
	CHECK_INT(st.status, 200, "its patience");
	stage_tried(&st, causes, sizeof causes);
	CHECK_STR(causes, "first-token ok", "leads to the next target");
out:
	stage_close(&st);
}

static void
counts_costs(void)
{
	struct stage st;
	struct buf b;

	if (!stage_open(&st,
	        "breaker: off\nprices: [{target: p/good, input: 1, "
	        "output: 2}, {target: p/pro, input: 10, output: "
	        "20}]\ncounterfactual: {primary: p/good, "
	        "escalation: p/pro}"))
		goto out;
	stage_ask(&st, "good", false, NULL);
	CHECK(strstr(st.head.data, ";in=3;out=2;cost=0.000007000"), "a header");
	stage_ask(&st, "usage", true, NULL);
	CHECK(strstr(st.asked, "\"stream_options\":{\"include_usage\":true}"),
	    "usage is asked for");
	CHECK(!strstr(st.body.data, "prompt_tokens"), "and taken out again");
	CHECK(strstr(st.body.data, ";in=7;out=9"), "but counted");
	stage_ask_raw(&st, "POST", "/v1/chat/completions", NULL,
	    "{\"model\":\"usage\",\"stream\":true,\"stream_options\":{"
	    "\"include_usage\":true}}");
	CHECK(strstr(st.body.data, "prompt_tokens"), "who asks gets it");
	buf_init(&b, 1 << 20);
	metrics_print(&st.gate, &b);
	CHECK(strstr(b.data,
	          "kf_gateway_cost_usd_total{target=\"p/good\"} "
	          "0.000007000\n"),
	    "the sum");
	CHECK(strstr(b.data, "route=\"primary\"} 0.000057000\n"),
	    "all on the primary");
	CHECK(strstr(b.data, "route=\"escalation\"} 0.000570000\n"),
	    "all on the escalation");
	CHECK(strstr(b.data,
	          "gen_ai_client_token_usage_sum{gen_ai_operation_"
	          "name=\"chat\",gen_ai_response_model=\"p/"
	          "usage\",gen_ai_token_type=\"input\"} 14\n"),
	    "tokens by model");
	buf_done(&b);
out:
	stage_close(&st);
}

static void
limits_and_asks_for_keys(void)
{
	static const char settings[] =
	    "breaker: off\n"
	    "keys: [{key_env: KF_TEST_ANN, subject: 'user:ann'}, {key_env: "
	    "KF_TEST_BOB, subject: 'user:bob'}]\n"
	    "prices: [{target: p/good, input: 1000, output: 1000}]\n"
	    "---\n"
	    "type: gateway-rate-limiting-config\n"
	    "rules: [{id: two-a-day, when: {models: [dead]}, limit_to: 2, "
	    "unit: requests_per_day, rate_limit_applies_per: [user]}]\n"
	    "---\n"
	    "type: gateway-budget-config\n"
	    "rules: [{id: purse, when: {models: [good]}, limit_to: 0.001, "
	    "unit: cost_per_day}]\n"
	    "---";
	static const int want[] = { 502, 502, 429, 429 };
	struct stage st;

	setenv("KF_TEST_ANN", "ann's", 1);
	setenv("KF_TEST_BOB", "secret", 1);
	if (!stage_open(&st, settings))
		goto out;
	for (size_t i = 0; i < 4; i++) {
		stage_ask(&st, "dead", false, NULL);
		CHECK_INT(st.status, want[i], "two a day");
	}
	CHECK(strstr(st.body.data, "the limit two-a-day"), "which limit");
	CHECK(strstr(st.head.data, "\nretry-after: "), "and until when");
	stage_ask(&st, "good", false, NULL);
	CHECK_INT(st.status, 200, "the first is let in");
	stage_ask(&st, "good", false, NULL);
	CHECK_INT(st.status, 429, "the purse is empty");
	CHECK(strstr(st.head.data, "\nx-should-retry: false\n"),
	    "do not retry");
	setenv("KF_TEST_BOB", "other", 1);
	service_reload(&st.gate, NULL);
	stage_ask(&st, "good", false, NULL);
	CHECK_INT(st.status, 401, "a key that is not known");
	CHECK(strstr(st.body.data, "invalid_api_key"), "is said");
out:
	stage_close(&st);
}

static void
escalates_for_quality(void)
{
	static const char settings[] =
	    "breaker: off\n"
	    "rules:\n"
	    "  - {id: want-json, type: priority-based-routing, when: {models: "
	    "[json]}, validators: [{type: keys, keys: [a]}], escalation: "
	    "{target: p/better}, load_balance_targets: [{target: p/good}]}\n"
	    "  - {id: shadow, type: priority-based-routing, when: {models: "
	    "[shadow]}, validators: [{type: regex, pattern: 'b+c'}], "
	    "escalation: {target: p/better, shadow: true}, "
	    "load_balance_targets: [{target: p/good}]}\n"
	    "  - {id: streams, type: priority-based-routing, when: {models: "
	    "[streams]}, validators: [{type: regex, pattern: '^b'}], "
	    "escalation: {target: p/stream}, load_balance_targets: [{target: "
	    "p/slow}]}\n"
	    "  - {id: poor, type: priority-based-routing, when: {models: "
	    "[poor]}, validators: [{type: keys, keys: [a]}], escalation: "
	    "{target: p/better, max_usd_per_request: 0.000001}, "
	    "load_balance_targets: [{target: p/good}]}\n"
	    "prices: [{target: p/better, input: 1000, output: 1000}]\n"
	    "---";
	struct stage st;
	char causes[200];

	if (!stage_open(&st, settings))
		goto out;
	stage_ask(&st, "json", false, NULL);
	stage_tried(&st, causes, sizeof causes);
	CHECK_STR(causes, "quality ok", "no JSON: a better target");
	CHECK(strstr(st.head.data, "to=p/better reason=quality-escalation"),
	    "and said so");
	CHECK(strstr(st.body.data, "\\\"a\\\":1"), "its answer");
	stage_ask(&st, "shadow", false, NULL);
	stage_tried(&st, causes, sizeof causes);
	CHECK_STR(causes, "ok", "a shadow only looks");
	stage_ask(&st, "streams", true, NULL);
	stage_tried(&st, causes, sizeof causes);
	CHECK_STR(causes, "quality open", "a stream is held and judged");
	CHECK(strstr(st.body.data, WORD WORD STOP), "the other one passes");
	CHECK(!st.is_cut, "whole");
	stage_ask(&st, "poor", false, NULL);
	stage_tried(&st, causes, sizeof causes);
	CHECK_STR(causes, "ok", "no money, no escalation");
	CHECK_INT(st.gate.stats.rejected, 4, "all were counted");
out:
	stage_close(&st);
}

static void
stop_on_the_way(struct stage *st)
{
	service_stop(&st->gate);
}

static void
drains(void)
{
	struct stage st;

	if (!stage_open(&st, "breaker: off"))
		goto out;
	st.on_asked = stop_on_the_way;
	stage_ask(&st, "slow", true, NULL);
	CHECK(st.gate.is_draining, "it was told to stop on the way");
	CHECK_INT(st.status, 200, "what is in flight");
	CHECK(strstr(st.body.data, DONE), "is finished");
	loop_run(st.loop);
	stage_ask(&st, "good", false, NULL);
	CHECK_INT(st.status, 0, "nobody new is let in");
out:
	stage_close(&st);
}

static void
cancels_for_lost_clients(void)
{
	struct stage st;
	char *path = files_join(unit_tmpdir(), "gateway.jsonl"), *text = NULL;

	if (stage_open(&st, "breaker: off")) {
		st.is_leaving = true;
		stage_ask(&st, "stall1", true, NULL);
		CHECK(st.saw_gone, "the upstream is cancelled at once");
		CHECK_INT(st.gate.ncalls, 0, "the call has ended");
	}
	stage_close(&st);
	files_read(path, 65536, &text, NULL, NULL);
	CHECK(text &&
	        strstr(text, "\"status\":499,\"outcome\":\"client-gone\""),
	    "499 in the log");
	CHECK(text && strstr(text, "\"tokens_out\":1,\"estimated\":true"),
	    "what came is billed as estimated");
	free(text);
	free(path);
}

static void
logs_decisions(void)
{
	struct stage st;
	char *path = files_join(unit_tmpdir(), "gateway.jsonl"), *text = NULL;

	if (stage_open(&st, "breaker: off")) {
		stage_ask(&st, "once503", false,
		    "op=rope;iteration=2;secret=xyz");
		stage_ask(&st, "cut1", true, NULL);
	}
	stage_close(&st);
	if (CHECK_INT(files_read(path, 65536, &text, NULL, NULL), ERR_OK,
	        "there is a log")) {
		CHECK(strstr(text,
		          "\"op\":\"rope\",\"iteration\":\"2\","
		          "\"from\":\"once503\""),
		    "what was asked");
		CHECK(strstr(text,
		          "\"rule\":\"r-once503\",\"target\":\"p/"
		          "once503\",\"model\":\"once503\",\"reason\":"
		          "\"configured\",\"status\":200"),
		    "what was decided");
		CHECK(strstr(text, "\"cause\":\"status\",\"status\":503"),
		    "how it went");
		CHECK(strstr(text, "\"outcome\":\"cut\""), "a cut stream");
		CHECK(!strstr(text, "xyz") && !strstr(text, "Bearer"),
		    "no secrets");
	}
	free(text);
	free(path);
}

void t_service(void);

void
t_service(void)
{
	breaks_circuits();
	demotes_targets();
	leaves_slow_targets();
	holds_whole_streams();
	obeys_wishes();
	counts_costs();
	limits_and_asks_for_keys();
	escalates_for_quality();
	drains();
	cancels_for_lost_clients();
	logs_decisions();
}
