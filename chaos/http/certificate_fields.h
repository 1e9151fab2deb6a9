/*
 * Keys and certificates made on the spot, as texts in PEM: a root of one's own
 * and the leaves that it signs.  P-256 throughout.
 *
 * OpenSSL's headers and base/err.h claim the same names, so failures are NULL
 * with a line of text.
 */
#ifndef CHAOS_CERTIFICATE_FIELDS_H
#define CHAOS_CERTIFICATE_FIELDS_H

#include <stdbool.h>

#define CERTS_REASON_MAX 256

/* All texts are the caller's; NULL: OpenSSL cannot. */
char *certs_new_key(void);
/* Signed by its own key, so each root of one key stands for the others. */
char *certs_new_root(const char *key);

struct certs_issuer; /* a root with its key, and one key for all leaves */

struct certs_issuer *certs_issuer_new(const char *cert, const char *key,
    char reason[CERTS_REASON_MAX]);
void certs_issuer_free(struct certs_issuer *i); /* NULL-safe */
const char *certs_leaf_key(const struct certs_issuer *i);
/* For a host name or an address in numbers; NULL: it is neither. */
char *certs_issue(const struct certs_issuer *i, const char *host);

#endif
