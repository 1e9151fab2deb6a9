/*
 * The inside of a call, shared by the files that tell its story:
 *
 *	call.c       it is read, routed, and ended
 *	attempt.c    one upstream is asked; what its failure leads to
 *	relay.c      a stream passes through
 *	reply.c      whole answers, errors, and the headers on all of them
 *	timers.c     one timer for all deadlines
 *	quality.c    validators, and the way up
 *	decision_record.c     the line in the decision log
 *	spans.c      the same for a collector of traces
 *
 *	ASKING --head--> HOLDING --all of it, good--> ENDED (whole answer)
 *	   |                | `--first payload--> STREAMING --end--> ENDED
 *	   |                |
 *	   `----failure-----+--> ASKING (next target)
 *	                    +--> WAITING --delay--> ASKING (same target)
 *	                    `--> ENDED (error)
 */
#ifndef GATEWAY_CALL_IMPL_H
#define GATEWAY_CALL_IMPL_H

#include "base/sse.h"
#include "gateway/decisions/commit.h"
#include "gateway/routing/route.h"
#include "gateway/traffic/answer_stamp.h"
#include "gateway/traffic/call.h"
#include "gateway/traffic/gateway.h"
#include <event2/event_struct.h>

#define CALL_TRIES_MAX   16 /* attempts of one request, all targets */
#define CALL_MODEL_MAX   256
#define CALL_WHY_MAX     160
#define CALL_TRACE_BYTES 56 /* of a traceparent, with its NUL */

enum call_state {
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
};

struct call {
	const struct front_work *work; /* first: see front.h */
	struct gateway *gate;
	struct conf *conf;              /* a reference */
	const struct conf_terms *terms; /* of the rule, or everybody's */
	struct serve_call *client;      /* NULL once it is answered or gone */
	struct call *next, **link;      /* in gate->calls */
	enum call_state state;
	char id[ANSWER_STAMP_ID_BYTES];
	char traceparent[CALL_TRACE_BYTES]; /* the client's; "": none */

	/* What was asked. */
	struct peek *peek; /* owned; NULL once nothing can be asked again */
	json_t *metadata;  /* owned; NULL for none */
	char *echo;        /* metadata as compact JSON, owned */
	const struct conf_key *caller; /* borrowed from conf */
	char model[CALL_MODEL_MAX];
	bool is_stream;
	bool is_plain;            /* a stream of it could be gone on with */
	size_t asked_bytes;       /* of the body */
	struct bodies *bodies;    /* for the log, owned; NULL: switched off */
	struct retry_conf *retry; /* the client's wish, owned; NULL */
	int64_t client_retries;   /* how often the client asked before */
	int64_t first_token_ms; /* the client's wish; 0: the configuration's */
	bool is_hurried;        /* due.total is the client's wish */
	int64_t sdk_ms;         /* its library waits so long for a head; 0 */

	/* Where it goes. */
	const struct conf_rule *rule; /* NULL: a direct target */
	struct conf_target *direct;   /* owned */
	struct route_order order;
	size_t at; /* index in order */
	const char *reason;
	bool is_escalated;   /* by a validator */
	const char *failed;  /* the validator that said no, NULL */
	unsigned tries_here; /* at this target */
	struct call_try tries[CALL_TRIES_MAX];
	size_t ntries;

	struct limit_hold hold; /* of rate limits and budgets */
	uint64_t limited_s;     /* refused by one of them for so long */
	bool is_hopeless;       /* and asking again does not help */

	/* The attempt under way. */
	struct fetch *fetch; /* NULL between attempts */
	struct breaker_pass pass;
	int status;
	bool is_events; /* the upstream answers with a stream */
	bool is_paused; /* the client reads slower than the upstream sends */
	bool is_noted;  /* how it ended is in tries */
	bool is_seen;   /* something but white space has come */
	int64_t retry_after_ms;
	char why[CALL_WHY_MAX]; /* what the connection failed with; "" */
	struct buf body;        /* a whole answer */
	struct sse_parser *sse; /* owned */
	struct commit commit;
	/* The stream's head has reached the client; what it has of it. */
	bool is_begun;
	struct spoken spoken;
	uint64_t patience_us; /* for the first token, by the configuration */
	uint64_t first_token_us;
	uint64_t rate_events;      /* at the beginning of due.rate's window */
	uint64_t sent_us, came_us; /* by the clock, for the overhead */

	uint64_t started_us, try_started_us;
	struct call_deadlines due;
	uint64_t armed_us; /* when the timer fires, 0: not armed */
	struct event timer;
};

/* call.c */
void call_set_state(struct call *c, enum call_state to);
/* The one end: logs, releases everything, c is gone. */
void call_close(struct call *c, int status, enum cause cause);
const struct conf_target *call_target(const struct call *c);
uint32_t call_random(void);
int64_t call_left_ms(const struct call *c); /* to the deadline */

/* attempt.c */
void attempt_start(struct call *c); /* at order.targets[at] */
/* The attempt under way failed: retries, moves on or ends the call. */
void attempt_fail(struct call *c, enum cause cause);
/* Notes how the attempt ended, for the log and the target's health. */
void attempt_note(struct call *c, enum cause cause);

/* Ends the call when nobody is left to ask: an answer, or an end of the stream
 * that has begun. */
void attempt_give_up(struct call *c, enum cause cause);
bool call_can_continue(const struct call *c, size_t at);
/* Whether any target from there on could. */
bool call_goes_on(const struct call *c, size_t from);

/* relay.c; each may end the call */
void relay_data(struct call *c, const char *p, size_t n);
void relay_end(struct call *c);
void relay_break(struct call *c, enum cause cause); /* after commit */
void relay_finish(struct call *c);

/* quality.c */
/* Whether the answer must be seen whole before the client sees any of it. */
bool quality_holds(const struct call *c);
/* Judges the whole answer.  True: it is asked for again elsewhere. */
bool quality_escalates(struct call *c);

/* reply.c; each ends the call */
void reply_whole(struct call *c);
void reply_failure(struct call *c, enum cause cause);
void reply_error(struct call *c, const struct answer_stamp_error *e);
/* The text of x-kf-attempts into out; one under way stands as open. */
void reply_attempts(const struct call *c, char *out, size_t size);
/* Starts the client's stream. */
void reply_stream_head(struct call *c);
/* One line that says how the last attempt failed. */
void reply_describe(const struct call *c, enum cause cause, char *out,
    size_t size);

/* timers.c */
void timers_init(struct call *c);
void timers_arm(struct call *c);               /* after due changed */
uint64_t timers_idle_us(const struct call *c); /* a pause may take that */
void timers_done(struct call *c);

/* decision_record.c */
/* Bodies for the log; these do nothing unless the log keeps them. */
void record_asked(struct call *c);
void record_answered(struct call *c, const char *p, size_t n);
void record_reset(struct call *c); /* another attempt: its answer counts */
void record_done(struct call *c);
/* What an attempt has used and cost, into its line and the target's sums. */
void record_usage(struct call *c, enum cause cause, struct call_try *try);
void record_call(struct call *c, int status, enum cause cause);

#endif
