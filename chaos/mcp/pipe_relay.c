/*
 * A line is a request of its own on a connection of its own, sent once: a pool
 * that sends again would be a retry that nobody made.  Requests may overtake
 * each other, as they may over HTTP; a notification is waited for, because
 * what follows it may rest on it.
 */
#include "chaos/mcp/pipe_relay.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/fetch.h"
#include "base/log.h"
#include "base/mem.h"
#include "chaos/mcp/line_reader.h"
#include "chaos/mcp/line_writer.h"

#define LINE_MAX_BYTES ((size_t)8 << 20)
#define DRAIN_S        2 /* for what faults hold back, once nothing is to come */

struct posted {
	TAILQ_ENTRY(posted) entry;
	struct pipe_relay *r;
	struct buf answer;
	int status;
	bool is_notification;
};

struct pipe_relay {
	struct loop *loop;       /* borrowed */
	struct addr to;          /* copied */
	struct fetch_pool *pool; /* owned, as all below */
	struct line_reader *input;
	struct line_writer *output;
	struct event *drain;
	TAILQ_HEAD(, posted) posted;
	bool is_over; /* its input is */
	bool is_cut;  /* no more is said */
	bool is_refused;
};

/* ---- the end */

static void
end_if_over(struct pipe_relay *r)
{
	if (line_writer_pending(r->output) == 0 &&
	    (r->is_cut || (r->is_over && TAILQ_EMPTY(&r->posted))))
		loop_quit(r->loop);
}

static void
cut(struct pipe_relay *r)
{
	r->is_cut = true;
	line_reader_pause(r->input);
	end_if_over(r);
}

static void
on_drained(evutil_socket_t fd, short what, void *arg)
{
	struct pipe_relay *r = arg;

	(void)fd;
	(void)what;
	cut(r);
}

static void
on_written(void *arg)
{
	end_if_over(arg);
}

static void
on_broken(void *arg)
{
	struct pipe_relay *r = arg;

	loop_quit(r->loop);
}

static const struct line_writer_ops writer_ops = { on_written, on_broken };

/* ---- answers */

static void
free_posted(struct posted *p)
{
	TAILQ_REMOVE(&p->r->posted, p, entry);
	buf_done(&p->answer);
	free(p);
}

static void
on_head(struct fetch *f, const struct http1_head *h, void *arg)
{
	(void)f;
	((struct posted *)arg)->status = h->status;
}

static void
on_data(struct fetch *f, const char *bytes, size_t n, void *arg)
{
	(void)f;
	(void)buf_add(&((struct posted *)arg)->answer, bytes, n);
}

/* A line is a message: what came over several is joined. */
static void
say(struct pipe_relay *r, const struct buf *answer)
{
	for (size_t i = 0; i < answer->len; i++)
		if (answer->data[i] == '\n' || answer->data[i] == '\r')
			answer->data[i] = ' ';
	line_writer_add(r->output, (struct slice){ answer->data, answer->len });
}

static void
on_end(struct fetch *f, void *arg)
{
	struct posted *p = arg;
	struct pipe_relay *r = p->r;
	bool is_notification = p->is_notification;

	(void)f;
	if (p->status == 200 && !r->is_cut && p->answer.len > 0)
		say(r, &p->answer);
	else if (p->status >= 300) {
		log_error("mcp",
		    "HTTP status %d: there is no such thing in a "
		    "pipe, which ends here",
		    p->status);
		r->is_refused = r->is_cut = true;
	}
	free_posted(p);
	if (is_notification && !r->is_over && !r->is_cut)
		line_reader_resume(r->input);
	end_if_over(r);
}

static void
on_fail(struct fetch *f, enum fetch_fail fail, const char *text, void *arg)
{
	struct posted *p = arg;
	struct pipe_relay *r = p->r;

	(void)f;
	(void)fail;
	if (!r->is_cut) {
		log_info("mcp", "the pipe ends: %s", text);
		line_writer_add_torn(r->output,
		    (struct slice){ p->answer.data, p->answer.len });
	}
	free_posted(p);
	cut(r);
}

static const struct fetch_ops fetch_ops = {
	.on_head = on_head,
	.on_data = on_data,
	.on_end = on_end,
	.on_fail = on_fail,
};

/* ---- lines */

static void
on_line(struct slice line, bool is_torn, void *arg)
{
	static const struct http1_field type = { "Content-Type",
		"application/json" };
	struct pipe_relay *r = arg;
	struct posted *p = xcalloc(1, sizeof *p);
	json_t *message = json_loadb(line.p, line.n, 0, NULL);

	(void)is_torn;
	p->r = r;
	p->is_notification = !json_object_get(message, "id");
	json_decref(message);
	buf_init(&p->answer, 2 * LINE_MAX_BYTES);
	TAILQ_INSERT_TAIL(&r->posted, p, entry);
	if (p->is_notification)
		line_reader_pause(r->input);
	(void)fetch_start(r->pool,
	    &(struct fetch_request){ .addr = r->to,
	        .method = "POST",
	        .target = "/mcp",
	        .fields = &type,
	        .nfields = 1,
	        .body = line.p,
	        .body_bytes = line.n,
	        .has_body = true,
	        .once = true,
	        .fresh = true },
	    &fetch_ops, p);
}

static void
on_input_end(enum err e, void *arg)
{
	const struct timeval moment = { DRAIN_S, 0 };
	struct pipe_relay *r = arg;

	if (e == ERR_TOOBIG) {
		log_error("mcp", "the client sent a line of more than %zu MiB",
		    LINE_MAX_BYTES >> 20);
		r->is_refused = true;
		cut(r);
	}
	r->is_over = true;
	evtimer_add(r->drain, &moment);
	end_if_over(r);
}

static const struct line_reader_ops reader_ops = { on_line, on_input_end };

struct pipe_relay *
pipe_relay_new(struct loop *l, const struct addr *to)
{
	struct pipe_relay *r = xcalloc(1, sizeof *r);

	r->loop = l;
	r->to = *to;
	TAILQ_INIT(&r->posted);
	r->pool = fetch_pool_new(l, NULL);
	r->drain = evtimer_new(loop_base(l), on_drained, r);
	r->output = line_writer_new(l, STDOUT_FILENO, &writer_ops, r);
	r->input =
	    line_reader_new(l, STDIN_FILENO, LINE_MAX_BYTES, &reader_ops, r);
	return r;
}

bool
pipe_relay_free(struct pipe_relay *r)
{
	bool is_good = !r->is_refused;
	struct posted *p, *next;

	line_reader_free(r->input);
	fetch_pool_free(r->pool); /* calls nobody back */
	for (p = TAILQ_FIRST(&r->posted); p; p = next) {
		next = TAILQ_NEXT(p, entry);
		free_posted(p);
	}
	line_writer_free(r->output);
	event_free(r->drain);
	free(r);
	return is_good;
}
