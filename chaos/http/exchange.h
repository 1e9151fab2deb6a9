/*
 * One request through a proxy, and its answer.
 *
 *	serve --> request faults --> source (script, live) --+
 *	client <-- wire <-- sink <-- stage <-- ... <-- stage <+
 *
 * The source pushes the answer in with exchange_head, _bytes and _end; the
 * rules are asked at both ends (engine.h).  When the client is slow the
 * source is paused.  An exchange frees itself from the loop, never inside a
 * call of a source or a stage, so neither has to watch its back.
 */
#ifndef CHAOS_EXCHANGE_H
#define CHAOS_EXCHANGE_H

#include "base/loop.h"
#include "base/serve.h"
#include "chaos/http/answer_head.h"
#include "chaos/http/stage.h"
#include "chaos/http/traffic_view.h"
#include "chaos/rules/engine.h"

struct exchange;

/*
 * Where answers come from; arg is what start returned.  The exchange owns it,
 * from start until free, whatever happens in between: a source never frees
 * itself, and may be told to stop from inside any call it makes.
 */
struct source_ops {
	/* NULL: it answered at once, or never will be asked again. */
	void *(*start)(struct exchange *x, void *mode);
	void (*pause)(void *arg);
	void (*resume)(void *arg);
	/* Behind a 101: what the client says; n 0: its FIN.  ERR_AGAIN: taken,
	 * but no more until exchange_client_resume().  NULL: it never says
	 * 101. */
	enum err (*send)(void *arg, const char *p, size_t n);
	/* Behind a 101: the upstream's connection is reset.  NULL as send. */
	void (*reset)(void *arg);
	/* Nothing it says is heard any more.  Called once, also after its own
	 * exchange_end(). */
	void (*stop)(void *arg);
	/* From the loop, after stop: the exchange is no more. */
	void (*free)(void *arg);
};

struct exchange_env { /* lives as long as the proxy; all borrowed */
	struct loop *loop;
	struct engine *engine;
	const struct scenario *scenario;
	const char *proxy;
	size_t active;     /* exchanges under way on the proxy */
	bool is_watched;   /* some rule of the scenario may touch this proxy */
	bool is_untouched; /* no rule may, and nobody watches */
	bool has_header_faults; /* requests may ask for faults themselves */
	const struct source_ops *source;
	void *mode;
	struct traffic *traffic; /* who watches; NULL: nobody */
	void (*on_over)(struct exchange *x, void *arg); /* about to be freed */
	void *arg;
};

/* Takes the call and begins; the answer may be given before it returns. */
struct exchange *exchange_start(const struct exchange_env *env,
    struct serve_call *call);
void exchange_gone(struct exchange *x); /* the client went away */
/* Behind a 101. */
void exchange_client_bytes(struct exchange *x, const char *p, size_t n);
void exchange_drain(struct exchange *x); /* it reads again */
void exchange_free(struct exchange *x);  /* at once; NULL-safe */

/* ---- for sources: the answer is filled in before exchange_head().
 * exchange_end() stops the source.  An end without a head closes or resets
 * the connection with no answer. */
struct answer_head *exchange_answer(struct exchange *x);
void exchange_head(struct exchange *x);
void exchange_bytes(struct exchange *x, const char *p, size_t n);
void exchange_end(struct exchange *x, enum item_end end);

/* An answer in one piece: status, content type and body. */
void exchange_reply(struct exchange *x, int status, const char *type,
    struct slice body);

/* ---- for faults and stages */
struct facts *exchange_facts(struct exchange *x);
struct loop *exchange_loop(struct exchange *x);
const struct exchange_env *exchange_env(struct exchange *x);
/* May rules still be asked, when its answer comes? */
bool exchange_is_open(const struct exchange *x);
/* The faults that were aimed at it so far. */
struct shot *exchange_shots(struct exchange *x, size_t *ret_n);
/* After FAULT_WAIT; then the next fault, then the source. */
void exchange_wait(struct exchange *x, uint64_t us);
/* The same, but then it ends without an answer. */
void exchange_end_later(struct exchange *x, uint64_t us, enum item_end end);
void exchange_stop_source(struct exchange *x);
void exchange_hold_client(struct exchange *x, bool is_held); /* unread */
/* Not a byte will come any more, for ever: a client that has sent FIN behind
 * its request is let go of after 5 s. */
void exchange_hush(struct exchange *x);
/* In the answer's place: exact bytes, then the end. */
void exchange_raw(struct exchange *x, struct slice bytes, enum item_end end);

/* ---- for the client's side of a WebSocket */
/* What hears it, and its argument; NULL: nothing any more. */
const struct source_ops *exchange_source(struct exchange *x, void **arg);

/* ---- for the sink and the wire */
/* Why a fault is bypassed that found nothing to act on. */
#define REASON_END "the answer ended first"
/* What the shot speaks of has left. */
void exchange_left(struct exchange *x, struct shot *s);
/* Calls fn with each shot that spoke of the head alone. */
void exchange_each_head_note(struct exchange *x,
    void (*fn)(struct shot *s, void *arg), void *arg);
/* Where the answer's bytes go; NULL: straight to the call. */
struct wire *exchange_wire(struct exchange *x);
void exchange_was_cut(struct exchange *x); /* the client did not get all */
struct serve_call *exchange_call(struct exchange *x); /* NULL: gone */
void exchange_pause(struct exchange *x);
void exchange_finished(struct exchange *x); /* the call is over */

#endif
