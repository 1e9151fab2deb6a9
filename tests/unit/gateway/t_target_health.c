/*
 * What the gateway learns of its targets, through the whole of it: which ends
 * count as failures, what a retry may cost, how long measurements hold; and
 * that one deadline spans all attempts.
 */
#include "base/clock.h"
#include "gateway/routing/target_health.h"
#include "tests/unit.h"
#include "tests/unit/gateway/stage.h"
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static const struct target_health *
live_of(const struct stage *st, const char *name)
{
	const struct target_health *l = target_health_first(st->gate.live);

	while (l && strcmp(l->name, name) != 0)
		l = l->next;
	return l;
}

static enum breaker_state
state_of(const struct stage *st, const char *name)
{
	const struct target_health *l = live_of(st, name);

	return CHECK(l, name) ? l->breaker.state : BREAKER_NSTATES;
}

/* A stream that stalls: the target fails, or its client leaves before that. */
static void
stall(struct stage *st, bool is_leaving)
{
	st->is_leaving = is_leaving;
	stage_ask(st, "stall1", true, NULL);
	st->is_leaving = false;
}

static void
blames_nobody_for_lost_clients(void)
{
	struct stage st;

	if (stage_open(&st, "breaker: demo")) {
		stall(&st, true);
		stall(&st, true);
		stall(&st, true);
		CHECK_INT(state_of(&st, "p/stall1"), BREAKER_CLOSED,
		    "a client that left is no failure");
		stall(&st, false);
		stall(&st, true);
		stall(&st, false);
		CHECK_INT(state_of(&st, "p/stall1"), BREAKER_OPEN,
		    "nor a success between two");
	}
	stage_close(&st);
}

/* What one client would not wait for is no failure for the others. */
static void
blames_nobody_for_hurried_clients(void)
{
	static const struct http1_field wishes[] = {
		{ "x-tfy-request-timeout", "1" },
		{ "x-tfy-ttft-timeout-ms", "1" },
	};
	struct stage st;

	if (stage_open(&st, "breaker: demo"))
		for (size_t i = 0; i < 2; i++) {
			st.extra = wishes[i];
			for (int k = 0; k < 3; k++)
				stage_ask(&st, "alone-silent", true, NULL);
			CHECK_INT(state_of(&st, "p/silent"), BREAKER_CLOSED,
			    wishes[i].name);
		}
	stage_close(&st);
}

/* What a client left behind was asked for all the same, and is billed. */
static void
bills_what_is_abandoned(void)
{
	static const char settings[] =
	    "breaker: off\n"
	    "prices: [{target: p/silent, input: 100, output: 100}]\n---\n"
	    "type: gateway-budget-config\n"
	    "rules: [{id: little, limit_to: 0.005, unit: cost_per_day}]\n---";
	const struct target_health *silent;
	struct stage st;
	char ms[24];

	snprintf(ms, sizeof ms, "%ld", stage_patience_ms() / 5);
	if (stage_open(&st, settings)) {
		st.extra = (struct http1_field){ "x-tfy-request-timeout", ms };
		for (int i = 0; i < 20 && st.status != 429; i++)
			stage_ask(&st, "alone-silent", false, NULL);
		CHECK_INT(st.status, 429, "the budget is used up");
		silent = live_of(&st, "p/silent");
		CHECK(silent && silent->cost_nano > 0, "and billed");
	}
	stage_close(&st);
}

/* So was what our own patience, or a client's, ended before a word of it came;
 * what was never sent was not. */
static void
bills_what_was_asked_in_vain(void)
{
	static const struct {
		const char *model, *wish;
		bool is_stream, is_billed;
	} rows[] = {
		{ "alone-silent", "x-tfy-ttft-timeout-ms", true, true },
		{ "alone-silent", "x-tfy-ttft-timeout-ms", false, true },
		{ "alone-silent", "x-nothing", true, true },
		{ "stall0", "x-nothing", true, true },
		{ "short", "x-nothing", false, true },
		{ "mute", "x-tfy-ttft-timeout-ms", true, false },
		{ "mute", "x-tfy-request-timeout", false, false },
		{ "dead", "x-nothing", false, false },
	};
	struct sockaddr_in to = { .sin_family = AF_INET };
	int mute = socket(AF_INET, SOCK_STREAM, 0);
	socklen_t n = sizeof to;
	char settings[1024], ms[24];
	struct stage st;

	snprintf(ms, sizeof ms, "%ld", stage_patience_ms() / 5);
	/* Its handshake never ends. */
	to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	CHECK(bind(mute, (struct sockaddr *)&to, n) == 0 &&
	        listen(mute, 8) == 0 &&
	        getsockname(mute, (struct sockaddr *)&to, &n) == 0,
	    "a port that accepts");
	snprintf(settings, sizeof settings,
	    "  - {name: mute, base_url: 'https://127.0.0.1:%u'}\n"
	    "breaker: off\n"
	    "prices: [{target: p/silent, input: 100, output: 100}, {target: "
	    "p/stall0, input: 100, output: 100}, {target: mute/x, input: 100, "
	    "output: 100}, {target: dead/x, input: 100, output: 100}]\n"
	    "rules: [{id: s, type: priority-based-routing, when: {models: "
	    "[short]}, load_balance_targets: [{target: p/silent, timeout_ms: "
	    "%s, retry_config: {attempts: 0}}]}, {id: m, type: "
	    "priority-based-routing, when: {models: [mute]}, "
	    "load_balance_targets: [{target: mute/x}]}]\n---",
	    ntohs(to.sin_port), ms);
	for (size_t i = 0; i < COUNT(rows); i++) {
		if (stage_open(&st, settings)) {
			uint64_t nano = 0;

			st.extra = (struct http1_field){ rows[i].wish, ms };
			stage_ask(&st, rows[i].model, rows[i].is_stream, NULL);
			for (const struct target_health *l =
			         target_health_first(st.gate.live);
			     l; l = l->next)
				nano += l->cost_nano;
			CHECK_INT(nano > 0, rows[i].is_billed, rows[i].model);
		}
		stage_close(&st);
	}
	close(mute);
}

static void
tells_mistakes_from_failures(void)
{
	static const struct {
		const char *model, *target;
		enum breaker_state state;
	} rows[] = {
		{ "says400", "p/says400", BREAKER_CLOSED },
		{ "says401", "p/says401", BREAKER_CLOSED },
		{ "says418", "p/says418", BREAKER_CLOSED },
		{ "busy", "p/busy", BREAKER_OPEN },
		{ "always503", "p/always503", BREAKER_OPEN },
		{ "html200", "p/html200", BREAKER_OPEN },
		{ "close", "p/close", BREAKER_OPEN },
	};
	struct stage st;

	if (stage_open(&st, "breaker: demo"))
		for (size_t i = 0; i < COUNT(rows); i++) {
			stage_ask(&st, rows[i].model, false, NULL);
			stage_ask(&st, rows[i].model, false, NULL);
			CHECK_INT(state_of(&st, rows[i].target), rows[i].state,
			    rows[i].model);
		}
	stage_close(&st);
}

static void
stays_away_as_long_as_told(void)
{
	struct stage st;

	if (stage_open(&st,
	        "breaker: demo\nrules: [{id: b20, type: "
	        "priority-based-routing, when: {models: [b20]}, "
	        "load_balance_targets: [{target: p/busy20, retry_config: "
	        "{attempts: 0}}]}]\n---")) {
		stage_ask(&st, "b20", false, NULL);
		stage_ask(&st, "b20", false, NULL);
		CHECK(strstr(st.head.data, "\nretry-after: 20\n"), "passed on");
		stage_ask(&st, "b20", false, NULL);
		CHECK(strstr(st.body.data, "\"code\":\"breaker\""), "open");
		CHECK(strstr(st.head.data, "\nretry-after: 20\n") ||
		        strstr(st.head.data, "\nretry-after: 19\n"),
		    "for as long as the upstream said");
	}
	stage_close(&st);
}

static void
never_says_zero_seconds(void)
{
	struct stage st;

	if (stage_open(&st, "breaker: off")) {
		stage_ask(&st, "alone-busyms", false, NULL);
		CHECK_INT(st.status, 429, "busy for three milliseconds");
		CHECK(strstr(st.head.data, "\nretry-after: 1\n"),
		    "a second is the least");
		stage_ask(&st, "alone-quota", false, NULL);
		CHECK(strstr(st.head.data, "\nx-should-retry: false\n"),
		    "no quota: never again");
		stage_ask(&st, "alone-always503", false, NULL);
		CHECK(!strstr(st.head.data, "\nx-should-retry: "),
		    "others may try");
	}
	stage_close(&st);
}

static void
knows_the_signs_of_no_quota(void)
{
	static const char *const models[] = { "quota", "quota2", "quota3",
		"quota4", "quota5" };
	struct stage st;
	char causes[200];

	if (stage_open(&st, "breaker: off"))
		for (size_t i = 0; i < COUNT(models); i++) {
			stage_ask(&st, models[i], false, NULL);
			stage_tried(&st, causes, sizeof causes);
			CHECK_STR(causes, "quota ok", models[i]);
		}
	stage_close(&st);
}

/* A fresh target may have ten retries, and then one for five requests. */
static void
survives_storms(void)
{
	unsigned retries = 0, late = 0;
	struct stage st;
	char causes[200];

	if (stage_open(&st, "breaker: off"))
		for (int i = 0; i < 60; i++) {
			stage_ask(&st, "alone-always503", false, NULL);
			stage_tried(&st, causes, sizeof causes);
			retries += strcmp(causes, "status status") == 0;
			late += i >= 20 && strcmp(causes, "status") == 0;
		}
	CHECK(retries >= 20 && retries <= 24, "ten and a fifth of sixty");
	CHECK(late >= 30, "most are not repeated");
	stage_close(&st);
}

static void
has_one_deadline_for_all_attempts(void)
{
	static const char settings[] =
	    "breaker: off\nrules: [{id: r, type: priority-based-routing, when: "
	    "{models: [slowly]}, load_balance_targets: [{target: p/silent, "
	    "priority: 0}, {target: p/stall0, priority: 1}]}]\n---";
	struct stage st;
	char causes[200], ms[24];
	uint64_t begun;

	if (stage_open(&st, settings)) {
		/* One patience and two are more. */
		snprintf(ms, sizeof ms, "%ld", stage_patience_ms() * 14 / 5);
		st.extra = (struct http1_field){ "x-tfy-request-timeout", ms };
		begun = clock_mono_ms();
		stage_ask(&st, "slowly", true, NULL);
		CHECK_INT(st.status, 504, "the request's time is over");
		stage_tried(&st, causes, sizeof causes);
		CHECK_STR(causes, "first-token deadline", "in the second");
		CHECK(clock_mono_ms() - begun <
		        10 * (uint64_t)stage_patience_ms(),
		    "and not much later");
	}
	stage_close(&st);
}

/* One budget of attempts, whatever each target may have. */
static void
ends_after_sixteen(void)
{
	static const char settings[] =
	    "breaker: off\nrules: [{id: r, type: priority-based-routing, when: "
	    "{models: [stubborn]}, load_balance_targets: [{target: "
	    "p/always503, priority: 0, retry_config: {attempts: 10, delay: "
	    "0}}, {target: p/html503, priority: 1, retry_config: {attempts: "
	    "10, delay: 0}}]}]\n---";
	const struct target_health *one, *two;
	struct stage st;

	if (stage_open(&st, settings)) {
		stage_ask(&st, "stubborn", false, NULL);
		one = live_of(&st, "p/always503");
		two = live_of(&st, "p/html503");
		if (CHECK(one && two, "both were asked"))
			CHECK_INT(one->causes[CAUSE_STATUS] +
			        two->causes[CAUSE_STATUS],
			    16, "attempts of one request");
	}
	stage_close(&st);
}

static void
waits_as_the_client_wishes(void)
{
	struct stage st;
	uint64_t begun;

	if (stage_open(&st, "breaker: off")) {
		st.extra = (struct http1_field){ "x-tfy-retry-config",
			"{\"attempts\":1,\"delay\":150}" };
		begun = clock_mono_ms();
		stage_ask(&st, "once503", false, NULL);
		CHECK_INT(st.status, 200, "the second time");
		CHECK(clock_mono_ms() - begun >= 150, "after its delay");
	}
	stage_close(&st);
}

/* A better target that is held off leaves the answer there is. */
static void
escalates_to_the_living(void)
{
	static const char settings[] =
	    "breaker: demo\nrules: [{id: j, type: priority-based-routing, "
	    "when: {models: [json]}, validators: [{type: keys, keys: [a]}], "
	    "escalation: {target: p/close}, load_balance_targets: [{target: "
	    "p/good}]}]\n---";
	struct stage st;

	if (stage_open(&st, settings)) {
		for (int i = 0; i < 2; i++)
			stage_ask(&st, "close", false, NULL);
		CHECK_INT(state_of(&st, "p/close"), BREAKER_OPEN, "held off");
		stage_ask(&st, "json", false, NULL);
		CHECK_INT(st.status, 200, "the first one's answer");
		CHECK(strstr(st.head.data, "to=p/good reason=configured"),
		    "as it was");
	}
	stage_close(&st);
}

static void
takes_blank_lines_for_silence(void)
{
	struct stage st;
	char causes[200];

	if (stage_open(&st, "breaker: off")) {
		st.extra =
		    (struct http1_field){ "x-tfy-ttft-timeout-ms", "30" };
		stage_ask(&st, "blanks", false, NULL);
		stage_tried(&st, causes, sizeof causes);
		CHECK(strncmp(causes, "first-token ", 12) == 0, causes);
	}
	stage_close(&st);
}

static void
gives_back_what_was_reserved(void)
{
	struct stage st;

	if (stage_open(&st,
	        "breaker: off\n---\ntype: gateway-rate-limiting-config\n"
	        "rules: [{id: few, limit_to: 1100, unit: tokens_per_day}]\n"
	        "---"))
		for (int i = 0; i < 5; i++) {
			stage_ask(&st, "good", false, NULL);
			CHECK_INT(st.status, 200, "what was used counts");
		}
	stage_close(&st);
}

static void
says_that_a_day_is_too_long(void)
{
	struct stage st;

	if (stage_open(&st,
	        "breaker: off\n---\ntype: gateway-rate-limiting-config\n"
	        "rules: [{id: one, limit_to: 1, unit: requests_per_day}]\n"
	        "---")) {
		stage_ask(&st, "good", false, NULL);
		stage_ask(&st, "good", false, NULL);
		CHECK_INT(st.status, 429, "one a day");
		CHECK(strstr(st.head.data, "\nretry-after: "), "when");
		if (!strstr(st.head.data, "\nx-should-retry: false\n"))
			CHECK(clock_wall_ms() / 1000 % 86400 >= 86400 - 61,
			    "not worth waiting for, but at midnight");
	}
	stage_close(&st);
}

static void
forgets_old_measurements(void)
{
	static const struct breaker_conf off = { 0, 1, 1, false };
	struct target_health_table *t = target_health_table_new();
	struct target_health *l = target_health_get(t, "x", &off);

	target_health_latency(l, 1000, 500, 50);
	target_health_refresh(l, 61000);
	CHECK_INT(l->latency_us, 500, "a minute later it holds");
	target_health_refresh(l, 61001);
	CHECK_INT(l->latency_us, 0, "then it says nothing");
	CHECK_INT(l->per_token_us, 0, "nor this");
	target_health_table_free(t);
}

/* Client, gateway and upstream are this process: its connections are all
 * there are. */
static void
sends_without_delay(void)
{
	unsigned connections = 0;
	struct stage st;

	if (stage_open(&st, "breaker: off")) {
		stage_ask(&st, "good", false, NULL);
		for (int fd = 0; fd < 256; fd++) {
			struct sockaddr_in a;
			socklen_t n = sizeof a, m = sizeof(int);
			int on = 0;

			if (getpeername(fd, (struct sockaddr *)&a, &n) != 0 ||
			    getsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, &m))
				continue;
			connections++;
			CHECK(on, "TCP_NODELAY");
		}
		CHECK_INT(connections, 4, "two ends of two legs");
	}
	stage_close(&st);
}

static void
remembers_through_reloads(void)
{
	struct stage st;

	if (stage_open(&st, "breaker: demo")) {
		stage_ask(&st, "always503", false, NULL);
		CHECK_INT(state_of(&st, "p/always503"), BREAKER_OPEN, "open");
		CHECK_INT(service_reload(&st.gate, NULL), ERR_OK,
		    "the same file");
		CHECK_INT(state_of(&st, "p/always503"), BREAKER_OPEN, "open");
	}
	stage_close(&st);
}

/* What a client asked for can make an answer empty, or one of another form to an
 * upstream that reads it otherwise: no fault of the target's. */
static void
keeps_no_target_from_others(void)
{
	static const struct {
		const char *model, *more;
		int status;
		const char *tries;
	} rows[] = {
		{ "alone-nothing", "", 502, "empty" },
		{ "alone-nothing", ",\"stop\":null", 502, "empty" },
		{ "alone-nothing", ",\"stop\":[]", 502, "empty" },
		{ "alone-nothing", ",\"stop\":[\"T\"]", 200, "=ok" },
		{ "alone-nothing", ",\"stop\":\"T\"", 200, "=ok" },
		{ "good", ",\"stream\":1", 400, NULL },
		{ "good", ",\"stream\":\"true\"", 400, NULL },
		{ "good", ",\"Stream\":true", 400, NULL },
		{ "good", ",\"\xc5\xbftream\":true", 400, NULL },
		{ "good", ",\"MODEL\":\"other\"", 400, NULL },
		{ "good", ",\"to\xe2\x84\xaa\":1,\"Streams\":1", 200, "=ok" },
		{ "good", ",\"stream\":null", 200, "=ok" },
		{ "good", ",\"stream\":false", 200, "=ok" },
	};
	struct stage st;
	char body[256];

	if (stage_open(&st, "breaker: demo"))
		for (size_t i = 0; i < COUNT(rows); i++) {
			snprintf(body, sizeof body,
			    "{\"model\":\"%s\",\"messages\":[]%s}",
			    rows[i].model, rows[i].more);
			stage_ask_raw(&st, "POST", "/v1/chat/completions", NULL,
			    body);
			CHECK_INT(st.status, rows[i].status, body);
			CHECK(!rows[i].tries ||
			        strstr(st.head.data, rows[i].tries),
			    body);
			CHECK_INT(state_of(&st, "p/nothing"), BREAKER_CLOSED,
			    body);
		}
	stage_close(&st);
}

/* A stream that stops before its first word, where the client named a stop. */
static void
takes_a_stop_for_an_end(void)
{
	struct stage st;

	if (stage_open(&st, "breaker: off")) {
		stage_ask_raw(&st, "POST", "/v1/chat/completions", NULL,
		    "{\"model\":\"voidstream\",\"messages\":[],\"stream\":true,"
		    "\"stop\":[\"T\"]}");
		CHECK_INT(st.status, 200, "a stream");
		CHECK(!strstr(st.body.data, "\"content\":\"w\"") &&
		        strstr(st.body.data, DONE),
		    "the first one's, whole");
	}
	stage_close(&st);
}

/* [DONE] is the end, whether the upstream ends or not. */
static void
does_not_wait_behind_the_end(void)
{
	struct stage st;

	if (stage_open(&st, "breaker: off")) {
		stage_ask(&st, "dangles", true, NULL);
		CHECK(!st.is_cut && strstr(st.body.data, DONE), "whole");
	}
	stage_close(&st);
}

static void
names_each_request(void)
{
	char first[64] = "", *id;
	struct stage st;

	if (stage_open(&st, "breaker: off")) {
		for (int i = 0; i < 2; i++) {
			stage_ask(&st, "good", false, NULL);
			id = strstr(st.head.data, "\nx-request-id: ");
			if (!CHECK(id, "an id"))
				break;
			CHECK(strncmp(first, id, 34) != 0, "of its own");
			snprintf(first, sizeof first, "%.34s", id);
		}
	}
	stage_close(&st);
}

void t_target_health(void);

void
t_target_health(void)
{
	blames_nobody_for_lost_clients();
	blames_nobody_for_hurried_clients();
	bills_what_is_abandoned();
	bills_what_was_asked_in_vain();
	tells_mistakes_from_failures();
	stays_away_as_long_as_told();
	never_says_zero_seconds();
	knows_the_signs_of_no_quota();
	survives_storms();
	has_one_deadline_for_all_attempts();
	ends_after_sixteen();
	waits_as_the_client_wishes();
	escalates_to_the_living();
	takes_blank_lines_for_silence();
	gives_back_what_was_reserved();
	says_that_a_day_is_too_long();
	forgets_old_measurements();
	sends_without_delay();
	remembers_through_reloads();
	keeps_no_target_from_others();
	takes_a_stop_for_an_end();
	does_not_wait_behind_the_end();
	names_each_request();
}
