/* Lines in, lines out, and neither waits for the other. */
#include "agent/service/stdio.h"

#include "base/log.h"
#include "base/mem.h"
#include <errno.h>
#include <event2/buffer.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define READ_BYTES  65536
#define OUT_WAITING ((size_t)8 * 1024 * 1024)

struct mcp_stdio {
	struct loop *loop; /* borrowed, as the next */
	struct mcp_server *server;
	int in, out;
	struct evbuffer *got, *said; /* owned, as all below */
	struct event *readable;      /* of a file: made active by us */
	struct event *writable;      /* NULL: a file, which takes everything */
	bool is_skipping;            /* the rest of a line that is too long */
	bool has_ended;
};

static void take_lines(struct mcp_stdio *d);

/* What a loop can wait for.  Of a file it cannot, and need not. */
static bool
can_wait(int fd)
{
	struct stat st;

	return fstat(fd, &st) == 0 &&
	    (S_ISFIFO(st.st_mode) || S_ISSOCK(st.st_mode) || isatty(fd));
}

static void
set_nonblocking(int fd)
{
	int flags = fcntl(fd, F_GETFL);

	if (flags >= 0)
		(void)fcntl(fd, F_SETFL, flags | O_NONBLOCK);
}

static void
end(struct mcp_stdio *d)
{
	d->has_ended = true;
	loop_quit(d->loop);
}

static void
flush(struct mcp_stdio *d)
{
	while (evbuffer_get_length(d->said) > 0) {
		int n = evbuffer_write(d->said, d->out);

		if (n < 0 && (errno == EAGAIN || errno == EINTR) &&
		    d->writable) {
			(void)event_add(d->writable, NULL);
			return;
		}
		if (n <= 0) {
			end(d);
			return;
		}
	}
}

static void
on_writable(evutil_socket_t fd, short what, void *arg)
{
	struct mcp_stdio *d = arg;

	(void)fd, (void)what;
	flush(d);
	if (evbuffer_get_length(d->said) < OUT_WAITING / 2)
		(void)event_add(d->readable, NULL);
}

static void
say(struct mcp_stdio *d, json_t *message)
{
	size_t len;
	char *text = mcp_message_text(message, &len);

	(void)evbuffer_add(d->said, text, len);
	(void)evbuffer_add(d->said, "\n", 1);
	free(text);
	flush(d);
}

static void
on_note(json_t *note, void *arg)
{
	say(arg, note);
}

static void
on_answer(json_t *answer, int status, void *arg)
{
	(void)status;
	if (answer)
		say(arg, answer);
}

static const struct mcp_way way = { on_note, on_answer };

static void
refuse(struct mcp_stdio *d, json_t *id, struct mcp_refusal *no)
{
	json_t *o = mcp_message_error(id, no);

	say(d, o);
	json_decref(o);
}

static void
take_line(struct mcp_stdio *d, const char *line, size_t len)
{
	const struct mcp_origin from = { .way = &way, .arg = d, .scope = "" };
	struct mcp_refusal no;
	struct mcp_message m;

	if (strspn(line, " \t\r") == len)
		return;
	if (mcp_message_read(line, len, &m, &no) != ERR_OK)
		refuse(d, m.id, &no);
	else
		(void)mcp_server_take(d->server, &m, &from);
	mcp_message_done(&m);
}

/* A line without an end in sight: one answer, and its rest is dropped. */
static void
skip(struct mcp_stdio *d)
{
	struct mcp_refusal no;

	if (!d->is_skipping) {
		(void)mcp_refuse(&no, ERR_TOOBIG, MCP_INVALID_REQUEST,
		    "the message is longer than %zu bytes", MCP_MESSAGE_MAX);
		refuse(d, NULL, &no);
	}
	d->is_skipping = true;
	(void)evbuffer_drain(d->got, evbuffer_get_length(d->got));
}

static void
take_lines(struct mcp_stdio *d)
{
	size_t len;
	char *line;

	while (!d->has_ended &&
	    (line = evbuffer_readln(d->got, &len, EVBUFFER_EOL_LF))) {
		if (!d->is_skipping)
			take_line(d, line, len);
		d->is_skipping = false;
		free(line);
	}
	if (evbuffer_get_length(d->got) > MCP_MESSAGE_MAX)
		skip(d);
}

/* False: nothing came. */
static bool
read_some(struct mcp_stdio *d)
{
	int n = evbuffer_read(d->got, d->in, READ_BYTES);

	if (n > 0) {
		take_lines(d);
		return true;
	}
	if (n == 0 || (errno != EAGAIN && errno != EINTR))
		end(d);
	return false;
}

static void
on_readable(evutil_socket_t fd, short what, void *arg)
{
	struct mcp_stdio *d = arg;

	(void)fd, (void)what;
	if (read_some(d) && evbuffer_get_length(d->said) > OUT_WAITING)
		(void)event_del(d->readable);
	else if (!d->has_ended && !can_wait(d->in))
		event_active(d->readable, 0, 0);
}

struct mcp_stdio *
mcp_stdio_new(struct loop *loop, struct mcp_server *server, int in, int out)
{
	struct mcp_stdio *d = xcalloc(1, sizeof *d);

	d->loop = loop;
	d->server = server;
	d->in = in;
	d->out = out;
	d->got = evbuffer_new();
	d->said = evbuffer_new();
	if (!d->got || !d->said)
		fatalx("cannot make buffers");
	if (can_wait(out)) {
		set_nonblocking(out);
		d->writable =
		    event_new(loop_base(loop), out, EV_WRITE, on_writable, d);
	}
	if (can_wait(in)) {
		set_nonblocking(in);
		d->readable = event_new(loop_base(loop), in,
		    EV_READ | EV_PERSIST, on_readable, d);
		(void)event_add(d->readable, NULL);
	} else {
		d->readable =
		    event_new(loop_base(loop), -1, EV_PERSIST, on_readable, d);
		event_active(d->readable, 0, 0);
	}
	return d;
}

void
mcp_stdio_free(struct mcp_stdio *d)
{
	if (!d)
		return;
	event_free(d->readable);
	if (d->writable)
		event_free(d->writable);
	evbuffer_free(d->got);
	evbuffer_free(d->said);
	free(d);
}
