/*
 * The server behind the doors: a message in, an answer out, whatever carries
 * them (stdio.h, http.h).
 *
 *	message -> era -> method -> answered at once
 *				 -> a call, until its job ends -> answered
 *				 -> a task, which the client comes back for
 *
 * Nothing here blocks and nothing that a client sends ends it.
 */
#ifndef AGENT_SERVICE_SERVER_H
#define AGENT_SERVICE_SERVER_H

#include "agent/mcp/protocol_version.h"
#include "base/loop.h"

struct mcp_server;
struct mcp_call; /* a request that is not answered yet */

struct mcp_conf {
	struct loop *loop;  /* borrowed, as all here */
	unsigned at_once;   /* children that judge at a time */
	uint32_t limit_ms;  /* that one may take */
	const char *runs;   /* folder of runs that get_ledger reads, or NULL */
	const char *device; /* or NULL */
};

struct mcp_server *mcp_server_new(const struct mcp_conf *conf);
void mcp_server_free(struct mcp_server *s); /* no callback; NULL-safe */

/* How answers leave.  Messages are borrowed for the call. */
struct mcp_way {
	void (*on_note)(json_t *note, void *arg);
	/* The last of a request: the call is gone when this returns.  status is
	 * the one of HTTP.  answer NULL: the request was cancelled by a
	 * message, and nothing is said. */
	void (*on_answer)(json_t *answer, int status, void *arg);
};

/* Where a message came from. */
struct mcp_origin {
	const struct mcp_way *way;
	void *arg;           /* of way */
	const char *scope;   /* ids are unique in it: a connection, a session */
	const char *version; /* of an HTTP header, or NULL */
};

/*
 * Takes a message that was read.  A request is answered by the way, maybe
 * before this returns: then NULL is returned.  A notification or response is
 * never answered.
 */
struct mcp_call *mcp_server_take(struct mcp_server *s,
    const struct mcp_message *m, const struct mcp_origin *from);

/* Nobody waits for the answer any more: its work stops, no callback. */
void mcp_call_drop(struct mcp_call *c);

/* The status of HTTP for a refusal in that era. */
int mcp_status_of(enum mcp_era era, int code);

#endif
