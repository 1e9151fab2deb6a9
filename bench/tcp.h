/*
 * bench-tcp: bytes through a TCP proxy, and what that costs.
 *
 *	bench-tcp serve			echoes, or swallows
 *	bench-tcp probe HOST:PORT	round trips, one way, connections
 *	bench-tcp delayed HOST:PORT	how exactly a latency toxic delays
 *	bench-tcp held HOST:PORT	memory of connections held open
 *
 * The first byte of a connection says what its server does with the rest.
 */
#ifndef BENCH_TCP_H
#define BENCH_TCP_H

#include "base/addr.h"

#define TCP_ECHO 'e' /* every byte comes back, this one too */
#define TCP_SINK 's' /* nothing does */

struct tcp_options {
	const char *ready;
	int64_t count, delay_ms, pid;
};

enum exit_code tcp_serve(const struct tcp_options *o);
enum exit_code tcp_probe(const struct tcp_options *o, const struct addr *to);
enum exit_code tcp_delayed(const struct tcp_options *o, const struct addr *to);
enum exit_code tcp_held(const struct tcp_options *o, const struct addr *to);

/* A blocking connection without Nagle; -1 when it cannot be. */
int tcp_dial(const struct addr *to);

#endif
