/*
 * A server for tests, whose handler plays what the target asks for: /whole,
 * /later, /stream, /echo, /raw, /rst, /fin, /cut, /wait, /big, ...
 */
#ifndef TESTS_UNIT_BASE_PLAYER_H
#define TESTS_UNIT_BASE_PLAYER_H

#include "base/serve.h"

#define PLAYER_BIG_BYTES (8u << 20) /* the answer to /big */

struct player { /* one server on one loop */
	struct loop *loop;
	struct serve *serve;
	struct addr addr;
	struct serve_call *waiting; /* of /wait */
	unsigned played;            /* requests, all in all */
	struct event *later;
	int gone; /* 1 + enum serve_gone */
	int refused;
	size_t big_left, pending_max;
	int big_stops;
};

/* NULL conf: defaults.  Dies when the server cannot listen. */
void player_open(struct player *b, const struct serve_conf *conf);
void player_close(struct player *b);
void player_run_ms(struct player *b, uint32_t ms);
/* Runs until the nth request is there; false when patience ran out. */
bool player_await_request(struct player *b, unsigned n);

extern const struct serve_ops player_ops;

#endif
