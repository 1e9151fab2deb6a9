/* Digests, by OpenSSL's EVP; a failure there is a broken installation. */
#include "base/digest.h"

#include "base/log.h"
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/rand.h>
#include <pthread.h>
#include <string.h>

static EVP_MD_CTX *
ctx_of(struct digest *d)
{
	return (EVP_MD_CTX *)(void *)d;
}

static EVP_MD *digest_sha256_md;

static void
find_sha256(void)
{
	digest_sha256_md = EVP_MD_fetch(NULL, "SHA2-256", NULL);
	if (!digest_sha256_md)
		fatalx("OpenSSL has no SHA-256");
}

/* Looked up once: that costs as much as the digest of a short text. */
static const EVP_MD *
sha256(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	(void)pthread_once(&once, find_sha256);
	return digest_sha256_md;
}

struct digest *
digest_new(void)
{
	EVP_MD_CTX *ctx = EVP_MD_CTX_new();

	if (!ctx || EVP_DigestInit_ex(ctx, sha256(), NULL) != 1)
		fatalx("OpenSSL has no SHA-256");
	return (struct digest *)(void *)ctx;
}

void
digest_add(struct digest *d, const void *p, size_t n)
{
	if (EVP_DigestUpdate(ctx_of(d), p, n) != 1)
		fatalx("SHA-256 update failed");
}

void
digest_adds(struct digest *d, const char *s)
{
	digest_add(d, s, strlen(s));
}

void
digest_finish(struct digest *d, uint8_t out[DIGEST_BYTES])
{
	if (EVP_DigestFinal_ex(ctx_of(d), out, NULL) != 1)
		fatalx("SHA-256 final failed");
	EVP_MD_CTX_free(ctx_of(d));
}

void
digest_sha256(const void *p, size_t n, uint8_t out[DIGEST_BYTES])
{
	if (EVP_Digest(p, n, out, NULL, sha256(), NULL) != 1)
		fatalx("SHA-256 failed");
}

void
digest_hex(const uint8_t in[DIGEST_BYTES], char out[DIGEST_HEX])
{
	static const char digits[] = "0123456789abcdef";

	for (size_t i = 0; i < DIGEST_BYTES; i++) {
		out[2 * i] = digits[in[i] >> 4];
		out[2 * i + 1] = digits[in[i] & 15];
	}
	out[DIGEST_HEX - 1] = '\0';
}

void
digest_sha256_hex(const void *p, size_t n, char out[DIGEST_HEX])
{
	uint8_t raw[DIGEST_BYTES];

	digest_sha256(p, n, raw);
	digest_hex(raw, out);
}

bool
digest_equal(const void *a, const void *b, size_t n)
{
	return CRYPTO_memcmp(a, b, n) == 0;
}

bool
digest_is_secret(const char *secret, const void *p, size_t n)
{
	uint8_t want[DIGEST_BYTES], got[DIGEST_BYTES];

	digest_sha256(secret, strlen(secret), want);
	digest_sha256(p, n, got);
	return digest_equal(want, got, sizeof want);
}

void
digest_random(void *out, size_t n)
{
	if (RAND_bytes(out, (int)n) != 1)
		fatalx("no random bytes from the system");
}
