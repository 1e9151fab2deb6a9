/* The times stand in the provider's health, by the keys' places in the list. */
#include "gateway/routing/provider_keys.h"

#include "gateway/routing/target_health.h"

#define WAIT_MS     30000
#define WAIT_MAX_MS 60000

size_t
provider_keys_next(const struct conf_provider *p, uint64_t now_ms)
{
	struct target_health *l = p->live;
	size_t best = 0;

	if (p->nsecrets < 2)
		return 0;
	for (size_t i = 0; i < p->nsecrets; i++) {
		size_t k = (l->next_key + i) % p->nsecrets;

		if (l->key_until_ms[k] <= now_ms) {
			l->next_key = k + 1;
			return k;
		}
		if (l->key_until_ms[k] < l->key_until_ms[best])
			best = k;
	}
	return best;
}

void
provider_keys_refused(const struct conf_provider *p, size_t key,
    uint64_t now_ms, int64_t wait_ms)
{
	uint64_t ms = wait_ms < 0 ? WAIT_MS : (uint64_t)wait_ms;

	p->live->key_until_ms[key] =
	    now_ms + (ms < WAIT_MAX_MS ? ms : WAIT_MAX_MS);
}

bool
provider_keys_has_good(const struct conf_provider *p, uint64_t now_ms)
{
	for (size_t i = 0; i < p->nsecrets; i++)
		if (p->live->key_until_ms[i] <= now_ms)
			return true;
	return false;
}
