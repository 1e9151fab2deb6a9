/*
 * What is known of the targets while the program runs: breaker, latency,
 * counts.  It is kept by the target's name and outlives reloads, so that a
 * new configuration does not forget who is down.
 */
#ifndef GATEWAY_TARGET_HEALTH_H
#define GATEWAY_TARGET_HEALTH_H

#include "base/breaker.h"
#include "gateway/conf/conf.h"
#include "gateway/decisions/cause.h"
#include "gateway/decisions/retry.h"
#include "gateway/text/hist.h"
#include <stddef.h>

struct target_health {
	char *name;  /* owned */
	char *label; /* the same, escaped for Prometheus; owned */
	struct breaker breaker;
	struct retry_budget retries;
	uint32_t latency_us;   /* to the first token, smoothed; 0: unknown */
	uint32_t per_token_us; /* after it, smoothed; 0: unknown */
	uint32_t busy;         /* attempts under way */
	/* Of a provider with several keys, see provider_keys.h. */
	size_t next_key;
	uint64_t key_until_ms[CONF_SECRETS_MAX];
	/* Of a provider that is asked whether it is up; and of a target, its
	 * provider's.  See health_checks.h. */
	bool is_down;
	const struct target_health *provider;
	uint64_t seen_ms;               /* when these were last measured */
	uint64_t causes[CAUSE_NCAUSES]; /* attempts, by how they ended */
	uint64_t tokens_in, tokens_out;
	uint64_t cost_nano, wasted_nano; /* all attempts, failed ones */
	struct hist duration, first_token, per_token, in, out;
	struct target_health *next;
	struct target_health *same; /* private: of one bucket */
};

struct target_health_table;

struct target_health_table *target_health_table_new(void);
void target_health_table_free(struct target_health_table *t);
const struct target_health *target_health_first(
    const struct target_health_table *t);

/* The state under that name, made when it is new.  A changed breaker
 * configuration starts that breaker afresh. */
struct target_health *target_health_get(struct target_health_table *t,
    const char *name, const struct breaker_conf *conf);

/*
 * The same for a target that a request named and no rule knows.  There are
 * so many of those at most; the rest share `other`.
 */
struct target_health *target_health_direct(struct target_health_table *t,
    const char *name, const struct breaker_conf *conf,
    struct target_health *other);

/* Gives every target of a configuration its state. */
void target_health_bind(struct target_health_table *t, struct conf *c);

/* An answer's first token came after us, the others per_token_us apart (0:
 * there were none). */
void target_health_latency(struct target_health *l, uint64_t now_ms,
    uint64_t us, uint64_t per_token_us);

/* Nobody answers there: it is not asked. */
bool target_health_is_down(const struct target_health *l);

/* Forgets what is too old to judge by, so that a slow target is tried again. */
void target_health_refresh(struct target_health *l, uint64_t now_ms);

#endif
