/*
 * A queue.  An answer without a delay leaves its exchange before the loop has
 * turned; one that has not left by then is late, and leaves the queue.
 */
#include "chaos/mcp/reply_order.h"

#include <stdlib.h>
#include <sys/queue.h>

#include "base/mem.h"
#include "chaos/mcp/line_writer.h"

struct reply {
	TAILQ_ENTRY(reply) entry;
	uint64_t request; /* that it answers, from 1; 0: none */
	struct buf text;
	bool is_ready, has_left, is_torn;
};

struct reply_order {
	struct line_writer *to;
	struct event *turned; /* owned */
	void (*on_torn)(void *arg);
	void *arg;
	bool is_over; /* a torn answer was said */
	TAILQ_HEAD(replies, reply) replies;
};

static void
drop(struct reply_order *s, struct reply *one)
{
	TAILQ_REMOVE(&s->replies, one, entry);
	buf_done(&one->text);
	free(one);
}

static struct reply *
find(struct reply_order *s, uint64_t request)
{
	struct reply *one;

	TAILQ_FOREACH(one, &s->replies, entry)
		if (one->request == request)
			break;
	return one;
}

static void
say(struct reply_order *s, const struct buf *text, bool is_torn)
{
	struct slice line = { text->data, text->len };

	if (s->is_over)
		return;
	if (is_torn)
		line_writer_add_torn(s->to, line);
	else
		line_writer_add(s->to, line);
}

static void
end(struct reply_order *s)
{
	if (s->is_over)
		return;
	s->is_over = true;
	s->on_torn(s->arg);
}

static void
say_ready(struct reply_order *s)
{
	struct reply *one = TAILQ_FIRST(&s->replies), *next;

	for (; one && one->is_ready; one = next) {
		bool is_last = one->is_torn && one->request;

		next = TAILQ_NEXT(one, entry);
		say(s, &one->text, one->is_torn);
		drop(s, one);
		if (is_last)
			end(s);
	}
}

static void
on_turned(evutil_socket_t fd, short what, void *arg)
{
	struct reply_order *s = arg;
	struct reply *one = TAILQ_FIRST(&s->replies), *next;

	(void)fd;
	(void)what;
	for (; one; one = next) {
		next = TAILQ_NEXT(one, entry);
		if (!one->is_ready && !one->has_left)
			drop(s, one);
	}
	say_ready(s);
}

static struct reply *
add(struct reply_order *s, uint64_t request)
{
	struct reply *one = xcalloc(1, sizeof *one);

	one->request = request;
	TAILQ_INSERT_TAIL(&s->replies, one, entry);
	return one;
}

void
reply_order_line(struct reply_order *s, struct slice line, bool is_torn)
{
	struct reply *one = add(s, 0);

	buf_init(&one->text, line.n);
	(void)buf_add(&one->text, line.p, line.n);
	one->is_torn = is_torn;
	one->is_ready = true;
	say_ready(s);
}

void
reply_order_expect(struct reply_order *s, uint64_t request)
{
	add(s, request);
	loop_arm(s->turned, 0);
}

void
reply_order_has_left(struct reply_order *s, uint64_t request)
{
	struct reply *one = find(s, request);

	if (one)
		one->has_left = true;
}

void
reply_order_answer(struct reply_order *s, uint64_t request, struct buf *answer)
{
	struct reply *one = find(s, request);

	if (!one) {
		say(s, answer, false);
		return;
	}
	one->text = *answer;
	buf_init(answer, 0);
	one->is_ready = true;
	say_ready(s);
}

void
reply_order_torn(struct reply_order *s, uint64_t request, struct buf *answer)
{
	struct reply *one = find(s, request);

	if (one) {
		one->is_torn = true;
		reply_order_answer(s, request, answer);
		return;
	}
	say(s, answer, true);
	end(s);
}

struct reply_order *
reply_order_new(struct loop *l, struct line_writer *to,
    void (*on_torn)(void *arg), void *arg)
{
	struct reply_order *s = xcalloc(1, sizeof *s);

	s->to = to;
	s->on_torn = on_torn;
	s->arg = arg;
	s->turned = evtimer_new(loop_base(l), on_turned, s);
	TAILQ_INIT(&s->replies);
	return s;
}

void
reply_order_free(struct reply_order *s)
{
	struct reply *one, *next;

	if (!s)
		return;
	for (one = TAILQ_FIRST(&s->replies); one; one = next) {
		next = TAILQ_NEXT(one, entry);
		drop(s, one);
	}
	event_free(s->turned);
	free(s);
}
