/* POST in, one object or a stream of events out. */
#include "agent/service/http.h"

#include "agent/service/http_door.h"
#include "base/digest.h"
#include "base/mem.h"
#include "base/serve.h"
#include "base/sse.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>

#define SESSION_HEX 32
#define SESSION_MAX 128
#define PENDING_MAX ((size_t)1024 * 1024)
#define EVENT_MAX   ((size_t)8 * 1024 * 1024)

enum {
	STATUS_OK = 200,
	STATUS_ACCEPTED = 202,
	STATUS_UNAUTHORIZED = 401,
	STATUS_NO_METHOD = 405,
};

/* One request of a client, until its answer is out. */
struct post {
	LIST_ENTRY(post) link;
	struct serve_call *call;
	struct mcp_call *waits; /* for the server's answer; NULL: has it */
	bool streams;           /* events are wanted, and can be taken */
	bool has_begun;         /* their stream */
};

struct mcp_http {
	struct mcp_http_conf conf;
	struct mcp_server *server; /* borrowed */
	struct serve *serve;       /* owned */
	LIST_HEAD(, post) posts;   /* owned */
};

static const struct http1_field json_field = { "Content-Type",
	"application/json" };

/* ---- answers */

static void
answer_json(struct serve_call *call, int status, json_t *o)
{
	size_t len;
	char *text = mcp_message_text(o, &len);

	(void)serve_answer(call, status, &json_field, 1, text, len);
	free(text);
}

static void
answer_refusal(struct serve_call *call, json_t *id, struct mcp_refusal *no)
{
	json_t *o = mcp_message_error(id, no);

	answer_json(call, no->status, o);
	json_decref(o);
}

/* Before there is a message: an error without an id. */
static void
answer_status(struct serve_call *call, int status, const char *text)
{
	struct mcp_refusal no;

	(void)mcp_refuse(&no, ERR_DENIED, MCP_INVALID_REQUEST, "%s", text);
	no.status = status;
	if (status == STATUS_UNAUTHORIZED)
		serve_add_head(call, "WWW-Authenticate: Bearer\r\n");
	if (status == STATUS_NO_METHOD)
		serve_add_head(call, "Allow: POST\r\n");
	answer_refusal(call, NULL, &no);
}

static void
begin(struct post *p)
{
	static const struct http1_field fields[] = {
		{ "Content-Type", "text/event-stream" },
		{ "Cache-Control", "no-store" },
		{ "X-Accel-Buffering", "no" },
	};

	if (!p->has_begun)
		(void)serve_start(p->call, STATUS_OK, fields, COUNT(fields));
	p->has_begun = true;
}

static void
write_event(struct post *p, json_t *message)
{
	size_t len;
	char *text = mcp_message_text(message, &len);
	struct buf b;

	begin(p);
	buf_init(&b, EVENT_MAX);
	if (sse_write(&b, text, len) == ERR_OK)
		(void)serve_write(p->call, b.data, b.len);
	buf_done(&b);
	free(text);
}

/* A reader that does not keep up misses progress, which says nothing lasting.
 */
static void
on_note(json_t *note, void *arg)
{
	struct post *p = arg;

	if (p->streams && serve_pending_bytes(p->call) < PENDING_MAX)
		write_event(p, note);
}

static void
post_free(struct post *p)
{
	LIST_REMOVE(p, link);
	free(p);
}

static void
on_answer(json_t *answer, int status, void *arg)
{
	struct post *p = arg;

	if (!p->has_begun && answer) {
		answer_json(p->call, status, answer);
	} else {
		/* What was cancelled ends as a stream without an answer: 202
		 * says of a request nothing that a client knows. */
		begin(p);
		if (answer)
			write_event(p, answer);
		serve_finish(p->call);
	}
	post_free(p);
}

static const struct mcp_way way = { on_note, on_answer };

/* ---- requests */

/* The label of a legacy client: what it was given, or a new one. */
static char *
session_of(struct serve_call *call, const struct mcp_message *m)
{
	char *session = http_door_header(serve_head(call), "mcp-session-id");
	uint8_t random[DIGEST_BYTES];
	char hex[DIGEST_HEX], *line;

	if (session && strlen(session) <= SESSION_MAX)
		return session;
	free(session);
	if (!m->method || strcmp(m->method, "initialize") != 0)
		return NULL;
	digest_random(random, sizeof random);
	digest_hex(random, hex);
	hex[SESSION_HEX] = '\0';
	line = xasprintf("Mcp-Session-Id: %s\r\n", hex);
	serve_add_head(call, line);
	free(line);
	return xstrdup(hex);
}

static bool
takes_events(struct serve_call *call, const struct mcp_message *m)
{
	char *accept = http_door_header(serve_head(call), "accept");
	bool takes = accept && strstr(accept, "text/event-stream") &&
	    mcp_message_meta(m, "progressToken");

	free(accept);
	return takes;
}

static void
take_request(struct mcp_http *h, struct serve_call *call,
    const struct mcp_message *m, const char *version, enum mcp_era era)
{
	struct post *p = xcalloc(1, sizeof *p);
	char *session = era == MCP_LEGACY ? session_of(call, m) : NULL;
	char *own = xasprintf("%p", (void *)p);
	const struct mcp_origin from = {
		.way = &way,
		.arg = p,
		.scope = session ? session : own,
		.version = version,
	};
	struct mcp_call *waits;

	LIST_INSERT_HEAD(&h->posts, p, link);
	p->call = call;
	p->streams = takes_events(call, m);
	waits = mcp_server_take(h->server, m, &from);
	if (waits) {
		p->waits = waits;
		serve_set_data(call, p);
	}
	free(session);
	free(own);
}

/* A notification: of those only a legacy client's cancellation means anything.
 */
static void
take_note(struct mcp_http *h, struct serve_call *call,
    const struct mcp_message *m)
{
	char *session = session_of(call, m);
	const struct mcp_origin from = {
		.way = &way,
		.scope = session ? session : "",
	};

	(void)mcp_server_take(h->server, m, &from);
	(void)serve_answer(call, STATUS_ACCEPTED, NULL, 0, "", 0);
	free(session);
}

static void
take_message(struct mcp_http *h, struct serve_call *call,
    const struct mcp_message *m)
{
	const struct http1_head *head = serve_head(call);
	char *version = http_door_header(head, "mcp-protocol-version");
	enum mcp_era era = mcp_era_of(m, version);
	struct mcp_refusal no;

	if (http_door_check_headers(head, era, m, &no) != ERR_OK)
		answer_refusal(call, m->id, &no);
	else if (m->kind == MCP_REQUEST)
		take_request(h, call, m, version, era);
	else
		take_note(h, call, m);
	free(version);
}

static void
on_request(struct serve_call *call, void *arg)
{
	struct slice body = serve_body(call);
	struct mcp_http *h = arg;
	struct mcp_refusal no;
	struct mcp_message m;

	if (mcp_message_read(body.p, body.n, &m, &no) != ERR_OK)
		answer_refusal(call, m.id, &no);
	else
		take_message(h, call, &m);
	mcp_message_done(&m);
}

static void
on_refuse(struct serve_call *call, int status, const char *reason, void *arg)
{
	(void)arg;
	answer_status(call, status, reason);
}

/* Before the body is asked for: strangers send none. */
static int
on_head(struct serve_call *call, const char **reason, void *arg)
{
	static struct why why;
	struct mcp_http *h = arg;
	int status = http_door_check(&h->conf, serve_head(call), &why);

	*reason = why.text;
	return status;
}

static void
on_gone(struct serve_call *call, enum serve_gone why, void *arg)
{
	struct post *p = serve_data(call);

	(void)why, (void)arg;
	if (!p)
		return;
	mcp_call_drop(p->waits);
	post_free(p);
}

static const struct serve_ops ops = {
	.on_request = on_request,
	.on_refuse = on_refuse,
	.on_gone = on_gone,
	.on_head = on_head,
};

enum err
mcp_http_new(struct loop *loop, struct mcp_server *server,
    const struct mcp_http_conf *conf, struct mcp_http **ret, struct why *why)
{
	struct serve_conf sc = {
		.listen = conf->listen,
		.limits = { .body_bytes = MCP_MESSAGE_MAX },
	};
	struct mcp_http *h;
	enum err e;

	if (!conf->token && !addr_is_loopback(&conf->listen))
		return why_set(why, ERR_DENIED,
		    "%s is not loopback: set KERNELFORGE_MCP_TOKEN, which "
		    "every "
		    "request then bears",
		    conf->listen.host);
	h = xcalloc(1, sizeof *h);
	h->conf = *conf;
	h->server = server;
	LIST_INIT(&h->posts);
	e = serve_new(loop, &sc, &ops, h, &h->serve, why);
	if (e != ERR_OK) {
		free(h);
		return e;
	}
	*ret = h;
	return ERR_OK;
}

void
mcp_http_address(const struct mcp_http *h, struct addr *ret)
{
	serve_address(h->serve, ret);
}

void
mcp_http_free(struct mcp_http *h)
{
	if (!h)
		return;
	serve_free(h->serve);
	for (struct post *p = LIST_FIRST(&h->posts), *next; p; p = next) {
		next = LIST_NEXT(p, link);
		free(p);
	}
	free(h);
}
