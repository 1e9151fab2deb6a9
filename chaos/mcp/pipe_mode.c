/*
 * A request whose exchange a fault has ended stays in the list until the
 * server answers it: that answer was taken from the client, and must not come
 * after all.
 */
#include "chaos/mcp/pipe_mode.h"

#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>

#include "base/mem.h"

#define JSON_TYPE "application/json"

struct call {
	TAILQ_ENTRY(call) entry;
	struct pipe_mode *mode;
	struct exchange *x; /* NULL: nobody waits */
	char *id;           /* owned: JSON text */
	bool is_listed;     /* the server owes an answer */
	bool is_freed;      /* by the exchange */
};

struct pipe_mode {
	struct reply_order *said;   /* borrowed */
	struct tool_server *server; /* borrowed; NULL: it has ended */
	TAILQ_HEAD(, call) calls;
};

static char *
id_text(json_t *message)
{
	return json_dumps(json_object_get(message, "id"),
	    JSON_ENCODE_ANY | JSON_COMPACT);
}

static void
free_call(struct call *c)
{
	free(c->id);
	free(c);
}

/* The server owes it nothing any more. */
static void
drop(struct call *c)
{
	TAILQ_REMOVE(&c->mode->calls, c, entry);
	c->is_listed = false;
	if (c->is_freed)
		free_call(c);
}

/* ---- for exchanges */

static void *
start(struct exchange *x, void *arg)
{
	struct pipe_mode *m = arg;
	struct facts *f = exchange_facts(x);
	struct call *c;

	if (!m->server) {
		exchange_end(x, ITEM_END_FIN);
		return NULL;
	}
	c = xcalloc(1, sizeof *c);
	c->mode = m;
	c->x = x;
	c->id = id_text(facts_json(f));
	c->is_listed = true;
	TAILQ_INSERT_TAIL(&m->calls, c, entry);
	tool_server_send(m->server, f->body);
	return c;
}

static void
stop(void *arg)
{
	struct call *c = arg;

	c->x = NULL;
}

static void
release(void *arg)
{
	struct call *c = arg;

	c->is_freed = true;
	if (!c->is_listed)
		free_call(c);
}

/* An answer is one piece: there is nothing to hold back. */
static void
ignore(void *arg)
{
	(void)arg;
}

static enum err
pipe_open(const struct mode_env *env, void **ret, struct why *why)
{
	(void)why;
	*ret = env->arg;
	return ERR_OK;
}

const struct mode mode_pipe = {
	.source = { .start = start,
	    .pause = ignore,
	    .resume = ignore,
	    .stop = stop,
	    .free = release },
	.open = pipe_open,
	.close = ignore,
};

/* ---- for the server */

static struct call *
find(struct pipe_mode *m, json_t *answer)
{
	char *id = id_text(answer);
	struct call *c = NULL;

	if (id)
		TAILQ_FOREACH(c, &m->calls, entry)
			if (c->id && strcmp(c->id, id) == 0)
				break;
	free(id);
	return c;
}

bool
pipe_mode_take(struct pipe_mode *m, struct slice line)
{
	json_t *message = json_loadb(line.p, line.n, 0, NULL);
	struct call *c = NULL;

	/* What names a method asks the client, or tells it something. */
	if (message && !json_object_get(message, "method"))
		c = find(m, message);
	json_decref(message);
	if (!c)
		return false;
	if (c->x) {
		reply_order_expect(m->said, exchange_facts(c->x)->ordinal);
		exchange_reply(c->x, 200, JSON_TYPE, line);
	}
	drop(c);
	return true;
}

size_t
pipe_mode_waiting(const struct pipe_mode *m)
{
	const struct call *c;
	size_t n = 0;

	TAILQ_FOREACH(c, &m->calls, entry)
		n += c->x != NULL;
	return n;
}

void
pipe_mode_end(struct pipe_mode *m)
{
	struct call *c = TAILQ_FIRST(&m->calls), *next;

	m->server = NULL;
	for (; c; c = next) {
		next = TAILQ_NEXT(c, entry);
		if (c->x)
			exchange_end(c->x, ITEM_END_FIN);
		drop(c);
	}
}

struct pipe_mode *
pipe_mode_new(struct reply_order *said)
{
	struct pipe_mode *m = xcalloc(1, sizeof *m);

	m->said = said;
	TAILQ_INIT(&m->calls);
	return m;
}

void
pipe_mode_free(struct pipe_mode *m)
{
	if (!m)
		return;
	pipe_mode_end(m);
	free(m);
}

void
pipe_mode_set_server(struct pipe_mode *m, struct tool_server *server)
{
	m->server = server;
}
