/*
 * Several keys of one provider are one target: requests take them in turn, and
 * a key that the provider refuses (no such key, too many requests, no money)
 * is left alone for a while.  Which keys are left alone outlives reloads.
 */
#ifndef GATEWAY_PROVIDER_KEYS_H
#define GATEWAY_PROVIDER_KEYS_H

#include "gateway/conf/conf.h"

/* The key that is next; all are left alone: the one that is so the least. */
size_t provider_keys_next(const struct conf_provider *p, uint64_t now_ms);
/* wait_ms: as long as the provider said; below 0: it said nothing. */
void provider_keys_refused(const struct conf_provider *p, size_t key,
    uint64_t now_ms, int64_t wait_ms);
bool provider_keys_has_good(const struct conf_provider *p, uint64_t now_ms);

#endif
