/*
 * Byte streams: sockets, TLS, the output buffer and the timer.
 *
 * TLS may need to write in order to read and the other way round; the two
 * tls_*_wants_* flags remember whose turn it is, and both events then try
 * both directions.  Everything else treats the two kinds alike through
 * pull() and push().
 *
 * recv() and send() are called past the C library, which makes each a point
 * where a thread may be cancelled, by two atomic exchanges where a program has
 * threads.  Nothing of ours cancels one, and these are half of all calls.
 *
 * What is due at the end of the round has an event of its own, `soon`:
 * libevent does not start to watch a descriptor through an event that is
 * active already.
 */
#include "base/stream.h"

#include "base/clock.h"
#include "base/loop.h"
#include "base/mem.h"
#include "base/tls.h"
#include <errno.h>
#include <linux/sockios.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#define OUT_KEEP_BYTES 2048  /* a drained buffer up to this size stays */
#define HOLD_MAX_BYTES 65536 /* more than this does not wait */

static void on_read_event(evutil_socket_t fd, short what, void *arg);
static void on_write_event(evutil_socket_t fd, short what, void *arg);
static void on_soon(evutil_socket_t fd, short what, void *arg);
static void on_timer(evutil_socket_t fd, short what, void *arg);
static ssize_t pull(struct stream *s, void *p, size_t n);
static ssize_t push(struct stream *s, const struct iovec *iov, int niov);
static ssize_t note_tls(struct stream *s, ssize_t rc);
static void flush(struct stream *s);
static void keep(struct stream *s, const struct iovec *iov, int niov,
    size_t skip);
static void arm_writing(struct stream *s);
static void arm_timer(struct stream *s, uint64_t now_us);

void
stream_init(struct stream *s, struct event_base *base, int fd, struct tls *tls)
{
	*s = (struct stream){ .base = base, .fd = fd, .tls = tls };
	if (tls)
		tls_set_fd(tls, fd);
	event_assign(&s->read_event, base, fd, EV_READ | EV_PERSIST,
	    on_read_event, s);
	event_assign(&s->write_event, base, fd, EV_WRITE | EV_PERSIST,
	    on_write_event, s);
	event_assign(&s->soon, base, -1, 0, on_soon, s);
	event_assign(&s->timer, base, -1, 0, on_timer, s);
}

void
stream_start_tls(struct stream *s, struct tls *tls)
{
	s->tls = tls;
	tls_set_fd(tls, s->fd);
}

void
stream_watch(struct stream *s, const struct stream_ops *ops, void *arg)
{
	s->ops = ops;
	s->arg = arg;
}

void
stream_done(struct stream *s)
{
	event_del(&s->read_event);
	event_del(&s->write_event);
	event_del(&s->soon);
	event_del(&s->timer);
	if (s->tls && !stream_is_broken(s))
		tls_close_notify(s->tls);
	tls_free(s->tls);
	s->tls = NULL;
	close(s->fd);
	s->fd = -1;
	free(s->out);
	s->out = NULL;
	s->out_len = s->out_size = 0;
}

void
stream_reset_at_close(struct stream *s)
{
	struct linger now = { .l_onoff = 1, .l_linger = 0 };

	if (s->end == STREAM_OPEN)
		s->end = STREAM_RESET;
	setsockopt(s->fd, SOL_SOCKET, SO_LINGER, &now, sizeof now);
}

void
stream_reset(struct stream *s)
{
	stream_reset_at_close(s);
	stream_done(s);
}

void
stream_shutdown(struct stream *s)
{
	if (s->tls && !stream_is_broken(s))
		tls_close_notify(s->tls);
	shutdown(s->fd, SHUT_WR);
}

/* ---- reading */

size_t
stream_read(struct stream *s, void *p, size_t n)
{
	ssize_t got;

	if (s->end != STREAM_OPEN)
		return 0;
	got = pull(s, p, n);
	if (got > 0 && s->tls && tls_has_pending(s->tls))
		stream_kick(s);
	return got > 0 ? (size_t)got : 0;
}

static ssize_t
pull(struct stream *s, void *p, size_t n)
{
	ssize_t got;

	if (s->tls) {
		s->tls_read_wants_write = false;
		got = note_tls(s, tls_read(s->tls, p, n));
		if (got == TLS_WANT_WRITE) {
			s->tls_read_wants_write = true;
			arm_writing(s);
		}
		return got;
	}
	do
		got = syscall(SYS_recvfrom, s->fd, p, n, 0, NULL, NULL);
	while (got < 0 && errno == EINTR);
	if (got > 0)
		s->received += (uint64_t)got;
	else if (got == 0)
		s->end = STREAM_EOF;
	else if (errno != EAGAIN)
		s->end = STREAM_RESET;
	return got;
}

/* Takes down the ends that a TLS call reports. */
static ssize_t
note_tls(struct stream *s, ssize_t rc)
{
	if (rc == TLS_EOF)
		s->end = STREAM_EOF;
	else if (rc == TLS_CUT)
		s->end = STREAM_CUT;
	else if (rc == TLS_RESET)
		s->end = STREAM_RESET;
	else if (rc == TLS_BAD)
		s->end = STREAM_BAD_TLS;
	return rc;
}

static void
on_read_event(evutil_socket_t fd, short what, void *arg)
{
	struct stream *s = arg;
	size_t before = s->out_len;

	(void)fd;
	(void)what;
	if (s->tls_write_wants_read)
		flush(s);
	if (s->out_len < before && !stream_is_broken(s)) {
		/* Output that waited for a handshake has left. */
		if (s->out_len > 0 && !s->tls_write_wants_read)
			arm_writing(s);
		stream_kick(s);
		s->ops->on_written(s->arg);
		return;
	}
	clock_hold();
	s->ops->on_readable(s->arg);
	clock_release();
}

void
stream_set_reading(struct stream *s, bool on)
{
	if (on == s->reading)
		return;
	s->reading = on;
	if (on)
		event_add(&s->read_event, NULL);
	else
		event_del(&s->read_event);
	/* Bytes that OpenSSL holds already make no socket readable. */
	if (on && s->tls && tls_has_pending(s->tls))
		stream_kick(s);
}

void
stream_kick(struct stream *s)
{
	s->kicked = true;
	event_active(&s->soon, EV_TIMEOUT, 0);
}

/* Either callback may free s, so there is one a time. */
static void
on_soon(evutil_socket_t fd, short what, void *arg)
{
	struct stream *s = arg;

	if (s->held && s->kicked)
		event_active(&s->soon, EV_TIMEOUT, 0);
	if (s->held) {
		on_write_event(fd, what, s);
	} else if (s->kicked) {
		s->kicked = false;
		on_read_event(fd, what, s);
	}
}

/* ---- writing */

void
stream_write(struct stream *s, const struct iovec *iov, int niov)
{
	ssize_t sent = 0;

	if (stream_is_broken(s))
		return;
	if (s->held) {
		keep(s, iov, niov, 0);
		flush(s);
	} else {
		if (s->out_len == 0)
			sent = push(s, iov, niov);
		keep(s, iov, niov, sent > 0 ? (size_t)sent : 0);
	}
	if (s->out_len > 0 && !stream_is_broken(s) && !s->tls_write_wants_read)
		arm_writing(s);
}

void
stream_hold(struct stream *s, const struct iovec *iov, int niov)
{
	if (stream_is_broken(s))
		return;
	if (s->out_len > HOLD_MAX_BYTES) {
		stream_write(s, iov, niov);
		return;
	}
	keep(s, iov, niov, 0);
	if (!s->writing && !s->held) {
		s->held = true;
		event_active(&s->soon, EV_TIMEOUT, 0);
	}
}

void
stream_ask_writable(struct stream *s)
{
	arm_writing(s);
}

/* A peer that sent FIN may still read. */
bool
stream_is_broken(const struct stream *s)
{
	return s->unwritable || s->end > STREAM_EOF;
}

static ssize_t
push(struct stream *s, const struct iovec *iov, int niov)
{
	struct msghdr msg = { .msg_iov = (struct iovec *)(uintptr_t)iov,
		.msg_iovlen = (size_t)niov };
	ssize_t sent = 0, rc;

	if (!s->tls) {
		/* One piece is cheaper sent without a list of pieces. */
		do
			sent = niov == 1
			    ? syscall(SYS_sendto, s->fd, iov->iov_base,
			          iov->iov_len, MSG_NOSIGNAL, NULL, 0)
			    : sendmsg(s->fd, &msg, MSG_NOSIGNAL);
		while (sent < 0 && errno == EINTR);
		s->unwritable |= sent < 0 && errno != EAGAIN;
		s->sent += sent > 0 ? (uint64_t)sent : 0;
		return sent;
	}
	for (int i = 0; i < niov; i++) {
		if (iov[i].iov_len == 0)
			continue;
		rc = tls_write(s->tls, iov[i].iov_base, iov[i].iov_len);
		/* As with a plain socket: what the peer said before it closed
		 * can still be read. */
		if (rc == TLS_RESET)
			s->unwritable = true;
		else
			(void)note_tls(s, rc);
		s->tls_write_wants_read = rc == TLS_WANT_READ;
		if (rc <= 0)
			return sent;
		sent += rc;
		if ((size_t)rc < iov[i].iov_len)
			return sent;
	}
	return sent;
}

/* Buffers all but the first `skip` bytes. */
static void
keep(struct stream *s, const struct iovec *iov, int niov, size_t skip)
{
	size_t n, need = s->out_len;

	for (int i = 0; i < niov; i++)
		need += iov[i].iov_len;
	need -= skip;
	if (need == 0)
		return;
	if (s->out_at > 0 && s->out_at + need > s->out_size) {
		memmove(s->out, s->out + s->out_at, s->out_len);
		s->out_at = 0;
	}
	if (need > s->out_size) {
		s->out_size = need > s->out_size * 2 ? need : s->out_size * 2;
		s->out = xreallocarray(s->out, s->out_size, 1);
	}
	for (int i = 0; i < niov; i++) {
		n = iov[i].iov_len < skip ? iov[i].iov_len : skip;
		skip -= n;
		if (iov[i].iov_len == n)
			continue;
		memcpy(s->out + s->out_at + s->out_len,
		    (const char *)iov[i].iov_base + n, iov[i].iov_len - n);
		s->out_len += iov[i].iov_len - n;
	}
}

static void
arm_writing(struct stream *s)
{
	if (s->writing)
		return;
	s->writing = true;
	event_add(&s->write_event, NULL);
}

static void
flush(struct stream *s)
{
	struct iovec iov;
	ssize_t sent;

	s->tls_write_wants_read = false;
	while (s->out_len > 0) {
		iov.iov_base = s->out + s->out_at;
		iov.iov_len = s->out_len;
		sent = push(s, &iov, 1);
		if (sent <= 0)
			break;
		s->out_at += (size_t)sent;
		s->out_len -= (size_t)sent;
	}
	if (s->out_len > 0)
		return;
	s->out_at = 0;
	if (s->out_size > OUT_KEEP_BYTES) {
		free(s->out);
		s->out = NULL;
		s->out_size = 0;
	}
}

static void
on_write_event(evutil_socket_t fd, short what, void *arg)
{
	struct stream *s = arg;
	bool read_too = s->tls_read_wants_write;
	size_t before = s->out_len;

	(void)fd;
	(void)what;
	s->held = false;
	flush(s);
	if (s->out_len > 0 && !stream_is_broken(s) &&
	    !s->tls_write_wants_read) {
		arm_writing(s);
	} else if (s->writing) {
		event_del(&s->write_event);
		s->writing = false;
	}
	if (read_too)
		stream_kick(s);
	if (stream_is_broken(s))
		s->ops->on_broken(s->arg);
	else if (s->out_len < before || before == 0)
		s->ops->on_written(s->arg);
}

size_t
stream_pending(const struct stream *s)
{
	return s->out_len;
}

void
stream_counted(const struct stream *s, uint64_t *sent, uint64_t *received)
{
	*sent = s->sent;
	*received = s->received;
	if (s->tls)
		tls_counted(s->tls, sent, received);
}

bool
stream_is_sending(const struct stream *s)
{
	int unsent = 0;

	if (s->out_len > 0)
		return true;
	return ioctl(s->fd, SIOCOUTQNSD, &unsent) == 0 && unsent > 0;
}

/* ---- the deadline */

void
stream_set_deadline(struct stream *s, uint64_t at_us)
{
	s->deadline_us = at_us;
	if (at_us && (!s->armed_us || s->armed_us > at_us))
		arm_timer(s, clock_mono_us());
}

static void
arm_timer(struct stream *s, uint64_t now_us)
{
	s->armed_us = s->deadline_us;
	loop_arm(&s->timer,
	    s->deadline_us > now_us ? s->deadline_us - now_us : 0);
}

static void
on_timer(evutil_socket_t fd, short what, void *arg)
{
	struct stream *s = arg;
	uint64_t now = clock_mono_us();

	(void)fd;
	(void)what;
	s->armed_us = 0;
	if (s->deadline_us == 0)
		return;
	if (s->deadline_us > now) {
		arm_timer(s, now);
		return;
	}
	s->deadline_us = 0;
	s->ops->on_deadline(s->arg);
}
