/*
 * The keys that were handed out, as the door knows them: read as a whole, then
 * never changed; who works by one of them holds a reference to all.
 *
 * The loop's alone, but for keyring_read.
 */
#ifndef GATEWAY_CLIENT_KEYRING_H
#define GATEWAY_CLIENT_KEYRING_H

#include "gateway/conf/conf.h"
#include "gateway/store/store.h"

struct keyring_grant {
	struct conf_key who; /* points back by its grant */
	int64_t id;
	const char *name;
	const char **models; /* owned; NULL: all */
	size_t nmodels;
	int64_t rate; /* requests a minute; 0: no limit */
	int64_t budget_nano, per_s;
	int64_t expires_ms; /* 0: never */
	bool is_revoked;
};

struct keyring;

/* Every key, revoked ones too.  Borrows nothing; may be called in any thread.
 */
enum err keyring_read(struct store *s, struct keyring **ret);
struct keyring *keyring_ref(struct keyring *k);
void keyring_unref(struct keyring *k);            /* NULL-safe */
size_t keyring_size(const struct keyring *k);     /* NULL: 0 */
int64_t keyring_version(const struct keyring *k); /* NULL: -1 */

/* The key of that digest, whatever its state; NULL: there is none. */
const struct keyring_grant *keyring_find(const struct keyring *k,
    const uint8_t digest[DIGEST_BYTES]);

/* What is wrong with it at that time; NULL: nothing. */
const char *keyring_fault(const struct keyring_grant *g, uint64_t now_ms);

/* g NULL: a key of the configuration, which may all. */
bool keyring_allows(const struct keyring_grant *g, const char *model);

#endif
