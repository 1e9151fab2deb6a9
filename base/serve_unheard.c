/*
 * Calls that are not read from: their clients have sent FIN soon behind the
 * request (serve_conn.c), or more behind it than there is room for.
 *
 * A FIN is the same from a client that closed and from one that waits for its
 * answer, and reading tells nothing more.  The first is known by the reset
 * that the next byte brings.  Where no byte comes for long, keep-alive probes
 * ask for it: a closed socket answers them for a minute (tcp_fin_timeout), and
 * then with a reset.  Where none will ever come (serve_hush), the client's FIN
 * is its last word after HUSH_US: it waits for nothing.
 */
#include "base/serve_priv.h"

#include "base/clock.h"
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>

#define LOOK_US     500000
#define HUSH_US     5000000
#define PROBE_S     5
#define PROBES_LOST 6 /* in a row: the client's machine has gone */

void
serve_unheard_add(struct serve_call *c)
{
	int on = 1, each_s = PROBE_S, lost = PROBES_LOST;

	if (c->is_unheard)
		return;
	setsockopt(c->io.fd, IPPROTO_TCP, TCP_KEEPIDLE, &each_s, sizeof each_s);
	setsockopt(c->io.fd, IPPROTO_TCP, TCP_KEEPINTVL, &each_s,
	    sizeof each_s);
	setsockopt(c->io.fd, IPPROTO_TCP, TCP_KEEPCNT, &lost, sizeof lost);
	setsockopt(c->io.fd, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
	if (TAILQ_EMPTY(&c->s->unheard))
		loop_arm(&c->s->look, LOOK_US);
	c->is_unheard = true;
	c->fin_us = 0;
	TAILQ_INSERT_TAIL(&c->s->unheard, c, unheard);
}

void
serve_unheard_remove(struct serve_call *c)
{
	if (!c->is_unheard)
		return;
	c->is_unheard = false;
	TAILQ_REMOVE(&c->s->unheard, c, unheard);
	if (TAILQ_EMPTY(&c->s->unheard))
		event_del(&c->s->look);
}

void
serve_hush(struct serve_call *c)
{
	c->hush_us = clock_mono_us();
}

static bool
is_hushed(const struct serve_call *c, uint64_t now)
{
	return c->hush_us && c->fin_us && stream_pending(&c->io) == 0 &&
	    now >= c->hush_us + HUSH_US && now >= c->fin_us + HUSH_US;
}

static void
look_at(struct serve_call *c)
{
	struct pollfd client = { .fd = c->io.fd, .events = POLLRDHUP };
	uint64_t now = clock_mono_us();

	if (!serve_conn_is_live(c))
		return;
	if (poll(&client, 1, 0) == 1 && !c->fin_us)
		c->fin_us = now;
	if (client.revents & (POLLERR | POLLHUP))
		serve_conn_gone(c, SERVE_GONE_RESET);
	else if (is_hushed(c, now))
		serve_conn_gone(c, SERVE_GONE_EOF);
}

/* Each goes to the list's end as it is looked at: whatever the program does in
 * on_gone, also to other calls, the next one is the first. */
void
serve_unheard_look(evutil_socket_t fd, short what, void *arg)
{
	struct serve *s = arg;
	struct serve_call *c;
	size_t n = 0;

	(void)fd;
	(void)what;
	TAILQ_FOREACH(c, &s->unheard, unheard)
		n++;
	while (n-- > 0 && (c = TAILQ_FIRST(&s->unheard))) {
		TAILQ_REMOVE(&s->unheard, c, unheard);
		TAILQ_INSERT_TAIL(&s->unheard, c, unheard);
		look_at(c);
	}
	if (!TAILQ_EMPTY(&s->unheard))
		loop_arm(&s->look, LOOK_US);
}
