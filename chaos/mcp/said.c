/*
 * A queue.  An answer without a delay leaves its exchange before the loop has
 * turned; one that has not left by then is late, and leaves the queue.
 */
#include "chaos/mcp/said.h"

#include <stdlib.h>
#include <sys/queue.h>

#include "base/mem.h"
#include "chaos/mcp/line_writer.h"

struct saying {
	TAILQ_ENTRY(saying) entry;
	uint64_t request; /* that it answers, from 1; 0: none */
	struct buf text;
	bool is_ready, has_left, is_torn;
};

struct said {
	struct line_writer *to;
	struct event *turned; /* owned */
	TAILQ_HEAD(sayings, saying) sayings;
};

static void
drop(struct said *s, struct saying *one)
{
	TAILQ_REMOVE(&s->sayings, one, entry);
	buf_done(&one->text);
	free(one);
}

static struct saying *
find(struct said *s, uint64_t request)
{
	struct saying *one;

	TAILQ_FOREACH(one, &s->sayings, entry)
		if (one->request == request)
			break;
	return one;
}

static void
say(struct said *s, const struct buf *text, bool is_torn)
{
	struct slice line = { text->data, text->len };

	if (is_torn)
		line_writer_add_torn(s->to, line);
	else
		line_writer_add(s->to, line);
}

static void
say_ready(struct said *s)
{
	struct saying *one = TAILQ_FIRST(&s->sayings), *next;

	for (; one && one->is_ready; one = next) {
		next = TAILQ_NEXT(one, entry);
		say(s, &one->text, one->is_torn);
		drop(s, one);
	}
}

static void
on_turned(evutil_socket_t fd, short what, void *arg)
{
	struct said *s = arg;
	struct saying *one = TAILQ_FIRST(&s->sayings), *next;

	(void)fd;
	(void)what;
	for (; one; one = next) {
		next = TAILQ_NEXT(one, entry);
		if (!one->is_ready && !one->has_left)
			drop(s, one);
	}
	say_ready(s);
}

static struct saying *
add(struct said *s, uint64_t request)
{
	struct saying *one = xcalloc(1, sizeof *one);

	one->request = request;
	TAILQ_INSERT_TAIL(&s->sayings, one, entry);
	return one;
}

void
said_line(struct said *s, struct slice line, bool is_torn)
{
	struct saying *one = add(s, 0);

	buf_init(&one->text, line.n);
	(void)buf_add(&one->text, line.p, line.n);
	one->is_torn = is_torn;
	one->is_ready = true;
	say_ready(s);
}

void
said_expect(struct said *s, uint64_t request)
{
	const struct timeval soon = { 0, 0 };

	add(s, request);
	evtimer_add(s->turned, &soon);
}

void
said_has_left(struct said *s, uint64_t request)
{
	struct saying *one = find(s, request);

	if (one)
		one->has_left = true;
}

void
said_answer(struct said *s, uint64_t request, struct buf *answer)
{
	struct saying *one = find(s, request);

	if (!one) {
		say(s, answer, false);
		return;
	}
	one->text = *answer;
	buf_init(answer, 0);
	one->is_ready = true;
	say_ready(s);
}

struct said *
said_new(struct loop *l, struct line_writer *to)
{
	struct said *s = xcalloc(1, sizeof *s);

	s->to = to;
	s->turned = evtimer_new(loop_base(l), on_turned, s);
	TAILQ_INIT(&s->sayings);
	return s;
}

void
said_free(struct said *s)
{
	struct saying *one, *next;

	if (!s)
		return;
	for (one = TAILQ_FIRST(&s->sayings); one; one = next) {
		next = TAILQ_NEXT(one, entry);
		drop(s, one);
	}
	event_free(s->turned);
	free(s);
}
