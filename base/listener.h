/*
 * A listening socket on a loop: what every door of ours stands on.
 *
 * A process that runs out of descriptors cannot accept, and the kernel goes
 * on saying that somebody waits: a loop that asks again at once spins.  So
 * whoever can end a connection is asked to; where nobody can, accepting pauses
 * for a tenth of a second, and whoever waits does so in the kernel's backlog
 * until connections have ended.
 */
#ifndef BASE_LISTENER_H
#define BASE_LISTENER_H

#include "base/addr.h"
#include "base/loop.h"
#include <stdbool.h>
#include <sys/socket.h>

struct listener;

/*
 * Listens on at; nobody is accepted until listener_accept(l, true).  A
 * client's descriptor (non-blocking, close-on-exec, TCP_NODELAY) is
 * on_client's.  On failure NULL, and errno says why.
 */
struct listener *listener_new(struct loop *loop, const struct sockaddr *at,
    socklen_t at_bytes, void (*on_client)(int fd, void *arg), void *arg);
/* Out of descriptors, make_room (of on_client's arg) may end a connection; it
 * tells whether it did. */
void listener_on_short(struct listener *l, bool (*make_room)(void *arg));
/* From on_client too; several clients may come from one call of the loop. */
void listener_accept(struct listener *l, bool on);
/*
 * Whoever connects is refused by the kernel (ECONNREFUSED), and the port stays
 * this listener's: given back, the kernel may lend it to any process's outgoing
 * connection.  Ending the refusal listens again.  false: neither could be had,
 * and errno says why.
 */
bool listener_refuse(struct listener *l, bool on);
/* As bound, so that port 0 becomes a real one; false: it cannot be told. */
bool listener_address(const struct listener *l, struct addr *ret);
void listener_free(struct listener *l); /* NULL-safe; not from on_client */

#endif
