/*
 * A stage that lets an answer through up to a place and holds everything
 * behind it, for a time or until the client gives up.  Several faults are
 * only this with another place: ttft, stall, linger.
 */
#ifndef CHAOS_HOLD_H
#define CHAOS_HOLD_H

#include "chaos/stage.h"

enum hold_at {
	HOLD_EVENT, /* before the event number `events`, from 0 */
	HOLD_END,   /* before the end */
};

struct hold_conf {
	enum hold_at at;
	uint64_t events;
	uint64_t ms; /* 0: for ever */
};

/* Reports fired when it begins to hold, bypassed if the place never came. */
struct stage *hold_new(const struct hold_conf *conf);

#endif
