/*
 * What the files of the server share.
 *
 *	serve.c        the listener, and the server as a whole
 *	serve_conn.c   a connection's life, and reading requests
 *	serve_refuse.c requests that cannot be read
 *	serve_answer.c writing answers
 *	serve_tunnel.c connections that are HTTP no longer
 *	serve_unheard.c calls that are not read from: has the client gone?
 *
 * One connection serves one request at a time, so a call and its connection
 * are one object, struct serve_call:
 *
 *	IDLE --byte--> HEAD --head--> BODY --whole--> CALL
 *	CALL --serve_answer--> FLUSH
 *	CALL --serve_start, serve_raw--> STREAM --finish, abort--> FLUSH
 *	CALL --serve_tunnel--> TUNNEL --abort--> FLUSH
 *	CALL --serve_start_tls--> IDLE
 *	HEAD, BODY --fault, timeout--> CALL (refused: on_refuse)
 *	FLUSH --all sent--> IDLE | LINGER | closed
 *	CALL, STREAM, TUNNEL --client gone--> GONE --on_gone--> closed
 *	LINGER --eof, timeout--> closed
 *
 * A handler may end its call from anywhere, also from inside on_request, so
 * a closed connection is only moved to the dead, and freed at the end of the
 * loop's round: whoever is at work on it may finish.
 *
 * The bytes of a request lie in one buffer: the head, then the decoded body
 * (chunks are moved together in place), then bytes that nobody parsed yet.
 * The buffer is lent by the server's stock while a request needs it; an idle
 * connection holds none, nor does a call whose request was released.
 */
#ifndef BASE_SERVE_PRIV_H
#define BASE_SERVE_PRIV_H

#include "base/serve.h"

#include "base/http1_priv.h"
#include "base/listener.h"
#include "base/stream.h"
#include <sys/queue.h>

#define SERVE_IN_BYTES   4096 /* a fresh input buffer */
#define SERVE_STOCK_MAX  64   /* spare buffers kept */
#define SERVE_DATE_BYTES 40

enum serve_state {
	SERVE_IDLE,
	SERVE_HEAD,
	SERVE_BODY,
	SERVE_CALL,
	SERVE_STREAM,
	SERVE_TUNNEL,
	SERVE_FLUSH,
	SERVE_LINGER,
	SERVE_GONE,
	SERVE_NSTATES
};

struct serve_call {
	TAILQ_ENTRY(serve_call) link;
	TAILQ_ENTRY(serve_call) stranger; /* while it is one */
	TAILQ_ENTRY(serve_call) unheard;  /* while it is one */
	struct serve *s;
	struct stream io;
	struct http1_parser parser;
	enum serve_state state;

	char *in; /* owned, or NULL while idle */
	size_t in_len, in_size;
	size_t used;             /* parsed up to here */
	size_t head_bytes;       /* the head's length */
	size_t body_bytes;       /* decoded body, behind the head */
	struct http1_head *head; /* owned, cut short; slices point into in */

	char *secured;  /* serve_start_tls's text; owned */
	char *tls_host; /* its host, until the first byte; owned */
	struct tls_context *tls_next; /* the same; borrowed */
	char *extra;          /* of the answer's head; owned, NULL: none */
	void *data;           /* the program's */
	uint64_t started_us;  /* its head was whole */
	uint64_t requests;    /* heads that were whole */
	uint64_t whole_us;    /* it was, and its handler had been told */
	uint64_t reset_by_us; /* SERVE_END_RST: at the latest */
	uint64_t fin_us;      /* unheard: it was seen to have sent FIN */
	uint64_t hush_us;     /* nothing will be said from then on; 0: it may */

	bool closed;      /* among the dead */
	bool known;       /* no stranger: see on_head */
	bool running;     /* inside serve_conn_run */
	bool waited;      /* for a body that did not come with its head */
	bool keep_alive;  /* after this answer */
	bool refused;     /* the request was not read whole */
	bool half_closed; /* the client sent FIN, but may read */
	bool chunked;     /* the answer is a chunked stream */
	bool bodiless;    /* the answer has no body: HEAD, 204, 304 */
	bool raw;         /* the answer is exact bytes */
	bool over_high;   /* on_drain is owed */
	bool reset;       /* end with a reset */
	bool is_paused;   /* a tunnel that is not read */
	bool is_unheard;  /* a call that is not read from */
	bool is_http2;    /* refused because it is: told in HTTP/2's words */
};

TAILQ_HEAD(serve_calls, serve_call);

struct serve {
	struct loop *loop; /* borrowed */
	struct serve_conf conf;
	struct serve_ops ops;
	void *arg;
	struct listener *listener; /* owned; NULL: stopped */
	bool stopping;
	struct serve_calls calls, dead;
	struct serve_calls strangers; /* of calls, the oldest first */
	struct event reaper;        /* frees the dead at the end of the round */
	struct serve_calls unheard; /* of calls */
	struct event look;          /* at the unheard */
	uint32_t wanted;            /* connections_max as it was configured */
	bool was_full;              /* and that was told */
	size_t nconns, nactive;
	size_t crowd; /* most connections since memory was given back */
	struct http1_head head; /* of the request being read */
	struct buf scratch;     /* heads are written here */
	char *tunnelled; /* owned; what was read last; NULL: no tunnel yet */
	char *spare_in[SERVE_STOCK_MAX];
	size_t nspare_in;
	time_t date_s;
	char date[SERVE_DATE_BYTES]; /* "Date: ...\r\n" */
};

/* serve.c */
void serve_conn_count(struct serve *s, int change); /* pauses, resumes */
void serve_evict_stranger(struct serve *s);         /* if the house is full */
void serve_conn_known(struct serve_call *c);        /* a stranger no more */
char *serve_stock_in(struct serve *s);
void serve_stock_take(struct serve *s, struct serve_call *c); /* back */

/* serve_conn.c */
void serve_conn_new(struct serve *s, int fd);
void serve_conn_close(struct serve_call *c); /* FIN, or reset if asked */
void serve_conn_gone(struct serve_call *c,
    enum serve_gone why); /* a live one */
/* The only way from state to state; --verbose shows each. */
void serve_set_state(struct serve_call *c, enum serve_state to);
/* The answer is complete: goes on when its bytes are sent. */
void serve_conn_answered(struct serve_call *c);
void serve_conn_arm_stall(struct serve_call *c); /* the client must read on */
/* Is a request being answered? */
bool serve_conn_is_live(const struct serve_call *c);
void serve_conn_on_end(struct serve_call *c); /* of the stream */
void serve_conn_next(struct serve_call *c);   /* reads the next request */
void serve_conn_keep_head(struct serve_call *c, const struct http1_head *h);

/* serve_refuse.c */
void serve_conn_refuse(struct serve_call *c, int status, const char *reason);
enum err serve_refuse_http2(struct serve_call *c);

/* serve_unheard.c; adding and removing twice is once */
void serve_unheard_add(struct serve_call *c);
void serve_unheard_remove(struct serve_call *c);
void serve_unheard_look(evutil_socket_t fd, short what, void *arg);

/* serve_tunnel.c */
void serve_tunnel_readable(struct serve_call *c);
/* Before the first byte behind serve_start_tls: is it TLS? */
void serve_tunnel_sniff(struct serve_call *c);

#endif
