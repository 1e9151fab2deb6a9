/*
 * Connections that are HTTP no longer: bytes to the program as they come, or
 * TLS with the next request inside.
 *
 * A tunnel reads into one buffer of the server's, which is the program's for
 * the time of its callback.
 */
#include "base/serve_priv.h"

#include "base/mem.h"
#include "base/tls.h"
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#define READ_BYTES    65536
#define TLS_HANDSHAKE 0x16 /* the type of the first record */

void
serve_tunnel(struct serve_call *c)
{
	if (c->state != SERVE_CALL && c->state != SERVE_STREAM)
		return;
	if (!c->s->tunnelled)
		c->s->tunnelled = xmalloc(READ_BYTES);
	serve_set_state(c, SERVE_TUNNEL);
	c->raw = true;
	c->keep_alive = false;
	/* Nobody knows what the client says when it is ended: it may be in
	 * the middle, and would be reset over what it was sent. */
	c->refused = true;
	/* It stopped where the buffer was full: who speaks before the answer
	 * is there is held up, and not for ever. */
	if (c->io.end == STREAM_OPEN)
		stream_set_reading(&c->io, true);
	if (c->in_len > c->used || c->half_closed)
		stream_kick(&c->io);
}

/* What came behind the request, then one read. */
void
serve_tunnel_readable(struct serve_call *c)
{
	struct serve *s = c->s;
	const char *behind = c->in + c->used;
	size_t n = c->in_len - c->used;

	if (c->is_paused)
		return;
	c->used = c->in_len;
	if (n > 0)
		s->ops.on_bytes(c, behind, n, s->arg);
	if (c->state != SERVE_TUNNEL || c->is_paused)
		return;
	n = stream_read(&c->io, s->tunnelled, READ_BYTES);
	if (n > 0)
		s->ops.on_bytes(c, s->tunnelled, n, s->arg);
	if (c->state != SERVE_TUNNEL || c->io.end == STREAM_OPEN)
		return;
	if (stream_is_broken(&c->io)) {
		serve_conn_on_end(c);
		return;
	}
	stream_set_reading(&c->io, false);
	c->half_closed = true;
	serve_unheard_add(c);
	s->ops.on_bytes(c, NULL, 0, s->arg);
}

void
serve_tunnel_pause(struct serve_call *c, bool on)
{
	if (c->state != SERVE_TUNNEL || c->is_paused == on)
		return;
	c->is_paused = on;
	if (c->io.end != STREAM_OPEN)
		return;
	stream_set_reading(&c->io, !on);
	if (!on && c->in_len > c->used)
		stream_kick(&c->io);
}

bool
serve_start_tls(struct serve_call *c, struct tls_context *tls, const char *what,
    const char *host, const char *head)
{
	struct iovec iov = { (void *)(uintptr_t)head, strlen(head) };

	if (c->state != SERVE_CALL || c->io.tls || c->in_len > c->used ||
	    c->io.end != STREAM_OPEN)
		return false;
	stream_write(&c->io, &iov, 1);
	free(c->secured);
	free(c->tls_host);
	c->secured = xstrdup(what);
	c->tls_host = xstrdup(host);
	c->tls_next = tls;
	c->requests = 0;
	c->keep_alive = true;
	serve_conn_answered(c);
	return true;
}

void
serve_tunnel_sniff(struct serve_call *c)
{
	unsigned char first;
	ssize_t n = recv(c->io.fd, &first, 1, MSG_PEEK);
	struct tls *tls = NULL;

	if (n < 0)
		return;
	if (n > 0 && first == TLS_HANDSHAKE)
		tls = tls_new(c->tls_next, NULL);
	if (tls) {
		tls_set_name(tls, c->tls_host);
		stream_start_tls(&c->io, tls);
	}
	free(c->tls_host);
	c->tls_host = NULL;
	c->tls_next = NULL;
}

const char *
serve_secured(const struct serve_call *c)
{
	return c->secured;
}

bool
serve_is_tls(const struct serve_call *c)
{
	return c->io.tls != NULL;
}
