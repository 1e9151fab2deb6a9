/*
 * SHA-256 and its hexadecimal text, by OpenSSL.
 */
#ifndef BASE_DIGEST_H
#define BASE_DIGEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define DIGEST_BYTES 32
#define DIGEST_HEX   65 /* 64 digits and a NUL */

struct digest; /* a running hash */

struct digest *digest_new(void);
void digest_add(struct digest *d, const void *p, size_t n);
void digest_adds(struct digest *d, const char *s);
void digest_finish(struct digest *d, uint8_t out[DIGEST_BYTES]); /* frees d */

/* In one call. */
void digest_sha256(const void *p, size_t n, uint8_t out[DIGEST_BYTES]);

/* Lower-case hexadecimal. */
void digest_hex(const uint8_t in[DIGEST_BYTES], char out[DIGEST_HEX]);
void digest_sha256_hex(const void *p, size_t n, char out[DIGEST_HEX]);

/* Equal bytes, in time that does not depend on where they differ. */
bool digest_equal(const void *a, const void *b, size_t n);

/* Are these n bytes the secret?  By their hashes, so that no time tells how
 * much of it was right, or how long it is. */
bool digest_is_secret(const char *secret, const void *p, size_t n);

/* n bytes from the system's generator; dies if there is none. */
void digest_random(void *out, size_t n);

#endif
