/*
 * What the files of the client share.
 *
 *	fetch.c      the pool: hosts, requests, what the caller calls
 *	fetch_dial.c connecting: which address, which of them answers first
 *	fetch_conn.c connections: sending requests, reading answers
 *
 *	RESOLVING --addresses--> CONNECTING --one has answered--> BUSY
 *	BUSY --answer complete, keep-alive--> IDLE --request--> BUSY
 *	any --failure, cancel, timeout--> closed
 *
 * Callbacks may cancel the request they are about, so a closed connection is
 * only moved to the dead, and freed at the end of the loop's round.
 *
 * A request (struct fetch) outlives its connection once, when a pooled
 * connection proves stale and the request moves to a fresh one.
 */
#ifndef BASE_FETCH_PRIV_H
#define BASE_FETCH_PRIV_H

#include "base/fetch.h"

#include "base/http1_priv.h"
#include "base/resolve.h"
#include "base/stream.h"
#include "base/tcp_acked.h"
#include "base/tls.h"
#include <event2/event_struct.h>
#include <sys/queue.h>

#define FETCH_READ_BYTES 65536 /* one read, shared by all connections */
#define FETCH_SPARE_MAX  64

enum fetch_conn_state {
	FETCH_RESOLVING,
	FETCH_CONNECTING,
	FETCH_BUSY,
	FETCH_IDLE,
	FETCH_CLOSED,
};

/* An address that is being tried; fd -1: it has failed. */
struct fetch_racer {
	struct event event;
	int fd;
};

/* Where to connect, while that is being done. */
struct fetch_dial {
	struct resolve_answer answer;
	struct fetch_racer racers[RESOLVE_MAX]; /* by address */
	size_t next, running; /* addresses begun; of them, not failed */
	struct resolve *question;
	struct event deadline, turn; /* turn: the next address's */
	uint64_t by_us;
	int error; /* errno of the last try */
};

struct fetch_conn {
	TAILQ_ENTRY(fetch_conn) link; /* in host->idle or pool->dead */
	struct fetch_pool *pool;
	struct fetch_host *host;
	struct fetch *fetch; /* NULL while idle */
	enum fetch_conn_state state;
	struct fetch_dial *dial; /* owned; NULL when connected */
	struct stream io;        /* while BUSY or IDLE */
	struct http1_parser parser;
	struct buf in;          /* bytes read and not yet parsed */
	size_t in_at;           /* parsed up to here */
	bool established;       /* the handshakes are done */
	bool keep_alive;        /* as the head said */
	bool interim;           /* inside a 1xx */
	unsigned interims;      /* of this answer */
	struct tcp_acked sent;  /* before this request was */
	struct tcp_acked ahead; /* the kernel's counts, less the stream's */
	bool is_counted;        /* ahead is known */
	bool is_tunnel;         /* HTTP no longer */
	bool is_ending;         /* FIN is due when all is sent */
	bool is_full;           /* on_drain is owed */
};

TAILQ_HEAD(fetch_conns, fetch_conn);

struct fetch_host {
	TAILQ_ENTRY(fetch_host) link;
	struct addr addr;
	bool tls;
	bool is_outward; /* its connections were held against our addresses */
	struct fetch_conns idle; /* the one used last comes first */
	size_t nidle, nconns;
	struct sockaddr_storage good; /* the address that answered last */
	socklen_t good_len;           /* 0: none has */
};

struct fetch {
	TAILQ_ENTRY(fetch) link;
	struct fetch_pool *pool;
	struct fetch_host *host; /* while under way */
	struct fetch_conn *conn; /* NULL before and after */
	struct fetch_ops ops;
	void *arg;
	struct buf request; /* kept until the answer starts */
	struct event later; /* a failure that fetch_start() found */
	uint32_t connect_timeout_ms;
	enum fetch_fail fail;
	char *text;   /* with it; owned */
	int status;   /* 0: no head yet */
	bool to_head; /* the method is HEAD */
	bool reused, once, paused;
	bool upgrade;  /* a 101 was asked for */
	bool raw;      /* no request is sent */
	bool retried;  /* or must not be */
	bool answered; /* a byte of the answer was seen */
	bool ended;    /* its last callback is under way */
	bool had_trailers;
};

TAILQ_HEAD(fetches, fetch);
TAILQ_HEAD(fetch_hosts, fetch_host);

struct fetch_pool {
	struct loop *loop; /* borrowed */
	struct fetch_pool_conf conf;
	struct fetches fetches, spare;
	size_t nspare;
	uint64_t resent;
	struct fetch_hosts hosts;
	struct fetch_conns dead;
	struct event reaper; /* frees the dead at the end of the round */
	struct resolver *resolver;
	struct tls_context *tls; /* owned; made for the first https */
	struct http1_head head;  /* of the answer being read */
	char bytes[FETCH_READ_BYTES];
};

/* fetch.c */
void fetch_finish(struct fetch *f); /* on_end, and f is gone */
void fetch_fail(struct fetch *f, enum fetch_fail fail, const char *text);
/* The same from the loop, where the caller may not be called back now. */
void fetch_fail_later(struct fetch *f, enum fetch_fail fail, const char *text);
struct tls_context *fetch_pool_tls(struct fetch_pool *p,
    char reason[TLS_REASON_MAX]);
void fetch_host_release(struct fetch_pool *p, struct fetch_host *h);

/* fetch_dial.c */
void fetch_conn_dial(struct fetch *f); /* on a fresh connection */
void fetch_dial_done(struct fetch_conn *c);

/* fetch_conn.c */
struct fetch_conn *fetch_conn_new(struct fetch *f); /* it is resolving */
/* The only way from state to state; --verbose shows each. */
void fetch_conn_set_state(struct fetch_conn *c, enum fetch_conn_state to);
/* Takes over the socket and its tls (NULL: plain), and sends the request; TLS
 * has to be ready by then. */
void fetch_conn_connected(struct fetch_conn *c, int fd, struct tls *tls,
    uint64_t by_us);
void fetch_conn_reap(struct fetch_pool *p);
bool fetch_conn_reuse(struct fetch *f);      /* on an idle one, if any */
void fetch_conn_close(struct fetch_conn *c); /* detaches its fetch */
void fetch_conn_set_paused(struct fetch_conn *c, bool paused);

#endif
