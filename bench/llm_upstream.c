/*
 * The model's door: a plain answer of 0.6 KB, or a stream whose events come
 * at the times that the request asks for.
 */
#include "bench/llm.h"

#include "base/loop.h"
#include "base/mem.h"
#include "base/serve.h"
#include <event2/event_struct.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CONNECTIONS_MAX 30000
#define BURST_MAX       64

#define CHUNK(delta, finish)                                                   \
	"data: {\"id\":\"chatcmpl-1\",\"object\":\"chat.completion.chunk\","   \
	"\"created\":1,\"model\":\"m\",\"choices\":[{\"index\":0,\"delta\":"   \
	"{" delta "},\"finish_reason\":" finish "}]}\n\n"

static const char role_event[] = CHUNK("\"role\":\"assistant\"", "null");
static const char token_event[] = CHUNK("\"content\":\" token\"", "null");
static const char last_events[] = CHUNK("", "\"stop\"") "data: [DONE]\n\n";

struct telling { /* one stream */
	struct serve_call *call;
	struct event timer;
	int64_t left, burst;
	struct timeval interval;
};

static void on_request(struct serve_call *c, void *arg);
static void on_gone(struct serve_call *c, enum serve_gone why, void *arg);
static void on_time(evutil_socket_t fd, short what, void *arg);

static struct loop *loop;
static char plain[1024];
static size_t plain_bytes;

static void
on_stop(void *arg)
{
	(void)arg;
	loop_quit(loop);
}

static void
make_plain(void)
{
	char text[441];

	memset(text, 'x', sizeof text - 1);
	text[sizeof text - 1] = '\0';
	plain_bytes = (size_t)snprintf(plain, sizeof plain,
	    "{\"id\":\"chatcmpl-1\",\"object\":\"chat.completion\","
	    "\"created\":1,\"model\":\"m\",\"choices\":[{\"index\":0,"
	    "\"message\":{\"role\":\"assistant\",\"content\":\"%s\"},"
	    "\"finish_reason\":\"stop\"}],\"usage\":{\"prompt_tokens\":10,"
	    "\"completion_tokens\":20,\"total_tokens\":30}}",
	    text);
}

enum exit_code
llm_upstream(const struct llm_options *o)
{
	static const struct loop_ops loop_ops = { .on_stop = on_stop };
	static const struct serve_ops ops = { .on_request = on_request,
		.on_gone = on_gone };
	struct serve_conf conf = { .listen = { .host = "127.0.0.1" },
		.connections_max = CONNECTIONS_MAX };
	char text[ADDR_TEXT_MAX], pairs[ADDR_TEXT_MAX + 16];
	struct serve *s;
	struct addr at;
	struct why why;
	enum err e;

	make_plain();
	loop = loop_new(&loop_ops, NULL);
	e = serve_new(loop, &conf, &ops, NULL, &s, &why);
	if (e == ERR_OK) {
		serve_address(s, &at);
		addr_format(&at, text);
		snprintf(pairs, sizeof pairs, "upstream=%s", text);
		e = loop_ready(pairs, o->ready, &why);
		if (e == ERR_OK)
			loop_run(loop);
		serve_free(s);
	}
	if (e != ERR_OK)
		fprintf(stderr, "bench-llm: %s\n", why.text);
	loop_free(loop);
	return err_exit_code(e);
}

/* The number behind "name": in the body, 0 when it has none. */
static int64_t
number_of(struct slice body, const char *name)
{
	const char *at = memmem(body.p, body.n, name, strlen(name));
	char digits[16] = "";

	if (!at)
		return 0;
	at += strlen(name);
	for (size_t i = 0; i + 1 < sizeof digits && at < body.p + body.n; i++)
		digits[i] = *at++;
	return strtoll(digits, NULL, 10);
}

static void
on_request(struct serve_call *c, void *arg)
{
	static const struct http1_field json = { "Content-Type",
		"application/json" };
	static const struct http1_field events = { "Content-Type",
		"text/event-stream" };
	int64_t n = number_of(serve_body(c), "\"kf_events\":");
	int64_t ms = number_of(serve_body(c), "\"kf_interval_ms\":");
	struct telling *t;

	(void)arg;
	if (n <= 0) {
		(void)serve_answer(c, 200, &json, 1, plain, plain_bytes);
		return;
	}
	t = xcalloc(1, sizeof *t);
	t->call = c;
	t->left = n;
	t->burst = number_of(serve_body(c), "\"kf_burst\":");
	if (t->burst < 1 || t->burst > BURST_MAX)
		t->burst = 1;
	/* Of nothing libevent makes a timer that fires once. */
	t->interval =
	    (struct timeval){ ms / 1000, ms > 0 ? ms % 1000 * 1000 : 1 };
	event_assign(&t->timer, loop_base(loop), -1, EV_PERSIST, on_time, t);
	serve_set_data(c, t);
	(void)serve_start(c, 200, &events, 1);
	serve_release(c);
	(void)serve_write(c, role_event, sizeof role_event - 1);
	event_add(&t->timer, &t->interval);
	on_time(-1, 0, t);
}

static void
on_time(evutil_socket_t fd, short what, void *arg)
{
	static char tokens[BURST_MAX * (sizeof token_event - 1)];
	const size_t each = sizeof token_event - 1;
	struct telling *t = arg;
	int64_t n = t->left < t->burst ? t->left : t->burst;

	(void)fd;
	(void)what;
	for (int64_t i = 0; i < n; i++)
		memcpy(tokens + (size_t)i * each, token_event, each);
	(void)serve_write(t->call, tokens, (size_t)n * each);
	if ((t->left -= n) > 0)
		return;
	(void)serve_write(t->call, last_events, sizeof last_events - 1);
	serve_finish(t->call);
	event_del(&t->timer);
	free(t);
}

static void
on_gone(struct serve_call *c, enum serve_gone why, void *arg)
{
	struct telling *t = serve_data(c);

	(void)why;
	(void)arg;
	if (!t)
		return;
	event_del(&t->timer);
	free(t);
}
