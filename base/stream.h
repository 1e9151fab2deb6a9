/*
 * One non-blocking byte stream on a loop, plain TCP or TLS: what the server
 * and the client stand on.  Private to base: only serve*.c and fetch*.c
 * include this.
 *
 * Embedded by value; plain libevent events and one output buffer instead of
 * a bufferevent, because the cost of a proxied request is system calls:
 *
 *  - reading stays armed for the stream's life, so a request costs no
 *    epoll_ctl;
 *  - writing is tried at once, and writability is asked for only when the
 *    socket is full;
 *  - there is one timer, set to an absolute deadline.  Moving the deadline
 *    into the future touches no event: the timer finds out when it fires.
 *
 * Callbacks come from the loop, never from inside a function of this header.
 * A callback may call stream_done(), after which nothing of it is touched.
 */
#ifndef BASE_STREAM_H
#define BASE_STREAM_H

#include "base/err.h"
#include <event2/event.h>
#include <event2/event_struct.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h>

/* What is told of a stream that can do no more. */
enum stream_end {
	STREAM_OPEN,
	STREAM_EOF,    /* the peer sent FIN (or a TLS close_notify) */
	STREAM_CUT,    /* TLS: FIN without a close_notify */
	STREAM_RESET,  /* reset, or another error of the socket */
	STREAM_BAD_TLS /* handshake, verification or record failed */
};

struct tls; /* base/tls.h */

struct stream_ops {
	void (*on_readable)(void *arg); /* or kicked: try stream_read() */
	void (*on_written)(void *arg);  /* some or all output went out */
	void (*on_deadline)(void *arg);
	void (*on_broken)(void *arg); /* writing failed; see s->end */
};

struct stream {
	struct event_base *base; /* borrowed */
	const struct stream_ops *ops;
	void *arg;
	int fd;          /* owned */
	struct tls *tls; /* owned; NULL: plain */
	enum stream_end end;
	bool reading;    /* the read event is armed */
	bool writing;    /* the write event is armed */
	bool held;       /* output waits for the end of the round */
	bool kicked;     /* on_readable is due at the end of the round */
	bool unwritable; /* sending failed; what came may still be read */
	bool tls_read_wants_write, tls_write_wants_read;
	uint64_t sent, received; /* plain bytes; see stream_counted() */
	char *out; /* owned; output that the socket did not take yet */
	size_t out_at, out_len, out_size;
	uint64_t deadline_us, armed_us; /* 0: none */
	struct event read_event, write_event, soon, timer;
};

/* Takes over fd (non-blocking) and tls.  Reading is not armed yet. */
void stream_init(struct stream *s, struct event_base *base, int fd,
    struct tls *tls);
/* What comes from now on is TLS; nothing may wait to be sent.  Takes tls. */
void stream_start_tls(struct stream *s, struct tls *tls);
void stream_watch(struct stream *s, const struct stream_ops *ops, void *arg);

/* Closes and frees.  A TLS stream that is still whole says close_notify. */
void stream_done(struct stream *s);
/* The same, but the peer sees a reset. */
void stream_reset(struct stream *s);
void stream_reset_at_close(struct stream *s); /* whoever closes it */
/* Sends FIN and keeps reading. */
void stream_shutdown(struct stream *s);

/*
 * Reads up to n bytes: more than 0; or 0: nothing now, or s->end says that
 * the stream has ended.
 */
size_t stream_read(struct stream *s, void *p, size_t n);

/*
 * Sends what can be sent at once and keeps the rest, whose size is
 * stream_pending().  A failure shows in stream_is_broken() (and in on_broken
 * only when it happens later, from the loop).
 */
void stream_write(struct stream *s, const struct iovec *iov, int niov);
/*
 * The same, but sends at the end of this round of the loop, so that several
 * small pieces leave together.
 */
void stream_hold(struct stream *s, const struct iovec *iov, int niov);
size_t stream_pending(const struct stream *s);
bool stream_is_broken(const struct stream *s); /* nothing can be sent */
/* on_written once the socket takes bytes: a connection is established. */
void stream_ask_writable(struct stream *s);
/* Is output on its way that the kernel has not sent yet? */
bool stream_is_sending(const struct stream *s);

/* Bytes that the socket has taken from us and given to us, so far. */
void stream_counted(const struct stream *s, uint64_t *sent, uint64_t *received);

void stream_set_reading(struct stream *s, bool on);
void stream_kick(struct stream *s); /* on_readable soon, from the loop */
/* Absolute, in microseconds of clock_mono_us(); 0: none. */
void stream_set_deadline(struct stream *s, uint64_t at_us);

#endif
