/*
 * TLS by OpenSSL, non-blocking, in our own words.
 *
 * OpenSSL's headers and base/err.h claim the same names, so this module is
 * the only one that sees OpenSSL's TLS; errors are texts and small numbers.
 * Clients verify the chain and the host name, always; TLS 1.2 is the oldest
 * version spoken.
 */
#ifndef BASE_TLS_H
#define BASE_TLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define TLS_REASON_MAX 256

struct tls_context; /* keys and rules, shared by connections */
struct tls;         /* one connection */

/* What the I/O functions return instead of a count. */
enum tls_result {
	TLS_EOF = 0,         /* close_notify */
	TLS_WANT_READ = -1,  /* again when the socket is readable */
	TLS_WANT_WRITE = -2, /* again when the socket is writable */
	TLS_RESET = -3,      /* the socket failed */
	TLS_BAD = -4,        /* handshake, verification or record failed */
	TLS_CUT = -5,        /* it ended without close_notify */
};

/* PEM files.  NULL with the reason when they cannot be used.  A server speaks
 * HTTP/1.1 and says so to who asks (ALPN); who wants nothing but HTTP/2 is told
 * by an alert. */
struct tls_context *tls_server_new(const char *cert_file, const char *key_file,
    char reason[TLS_REASON_MAX]);
/* The same from texts in PEM. */
struct tls_context *tls_server_of(const char *cert, const char *key,
    char reason[TLS_REASON_MAX]);
/* A server with a certificate for each name that clients ask for: that of the
 * context which find() returns (borrowed; NULL refuses the client).  A client
 * that says no name means tls_set_name()'s, or the address it has dialled. */
typedef struct tls_context *tls_find(const char *name, void *arg);
struct tls_context *tls_server_by_name(tls_find *find, void *arg);
/* ca_file NULL: the system's certificates. */
struct tls_context *tls_client_new(const char *ca_file,
    char reason[TLS_REASON_MAX]);
void tls_context_free(struct tls_context *c);

/* host NULL: the accepting side; else the name or number to verify. */
struct tls *tls_new(struct tls_context *c, const char *host);
void tls_free(struct tls *t);
void tls_set_fd(struct tls *t, int fd);             /* borrowed */
void tls_set_name(struct tls *t, const char *name); /* copied */

/* The handshake happens inside the first calls.  Count, or tls_result. */
ssize_t tls_read(struct tls *t, void *p, size_t n);
ssize_t tls_write(struct tls *t, const void *p, size_t n);
bool tls_has_pending(const struct tls *t); /* bytes read ahead */
bool tls_is_ready(const struct tls *t);    /* the handshake is done */
void tls_close_notify(struct tls *t);
/* Bytes that the socket has taken and given: records, handshakes included. */
void tls_counted(const struct tls *t, uint64_t *sent, uint64_t *received);

/* Why the last call returned TLS_BAD, one line. */
const char *tls_reason(const struct tls *t);

#endif
