/*
 * What a configuration can switch on: a minimum rate, bodies in the log,
 * groups of callers, a target's own time to connect.
 */
#include "base/files.h"
#include "tests/unit.h"
#include "tests/unit/gateway/stage.h"
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static void
fails_streams_that_crawl(void)
{
	static const char direct[] =
	    "breaker: off\nmin_rate: {tokens_per_s: 1000, window_ms: 15}";
	static const char held[] =
	    "breaker: off\nmin_rate: {tokens_per_s: 1000, window_ms: 15}\n"
	    "buffer: {max_bytes: 65536, max_ms: 100000}";
	struct stage st;

	if (stage_open(&st, direct)) {
		stage_ask(&st, "stall1", true, NULL);
		CHECK(st.is_cut, "a stream that crawls is cut");
		CHECK(strstr(st.body.data, "\"code\":\"slow\""), "and said so");
		stage_ask(&st, "stream", true, NULL);
		CHECK(!st.is_cut && strstr(st.body.data, DONE),
		    "a fast one not");
	}
	stage_close(&st);
	if (stage_open(&st, held)) {
		stage_ask(&st, "stall1", true, NULL);
		CHECK(!st.is_cut && strstr(st.body.data, DONE),
		    "while it is held");
		CHECK(strstr(st.head.data, "p/stall1;cause=slow"),
		    "another serves");
	}
	stage_close(&st);
}

/* The decision log after asking for a model, owned. */
static char *
log_of(const char *settings, const char *model, bool stream)
{
	char *path = files_join(unit_tmpdir(), "gateway.jsonl"), *text = NULL;
	struct stage st;

	files_write(path, "", 0, NULL);
	if (stage_open(&st, settings))
		stage_ask(&st, model, stream, NULL);
	stage_close(&st);
	files_read(path, 1 << 20, &text, NULL, NULL);
	free(path);
	return text;
}

static void
logs_bodies_when_told(void)
{
	static const struct {
		const char *what, *settings, *model;
		bool stream;
		const char *has, *lacks;
	} rows[] = {
		{ "no bodies by default", "breaker: off", "good", false,
		    "\"outcome\":\"ok\"", "messages" },
		{ "what was asked", "log_bodies: {max_bytes: 1000}", "good",
		    false, "\"asked\":\"{\\\"", "Bearer" },
		{ "what was answered", "log_bodies: {max_bytes: 1000}", "good",
		    false, "\\\"content\\\":\\\"hi\\\"",
		    "\"bodies_cut\":true" },
		{ "a stream", "log_bodies: {max_bytes: 1000}", "stream", true,
		    "\"answered\":\"data: {", "Bearer" },
		{ "only the last attempt's", "log_bodies: {max_bytes: 1000}",
		    "once503", false, "\\\"content\\\":\\\"hi\\\"",
		    "upstream says no" },
		{ "cut at the cap", "log_bodies: {max_bytes: 10}", "good",
		    false,
		    "\"answered\":\"{\\\"choices\\\"\",\"bodies_cut\":true",
		    "messages\\\":" },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		char *text =
		    log_of(rows[i].settings, rows[i].model, rows[i].stream);

		CHECK(text && strstr(text, rows[i].has), rows[i].what);
		CHECK(text && !strstr(text, rows[i].lacks), rows[i].what);
		free(text);
	}
}

static void
logs_who_and_why(void)
{
	static const struct {
		const char *what, *escalation, *has;
	} rows[] = {
		{ "the caller", "{target: p/better, shadow: true}",
		    "\"subject\":\"user:ann\"" },
		{ "the validator", "{target: p/better, shadow: true}",
		    "\"validator\":\"keys\"" },
		{ "no money for it",
		    "{target: p/better, max_usd_per_request: 0.000001}",
		    "\"validator\":\"budget\"" },
	};

	setenv("KF_TEST_ANN", "secret", 1);
	for (size_t i = 0; i < COUNT(rows); i++) {
		char settings[600], *text;

		snprintf(settings, sizeof settings,
		    "keys: [{key_env: KF_TEST_ANN, subject: 'user:ann'}]\n"
		    "prices: [{target: p/better, input: 1000, output: 1000}]\n"
		    "rules: [{id: j, type: priority-based-routing, when: "
		    "{models: [json]}, validators: [{type: keys, keys: [a]}], "
		    "escalation: %s, load_balance_targets: [{target: "
		    "p/good}]}]\n---",
		    rows[i].escalation);
		text = log_of(settings, "json", false);
		CHECK(text && strstr(text, rows[i].has), rows[i].what);
		free(text);
	}
}

static void
knows_groups(void)
{
	static const char settings[] =
	    "breaker: off\n"
	    "keys: [{key_env: KF_TEST_ANN, subject: 'user:ann', groups: "
	    "['team:core']}, {key_env: KF_TEST_BOB, subject: 'user:bob'}]\n"
	    "rules:\n"
	    "  - {id: core, type: priority-based-routing, when: {subjects: "
	    "['team:core'], models: [grouped]}, load_balance_targets: "
	    "[{target: p/good}]}\n"
	    "  - {id: bob, type: priority-based-routing, when: {subjects: "
	    "['user:bob'], models: [grouped]}, load_balance_targets: "
	    "[{target: p/better}]}\n"
	    "---";
	struct stage st;

	setenv("KF_TEST_ANN", "secret", 1);
	setenv("KF_TEST_BOB", "bob's", 1);
	if (!stage_open(&st, settings))
		goto out;
	stage_ask(&st, "grouped", false, NULL);
	CHECK(strstr(st.head.data, "\nx-tfy-applied-rules: core\n"),
	    "a group a caller is in");
	setenv("KF_TEST_ANN", "ann's", 1);
	setenv("KF_TEST_BOB", "secret", 1);
	service_reload(&st.gate, NULL);
	stage_ask(&st, "grouped", false, NULL);
	CHECK(strstr(st.head.data, "\nx-tfy-applied-rules: bob\n"),
	    "a subject that is in none");
out:
	stage_close(&st);
}

/* A port whose backlog is full takes no more connections, and says nothing. */
static unsigned
open_full_port(int fds[4])
{
	struct sockaddr_in a = { .sin_family = AF_INET };
	socklen_t len = sizeof a;

	a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	fds[0] = socket(AF_INET, SOCK_STREAM, 0);
	(void)bind(fds[0], (struct sockaddr *)&a, sizeof a);
	getsockname(fds[0], (struct sockaddr *)&a, &len);
	listen(fds[0], 0);
	for (int i = 1; i < 4; i++) {
		fds[i] = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
		(void)connect(fds[i], (struct sockaddr *)&a, sizeof a);
	}
	return ntohs(a.sin_port);
}

static void
connects_in_time(void)
{
	int fds[4];
	char settings[600];
	struct stage st;

	snprintf(settings, sizeof settings,
	    "breaker: off\n---\n"
	    "providers: [{name: full, base_url: 'http://127.0.0.1:%u'}]\n"
	    "rules:\n"
	    "  - {id: full, type: priority-based-routing, when: {models: "
	    "[full]}, load_balance_targets: [{target: full/m, priority: 0, "
	    "connect_timeout_ms: 30}, {target: p/good, priority: 1}]}\n"
	    "---",
	    open_full_port(fds));
	if (stage_open(&st, settings)) {
		stage_ask(&st, "full", false, NULL);
		CHECK_INT(st.status, 200, "another target");
		CHECK(strstr(st.head.data, "full/m;cause=connect-timeout"),
		    "when connecting takes too long");
	}
	stage_close(&st);
	for (int i = 0; i < 4; i++)
		close(fds[i]);
}

static void
allows_empty_answers(void)
{
	struct stage st;
	char causes[200];

	if (stage_open(&st, "breaker: off\nallow_empty_answers: true")) {
		stage_ask(&st, "nothing", false, NULL);
		stage_tried(&st, causes, sizeof causes);
		CHECK_STR(causes, "ok", "an empty answer is one");
		stage_ask(&st, "voidstream", true, NULL);
		stage_tried(&st, causes, sizeof causes);
		CHECK_STR(causes, "open", "a stream of nothing too");
		CHECK(strstr(st.body.data, DONE) && !st.is_cut, "and whole");
	}
	stage_close(&st);
}

/* A chat and a batch ask the same target, each on its own terms. */
static void
differs_by_rule(void)
{
	static const char settings[] =
	    "breaker: demo\n"
	    "rules:\n"
	    "  - {id: batch, type: priority-based-routing, when: {models: "
	    "[batch]}, breaker: off, timeouts: {first_token_ms: 100000}, "
	    "buffer: {max_bytes: 65536, max_ms: 100000}, malformed_events: "
	    "drop, "
	    "load_balance_targets: [{target: p/cut1, retry_config: "
	    "{attempts: 0}, priority: 0}, {target: p/stream, priority: 1}]}\n"
	    "  - {id: chat, type: priority-based-routing, when: {models: "
	    "[chat]}, malformed_events: cut, load_balance_targets: [{target: "
	    "p/cut1, retry_config: {attempts: 0}, priority: 0}]}\n"
	    "  - {id: odd, type: priority-based-routing, when: {models: "
	    "[odd]}, malformed_events: drop, load_balance_targets: [{target: "
	    "p/badjson1, retry_config: {attempts: 0}}]}\n"
	    "---";
	struct stage st;

	if (stage_open(&st, settings)) {
		for (int i = 0; i < 3; i++) {
			stage_ask(&st, "batch", true, NULL);
			CHECK(strstr(st.body.data, DONE) && !st.is_cut,
			    "a batch is held, and never shut off");
		}
		stage_ask(&st, "chat", true, NULL);
		CHECK(st.is_cut, "a chat streams");
		stage_ask(&st, "chat", true, NULL);
		stage_ask(&st, "chat", true, NULL);
		CHECK_INT(st.status, 503, "and its breaker counts alone");
		stage_ask(&st, "odd", true, NULL);
		CHECK(!strstr(st.body.data, "malformed"), "dropped as told");
	}
	stage_close(&st);
}

void t_options(void);

void
t_options(void)
{
	fails_streams_that_crawl();
	logs_bodies_when_told();
	logs_who_and_why();
	knows_groups();
	connects_in_time();
	allows_empty_answers();
	differs_by_rule();
}
