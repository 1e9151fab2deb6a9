/*
 * A call as those see it who work for it: what was asked, where it goes, the
 * attempt under way, the deadlines.  This room asks an upstream, lets a stream
 * through, writes answers and lines of the log, and decides nothing: calls go
 * down, and what happens goes up through struct call_events.
 *
 *	timers           one timer for all deadlines
 *	attempt          one upstream is asked
 *	relay            a stream passes through
 *	reply            whole answers, errors, and the headers on all of them
 *	quality          validators, and whether the purse allows the way up
 *	decision_record  the line in the decision log
 *	spans            the same for a collector of traces
 *
 *	BOOKING --what it may cost is written down--> ASKING (with a store,
 *	   |                                     before every attempt)
 *	   `--it is not--> ENDED (429, 503)
 *	ASKING --head--> HOLDING --all of it, good--> ENDED (whole answer)
 *	   |                | `--first payload--> STREAMING --end--> ENDED
 *	   |                |
 *	   `----failure-----+--> ASKING (next target)
 *	                    +--> WAITING --delay--> ASKING (same target)
 *	                    `--> ENDED (error)
 */
#ifndef GATEWAY_CALL_STATE_H
#define GATEWAY_CALL_STATE_H

#include "base/sse.h"
#include "gateway/decisions/commit_point.h"
#include "gateway/exchange/answer_stamp.h"
#include "gateway/exchange/gateway.h"
#include "gateway/exchange/upstream_headers.h"
#include "gateway/routing/route.h"
#include "gateway/store/spend_book.h"
#include "gateway/text/output_limit.h"
#include "gateway/translation/translation.h"
#include <event2/event_struct.h>

struct call;
struct call_kept;
struct call_spend;
struct front_work;
struct translation_stream;

/*
 * What is told of a call from below; each may end it, so whoever tells returns
 * at once.
 */
struct call_events {
	/* Bytes of the answer; a whole one is in c->body already. */
	void (*on_data)(struct call *c, const char *p, size_t n);
	void (*on_end)(struct call *c); /* the upstream has ended well */
	void (*on_fail)(struct call *c, enum cause cause);
	void (*on_due)(struct call *c, uint64_t now_us); /* the timer fired */
};

#define CALL_TRIES_MAX   CONF_ATTEMPTS_MAX
#define CALL_MODEL_MAX   256
#define CALL_WHY_MAX     160
#define CALL_TRACE_BYTES 56 /* of a traceparent, with its NUL */

enum call_state {
	CALL_BOOKING,   /* what it may cost is being written down */
	CALL_ASKING,    /* a request is at an upstream, no head yet */
	CALL_HOLDING,   /* its answer comes in and is held */
	CALL_WAITING,   /* for the delay before a retry */
	CALL_STREAMING, /* committed: bytes pass */
	CALL_ENDED,
	CALL_NSTATES
};

/* One attempt, for the log and x-kf-attempts. */
struct call_try {
	const struct conf_target *target;
	enum cause cause;
	int status; /* the upstream's, 0 for none */
	uint64_t us;
	uint64_t tokens_in, tokens_out, cost_nano;
	uint32_t at_us;    /* it began so long after the request */
	bool is_estimated; /* nobody counted the tokens */
};

/* Absolute times in microseconds, 0 for none. */
struct call_deadlines {
	uint64_t total;    /* the request, all attempts */
	uint64_t attempt;  /* this attempt, by the target's timeout_ms */
	uint64_t progress; /* first token, then idle */
	uint64_t wait;     /* the delay before a retry is over */
	uint64_t rate;     /* a window of the minimum rate ends */
	uint64_t linger;   /* [DONE] came, the upstream has not ended yet */
	uint64_t comment;  /* who waits for a held stream hears that it comes */
};

/* What was asked, in the words of the other API. */
struct call_question {
	struct translation_target to;
	struct buf text; /* empty: it cannot be said */
	struct why why;  /* then */
};

/* What is written down of it; all zero: nothing.  The entry's texts are the
 * call's. */
struct call_spend {
	struct ledger_ask *waiting; /* NULL: nothing is being entered */
	bool is_begun;              /* an attempt was to be entered */
	bool is_entered;            /* and one was */
	struct book_entry entry;    /* of the next attempt; then what it says */
	int64_t reserved;           /* by all attempts */
	int64_t counted[BOOK_COUNTERS_MAX];
};

struct call {
	const struct front_work *work; /* first: see front.h */
	const struct call_events *on;  /* who decides; borrowed */
	struct gateway *gate;
	struct conf *conf;              /* a reference */
	const struct conf_terms *terms; /* of the rule, or everybody's */
	struct serve_call *client;      /* NULL once it is answered or gone */
	struct call *next, **link;      /* in gate->calls */
	enum call_state state;
	char id[ANSWER_STAMP_ID_BYTES];
	char traceparent[CALL_TRACE_BYTES]; /* the client's; "": none */

	/* What was asked. */
	const struct schema *schema;
	struct peek *peek; /* in asked; NULL once nothing can be asked again */
	struct call_question *other;   /* owned; NULL: nobody needs it */
	json_t *metadata;              /* owned; NULL for none */
	char *echo;                    /* metadata as compact JSON, owned */
	const struct conf_key *caller; /* borrowed from conf or keys */
	struct keyring *keys;          /* a reference; NULL */
	bool is_stream;
	bool names_stops;          /* it may stop before the first word */
	bool is_plain;             /* a stream of it could be gone on with */
	uint64_t asked_tokens;     /* of the body, a guess */
	struct output_limit limit; /* of the answer, as the client says it */
	struct bodies *bodies;     /* for the log, owned; NULL: switched off */
	struct retry_conf *retry;  /* the client's wish, owned; NULL */
	int64_t client_retries;    /* how often the client asked before */
	int64_t first_token_ms; /* the client's wish; 0: the configuration's */
	bool is_hurried;        /* due.total is the client's wish */
	int64_t sdk_ms;         /* its library waits so long for a head; 0 */

	/* Where it goes. */
	const struct conf_rule *rule; /* NULL: a direct target */
	struct conf_target *direct;   /* owned */
	size_t at;                    /* index in order */
	const char *reason;
	bool is_escalated;        /* by a validator */
	const char *failed;       /* the validator that said no, NULL */
	struct call_kept *kept;   /* the answer it said no to, owned; NULL */
	uint64_t escalating_nano; /* an escalation may cost so much */
	unsigned tries_here;      /* at this target */
	size_t ntries;

	struct limit_hold hold;  /* of rate limits and budgets */
	struct call_spend spend; /* in the store */
	uint64_t limited_s;      /* refused by one of them for so long */
	bool is_hopeless;        /* and asking again does not help */

	/* The attempt under way. */
	struct fetch *fetch;        /* NULL between attempts */
	struct target_health *busy; /* whose `busy` it counts in; NULL */
	struct breaker_pass pass;
	size_t key;          /* of the provider's, which is sent */
	size_t keys_refused; /* at this target, by this request */
	bool
	    is_key_refused; /* the attempt ended so, and another one is asked */
	int status;
	const struct schema *wire; /* the API that it is asked in */
	struct gunzip *gunzip;     /* owned; NULL: the answer is plain */
	struct translation_stream *told_as; /* owned; NULL: as it comes */
	bool is_events; /* the upstream answers with a stream */
	bool is_paused; /* the client reads slower than the upstream sends */
	bool is_sent;   /* the attempt that was stopped had been asked */
	bool is_noted;  /* how it ended is in tries */
	bool is_guess;  /* of a whole answer that was translated: its tokens */
	bool is_untold; /* it says what the client's API has no word for */
	bool is_seen;   /* something but white space has come */
	int64_t retry_after_ms;
	struct upstream_headers_told *told; /* owned; NULL: nothing */
	bool is_final;          /* x-should-retry: false, says the upstream */
	struct sse_parser *sse; /* owned */
	struct commit_point commit;
	/* The client has the head of a stream, which is held; nothing else. */
	bool is_headed;
	/* It has a beginning of the answer; what it has of it. */
	bool is_begun;
	struct continuation spoken;
	uint64_t patience_us; /* for the first token, by the configuration */
	uint64_t first_token_us;
	uint64_t rate_events;      /* at the beginning of due.rate's window */
	uint64_t sent_us, came_us; /* by the clock, for the overhead */

	uint64_t started_us, try_started_us;
	struct call_deadlines due;
	/* What is long and only counts as far as it says: not cleared. */
	struct call_try tries[CALL_TRIES_MAX];
	struct route_order order;
	char model[CALL_MODEL_MAX];
	char why[CALL_WHY_MAX]; /* what the connection failed with; "" */

	/* These outlive the call, since the next one here needs as much memory
	 * and its timer no sooner, mostly. */
	struct buf body;   /* a whole answer */
	struct buf asked;  /* what a look into the question found */
	uint64_t armed_us; /* when the timer fires, 0: not armed */
	struct event timer;
};

/* The only way from state to state; --verbose shows each. */
void call_set_state(struct call *c, enum call_state to);
const struct conf_target *call_target(const struct call *c);
/* The model has said why it ends, told or not. */
bool call_has_said_why(const struct call *c);
/* What was asked can be asked again no more. */
void call_forget_question(struct call *c);
int64_t call_left_ms(const struct call *c); /* to the deadline */
/* What goes to that target of it: translated, with its own parameters. */
struct output_limit call_limit(const struct call *c,
    const struct conf_target *t);
/* Whether what was asked can be said to a provider: as it is, or in the words
 * of the other API, which c->other then has as that one takes them. */
bool call_can_ask(struct call *c, const struct conf_provider *p);
/* Whether the target at that place of the order could go on from the beginning
 * of an answer, and whether any from there on could. */
bool call_can_continue(const struct call *c, size_t at);
bool call_goes_on(const struct call *c, size_t from);

#endif
