/*
 * What the faults of WebSocket share: a stage that sees one side of a
 * conversation frame by frame, what the upstream says or what the client does
 * (`from`), and the message that a fault strikes.  Control frames pass in
 * their place.
 *
 * What is no frame of RFC 6455, or coded by an extension, passes as it is: the
 * fault is over, and bypassed if it has not acted.
 */
#ifndef CHAOS_WSSTAGE_H
#define CHAOS_WSSTAGE_H

#include "chaos/http/stage.h"
#include "chaos/http/wsframe.h"

struct shot;
struct wsstage;

enum wsstage_from { WSSTAGE_UPSTREAM, WSSTAGE_CLIENT };

extern const char *const wsstage_from_names[]; /* for a table of fields */

/* Which message is struck: the number `first`, or one of so many behind it. */
struct wsstage_target {
	int from;
	int64_t first, spread;
};

struct wsstage_ops {
	/* A frame begins, and its head is about to pass; NULL: nothing. */
	void (*on_frame)(struct wsstage *w);
	/* Takes payload and passes it on with wsstage_put().  NULL: that. */
	void (*on_payload)(struct wsstage *w, const char *p, size_t n);
	void (*on_frame_end)(struct wsstage *w); /* NULL: nothing */
	/* In stage_pass's place; NULL: that. */
	void (*put)(struct wsstage *w, const struct item *it);
	void (*free)(struct wsstage *w); /* what is the fault's own; or NULL */
};

/* Embedded first in each fault's own struct, which is freed with it. */
struct wsstage {
	struct stage stage;
	const struct wsstage_ops *ops;
	struct wsframe_reader reader;
	uint64_t target; /* the message that is struck */
	bool is_over;    /* it looks no more */
	bool is_bad;     /* no frames: bytes pass */
	bool is_cut;     /* nothing more passes */
};

void wsstage_init(struct wsstage *w, const struct wsstage_ops *ops, int from);
/* The same; draws the target from the shot and names what it waits for. */
void wsstage_aim(struct wsstage *w, const struct wsstage_ops *ops,
    struct shot *s, const struct wsstage_target *target);
/* In on_frame: the first frame of the target. */
bool wsstage_is_target(const struct wsstage *w);
void wsstage_put(struct wsstage *w, const char *p, size_t n);
/* The conversation ends here: an upstream is not heard any more, a client's
 * has what websocket_client_side.h gives it. */
void wsstage_end(struct wsstage *w, enum item_end end);
/* The same, by a Close frame with that code; a client's is masked. */
void wsstage_close(struct wsstage *w, unsigned code);

#endif
