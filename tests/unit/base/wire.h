/*
 * Helpers for tests that talk over real loopback sockets to code that runs
 * on the same loop, in the same thread: send, then pump the loop until
 * something has happened.  No sleeps; whatever never happens fails after
 * WIRE_PATIENCE_MS.
 */
#ifndef TESTS_UNIT_BASE_WIRE_H
#define TESTS_UNIT_BASE_WIRE_H

#include "base/addr.h"
#include "base/buf.h"
#include "base/loop.h"
#include <stdbool.h>

#define WIRE_PATIENCE_MS 5000

/* A blocking socket, connected; dies when that fails. */
int wire_connect(const struct addr *to);
void wire_send(int fd, const char *p, size_t n);
/* Closes with a reset. */
void wire_reset(int fd);

/* Runs the loop until *flag is not 0; false when patience ran out. */
bool wire_pump(struct loop *l, const int *flag);
/* A few empty rounds: what was going to happen has happened. */
void wire_settle(struct loop *l);

enum wire_end { WIRE_FOUND, WIRE_EOF, WIRE_RESET, WIRE_IMPATIENT };

/*
 * Appends what arrives on fd to out until out contains `end` (NULL: until
 * the peer closes), running the loop meanwhile.
 */
enum wire_end wire_read(struct loop *l, int fd, struct buf *out,
    const char *end);

/* A server that plays steps, one a request, in order over all connections. */
enum wire_then { WIRE_KEEP, WIRE_FIN, WIRE_RST };

struct wire_step {
	const char *answer;
	enum wire_then then;
};

struct wire_server;
struct wire_server *wire_server_new(struct loop *l,
    const struct wire_step *steps, size_t n);
void wire_server_free(struct wire_server *s);
void wire_server_address(const struct wire_server *s, struct addr *ret);
int wire_server_connections(const struct wire_server *s);
/* All that was received, over all connections. */
const char *wire_server_received(const struct wire_server *s);
/* Sends more on the connection that spoke last. */
void wire_server_send(struct wire_server *s, const char *text);

/* A self-signed certificate for localhost and 127.0.0.1, as PEM files. */
void wire_make_certificate(const char *cert_file, const char *key_file);

#endif
