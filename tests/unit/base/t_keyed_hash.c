/* The keyed hash, beside OpenSSL's; and the clocks, held. */
#include "base/keyed_hash.h"

#include "base/clock.h"
#include "tests/unit.h"
#include <openssl/evp.h>
#include <string.h>

static bool
siphash(const unsigned char key[16], const unsigned char *p, size_t n,
    unsigned char out[16])
{
	EVP_MAC *mac = EVP_MAC_fetch(NULL, "SIPHASH", NULL);
	EVP_MAC_CTX *ctx = mac ? EVP_MAC_CTX_new(mac) : NULL;
	size_t bytes = 0;
	bool ok = ctx && EVP_MAC_init(ctx, key, 16, NULL) &&
	    EVP_MAC_update(ctx, p, n) && EVP_MAC_final(ctx, out, &bytes, 16);

	EVP_MAC_CTX_free(ctx);
	EVP_MAC_free(mac);
	return ok && bytes == 16;
}

static void
hashes(void)
{
	unsigned char key[16], text[80], want[16];
	struct keyed_hash k, got;

	for (unsigned i = 0; i < sizeof key; i++)
		key[i] = (unsigned char)(i * 7 + 1);
	for (unsigned i = 0; i < sizeof text; i++)
		text[i] = (unsigned char)(i * 31 + 200);
	memcpy(&k, key, sizeof k);
	for (size_t n = 0; n <= sizeof text; n++) {
		got = keyed_hash_of(&k, text, n);
		if (!siphash(key, text, n, want))
			unit_skip("this OpenSSL has no SIPHASH");
		CHECK(memcmp(&got, want, sizeof want) == 0, "any length");
	}
}

static void
stands_still(void)
{
	uint64_t mono, wall, exact;

	clock_hold();
	mono = clock_mono_us();
	wall = clock_wall_ms();
	exact = clock_exact_us();
	while (clock_exact_us() < exact + 3000)
		continue;
	CHECK_INT(clock_mono_us(), mono, "a held clock");
	CHECK_INT(clock_mono_ms(), mono / 1000, "the same in milliseconds");
	CHECK_INT(clock_wall_ms(), wall, "the time of day");
	clock_release();
	CHECK(clock_mono_us() >= mono + 3000, "and it goes on");
	clock_hold();
	CHECK(clock_mono_us() >= mono + 3000, "held again, it is another time");
	clock_release();
}

void t_keyed_hash(void);

void
t_keyed_hash(void)
{
	hashes();
	stands_still();
}
