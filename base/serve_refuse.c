/*
 * Requests that cannot be read: the program is asked for an answer, which
 * ends the connection.
 */
#include "base/serve_priv.h"

#include "base/clock.h"
#include <stdio.h>
#include <string.h>

/* Does it begin as HTTP/2 does when nobody was asked (RFC 9113, 3.4)? */
static bool
is_http2(const struct serve_call *c)
{
	static const char preface[] = "PRI * HTTP/2.0\r\n\r\n";
	size_t n = sizeof preface - 1;

	return c->in_len - c->used >= n &&
	    memcmp(c->in + c->used, preface, n) == 0;
}

/* What cannot be read is answered, and ends the connection. */
void
serve_conn_refuse(struct serve_call *c, int status, const char *reason)
{
	static const struct http1_field plain = { "Content-Type",
		"text/plain; charset=utf-8" };
	static const struct http1_head unread = { .minor = 1 };
	char text[128];
	int n;

	if (c->state < SERVE_BODY && is_http2(c)) {
		c->is_http2 = true;
		reason = "HTTP/2, and this speaks HTTP/1.1 alone";
	}
	if (c->state < SERVE_BODY) {
		c->started_us = clock_mono_us();
		c->head_bytes = c->body_bytes = 0;
		serve_conn_keep_head(c, &unread);
	}
	c->body_bytes = 0;
	c->whole_us = clock_mono_us();
	c->refused = true;
	c->keep_alive = false;
	serve_set_state(c, SERVE_CALL);
	stream_set_deadline(&c->io, 0);
	c->s->nactive++;
	if (c->s->ops.on_refuse) {
		c->s->ops.on_refuse(c, status, reason, c->s->arg);
		return;
	}
	n = snprintf(text, sizeof text, "%d %s: %s\n", status,
	    http1_reason(status), reason);
	(void)serve_answer(c, status, &plain, 1, text, (size_t)n);
}

/* A client that speaks HTTP/2 reads no status line: it is sent the least that
 * RFC 9113 asks of a server, and GOAWAY with HTTP_1_1_REQUIRED. */
enum err
serve_refuse_http2(struct serve_call *c)
{
#define WORDS "this server speaks HTTP/1.1 alone"
	static const char frames[] = "\0\0\0\x04\0\0\0\0\0"   /* SETTINGS */
	                             "\0\0\x29\x07\0\0\0\0\0" /* GOAWAY */
	                             "\0\0\0\0\0\0\0\x0d" WORDS;
	struct iovec iov = { (void *)(uintptr_t)frames, sizeof frames - 1 };

	_Static_assert(sizeof WORDS - 1 + 8 == 0x29, "the length of GOAWAY");
	stream_write(&c->io, &iov, 1);
	serve_conn_answered(c);
	return ERR_OK;
#undef WORDS
}
