/*
 * What a TCP connection has exchanged, by the kernel's count: the one thing
 * that tells a request that never arrived from one that was taken, worked on
 * and lost.
 */
#ifndef BASE_TCP_ACKED_H
#define BASE_TCP_ACKED_H

#include <stdbool.h>
#include <stdint.h>

struct tcp_acked {
	uint64_t sent;     /* bytes that the other side has acknowledged */
	uint64_t received; /* from it; its FIN counts as one */
	bool is_open;      /* neither side has ended it */
};

/* False: the system cannot say. */
bool tcp_acked_read(int fd, struct tcp_acked *ret);

/*
 * Whether the other side ended the connection without having taken a byte of
 * what was sent since `before`: its FIN says up to where it has received.  A
 * reset alone says nothing, and is no proof.
 */
bool tcp_acked_is_untouched(int fd, const struct tcp_acked *before);

#endif
