/*
 * Promises of the manual that no other group keeps an eye on, each through
 * the whole gateway.
 */
#include "base/files.h"
#include "gateway/service/metrics.h"
#include "tests/unit.h"
#include "tests/unit/gateway/stage.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A rule of its own in front of the stage's. */
#define RULES "breaker: off\nrules:\n"
#define RULE(model, more)                                                      \
	"  - {id: " model                                                      \
	", type: priority-based-routing, when: {models: [" model "]}, " more   \
	"}\n"

static void
counts_broken_streams_as_failures(void)
{
	static const char *const broken[] = { "cut1", "stall1", "nofinish" };
	struct stage st;

	for (size_t i = 0; i < COUNT(broken); i++) {
		if (stage_open(&st, "breaker: demo")) {
			stage_ask(&st, broken[i], true, NULL);
			stage_ask(&st, broken[i], true, NULL);
			CHECK(st.is_cut, broken[i]);
			stage_ask(&st, broken[i], true, NULL);
			CHECK(strstr(st.head.data, "reason=breaker"),
			    broken[i]);
		}
		stage_close(&st);
	}
}

/* What x-kf-attempts says of the nth attempt's milliseconds. */
static long
ms_of_attempt(const struct stage *st, int n)
{
	const char *p = strstr(st->head.data, "\nx-kf-attempts: ");

	while (p && n-- >= 0)
		p = strstr(p + 1, ";ms=");
	return p ? strtol(p + 4, NULL, 10) : -1;
}

static void
gives_the_last_one_grace(void)
{
	struct stage st;

	if (stage_open(&st,
	        RULES RULE("grace",
	            "load_balance_targets: [{target: p/silent, priority: 0}, "
	            "{target: p/stall0, priority: 1}]") "---")) {
		stage_ask(&st, "grace", true, NULL);
		CHECK_INT(st.status, 408, "nobody gave a token");
		CHECK(ms_of_attempt(&st, 0) >= stage_patience_ms() &&
		        ms_of_attempt(&st, 0) < 2 * stage_patience_ms(),
		    "the first has its time");
		CHECK(ms_of_attempt(&st, 1) >= 2 * stage_patience_ms(),
		    "the last has twice that");
	}
	stage_close(&st);
}

static void
holds_no_more_than_it_may(void)
{
	static const char *const settings[] = {
		"breaker: off\nbuffer: {max_bytes: 10, max_ms: 5000}",
		"breaker: off\nbuffer: {max_bytes: 65536, max_ms: 1}",
	};
	struct stage st;

	for (size_t i = 0; i < 2; i++) {
		if (stage_open(&st, settings[i])) {
			stage_ask(&st, "cut1", true, NULL);
			CHECK(st.is_cut, "beyond the cap it streams");
			CHECK(strstr(st.body.data, WORD), "what was held");
		}
		stage_close(&st);
	}
}

/* The first target says nothing; who waits hears that somebody is asked. */
static void
comments_while_it_holds(void)
{
	static const char settings[] =
	    "breaker: off\n"
	    "timeouts: {first_token_ms: %ld}\n"
	    "buffer: {max_bytes: 65536, max_ms: 100000, comment_ms: %d}\n"
	    "rules:\n"
	    "  - {id: good, type: priority-based-routing, when: {models: "
	    "[good]}, load_balance_targets: [{target: p/silent, retry_config: "
	    "{attempts: 0}, priority: 0}, {target: p/stream, priority: 1}]}\n"
	    "  - {id: bad, type: priority-based-routing, when: {models: "
	    "[bad]}, load_balance_targets: [{target: p/silent, retry_config: "
	    "{attempts: 0}}]}\n"
	    "---";
	char text[1024];
	struct stage st;

	snprintf(text, sizeof text, settings, 2 * stage_patience_ms(), 50);
	if (stage_open(&st, text)) {
		stage_ask(&st, "good", true, NULL);
		CHECK(strstr(st.body.data, ": x-kf-held\n\n") &&
		        strstr(st.body.data, ": x-kf-held\n\n") <
		            strstr(st.body.data, "data:"),
		    "it begins with a comment");
		CHECK(strstr(st.body.data, WORD) &&
		        strstr(st.body.data, DONE) && !st.is_cut,
		    "and is whole");
		CHECK(strstr(st.body.data, "cause=first-token") &&
		        strstr(st.body.data, "p/stream;cause=ok"),
		    "with the story of its attempts");
		stage_ask(&st, "bad", true, NULL);
		CHECK_INT(st.status, 200, "when the head has gone");
		CHECK(st.is_cut && strstr(st.body.data, "\"error\":{"),
		    "failure is told in the stream");
		stage_ask(&st, "good", false, NULL);
		CHECK(!strstr(st.body.data, "x-kf-held"), "no stream, none");
	}
	stage_close(&st);
	snprintf(text, sizeof text, settings, 2 * stage_patience_ms(), 0);
	if (stage_open(&st, text)) {
		stage_ask(&st, "bad", true, NULL);
		CHECK(st.status >= 400, "without them its status says so");
		stage_ask(&st, "good", true, NULL);
		CHECK(!strstr(st.body.data, "x-kf-held") && !st.is_cut,
		    "and nothing comes but the answer");
	}
	stage_close(&st);
}

static void
frames_streams_by_chunks(void)
{
	struct stage st;

	if (stage_open(&st, "breaker: off")) {
		stage_ask(&st, "stream", true, NULL);
		CHECK(strcasestr(st.head.data,
		          "\ntransfer-encoding: chunked\n"),
		    "a stream is chunked");
		CHECK(!strcasestr(st.head.data, "\nconnection: close\n"),
		    "and never ends by closing");
		CHECK(!strstr(st.head.data, "\nserver-timing: "), "no timing");
		stage_ask(&st, "good", false, NULL);
		CHECK(strstr(st.head.data, "\nserver-timing: total;dur="),
		    "a whole answer has it");
	}
	stage_close(&st);
}

static void
counts_what_was_wasted(void)
{
	struct stage st;
	struct buf b;

	buf_init(&b, 1 << 20);
	if (stage_open(&st,
	        "breaker: off\nprices: [{target: p/cut1, input: 0, output: "
	        "1}]")) {
		stage_ask(&st, "cut1", true, NULL);
		metrics_print(&st.gate, &b);
		CHECK(strstr(b.data,
		          "kf_gateway_wasted_cost_usd_total{target=\"p/cut1\"} "
		          "0.000002000\n"),
		    "the tokens of a cut stream");
	}
	stage_close(&st);
	buf_done(&b);
}

static void
stops_escalating_when_the_run_is_spent(void)
{
	static const char settings[] = RULES RULE("dear",
	    "validators: [{type: keys, keys: [a]}], escalation: {target: "
	    "p/better, max_usd_per_run: 1.06}, load_balance_targets: "
	    "[{target: "
	    "p/good}]") "prices: [{target: p/better, input: 1000, output: "
	                "1000}]\n---";
	struct stage st;
	char causes[200];

	if (stage_open(&st, settings)) {
		stage_ask(&st, "dear", false, NULL);
		stage_tried(&st, causes, sizeof causes);
		CHECK_STR(causes, "quality ok", "while there is money");
		stage_ask(&st, "dear", false, NULL);
		stage_tried(&st, causes, sizeof causes);
		CHECK_STR(causes, "ok", "and not beyond");
	}
	stage_close(&st);
}

static void
says_when_a_budget_decides(void)
{
	struct stage st;

	if (stage_open(&st,
	        "breaker: off\nprices: [{target: p/good, input: 1000, output: "
	        "1000}]\n---\ntype: gateway-budget-config\nrules: [{id: purse, "
	        "limit_to: 0.001, unit: cost_per_day}]\n---")) {
		stage_ask(&st, "good", false, NULL);
		stage_ask(&st, "good", false, NULL);
		CHECK_INT(st.status, 429, "the purse is empty");
		CHECK(strstr(st.head.data, "to=p/good reason=budget\n"),
		    "says so");
		CHECK(strstr(st.head.data, "\nx-local-gateway: yes\n"),
		    "stamped");
	}
	stage_close(&st);
}

static void
leaves_targets_that_write_slowly(void)
{
	static const char settings[] = RULES RULE("sla",
	    "load_balance_targets: [{target: p/drips, priority: 0, "
	    "sla_cutoff: "
	    "{time_per_output_token_ms: 2}}, {target: p/stream, priority: "
	    "1}]") "---";
	struct stage st;

	if (stage_open(&st, settings)) {
		stage_ask(&st, "sla", true, NULL);
		CHECK(strstr(st.head.data, "to=p/drips reason=configured"),
		    "unknown yet");
		stage_ask(&st, "sla", true, NULL);
		CHECK(strstr(st.head.data, "to=p/stream reason=sla"),
		    "too long between tokens");
	}
	stage_close(&st);
}

static void
obeys_its_caps(void)
{
	char body[3000];
	struct stage st;

	memset(body, ' ', sizeof body - 1);
	body[sizeof body - 1] = '\0';
	if (stage_open(&st, "limits: {body_bytes: 2048, head_bytes: 1024}")) {
		stage_ask_raw(&st, "POST", "/v1/chat/completions", NULL, body);
		CHECK_INT(st.status, 413, "a body beyond body_bytes");
		st.extra = (struct http1_field){ "x-long", body };
		stage_ask_raw(&st, "GET", "/v1/models", NULL, "");
		CHECK_INT(st.status, 431, "a head beyond head_bytes");
		CHECK(strstr(st.head.data, "\nx-local-gateway: yes\n"),
		    "stamped");
	}
	stage_close(&st);
}

static void
reload_on_the_way(struct stage *st)
{
	static const char other[] =
	    "providers: [{name: new, base_url: 'http://127.0.0.1:1'}]\n";

	files_write(st->conf_path, other, sizeof other - 1, NULL);
	CHECK_INT(service_reload(&st->gate, NULL), ERR_OK, "it reloads");
}

static void
keeps_the_old_for_what_is_in_flight(void)
{
	struct stage st;

	if (stage_open(&st, "breaker: off")) {
		st.on_asked = reload_on_the_way;
		stage_ask(&st, "silent", true, NULL);
		CHECK(strstr(st.head.data, "to=p/good reason=fallback"),
		    "a request falls back by the rules it began with");
		stage_ask(&st, "p/good", false, NULL);
		CHECK_INT(st.status, 502, "the next one has the new ones");
	}
	stage_close(&st);
}

void t_promises(void);

void
t_promises(void)
{
	counts_broken_streams_as_failures();
	gives_the_last_one_grace();
	holds_no_more_than_it_may();
	comments_while_it_holds();
	frames_streams_by_chunks();
	counts_what_was_wasted();
	stops_escalating_when_the_run_is_spent();
	says_when_a_budget_decides();
	leaves_targets_that_write_slowly();
	obeys_its_caps();
	keeps_the_old_for_what_is_in_flight();
}
