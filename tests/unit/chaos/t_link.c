/*
 * A link under bulk: bytes that no toxic looks at leave through a conduit,
 * toxics come and go in the middle of it, and not one byte is lost or moved.
 */
#include "chaos/tcp/link.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/mem.h"
#include "tests/unit.h"

#define TOTAL    ((uint64_t)48 << 20)
#define PIECE    65536
#define CHANGES  100
#define SILENT_S 20

struct world {
	struct loop *loop;
	struct link *link;
	int client, server, accepted; /* accepted: the link's own */
	struct toxic_list toxics[TOXIC_NSTREAMS];
	uint64_t received[TOXIC_NSTREAMS], sent[TOXIC_NSTREAMS];
	bool is_over;
};

static void
on_over(struct link *l, void *arg)
{
	(void)l;
	((struct world *)arg)->is_over = true;
}

static int
listen_at(struct sockaddr_in *at)
{
	socklen_t n = sizeof *at;
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	*at = (struct sockaddr_in){ .sin_family = AF_INET,
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	CHECK(bind(fd, (struct sockaddr *)at, n) == 0 && listen(fd, 8) == 0 &&
	        getsockname(fd, (struct sockaddr *)at, &n) == 0,
	    "a listener");
	return fd;
}

/* A client, its link, a server. */
static void
world_open(struct world *w)
{
	struct resolve_answer upstream = { .n = 1,
		.lens = { sizeof(struct sockaddr_in) } };
	struct sockaddr_in front, back;
	int at_front = listen_at(&front), at_back = listen_at(&back);

	*w = (struct world){ .loop = loop_new_precise(NULL, NULL) };
	for (int i = 0; i < TOXIC_NSTREAMS; i++)
		TAILQ_INIT(&w->toxics[i]);
	memcpy(&upstream.addrs[0], &back, sizeof back);
	w->client = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	CHECK(connect(w->client, (struct sockaddr *)&front, sizeof front) == 0,
	    "a client");
	w->accepted = accept4(at_front, NULL, NULL, SOCK_NONBLOCK);
	w->link = link_new(&(struct link_conf){ .loop = w->loop,
	    .client_fd = w->accepted,
	    .upstream = &upstream,
	    .decide = { "seed", "", "", "p/1", 0 },
	    .toxics = w->toxics,
	    .received = w->received,
	    .sent = w->sent,
	    .on_over = on_over,
	    .arg = w });
	w->server = accept(at_back, NULL, NULL);
	fcntl(w->client, F_SETFL, O_NONBLOCK);
	fcntl(w->server, F_SETFL, O_NONBLOCK);
	close(at_front);
	close(at_back);
}

static void
world_close(struct world *w)
{
	if (!w->is_over)
		link_free(w->link);
	close(w->client);
	close(w->server);
	loop_free(w->loop);
}

/* Byte `at` of the stream: no two pieces of it look alike. */
static char
byte_at(uint64_t at)
{
	uint64_t word = (at / 8 + 1) * UINT64_C(0x9e3779b97f4a7c15);

	return (char)(word >> at % 8 * 8);
}

static uint64_t
send_some(int fd, uint64_t at)
{
	static char bytes[PIECE];
	size_t n = TOTAL - at < PIECE ? (size_t)(TOTAL - at) : PIECE;
	ssize_t sent;

	for (size_t i = 0; i < n; i++)
		bytes[i] = byte_at(at + i);
	sent = n ? send(fd, bytes, n, MSG_NOSIGNAL) : 0;
	return sent > 0 ? (uint64_t)sent : 0;
}

/* How many came; *good becomes false at a wrong one. */
static uint64_t
receive_some(int fd, uint64_t at, bool *good)
{
	static char bytes[PIECE];
	ssize_t n = recv(fd, bytes, sizeof bytes, 0);

	for (ssize_t i = 0; i < n; i++)
		*good &= bytes[i] == byte_at(at + (uint64_t)i);
	return n > 0 ? (uint64_t)n : 0;
}

static size_t
count_pipes(void)
{
	char name[64], to[64];
	struct dirent *e;
	size_t pipes = 0;
	DIR *d = opendir("/proc/self/fd");

	while ((e = readdir(d))) {
		snprintf(name, sizeof name, "/proc/self/fd/%.20s", e->d_name);
		pipes += readlink(name, to, sizeof to) > 5 &&
		    strncmp(to, "pipe:", 5) == 0;
	}
	closedir(d);
	return pipes;
}

static struct toxic *
toxic_of(const char *json)
{
	json_t *v = json_loads(json, 0, NULL);
	struct toxic *t = NULL;
	struct why why = { "" };

	CHECK(toxic_read(v, &t, &why) == ERR_OK, why.text);
	json_decref(v);
	return t;
}

static const char *const kinds[TOXIC_NSTREAMS][3] = {
	[TOXIC_UPSTREAM] = { "{\"type\":\"latency\",\"stream\":\"upstream\","
	                     "\"attributes\":{\"latency\":1}}",
	    "{\"type\":\"slicer\",\"stream\":\"upstream\",\"attributes\":{"
	    "\"average_size\":9000,\"delay\":10}}",
	    "{\"type\":\"noop\",\"stream\":\"upstream\"}" },
	[TOXIC_DOWNSTREAM] = { "{\"type\":\"latency\",\"attributes\":{"
	                       "\"latency\":1}}",
	    "{\"type\":\"slicer\",\"attributes\":{\"average_size\":9000,"
	    "\"delay\":10}}",
	    "{\"type\":\"noop\"}" },
};

/* One way: TOTAL bytes, a toxic on and off each TOTAL / CHANGES of them. */
static void
pour(struct world *w, enum toxic_stream stream, size_t *pipes_max)
{
	int from = stream == TOXIC_UPSTREAM ? w->client : w->server;
	int to = stream == TOXIC_UPSTREAM ? w->server : w->client;
	uint64_t sent = 0, came = 0, changes = 0;
	struct toxic *t = NULL;
	bool good = true;

	while (came < TOTAL && good && !w->is_over) {
		sent += send_some(from, sent);
		event_base_loop(loop_base(w->loop), EVLOOP_NONBLOCK);
		/* A slow reader, so that something waits on the way. */
		if (changes % 3 || sent == TOTAL || sent - came > TOTAL / 8)
			came += receive_some(to, came, &good);
		if (came * CHANGES / TOTAL <= changes)
			continue;
		changes++;
		*pipes_max =
		    count_pipes() > *pipes_max ? count_pipes() : *pipes_max;
		if (t)
			link_remove(w->link, t);
		toxic_free(t);
		t = changes % 2 ? NULL : toxic_of(kinds[stream][changes % 3]);
		if (t)
			link_add(w->link, t);
	}
	if (t)
		link_remove(w->link, t);
	toxic_free(t);
	CHECK(good, "each byte is the one that was sent");
	CHECK_INT(came, TOTAL, "none is lost");
	CHECK_INT(w->received[stream], TOTAL, "counted as they come");
	CHECK_INT(w->sent[stream], TOTAL, "and as they go");
}

static bool
has_ended(struct world *w, int fd)
{
	char byte;

	alarm(SILENT_S); /* a loop that never ends is a failure too */
	while (recv(fd, &byte, 1, 0) != 0)
		event_base_loop(loop_base(w->loop), EVLOOP_NONBLOCK);
	alarm(0);
	return true;
}

static void
check_bulk(void)
{
	struct world w;
	size_t before, most;

	world_open(&w);
	before = most = count_pipes();
	pour(&w, TOXIC_UPSTREAM, &most);
	pour(&w, TOXIC_DOWNSTREAM, &most);
	CHECK(most > before, "bulk went through a conduit");
	shutdown(w.client, SHUT_WR);
	CHECK(has_ended(&w, w.server), "a half-close passes");
	CHECK(!w.is_over, "as a half");
	shutdown(w.server, SHUT_WR);
	CHECK(has_ended(&w, w.client), "and back");
	event_base_loop(loop_base(w.loop), EVLOOP_NONBLOCK);
	CHECK(w.is_over, "then it is over");
	CHECK_INT(count_pipes(), before, "and its conduits are closed");
	world_close(&w);
}

void
t_link(void)
{
	check_bulk();
}
