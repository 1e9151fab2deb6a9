/*
 * An HTTP/1.1 server on a loop: accepts, parses with http1, hands over whole
 * requests, writes answers with back-pressure.  Plain or TLS.
 *
 * One connection serves one request at a time, keep-alive; pipelined bytes
 * wait.  A slow head, a slow body, an idle connection, a huge head or body
 * meet caps and timers and are answered (408, 413, 414, 431, ...) by
 * on_refuse, so that the program's own headers stand on those answers too.
 *
 * A call is one request and its answer.  The handler may answer at once or
 * later from any callback of the same loop:
 *
 *	serve_answer()			      a whole answer
 *	serve_start() serve_write()* serve_finish()   a chunked stream
 *	serve_raw()* serve_abort()	      exact bytes, for a chaos proxy
 *
 * After serve_answer, serve_finish or serve_abort the call is gone; so it is
 * after on_gone returns.  Never touch it then.
 */
#ifndef BASE_SERVE_H
#define BASE_SERVE_H

#include "base/addr.h"
#include "base/err.h"
#include "base/http1.h"
#include "base/loop.h"

struct serve;
struct serve_call;
struct tls_context; /* base/tls.h */

struct serve_conf {
	struct addr listen;         /* port 0: any free one */
	struct tls_context *tls;    /* borrowed; NULL: plain */
	struct http1_limits limits; /* zeros: defaults; body default 8 MiB */
	uint32_t head_timeout_ms; /* default 10000: first byte to whole head */
	uint32_t body_timeout_ms; /* default 30000: between body bytes */
	uint32_t body_total_ms;   /* default 300000: head to whole body */
	uint32_t idle_timeout_ms; /* default 75000: keep-alive */
	/* Default 16384, less where the process may not have as many
	 * descriptors; more wait in the backlog. */
	uint32_t connections_max;
	size_t write_high_bytes; /* default 256 KiB: see serve_write */
};

enum serve_gone {
	SERVE_GONE_EOF, /* the client closed or half-closed for good */
	SERVE_GONE_RESET,
	SERVE_GONE_TIMEOUT, /* it stopped reading */
};

enum serve_end {
	SERVE_END_FIN, /* close after what is written is sent */
	/* A reset, after what was written has left (2 s at most), so that the
	 * client sees exactly those bytes. */
	SERVE_END_RST,
};

/*
 * A FIN within 10 ms of the request is a half-close: the client shut down its
 * sending side and waits, so it gets its answer.  A later one means that the
 * client has gone.  One that closed so soon is noticed by the reset that the
 * answer brings, or within some 70 s by keep-alive probes.
 */
struct serve_ops {
	/* A whole request is here.  Required. */
	void (*on_request)(struct serve_call *c, void *arg);
	/* A request that could not be read.  The handler must answer with that
	 * status; head fields may be absent.  NULL: a plain text answer. */
	void (*on_refuse)(struct serve_call *c, int status, const char *reason,
	    void *arg);
	/* The client went away before the answer was finished. */
	void (*on_gone)(struct serve_call *c, enum serve_gone why, void *arg);
	/* What was written has drained below half of write_high_bytes. */
	void (*on_drain)(struct serve_call *c, void *arg);
	/* A head is here and its body has not been asked for.  0: go on; a
	 * status: the request is refused with it and *reason, by on_refuse.
	 * A connection none of whose requests went on is a stranger: when
	 * connections_max is reached, or descriptors run short, the oldest of
	 * them has to go, so that strangers never keep acquaintances out. NULL:
	 * all go on. */
	int (*on_head)(struct serve_call *c, const char **reason, void *arg);
	/* Nobody more is let in until somebody leaves: connections_max are
	 * there, or descriptors have run out.  Called once a server. */
	void (*on_full)(size_t connections, void *arg);
	/* After serve_tunnel(): what the client sends; n 0: its FIN. */
	void (*on_bytes)(struct serve_call *c, const char *p, size_t n,
	    void *arg);
};

/* ERR_EXISTS: the address is taken; ERR_DENIED, ERR_ENV. */
enum err serve_new(struct loop *l, const struct serve_conf *conf,
    const struct serve_ops *ops, void *arg, struct serve **ret,
    struct why *why);
void serve_address(const struct serve *s, struct addr *ret); /* as bound */
void serve_stop_accepting(struct serve *s);      /* and ask clients to close */
size_t serve_active(const struct serve *s);      /* calls being answered */
size_t serve_connections(const struct serve *s); /* with the idle ones */
/* As configured, and as the process has descriptors for. */
void serve_connections_max(const struct serve *s, uint32_t *wanted,
    uint32_t *holds);
/* Drops every connection, no on_gone; not from inside a callback. */
void serve_free(struct serve *s);

/* ---- the request: valid until the call is gone, or released */

const struct http1_head *serve_head(const struct serve_call *c);
struct slice serve_body(const struct serve_call *c);
/* Frees head and body of a call whose answer has begun (serve_start or
 * serve_raw; else nothing happens): do not ask for them afterwards. */
void serve_release(struct serve_call *c);
/* Is it the first request of its connection? */
bool serve_is_first(const struct serve_call *c);
uint64_t serve_started_us(const struct serve_call *c); /* head complete */
/* It had trailers, which nobody is given. */
bool serve_had_trailers(const struct serve_call *c);
/* It came whole with its head: on_request follows upon its on_head, and
 * nothing of the program ran in between. */
bool serve_came_at_once(const struct serve_call *c);

/* Lines ("name: value\r\n") that stand in the head of this request's answer,
 * whoever writes it; copied. */
void serve_add_head(struct serve_call *c, const char *lines);

/* The program's own state for this call; the program frees it. */
void serve_set_data(struct serve_call *c, void *data);
void *serve_data(const struct serve_call *c);

/* ---- the answer.  Content-Length or Transfer-Encoding, Date and Connection
 * are written by serve (a caller's are left out); all other fields are the
 * caller's.  A client that is lost shows as ERR_CLOSED, and as on_gone later,
 * from the loop; until then the call stays valid.
 *
 * A field that may not be in a head (a line end or another control character
 * in it) is left out; the answer goes on as it is.  With a status that is none
 * serve_answer sends an empty 500 and returns ERR_SYNTAX; serve_start sends
 * nothing then, and the call waits for another answer. */

enum err serve_answer(struct serve_call *c, int status,
    const struct http1_field *fields, size_t n, const void *body,
    size_t body_bytes);
enum err serve_start(struct serve_call *c, int status,
    const struct http1_field *fields, size_t n);
/*
 * Sends (after serve_start: as one chunk).  ERR_AGAIN: taken, but more than
 * write_high_bytes wait now; stop the source until on_drain.
 */
enum err serve_write(struct serve_call *c, const void *p, size_t n);
void serve_finish(struct serve_call *c); /* the last chunk */

/* Exact bytes to the socket, no head and no framing by serve; the
 * connection can then only be ended by serve_abort (or serve_raw_done when
 * the bytes were a complete, well-framed message). */
enum err serve_raw(struct serve_call *c, const void *p, size_t n);
void serve_raw_done(struct serve_call *c);
void serve_abort(struct serve_call *c, enum serve_end how);
size_t serve_pending_bytes(const struct serve_call *c);
/* Nothing more will be written to this call, which goes on: a client that has
 * sent FIN, by then or later, waits for nothing and has gone 5 s after. */
void serve_hush(struct serve_call *c);

/* ---- a connection that is HTTP no longer: behind a 101, or a 2xx to CONNECT.
 * on_bytes gets all that the client sends, serve_raw writes, serve_abort ends;
 * a client's FIN is no end of the call. */
void serve_tunnel(struct serve_call *c);
void serve_tunnel_pause(struct serve_call *c, bool on); /* back-pressure */

/*
 * Sends head; the call is gone, and what comes next is TLS with the requests
 * inside, or (by its first byte) requests as they are.  tls is borrowed until
 * the server is freed, what is the text that serve_secured() gives of those
 * requests, and host whom clients mean that name none.  False: it cannot
 * (there is TLS already, or the client has said more), and nothing was done.
 */
bool serve_start_tls(struct serve_call *c, struct tls_context *tls,
    const char *what, const char *host, const char *head);
const char *serve_secured(const struct serve_call *c); /* or NULL */
bool serve_is_tls(const struct serve_call *c);

#endif
