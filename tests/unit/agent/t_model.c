/*
 * The model client against a server that says exactly the bytes of each row,
 * one connection an answer, and closes.
 */
#include "agent/model/model.h"
#include "agent/model/model_retry.h"
#include "agent/model/model_wire.h"
#include "base/mask.h"
#include "tests/unit.h"
#include <arpa/inet.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define SSE_HEAD                                                               \
	"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"               \
	"x-tfy-resolved-model: models/flash\r\n"                               \
	"x-tfy-routing: from=flash to=models/flash reason=configured\r\n"      \
	"x-request-id: r1\r\nConnection: close\r\n\r\n"
#define DELTA(t) "data: {\"choices\":[{\"delta\":{\"content\":\"" t "\"}}]}\n\n"
#define STOP                                                                   \
	"data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n"
#define DONE "data: [DONE]\n\n"
#define GOOD SSE_HEAD DELTA("ab") DELTA("c") STOP DONE
#define FAIL(status, more)                                                     \
	"HTTP/1.1 " status " X\r\nContent-Type: application/json\r\n" more     \
	"Connection: close\r\n\r\n{\"error\":{\"message\":\"busy\"}}"
#define HOLD "~" /* the connection stays open behind the answer */
/* Said only to a question that asks for counts, or does not. */
#define COUNTED   "+"
#define UNCOUNTED "-"
#define UNKNOWN(status)                                                        \
	"HTTP/1.1 " status " X\r\nContent-Type: application/json\r\n"          \
	"Connection: close\r\n\r\n{\"error\":{\"message\":\"Unknown field: "   \
	"stream_options\"}}"
#define ANSWERS 3

static const struct row {
	const char *what;
	const char *answers[ANSWERS];
	const char *content; /* NULL: it fails */
	const char *class;
	unsigned attempts; /* of a success */
} rows[] = {
	{ "a stream", { GOOD }, "abc", "", 1 },
	{ "a plain body",
	    { "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
	      "Connection: close\r\n\r\n{\"choices\":[{\"message\":{"
	      "\"content\":\"abc\"},\"finish_reason\":\"stop\"}]}" },
	    "abc", "", 1 },
	{ "text in pieces of a list",
	    { SSE_HEAD "data: {\"choices\":[{\"delta\":{\"content\":[{\"type\":"
	               "\"text\",\"text\":\"ab\"},{\"type\":\"thinking\","
	               "\"text\":\"no\"},{\"type\":\"text\",\"text\":\"c\"}]}"
	               "}]}\n\n" STOP DONE },
	    "abc", "", 1 },
	{ "the same in a body",
	    { "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
	      "Connection: close\r\n\r\n{\"choices\":[{\"message\":{"
	      "\"content\":[{\"type\":\"text\",\"text\":\"abc\"}]},"
	      "\"finish_reason\":\"stop\"}]}" },
	    "abc", "", 1 },
	{ "an end of another name",
	    { SSE_HEAD DELTA("abc") "data: {\"choices\":[{\"delta\":{},"
	                            "\"finish_reason\":\"eos\"}]}\n\n" DONE },
	    "abc", "", 1 },
	{ "an end in capitals",
	    { SSE_HEAD DELTA("abc") "data: {\"choices\":[{\"delta\":{},"
	                            "\"finish_reason\":\"STOP\"}]}\n\n" },
	    "abc", "", 1 },
	{ "events beside the answer",
	    { SSE_HEAD "data: {\"id\":\"x\"}\n\nevent: ping\ndata: {\"type\":"
	               "\"ping\"}\n\n" DELTA("abc") STOP DONE },
	    "abc", "", 1 },
	{ "503, then well", { FAIL("503", ""), GOOD }, "abc", "", 2 },
	{ "429 with a time, then well",
	    { FAIL("429", "retry-after-ms: 5\r\n"), GOOD }, "abc", "", 2 },
	{ "503 for ever", { FAIL("503", ""), FAIL("503", ""), FAIL("503", "") },
	    NULL, "http_503", 0 },
	{ "400 is told at once", { FAIL("400", "") }, NULL, "http_400", 0 },
	{ "503 that must not be retried",
	    { FAIL("503", "x-should-retry: false\r\n") }, NULL, "http_503", 0 },
	{ "a cut stream, then well", { SSE_HEAD DELTA("ab"), GOOD }, "abc", "",
	    2 },
	{ "cut inside an event, then well",
	    { SSE_HEAD DELTA("ab") "data: {\"choi", GOOD }, "abc", "", 2 },
	{ "an error event under 200, then well",
	    { SSE_HEAD "data: {\"error\":{\"message\":\"x\"}}\n\n", GOOD },
	    "abc", "", 2 },
	{ "length",
	    { SSE_HEAD DELTA("ab") "data: {\"choices\":[{\"delta\":{},"
	                           "\"finish_reason\":\"length\"}]}\n\n" DONE },
	    NULL, "length", 0 },
	{ "a page under 200, then well",
	    { "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"
	      "Connection: close\r\n\r\n<html>",
	        GOOD },
	    "abc", "", 2 },
	{ "no bytes at all, then well", { "", GOOD }, "abc", "", 2 },
	{ "a body shorter than said, then well",
	    { "HTTP/1.1 200 OK\r\nContent-Length: 900\r\n"
	      "Content-Type: application/json\r\n\r\n{\"choices\"",
	        GOOD },
	    "abc", "", 2 },
	{ "stop without [DONE] on a connection that stays open",
	    { HOLD SSE_HEAD DELTA("abc") STOP }, "abc", "", 1 },
	{ "[DONE] on a connection that stays open", { HOLD GOOD }, "abc", "",
	    1 },
	{ "401 that echoes the key",
	    { "HTTP/1.1 401 X\r\nContent-Type: application/json\r\n"
	      "Connection: close\r\n\r\n{\"error\":{\"message\":"
	      "\"no key-of-t_model here\"}}" },
	    NULL, "http_401", 0 },
	{ "an answer that echoes the key",
	    { SSE_HEAD DELTA("a key-of-t_model b") STOP DONE },
	    "a ************** b", "", 1 },
	{ "control bytes", { SSE_HEAD DELTA("a\\u0001\\u001bb\\n") STOP DONE },
	    "a??b\n", "", 1 },
	{ "counts are asked for", { COUNTED GOOD }, "abc", "", 1 },
	{ "again when asked again", { COUNTED FAIL("503", ""), COUNTED GOOD },
	    "abc", "", 2 },
	{ "who refuses the wish is asked without it",
	    { COUNTED UNKNOWN("400"), UNCOUNTED GOOD }, "abc", "", 2 },
	{ "with 422 too", { COUNTED UNKNOWN("422"), UNCOUNTED GOOD }, "abc", "",
	    2 },
	{ "but once",
	    { COUNTED UNKNOWN("400"), UNCOUNTED UNKNOWN("400"), GOOD }, NULL,
	    "http_400", 0 },
	{ "half of a character an event",
	    { SSE_HEAD DELTA("a\\ud83d") DELTA("\\ude00b\\\\ud83d") STOP DONE },
	    "a\xef\xbf\xbd\xef\xbf\xbd"
	    "b\\ud83d",
	    "", 1 },
	{ "a whole one, and a NUL",
	    { SSE_HEAD DELTA("a\\ud83d\\ude00\\u0000b\\ude00") STOP DONE },
	    "a\xf0\x9f\x98\x80\xef\xbf\xbd"
	    "b\xef\xbf\xbd",
	    "", 1 },
	{ "no HTTP, then well", { "hello\r\n\r\n", GOOD }, "abc", "", 2 },
};

/* Reads a request to the end of its body, as Content-Length says; true: it
 * wishes the tokens to be counted. */
static bool
read_request(int fd)
{
	static char in[1 << 16];
	size_t n = 0, want = SIZE_MAX;

	while (n < want && n < sizeof in - 1) {
		ssize_t got = read(fd, in + n, sizeof in - 1 - n);
		const char *end, *length;

		if (got <= 0)
			return false;
		n += (size_t)got;
		in[n] = '\0';
		end = strstr(in, "\r\n\r\n");
		length = strcasestr(in, "content-length:");
		if (end && length)
			want = (size_t)(end - in) + 4 +
			    (size_t)strtoul(length + 15, NULL, 10);
	}
	return strstr(in, "\"stream_options\":{\"include_usage\":true}");
}

static void
serve(int listener, const struct row *row)
{
	char byte;

	for (size_t i = 0; i < ANSWERS && row->answers[i]; i++) {
		int fd = accept(listener, NULL, NULL);
		const char *answer = row->answers[i];
		bool holds = *answer == *HOLD;
		bool expects = *answer == *COUNTED || *answer == *UNCOUNTED;

		if (fd < 0 ||
		    (read_request(fd) != (*answer == *COUNTED) && expects))
			_exit(1);
		answer += holds || expects;
		if (write(fd, answer, strlen(answer)) < 0)
			_exit(1);
		/* Until the client has enough of it. */
		while (holds && read(fd, &byte, 1) > 0)
			continue;
		close(fd);
	}
	_exit(0);
}

/* A port that is nobody else's: refused, until somebody listens at it. */
static int
bind_port(unsigned *ret_port)
{
	struct sockaddr_in sin = { .sin_family = AF_INET };
	socklen_t len = sizeof sin;
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	sin.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	if (bind(fd, (struct sockaddr *)&sin, sizeof sin) != 0 ||
	    getsockname(fd, (struct sockaddr *)&sin, &len) != 0) {
		close(fd);
		return -1;
	}
	*ret_port = ntohs(sin.sin_port);
	return fd;
}

static int
open_listener(unsigned *ret_port)
{
	int fd = bind_port(ret_port);

	if (fd >= 0 && listen(fd, 8) != 0) {
		close(fd);
		return -1;
	}
	return fd;
}

/* What the attempts of one row cost together. */
static struct attempt_cost spent;

static void
on_cost(const struct attempt_cost *c, void *arg)
{
	(void)arg;
	spent.calls += c->calls;
	spent.prompt_tokens += c->prompt_tokens;
	spent.completion_tokens += c->completion_tokens;
}

#define DEADLINE_MS 20000
static uint32_t deadline_ms = DEADLINE_MS;

static void
ask(const struct row *row, const char *url)
{
	static const struct model_retry_policy quick = { ANSWERS, 8, 1, 2 };
	struct model_conf conf = {
		.base_url = url,
		.key = "key-of-t_model",
		.model = "flash",
		.scenario = "s",
		.stream = true,
		.deadline_ms = deadline_ms,
		.retry = &quick,
		.on_cost = on_cost,
	};
	json_t *messages = json_array();
	struct model_question q = {
		.role = "naive",
		.op = "rope",
		.iteration = 1,
		.messages = messages,
	};
	struct model_answer a = { 0 };
	struct model_failure f = { 0 };
	struct model *m = NULL;
	struct why why = { "" };
	enum err e;

	spent = (struct attempt_cost){ 0 };
	CHECK_INT(model_new(&conf, &m, &why), ERR_OK, why.text);
	e = model_ask(m, &q, &a, &f);
	CHECK_INT(e == ERR_OK, row->content != NULL, row->what);
	CHECK_STR(f.class, row->class, row->what);
	CHECK(!strstr(f.text, "key-of-t_model"), row->what);
	CHECK_STR(a.content, row->content, row->what);
	CHECK_INT(a.attempts, row->attempts, row->what);
	if (e == ERR_OK && row->attempts && row->answers[row->attempts - 1] &&
	    strstr(row->answers[row->attempts - 1], "x-tfy"))
		CHECK_STR(a.route, "models/flash reason=configured", row->what);
	model_answer_done(&a);
	model_free(m);
	json_decref(messages);
}

static void
check_row(const struct row *row)
{
	unsigned port = 0;
	int listener = open_listener(&port);
	char url[64];
	pid_t pid;

	if (!CHECK(listener >= 0, row->what))
		return;
	(void)snprintf(url, sizeof url, "http://127.0.0.1:%u", port);
	pid = fork();
	if (pid == 0)
		serve(listener, row);
	close(listener);
	ask(row, url);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

static void
check_unreachable(void)
{
	unsigned port = 0;
	int taken = bind_port(&port);
	struct row row = { "nobody listens", { NULL }, NULL, "unreachable", 0 };
	char url[64];

	(void)snprintf(url, sizeof url, "http://127.0.0.1:%u/v1/", port);
	ask(&row, url);
	close(taken);
}

/* As behind a firewall that drops what comes: no connection is ever made. */
static void
check_silent(void)
{
	unsigned port = 0;
	int listener = bind_port(&port), fds[4];
	struct row row = { "nobody takes it", { NULL }, NULL, "unreachable",
		0 };
	struct sockaddr_in sin = { .sin_family = AF_INET };
	char url[64];

	if (!CHECK(listener >= 0 && listen(listener, 0) == 0, row.what))
		return;
	sin.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	sin.sin_port = htons((uint16_t)port);
	for (size_t i = 0; i < COUNT(fds); i++) {
		fds[i] = socket(AF_INET,
		    SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
		(void)connect(fds[i], (struct sockaddr *)&sin, sizeof sin);
	}
	(void)snprintf(url, sizeof url, "http://127.0.0.1:%u", port);
	deadline_ms = 700;
	ask(&row, url);
	deadline_ms = DEADLINE_MS;
	for (size_t i = 0; i < COUNT(fds); i++)
		close(fds[i]);
	close(listener);
}

static void
check_refused_conf(void)
{
	static const struct {
		const char *what, *url, *key;
	} bad[] = {
		{ "no scheme", "127.0.0.1:80", "k" },
		{ "another scheme", "file:///etc/passwd", "k" },
		{ "a key that breaks the head", "http://127.0.0.1:1",
		    "k\r\nx: y" },
	};

	for (size_t i = 0; i < COUNT(bad); i++) {
		struct model_conf conf = { .base_url = bad[i].url,
			.key = bad[i].key,
			.model = "m",
			.scenario = "s" };
		struct model *m = NULL;
		struct why why = { "" };

		CHECK(model_new(&conf, &m, &why) != ERR_OK, bad[i].what);
		CHECK(*why.text, bad[i].what);
	}
}

static void
check_costs(void)
{
	static const struct {
		const char *what, *attempts;
		unsigned calls;
		double usd;
	} costs[] = {
		{ "no gateway, or another one", "", 0, -1 },
		{ "one call",
		    "a/b;cause=ok;status=200;ms=3;in=9;out=5;cost=0.25", 1,
		    0.25 },
		{ "a failure is paid for too",
		    "a/b;cause=cut;cost=0.25, a/c;cause=ok;cost=0.5", 2, 0.75 },
		{ "one without a price", "a/b;cause=cut, a/c;cause=ok;cost=0.5",
		    2, 0.5 },
		{ "a price that is none", "a/b;cause=ok;cost=nan", 1, -1 },
		{ "a negative one", "a/b;cause=ok;cost=-4", 1, -1 },
		{ "one that nobody has", "a/b;cause=ok;cost=1e300", 1, -1 },
		{ "commas alone", ",,,", 3, -1 },
	};

	for (size_t i = 0; i < COUNT(costs); i++) {
		struct attempt_cost cost = model_wire_cost(costs[i].attempts);

		CHECK_INT(cost.calls, costs[i].calls, costs[i].what);
		CHECK(cost.usd == costs[i].usd, costs[i].what);
	}
}

#define TOLD(in, out)                                                          \
	"data: {\"choices\":[],\"usage\":{\"prompt_tokens\":" in               \
	",\"completion_tokens\":" out "}}\n\n"
#define SAID(what) "data: {\"choices\":[{\"delta\":{" what "}}]}\n\n"
#define FORTY      "0123456789012345678901234567890123456789"

static const struct {
	struct row row;
	unsigned asked; /* attempts whose question is estimated */
	long told, completion;
} token_costs[] = {
	{ { "nothing told", { SSE_HEAD DELTA(FORTY) STOP DONE }, FORTY, "", 1 },
	    1, 0, 10 },
	{ { "told", { SSE_HEAD DELTA("a") STOP TOLD("7", "9") DONE }, "a", "",
	      1 },
	    0, 7, 9 },
	{ { "told nothing at all",
	      { SSE_HEAD DELTA("a") STOP TOLD("0", "0") DONE }, "a", "", 1 },
	    1, 0, 1 },
	{ { "told more in sum",
	      { SSE_HEAD DELTA("a") STOP TOLD("7", "9,\"total_tokens\":90")
	              DONE },
	      "a", "", 1 },
	    0, 7, 83 },
	{ { "told less in sum",
	      { SSE_HEAD DELTA("a") STOP TOLD("7", "9,\"total_tokens\":2")
	              DONE },
	      "a", "", 1 },
	    0, 7, 9 },
	{ { "told 2^31",
	      { SSE_HEAD DELTA("a") STOP TOLD("7", "2147483648") DONE }, "a",
	      "", 1 },
	    0, 7, 1000000000 },
	{ { "told 2^63 - 1",
	      { SSE_HEAD DELTA("a") STOP TOLD("7", "9223372036854775807")
	              DONE },
	      "a", "", 1 },
	    0, 7, 1000000000 },
	{ { "told 1e300", { SSE_HEAD DELTA("a") STOP TOLD("7", "1e300") DONE },
	      "a", "", 1 },
	    0, 7, 1000000000 },
	{ { "told less than nothing",
	      { SSE_HEAD DELTA(FORTY) STOP TOLD("-7", "-9") DONE }, FORTY, "",
	      1 },
	    1, 0, 10 },
	{ { "told a word",
	      { SSE_HEAD DELTA(FORTY) STOP TOLD("\"7\"", "null") DONE }, FORTY,
	      "", 1 },
	    1, 0, 10 },
	{ { "cut, then told",
	      { SSE_HEAD DELTA(FORTY),
	          SSE_HEAD DELTA("a") STOP TOLD("7", "9") DONE },
	      "a", "", 2 },
	    1, 7, 19 },
	{ { "cut for ever",
	      { SSE_HEAD DELTA(FORTY), SSE_HEAD DELTA(FORTY),
	          SSE_HEAD DELTA(FORTY) },
	      NULL, "stream_cut", 0 },
	    3, 0, 30 },
	{ { "told and cut for ever",
	      { SSE_HEAD DELTA("a") TOLD("7", "9"),
	          SSE_HEAD DELTA("a") TOLD("7", "9"),
	          SSE_HEAD DELTA("a") TOLD("7", "9") },
	      NULL, "stream_cut", 0 },
	    0, 21, 27 },
	{ { "reasoning alone, cut",
	      { SSE_HEAD "data: {\"choices\":[{\"delta\":{"
	                 "\"reasoning_content\":\"" FORTY "\"}}]}\n\n",
	          GOOD },
	      "abc", "", 2 },
	    2, 0, 11 },
	{ { "thoughts of another name, cut",
	      { SSE_HEAD SAID("\"reasoning\":\"" FORTY "\""), GOOD }, "abc", "",
	      2 },
	    2, 0, 11 },
	{ { "one thought under two names",
	      { SSE_HEAD SAID("\"reasoning\":\"" FORTY
	                      "\",\"reasoning_details\":[{\"type\":"
	                      "\"reasoning.text\",\"text\":\"" FORTY "\"}]"),
	          GOOD },
	      "abc", "", 2 },
	    2, 0, 11 },
	{ { "arguments of a call, cut",
	      { SSE_HEAD SAID("\"role\":\"assistant\",\"tool_calls\":[{"
	                      "\"id\":\"c\",\"function\":{"
	                      "\"arguments\":\"" FORTY "\"}}]"),
	          GOOD },
	      "abc", "", 2 },
	    2, 0, 11 },
	{ { "thoughts of a whole answer",
	      { SSE_HEAD SAID("\"thoughts\":[\"" FORTY "\"]") DELTA("abcd")
	              STOP DONE },
	      "abcd", "", 1 },
	    1, 0, 11 },
	{ { "another choice's text",
	      { SSE_HEAD "data: {\"choices\":[{\"index\":1,\"delta\":{"
	                 "\"content\":\"" FORTY "\"}},{\"index\":0,"
	                 "\"delta\":{\"content\":\"abcd\"}}]}\n\n" STOP DONE },
	      "abcd", "", 1 },
	    1, 0, 11 },
	{ { "refused, then well", { FAIL("503", ""), GOOD }, "abc", "", 2 }, 1,
	    0, 1 },
	{ { "silent, then well", { "", GOOD }, "abc", "", 2 }, 2, 0, 1 },
};

/* Every attempt counts, as told or four bytes a token. */
static void
check_tokens(void)
{
	long one = 0;

	for (size_t i = 0; i < COUNT(token_costs); i++) {
		const char *what = token_costs[i].row.what;

		check_row(&token_costs[i].row);
		if (i == 0)
			one = spent.prompt_tokens;
		CHECK(one > 10, what);
		CHECK_INT(spent.prompt_tokens,
		    token_costs[i].told + token_costs[i].asked * one, what);
		CHECK_INT(spent.completion_tokens, token_costs[i].completion,
		    what);
	}
}

/* Told every now and then, a wait has its line in each stretch. */
static void
check_waits(void)
{
	static const uint64_t gaps_ms[] = { 250, 1000, 1001, 1250, 1499, 4000 };

	for (size_t i = 0; i < COUNT(gaps_ms); i++) {
		struct model_wait w = { 0 };
		unsigned lines = 0;

		for (uint64_t ms = 3; ms < 150000; ms += gaps_ms[i]) {
			w.before_ms = w.ms;
			w.ms = ms;
			lines += model_wait_reaches(&w, 15);
		}
		CHECK_INT(lines, 9, "one line every 15 seconds");
	}
}

void
t_model(void)
{
	check_waits();
	check_costs();
	(void)mask_add("key-of-t_model");
	for (size_t i = 0; i < COUNT(rows); i++)
		check_row(&rows[i]);
	check_tokens();
	check_unreachable();
	check_silent();
	CHECK_INT(spent.prompt_tokens, 0, "nobody was asked");
	check_refused_conf();
}
