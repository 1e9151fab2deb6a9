/*
 * Lines in, lines out, and neither waits for the other.
 *
 * What is answered is written before the program ends, as long as somebody
 * takes it: for PATIENCE_S seconds without a byte taken after standard input
 * has ended.  Then it is lost, and that is said.
 */
#include "agent/service/stdio.h"

#include "base/log.h"
#include "base/mem.h"
#include <errno.h>
#include <event2/buffer.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define READ_BYTES  65536
#define OUT_WAITING ((size_t)8 * 1024 * 1024)
#define PATIENCE_S  5

struct mcp_stdio {
	struct loop *loop; /* borrowed, as the next */
	struct mcp_server *server;
	int in, out;
	struct evbuffer *got, *said; /* owned, as all below */
	struct event *readable;      /* of a file: made active by us */
	struct event *writable;      /* NULL: a file, which takes everything */
	struct event *second;        /* while somebody has to read */
	unsigned seconds;            /* without a byte taken */
	bool is_skipping;            /* the rest of a line that is too long */
	bool is_full;                /* nothing is read: too much waits */
	bool has_ended, has_lost;
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
watch_reader(struct mcp_stdio *d)
{
	d->seconds = 0;
	loop_arm(d->second, US_PER_S);
}

/* Nothing comes any more; what is answered still leaves. */
static void
end(struct mcp_stdio *d)
{
	d->has_ended = true;
	(void)event_del(d->readable);
	if (evbuffer_get_length(d->said) == 0)
		loop_quit(d->loop);
	else
		watch_reader(d);
}

static void
flush(struct mcp_stdio *d)
{
	while (evbuffer_get_length(d->said) > 0) {
		int n = evbuffer_write(d->said, d->out);

		if (n > 0) {
			d->seconds = 0;
			continue;
		}
		if (n < 0 && (errno == EAGAIN || errno == EINTR) &&
		    d->writable) {
			(void)event_add(d->writable, NULL);
			return;
		}
		d->has_ended = true; /* the reader is gone */
		break;
	}
	if (d->has_ended)
		loop_quit(d->loop);
}

/* Of a file nothing tells when it can be read: it always can. */
static void
read_on(struct mcp_stdio *d)
{
	if (can_wait(d->in))
		(void)event_add(d->readable, NULL);
	else
		event_active(d->readable, 0, 0);
}

static void
on_writable(evutil_socket_t fd, short what, void *arg)
{
	struct mcp_stdio *d = arg;

	(void)fd, (void)what;
	flush(d);
	if (d->is_full && !d->has_ended &&
	    evbuffer_get_length(d->said) < OUT_WAITING / 2) {
		d->is_full = false;
		(void)event_del(d->second);
		read_on(d);
	}
}

/* While nothing is read, its end shows no other way. */
static bool
has_hung_up(const struct mcp_stdio *d)
{
	struct pollfd p = { .fd = d->in };

	return d->has_ended || !can_wait(d->in) ||
	    (poll(&p, 1, 0) > 0 && p.revents & (POLLHUP | POLLERR));
}

static void
on_second(evutil_socket_t fd, short what, void *arg)
{
	struct mcp_stdio *d = arg;

	(void)fd, (void)what;
	if (!has_hung_up(d) || ++d->seconds < PATIENCE_S)
		return;
	d->has_lost = true;
	log_error("mcp",
	    "standard input has ended and nobody reads: %zu bytes of answers "
	    "are lost",
	    evbuffer_get_length(d->said));
	loop_quit(d->loop);
}

static void
say(struct mcp_stdio *d, json_t *message)
{
	size_t len;
	char *text;

	if (d->has_ended)
		return;
	text = mcp_message_text(message, &len);
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
	if (read_some(d) && evbuffer_get_length(d->said) > OUT_WAITING) {
		d->is_full = true;
		(void)event_del(d->readable);
		watch_reader(d);
	} else if (!d->has_ended) {
		read_on(d);
	}
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
	if (can_wait(in))
		set_nonblocking(in);
	d->readable = event_new(loop_base(loop), can_wait(in) ? in : -1,
	    EV_READ | EV_PERSIST, on_readable, d);
	d->second = event_new(loop_base(loop), -1, EV_PERSIST, on_second, d);
	if (!d->readable || !d->second)
		fatalx("cannot make events");
	read_on(d);
	return d;
}

bool
mcp_stdio_has_lost(const struct mcp_stdio *d)
{
	return d->has_lost;
}

void
mcp_stdio_free(struct mcp_stdio *d)
{
	if (!d)
		return;
	event_free(d->readable);
	event_free(d->second);
	if (d->writable)
		event_free(d->writable);
	evbuffer_free(d->got);
	evbuffer_free(d->said);
	free(d);
}
