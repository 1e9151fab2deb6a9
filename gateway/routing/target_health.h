/*
 * What is known of the targets while the program runs: breaker, latency,
 * counts.  It is kept by the target's name and outlives reloads, so that a
 * new configuration does not forget who is down.
 */
#ifndef GATEWAY_TARGET_HEALTH_H
#define GATEWAY_TARGET_HEALTH_H

#include "base/circuit_breaker.h"
#include "gateway/conf/conf.h"
#include "gateway/decisions/failure_cause.h"
#include "gateway/decisions/retry.h"
#include "gateway/text/histogram.h"
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
	struct target_health *provider;
	/* Of one that only requests name; the table's. */
	bool is_direct;
	uint32_t held;                  /* by so many requests */
	uint64_t turn;                  /* when it was last asked for */
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
 * The same for a target that a request named and no rule knows, held until it
 * is let go.  There are 256 of those besides the held ones: an older one's
 * place may be taken, and what it counted is its provider's then.
 */
struct target_health *target_health_direct(struct target_health_table *t,
    const char *name, const struct breaker_conf *conf,
    struct target_health *provider);
void target_health_let_go(struct target_health *l);

/* Gives every target of a configuration its state. */
void target_health_bind(struct target_health_table *t, struct conf *c);

/* An answer's first token came after us, the others per_token_us apart (0:
 * there were none). */
void target_health_latency(struct target_health *l, uint64_t now_ms,
    uint64_t us, uint64_t per_token_us);

/* An attempt that is over: how it ended, and who set its limits. */
struct target_health_end {
	enum cause cause;
	int status; /* HTTP's; 0: none came */
	uint64_t now_ms;
	int64_t retry_after_ms; /* as breaker_fail() takes it */
	uint64_t waited_us;
	uint64_t patience_us;  /* what the configuration would have waited */
	bool is_clients_limit; /* a limit of the client's own was in force */
	bool is_hurried;       /* the client set the limit of the whole call */
	bool is_key_refused;   /* another key of the provider is tried */
};

/* Counts it, and lets the breaker know of it with that pass, unless it says
 * nothing about the target. */
void target_health_ended(struct target_health *l,
    const struct target_health_end *end, struct breaker_pass *pass);

/* Nobody answers there: it is not asked. */
bool target_health_is_down(const struct target_health *l);

/* Forgets what is too old to judge by, so that a slow target is tried again. */
void target_health_refresh(struct target_health *l, uint64_t now_ms);

#endif
