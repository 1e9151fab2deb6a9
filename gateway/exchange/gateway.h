/*
 * The gateway as a whole: one configuration, one door, one admin door, one
 * pool of upstream connections, and the requests in flight.
 */
#ifndef GATEWAY_GATEWAY_H
#define GATEWAY_GATEWAY_H

#include "base/clock.h"
#include "base/fetch.h"
#include "base/loop.h"
#include "base/serve.h"
#include "gateway/conf/conf.h"
#include "gateway/routing/limit.h"
#include "gateway/routing/target_health.h"
#include "gateway/telling/decision_log.h"

struct call;
struct health_checks;
struct ledger;
struct otel;
struct pass;
struct recent;
struct tls_context;

struct gateway_stats {
	uint64_t requests;
	uint64_t by_class[6]; /* answers, by status / 100; [0] refusals */
	uint64_t streams, gone, limited, audited, rejected;
	uint64_t crowded;         /* refused because nobody could count them */
	uint64_t escalated_nano;  /* what escalations by validators cost */
	uint64_t escalating_nano; /* what those under way may cost at most */
	uint64_t all_primary_nano, all_escalation_nano; /* counterfactual */
	struct hist overhead;
};

struct gateway {
	struct loop *loop;
	struct conf *conf; /* the present one; calls hold their own */
	const char *conf_path;
	struct serve *front, *admin;
	struct tls_context *tls; /* of the front, NULL: plain */
	struct fetch_pool *pool;
	struct target_health_table *live;
	struct health_checks *checks;
	struct limit_table *limits;
	struct decision_log *log;
	struct recent *recent; /* the last requests */
	struct ledger *ledger; /* keys and spend; NULL: no store */
	struct otel *otel;     /* NULL: off */
	struct conf *first;    /* what is read at the start only; a reference */
	struct call *calls;    /* in flight */
	size_t ncalls;
	struct call *spare; /* calls that are over, to be used again */
	size_t nspare;
	struct pass *passes; /* in flight, of other paths */
	/* Whom the last head belonged to: of use to a request that came at
	 * once, since nothing happened in between. */
	const struct conf_key *known;
	bool is_draining;
	bool is_front_far, is_admin_far; /* open beyond this machine */
	uint64_t since_ms;               /* it began */
	uint64_t wall_ms;                /* what wall says */
	char wall[CLOCK_ISO_BYTES];
	/* Made anew for each request, so their memory is kept: what an
	 * upstream is asked, and a line of the log with its attempts. */
	struct buf asked, line, attempts;
	struct gateway_stats stats;
};

#endif
