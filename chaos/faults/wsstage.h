/*
 * What the faults of WebSocket share: a stage that sees the upstream's side of
 * a conversation frame by frame.  Control frames pass in their place.
 *
 * What is no frame of RFC 6455, or coded by an extension, passes as it is: the
 * fault is over, and bypassed if it has not acted.
 */
#ifndef CHAOS_WSSTAGE_H
#define CHAOS_WSSTAGE_H

#include "chaos/http/stage.h"
#include "chaos/http/wsframe.h"

struct wsstage;

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
	bool is_over; /* it looks no more */
	bool is_bad;  /* no frames: bytes pass */
	bool is_cut;  /* nothing more passes */
};

void wsstage_init(struct wsstage *w, const struct wsstage_ops *ops);
void wsstage_put(struct wsstage *w, const char *p, size_t n);
/* The conversation ends here; the source is told to stop. */
void wsstage_end(struct wsstage *w, enum item_end end);

#endif
