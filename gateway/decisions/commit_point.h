/*
 * The commit point of a stream.
 *
 *	HELD --first payload--> COMMITTED --finish or [DONE]--> (ends)
 *
 * While held, nothing has reached the client: the target can still be
 * changed and nobody sees it.  Role-only deltas and usage are kept, comments
 * and blank lines are not: they are no progress.  Once the first content,
 * reasoning or tool call passes, the answer is this target's for good.
 *
 * Pure: events in, verdicts and bytes out.
 */
#ifndef GATEWAY_COMMIT_POINT_H
#define GATEWAY_COMMIT_POINT_H

#include "base/buf.h"
#include "base/sse.h"
#include "gateway/decisions/continuation.h"
#include "gateway/decisions/failure_cause.h"
#include "gateway/text/answer_facts.h"

struct commit_point {
	const struct schema *schema;
	struct buf out;       /* bytes for the client, once committed */
	struct buf last;      /* the stream's last event, when it has come */
	bool is_committed;    /* out may be sent */
	bool is_finished;     /* every choice has said why it ends */
	bool is_done;         /* the last event was seen; nothing follows it */
	bool strips_usage;    /* the client did not ask for the usage event */
	bool is_empty_ok;     /* an answer without payload is an answer */
	bool is_stop_ok;      /* and one that says that it stopped */
	bool drops_malformed; /* whatever an event that is no JSON may be */
	bool cuts_malformed;
	uint64_t choices;               /* that were asked for; 0: one */
	struct choice_set begun, ended; /* as far as they have come */
	uint64_t events;                /* with payload: the progress */
	uint64_t bytes;                 /* that they say */
	uint64_t malformed;             /* events that were dropped */
	/* What the client has of the answer so far; borrowed, NULL: nobody
	 * keeps it.  A commit that continues goes on from it. */
	struct continuation *spoken;
	bool continues;
	struct chunk last_usage; /* has_usage: what the upstream counted */
	char finish[CHUNK_FINISH_MAX];
	enum cause cause; /* not CAUSE_OK: the stream failed */
	struct buf error; /* CAUSE_STREAM_ERROR: the upstream's event */
};

/* bytes_max: an event, and what is held for somebody who wants the whole. */
void commit_point_init(struct commit_point *c, const struct schema *schema,
    bool is_empty_ok, size_t bytes_max);
void commit_point_done(struct commit_point *c);

/*
 * Takes one item.  Returns false when the stream failed here (cause says
 * how); out then holds what came before.  The last event is not added to out:
 * the caller writes it after whatever it wants to stand before it.
 */
bool commit_point_item(struct commit_point *c, const struct sse_item *item);

/* The stream ended.  False when it was not complete: see cause. */
bool commit_point_end(struct commit_point *c);
/* The event that ends the client's stream: the upstream's, or the schema's. */
struct slice commit_point_last_event(const struct commit_point *c);

#endif
