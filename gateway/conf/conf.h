/*
 * The configuration: providers, rules and their targets, timers, the
 * breaker.  It is read once into this model, then never changes: requests
 * hold a reference, so that a reload swaps the whole of it and requests in
 * flight keep the one they began with.
 *
 * A file is one or more YAML documents (or one of JSON):
 *	type: gateway-load-balancing-config	TrueFoundry's, verbatim
 *	routes: [...]				the small dialect
 *	providers: [...] and what else is ours	beside either, or alone
 */
#ifndef GATEWAY_CONF_H
#define GATEWAY_CONF_H

#include "base/addr.h"
#include "base/circuit_breaker.h"
#include "base/digest.h"
#include "gateway/decisions/continuation.h"
#include "gateway/decisions/cost.h"
#include "gateway/decisions/retry.h"
#include "gateway/text/api_schema.h"
#include "gateway/text/conf_field.h"
#include "gateway/text/request_peek.h"

struct keyring_grant;
struct validators;
struct target_health;

#define CONF_TARGETS_MAX   64 /* of a rule */
#define CONF_ATTEMPTS_MAX  16 /* of a request, at all targets */
#define CONF_PRICES_MAX    1024
#define CONF_EDITS_MAX     48
#define CONF_RULES_MAX     1024
#define CONF_PROVIDERS_MAX 256
#define CONF_SECRETS_MAX   16 /* keys of a provider */

/* A provider's key, in each of the forms that it is sent in. */
struct conf_secret {
	const char *key;
	const char *authorization; /* "Bearer KEY" */
	const char *query;         /* "?key=KEY", or "" */
};

/* How a provider is asked whether it is up. */
struct conf_health {
	const char *target; /* NULL: it is not asked */
	const char *path;   /* as it is said */
	const char *model;  /* a tiny question to that; NULL: a GET */
	int64_t interval_ms, timeout_ms;
	int64_t fails, passes; /* so many in a row change its state */
};

struct conf_provider {
	const char *name;
	struct url url;
	struct conf_secret secrets[CONF_SECRETS_MAX]; /* its keys */
	size_t nsecrets;                              /* 0: none is sent */
	struct conf_hidden *hidden;         /* how they are known when they come
	                                   * back, see conf_hide.c */
	const char *key_header;             /* NULL: as each schema has it */
	const char *key_query;              /* the key is a parameter; NULL */
	const char *targets[SCHEMA_NKINDS]; /* "/v1/chat/completions", ...;
	                                     * NULL: it does not speak it */
	enum continuation_way continues;    /* how it goes on from a text */
	const char *continue_target;        /* where it is asked to */
	const struct ynode *headers;        /* a map, NULL for none */
	const struct ynode *forward;     /* clients' headers, NULL for none */
	const struct ynode *models;      /* names to list, NULL for none */
	const struct ynode *passthrough; /* other paths, NULL for none */
	struct conf_health health;
	struct target_health *live; /* of targets no rule names, and
	                             * whether it is down */
};

struct conf_target {
	const char *name; /* "provider/model" */
	const struct conf_provider *provider;
	const char *model;
	int64_t weight, priority;
	bool is_candidate; /* may be fallen back to */
	struct retry_conf retry;
	struct peek_edit *edits; /* model and override_params; owned */
	size_t nedits;
	int64_t timeout_ms;         /* 0: only the request's own */
	int64_t connect_timeout_ms; /* 0: as everywhere */
	int64_t sla_first_token_ms, sla_per_token_ms; /* 0: none */
	int64_t context_tokens;       /* room for a request; 0: not said */
	const struct ynode *metadata; /* must match too; NULL */
	const struct ynode *headers_set, *headers_remove;
	struct target_health
	    *live; /* its state, borrowed from target_health_bind */
	const struct cost_price *price; /* NULL: unknown */
};

struct conf_timers { /* 0: a fair share of the time, see silence_limit.h */
	int64_t connect_ms, first_token_ms, idle_ms, total_ms;
};

/* An event that is no JSON, after the commit point. */
enum conf_malformed {
	CONF_MALFORMED_AUTO, /* noise is dropped; what may be a piece of the
	                      * answer ends the attempt */
	CONF_MALFORMED_DROP,
	CONF_MALFORMED_CUT,
};

/* On what terms a request is served: everybody's, or a rule's own. */
struct conf_terms {
	struct conf_timers timers;
	struct breaker_conf breaker;
	int64_t buffer_bytes, buffer_ms; /* hold streams whole; 0: do not */
	/* Who waits for one that is held hears a comment so often; 0: none. */
	int64_t comment_ms;
	int malformed;    /* enum conf_malformed */
	bool has_breaker; /* a rule's own */
};

enum conf_rule_kind {
	CONF_WEIGHT,
	CONF_LATENCY,
	CONF_PRIORITY,
	CONF_BUSY, /* the fewest requests under way */
	CONF_CHEAP /* the lowest price, now */
};

struct conf_rule {
	const char *id;
	const char *config; /* name of the document it stands in, or "" */
	enum conf_rule_kind kind;
	const struct ynode *subjects, *models, *metadata; /* NULL: any */
	const char *header, *header_contains; /* the small dialect; NULL */
	const char *virtual_model;   /* it routes this model only; NULL */
	bool escalates;              /* chosen for quality, not by default */
	struct conf_target *targets; /* owned */
	size_t ntargets;
	/* Quality: what an answer must be, and where a better one comes from.
	 */
	struct validators *validators;  /* owned; NULL: none */
	struct conf_target *escalation; /* owned; NULL: none */
	double request_usd, run_usd;    /* caps on escalating; below 0: none */
	bool is_shadow;                 /* only log */
	const struct ynode *sticky;     /* session_identifiers, NULL for none */
	int64_t sticky_ttl_s;
	struct conf_terms terms;
};

struct conf_key {
	const char *subject;
	const struct ynode *groups;   /* NULL for none */
	uint8_t digest[DIGEST_BYTES]; /* of the key */
	/* What a key that was handed out may do; NULL: one of the
	 * configuration, which may all. */
	const struct keyring_grant *grant;
};

enum conf_counted {
	CONF_REQUESTS,
	CONF_TOKENS,
	CONF_COST, /* nanodollars */
	CONF_NCOUNTED
};

struct conf_limit {
	const char *id;
	const struct ynode *subjects, *models, *metadata; /* NULL: any */
	const struct ynode *applies_per; /* NULL: all together */
	double limit_to;
	enum conf_counted counted;
	uint64_t window_s; /* 0: the calendar month */
	bool is_budget, is_audit;
};

struct conf_store {
	const char *path; /* NULL: nothing is kept */
	int64_t keep_days;
	int64_t journal_bytes;
	int sync; /* enum conf_sync */
};

enum conf_sync {
	CONF_SYNC_NORMAL, /* a commit is the system's, kill -9 loses none */
	CONF_SYNC_FULL,   /* it is on the disk, a power cut loses none */
};

struct conf_otlp {
	bool is_on;
	struct url url;
	const char *target;          /* "/v1/traces" */
	const char *authorization;   /* NULL for none */
	const char *service;         /* service.name */
	const struct ynode *headers; /* a map, NULL for none */
};

struct conf {
	unsigned refs;
	struct ytree *tree;
	char **texts; /* composed strings that live as long; owned */
	size_t ntexts;
	struct conf_provider *providers; /* owned */
	size_t nproviders;
	struct conf_rule *rules; /* owned, in order */
	size_t nrules;
	struct conf_key *keys; /* owned; none: no key is asked for */
	size_t nkeys;
	const struct ynode *hosts;   /* names this door has besides, NULL */
	const struct ynode *origins; /* whose pages may call, NULL for none */
	struct conf_limit *limits;   /* owned, in order */
	size_t nlimits;
	struct cost_price *prices; /* owned */
	size_t nprices;
	/* What requests would have cost there, NULL when not said. */
	const struct cost_price *primary, *escalation;
	const char *cert_file, *key_file; /* of the door; NULL: plain */
	const char *ca_file;     /* for upstreams; NULL: the system's */
	struct conf_terms terms; /* where a rule says nothing */
	int64_t body_bytes, head_bytes, answer_bytes;
	/* Of the door; 0: serve's own. */
	int64_t client_head_ms, client_body_ms, client_body_total_ms;
	int64_t client_idle_ms, connections;
	int64_t drain_ms; /* what is in flight at the end has so long */
	bool is_empty_answer_ok;
	struct conf_otlp otlp;
	struct conf_store store;
	int64_t rate_tokens_s, rate_ms; /* streams slower than that fail; 0 */
	int64_t body_log_bytes;         /* of each body in the log; 0: none */
};

/*
 * Reads a file.  Everything found goes to *f (init it first); the result is
 * usable when f->errors is 0, and is NULL otherwise.
 */
struct conf *conf_load(const char *path, struct findings *f);
struct conf *conf_parse(const char *name, const char *text, size_t n,
    struct findings *f);
struct conf *conf_ref(struct conf *c);
void conf_unref(struct conf *c); /* NULL-safe */

/* NULL: no price is known. */
const struct cost_price *conf_price(const struct conf *c, const char *target);

const struct conf_provider *conf_provider(const struct conf *c,
    const char *name, size_t n);

/* In which API the provider is asked what a client asks in that one: the same,
 * or the one that it can be translated into.  NULL: in none. */
const struct schema *conf_asked_in(const struct conf_provider *p,
    const struct schema *client);
/* The header that carries that key, and its value; NULL: none does. */
const char *conf_key_header(const struct conf_provider *p,
    const struct schema *schema, size_t key, const char **ret_value);
/* Overwrites the provider's keys, and a half of one, in what it says, which may
 * quote a request: in whichever form, and however the text escapes it. */
void conf_hide_keys(const struct conf_provider *p, char *text, size_t n);
bool conf_hides(const struct conf_provider *p); /* there is something to hide */
/* How many bytes at the end of a text may be the beginning of a key, of which
 * the rest is still to come. */
size_t conf_hidden_begun(const struct conf_provider *p, const char *text,
    size_t n);
/* What stands behind the path because of it, "?key=KEY" or "". */
const char *conf_key_query(const struct conf_provider *p, size_t key);

/*
 * A target for a model that no rule names: "provider/model", or any model
 * when there is one provider.  NULL: none fits.  One block, freed by free().
 */
struct conf_target *conf_direct_target(const struct conf *c, const char *model);

#endif
