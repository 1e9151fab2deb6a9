/*
 * A pooled keep-alive HTTP/1.1 client on a loop, plain and TLS (OpenSSL, the
 * chain and the host name verified).
 *
 * A pooled connection that dies before the first byte of an answer, and before
 * the peer has taken a byte of the request, is stale: the request is sent once
 * more on a fresh connection (fetch_resent counts).  Everything else is told
 * truthfully: what failed, and whether a byte of the answer was
 * seen.  Timers belong to the caller (fetch_cancel), except the connect
 * timeout.
 */
#ifndef BASE_FETCH_H
#define BASE_FETCH_H

#include "base/addr.h"
#include "base/err.h"
#include "base/http1.h"
#include "base/loop.h"
#include "base/resolve.h"

struct fetch_pool;
struct fetch;

enum fetch_fail {
	FETCH_FAIL_RESOLVE, /* no such host */
	FETCH_FAIL_REFUSED, /* connection refused, unreachable */
	FETCH_FAIL_CONNECT_TIMEOUT,
	FETCH_FAIL_TLS,      /* handshake or verification */
	FETCH_FAIL_RESET,    /* reset by the peer */
	FETCH_FAIL_EMPTY,    /* closed before any byte of an answer */
	FETCH_FAIL_CUT,      /* closed inside the answer */
	FETCH_FAIL_PROTOCOL, /* not HTTP, or refused by http1 */
	FETCH_FAIL_INWARD,   /* outward was asked, and it leads to ourselves */
	FETCH_NFAILS
};

const char *fetch_fail_name(enum fetch_fail f); /* "refused", ... */

struct fetch_pool_conf {
	uint32_t connect_timeout_ms; /* default 5000 */
	uint32_t idle_timeout_ms;    /* default 30000 */
	uint32_t idle_per_host;      /* default 256 */
	const char *ca_file;         /* NULL: the system's; borrowed */
	const struct resolve_servers *servers; /* the same */
	struct http1_limits
	    limits; /* of answers; zeros: defaults, no body cap */
};

struct fetch_request { /* all borrowed for the call only, body copied */
	struct addr addr;
	bool tls;
	const char *method;
	const char *target; /* origin form, "/v1/models" */
	/* Host, Content-Length, Transfer-Encoding, Connection and Expect are
	 * ours: a caller's are left out. */
	const struct http1_field *fields;
	size_t nfields;
	const void *body;
	size_t body_bytes;
	bool has_body; /* send Content-Length even when it is 0 */
	bool once;  /* never sent again, whatever is known of the first time */
	bool fresh; /* on a connection of its own, which may be kept after */
	bool outward; /* never to an address of this machine (own_address.h) */
	const char *upgrade; /* asks for that protocol; use fresh and once */
	bool raw; /* no request at all: the connection is a tunnel at once */
	uint32_t connect_timeout_ms; /* 0: the pool's */
};

struct fetch_ops { /* without on_head, on_data: what comes is read over */
	void (*on_head)(struct fetch *f, const struct http1_head *h, void *arg);
	/* Decoded body bytes. */
	void (*on_data)(struct fetch *f, const char *p, size_t n, void *arg);
	/* The answer is complete; f is gone when this returns. */
	void (*on_end)(struct fetch *f, void *arg);
	/* It failed; f is gone when this returns.  text: one line. */
	void (*on_fail)(struct fetch *f, enum fetch_fail fail, const char *text,
	    void *arg);
	/* In on_head's place: the connection is no longer HTTP, on_data gets
	 * its bytes and fetch_send() writes; on_end is the peer's FIN.  With
	 * the head of the 101, or NULL for a raw one. */
	void (
	    *on_tunnel)(struct fetch *f, const struct http1_head *h, void *arg);
	void (*on_drain)(struct fetch *f, void *arg); /* see fetch_send */
};

struct fetch_pool *fetch_pool_new(struct loop *l,
    const struct fetch_pool_conf *conf); /* NULL conf: defaults */
/* Cancels what is under way; not from inside a callback. */
void fetch_pool_free(struct fetch_pool *p);

/* Never calls back before it returns. */
struct fetch *fetch_start(struct fetch_pool *p, const struct fetch_request *r,
    const struct fetch_ops *ops, void *arg);
void fetch_cancel(struct fetch *f); /* closes its connection, no callback */
void fetch_reset(struct fetch *f);  /* the same, with a TCP reset */
void fetch_pause(struct fetch *f);  /* stop reading: back-pressure */
void fetch_resume(struct fetch *f);
/* Through a tunnel.  ERR_AGAIN: taken, but much waits: stop until on_drain. */
enum err fetch_send(struct fetch *f, const void *p, size_t n);
void fetch_send_end(struct fetch *f); /* FIN, once all that is sent */
uint64_t fetch_resent(const struct fetch_pool *p); /* on fresh connections */
bool fetch_reused(const struct fetch *f);          /* on a pooled connection */
/* Its peer may have all of the request: nothing of it waits here any more. */
bool fetch_is_sent(const struct fetch *f);
/* The answer had trailers, which nobody is given; known at its end. */
bool fetch_had_trailers(const struct fetch *f);
/* Of the answer, in its last callback too; 0: it had no head. */
int fetch_status(const struct fetch *f);

#endif
