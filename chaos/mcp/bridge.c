/*
 * Lines in, lines out.  The client's lines keep their order: the next is taken
 * once the proxy has the one before, and has sent it on, held it or answered
 * it.
 */
#include "chaos/mcp/bridge.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/queue.h>
#include <unistd.h>

#include "base/log.h"
#include "base/mem.h"
#include "chaos/http/proxy.h"
#include "chaos/mcp/line_reader.h"
#include "chaos/mcp/line_writer.h"
#include "chaos/mcp/pipe_mode.h"
#include "chaos/mcp/reply_order.h"
#include "chaos/mcp/tool_server.h"

#define DRAIN_S  2
#define OPEN_MAX 1024              /* requests under way */
#define KEPT_MAX ((size_t)1 << 20) /* bytes that a reader leaves to us */

struct request {
	TAILQ_ENTRY(request) entry;
	struct bridge *b;
	uint64_t ordinal;
	struct buf answer;
};

struct bridge {
	struct loop *loop;       /* borrowed */
	struct engine *engine;   /* borrowed */
	struct fetch_pool *pool; /* owned, as all below */
	struct traffic *traffic;
	struct pipe_mode *mode;
	struct proxy *proxy;
	struct tool_server *server;
	struct line_reader *input;
	struct line_writer *output;
	struct reply_order *said;
	struct event *next;  /* takes the next line */
	struct event *drain; /* has waited long enough */
	uint64_t nrequests;  /* sent so far: the last one's ordinal */
	struct addr at;      /* of proxy */
	TAILQ_HEAD(, request) requests;
	size_t nopen;
	bool is_awaiting; /* the proxy has not yet got the last one */
	bool is_input_over, is_server_over;
	bool is_drained; /* nobody waits for what a fault holds back */
	uint64_t torn;   /* the request whose answer ends the pipe; 0: none */
	bool is_cut;     /* that end was said */
	bool is_early;   /* the server ended and owed something */
	bool is_refused; /* a line that is too long */
};

/* ---- who may go on, and when it is over */

/* Whoever makes more than the other side takes is not read meanwhile. */
static void
steer(struct bridge *b)
{
	if (b->is_input_over || b->torn || !b->input)
		return;
	if (b->is_awaiting || b->nopen >= OPEN_MAX ||
	    tool_server_pending(b->server) > KEPT_MAX)
		line_reader_pause(b->input);
	else
		line_reader_resume(b->input);
}

static void
end_if_over(struct bridge *b)
{
	bool is_held = b->nopen > pipe_mode_waiting(b->mode);

	if (b->is_input_over && (!is_held || b->is_drained))
		tool_server_close_input(b->server);
	if (line_writer_pending(b->output) > 0)
		return;
	if (b->is_cut ||
	    (b->is_server_over && (b->nopen == 0 || b->is_drained)))
		loop_quit(b->loop);
}

static void
on_output_written(void *arg)
{
	struct bridge *b = arg;

	if (line_writer_pending(b->output) <= KEPT_MAX && !b->torn)
		tool_server_resume(b->server);
	end_if_over(b);
}

/* The client is gone, and with it what the server is for. */
static void
on_output_broken(void *arg)
{
	struct bridge *b = arg;

	loop_quit(b->loop);
}

static const struct line_writer_ops output_ops = {
	.on_written = on_output_written,
	.on_broken = on_output_broken,
};

/* What faults hold back gets a moment, once nothing else is to come. */
static void
drain(struct bridge *b)
{
	b->is_drained = false;
	loop_arm(b->drain, DRAIN_S * US_PER_S);
	end_if_over(b);
}

static void
on_drained(evutil_socket_t fd, short what, void *arg)
{
	struct bridge *b = arg;

	(void)fd;
	(void)what;
	b->is_drained = true;
	end_if_over(b);
}

/* ---- a request through the proxy */

static void
on_data(struct fetch *f, const char *p, size_t n, void *arg)
{
	struct request *r = arg;

	(void)f;
	(void)buf_add(&r->answer, p, n);
}

static void
free_request(struct request *r)
{
	TAILQ_REMOVE(&r->b->requests, r, entry);
	r->b->nopen--;
	buf_done(&r->answer);
	free(r);
}

static void
finish_request(struct request *r)
{
	struct bridge *b = r->b;

	free_request(r);
	steer(b);
	end_if_over(b);
}

/* Our own proxy refuses nothing else. */
static void
refuse_line(struct bridge *b)
{
	log_error("mcp", "the client sent a line of more than %zu MiB",
	    TOOL_SERVER_LINE_MAX >> 20);
	b->is_refused = true;
	loop_quit(b->loop);
}

static void
on_end(struct fetch *f, void *arg)
{
	struct request *r = arg;

	if (fetch_status(f) == 200)
		reply_order_answer(r->b->said, r->ordinal, &r->answer);
	else
		refuse_line(r->b);
	finish_request(r);
}

/*
 * A connection broke, as the fault would have it: the pipe ends there, and what
 * either side says from now on is not heard.  Told as it breaks: until we see
 * that end there would be time for more.
 */
static void
tear(struct bridge *b, uint64_t request)
{
	if (b->torn || b->is_server_over)
		return;
	b->torn = request;
	engine_end_with(b->engine, request);
	line_reader_pause(b->input);
	tool_server_pause(b->server);
}

static void
on_torn_said(void *arg)
{
	struct bridge *b = arg;

	b->is_cut = true;
	end_if_over(b);
}

/* What had come of it is all that comes.  Or the server ended before it
 * answered. */
static void
on_fail(struct fetch *f, enum fetch_fail fail, const char *text, void *arg)
{
	struct request *r = arg;
	struct bridge *b = r->b;

	(void)f;
	(void)fail;
	tear(b, r->ordinal);
	if (b->torn == r->ordinal) {
		log_info("mcp", "the pipe ends: %s", text);
		reply_order_torn(b->said, r->ordinal, &r->answer);
	}
	finish_request(r);
}

static const struct fetch_ops fetch_ops = {
	.on_data = on_data,
	.on_end = on_end,
	.on_fail = on_fail,
};

static void
send_request(struct bridge *b, struct slice line)
{
	static const struct http1_field type = { "Content-Type",
		"application/json" };
	struct request *r = xcalloc(1, sizeof *r);

	r->b = b;
	r->ordinal = ++b->nrequests;
	buf_init(&r->answer, 2 * TOOL_SERVER_LINE_MAX);
	TAILQ_INSERT_TAIL(&b->requests, r, entry);
	b->nopen++;
	b->is_awaiting = true;
	steer(b);
	(void)fetch_start(b->pool,
	    &(struct fetch_request){ .addr = b->at,
	        .method = "POST",
	        .target = "/mcp",
	        .fields = &type,
	        .nfields = 1,
	        .body = line.p,
	        .body_bytes = line.n,
	        .has_body = true },
	    &fetch_ops, r);
}

/* The proxy has it; what it does with it is done before the loop turns. */
static void
on_step(const struct traffic_view *v, enum traffic_view_step step, void *arg)
{
	struct bridge *b = arg;

	if (step == TRAFFIC_VIEW_ARRIVED)
		event_active(b->next, EV_TIMEOUT, 0);
	if (step != TRAFFIC_VIEW_OVER)
		return;
	reply_order_has_left(b->said, v->ordinal);
	if (v->is_torn && !v->has_left)
		tear(b, v->ordinal);
}

static void
on_next(evutil_socket_t fd, short what, void *arg)
{
	struct bridge *b = arg;

	(void)fd;
	(void)what;
	b->is_awaiting = false;
	steer(b);
}

/* ---- lines */

static void
on_input(struct slice line, bool is_torn, void *arg)
{
	struct bridge *b = arg;
	json_t *message = json_loadb(line.p, line.n, 0, NULL);
	bool is_request = json_is_string(json_object_get(message, "method")) &&
	    json_object_get(message, "id");

	(void)is_torn; /* the server hears it as a line, and then the end */
	json_decref(message);
	if (is_request)
		send_request(b, line);
	else
		tool_server_send(b->server, line);
}

static void
on_input_end(enum err e, void *arg)
{
	struct bridge *b = arg;

	if (e == ERR_TOOBIG) {
		refuse_line(b);
		return;
	}
	b->is_input_over = true;
	drain(b);
}

static const struct line_reader_ops input_ops = {
	.on_line = on_input,
	.on_end = on_input_end,
};

static void
on_server_line(struct slice line, bool is_torn, void *arg)
{
	struct bridge *b = arg;

	if (b->torn)
		return;
	if (is_torn || !pipe_mode_take(b->mode, line))
		reply_order_line(b->said, line, is_torn);
	if (line_writer_pending(b->output) > KEPT_MAX)
		tool_server_pause(b->server);
}

static void
on_server_end(void *arg)
{
	struct bridge *b = arg;

	b->is_server_over = true;
	b->is_early =
	    !b->torn && (!b->is_input_over || pipe_mode_waiting(b->mode) > 0);
	b->is_refused |= tool_server_wrote_too_much(b->server);
	pipe_mode_end(b->mode);
	drain(b);
}

static void
on_server_taken(void *arg)
{
	steer(arg);
}

static const struct tool_server_ops server_ops = {
	.on_line = on_server_line,
	.on_end = on_server_end,
	.on_taken = on_server_taken,
};

/* ---- from start to end */

static enum err
open_proxy(struct bridge *b, const struct bridge_conf *conf, struct why *why)
{
	enum err e;

	b->pool = fetch_pool_new(b->loop, NULL);
	b->traffic = traffic_new();
	traffic_watch(b->traffic, on_step, b);
	traffic_want_text(b->traffic);
	e = proxy_new(b->loop, conf->engine,
	    &(struct mode_env){ .scenario = conf->scenario,
	        .conf = conf->proxy,
	        .pool = b->pool,
	        .traffic = b->traffic,
	        .mode = &mode_pipe,
	        .arg = b->mode },
	    &b->proxy, why);
	if (e == ERR_OK)
		proxy_address(b->proxy, &b->at);
	return e;
}

enum err
bridge_open(const struct bridge_conf *conf, struct bridge **ret,
    struct why *why)
{
	struct bridge *b = xcalloc(1, sizeof *b);
	char unused[BRIDGE_END_MAX];
	enum err e;

	b->loop = conf->loop;
	b->engine = conf->engine;
	TAILQ_INIT(&b->requests);
	b->next = evtimer_new(loop_base(b->loop), on_next, b);
	b->drain = evtimer_new(loop_base(b->loop), on_drained, b);
	b->output = line_writer_new(b->loop, STDOUT_FILENO, &output_ops, b);
	b->said = reply_order_new(b->loop, b->output, on_torn_said, b);
	b->mode = pipe_mode_new(b->said);
	e = open_proxy(b, conf, why);
	if (e == ERR_OK)
		e = tool_server_start(b->loop, conf->command, &server_ops, b,
		    &b->server, why);
	if (e != ERR_OK) {
		bridge_close(b, unused);
		return e;
	}
	pipe_mode_set_server(b->mode, b->server);
	b->input = line_reader_new(b->loop, STDIN_FILENO, TOOL_SERVER_LINE_MAX,
	    &input_ops, b);
	*ret = b;
	return ERR_OK;
}

bool
bridge_close(struct bridge *b, char ret_end[BRIDGE_END_MAX])
{
	bool is_good = !b->is_refused;
	struct request *r, *next;

	line_reader_free(b->input);
	tool_server_free(b->server, ret_end, BRIDGE_END_MAX);
	/* One that we ended, ended as it was told. */
	if (!b->is_server_over || b->torn)
		ret_end[0] = '\0';
	else if (b->is_early && !*ret_end)
		(void)snprintf(ret_end, BRIDGE_END_MAX, "exit 0, too early");
	fetch_pool_free(b->pool); /* calls nobody back */
	for (r = TAILQ_FIRST(&b->requests); r; r = next) {
		next = TAILQ_NEXT(r, entry);
		free_request(r);
	}
	proxy_free(b->proxy);
	pipe_mode_free(b->mode);
	traffic_free(b->traffic);
	reply_order_free(b->said);
	line_writer_free(b->output);
	event_free(b->next);
	event_free(b->drain);
	free(b);
	return is_good;
}
