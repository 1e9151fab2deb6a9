/*
 * The table says what an event does in a state; `move` is the one place
 * where the state changes.
 */
#include "base/circuit_breaker.h"

#include "base/units.h"
#include <string.h>

enum event { EV_OK, EV_FAIL, EV_TICK, EV_LEAVE, EV_NEVENTS };

struct happening {
	uint64_t now_ms;
	int64_t retry_after_ms;
};

typedef void breaker_fn(struct breaker *b, const struct happening *h);

static breaker_fn stay, forget, remember, reopen, shut, try_half, unprobe;

static breaker_fn *const table[BREAKER_NSTATES][EV_NEVENTS] = {
	/*                   OK      FAIL      TICK      LEAVE */
	[BREAKER_CLOSED] = { forget, remember, stay, stay },
	[BREAKER_OPEN] = { stay, stay, try_half, stay },
	[BREAKER_HALF] = { shut, reopen, stay, unprobe },
};

static const char *const state_names[BREAKER_NSTATES] = {
	[BREAKER_CLOSED] = "closed",
	[BREAKER_OPEN] = "open",
	[BREAKER_HALF] = "half-open",
};

/* clang-format off */
static const struct {
	const char *name;
	struct breaker_conf conf;
} presets[] = {
	{ "demo",        { 2, 30000,  8000,   false } },
	{ "off",         { 0, 1,      1,      false } },
	{ "production",  { 3, 30000,  30000,  false } },
	{ "truefoundry", { 2, 120000, 120000, true  } },
};
/* clang-format on */

bool
breaker_preset(const char *name, struct breaker_conf *ret)
{
	for (size_t i = 0; i < COUNT(presets); i++) {
		if (strcmp(presets[i].name, name) == 0) {
			*ret = presets[i].conf;
			return true;
		}
	}
	return false;
}

void
breaker_init(struct breaker *b, const struct breaker_conf *conf)
{
	memset(b, 0, sizeof *b);
	b->conf = *conf;
	if (b->conf.fails_max > BREAKER_FAILS_MAX)
		b->conf.fails_max = BREAKER_FAILS_MAX;
}

const char *
breaker_state_name(enum breaker_state s)
{
	return state_names[s];
}

/* ---- what comes in */

static void
run(struct breaker *b, enum event ev, uint64_t now_ms, int64_t retry_after_ms)
{
	struct happening h = { now_ms, retry_after_ms };

	table[b->state][ev](b, &h);
}

bool
breaker_enter(struct breaker *b, uint64_t now_ms, struct breaker_pass *pass)
{
	bool is_probe;

	run(b, EV_TICK, now_ms, -1);
	is_probe = b->state == BREAKER_HALF && !b->is_probing;
	b->is_probing |= is_probe;
	*pass = (struct breaker_pass){ b->epoch, is_probe };
	return is_probe || b->state == BREAKER_CLOSED;
}

bool
breaker_is_open(const struct breaker *b, uint64_t now_ms)
{
	return (b->state == BREAKER_OPEN && now_ms < b->open_until_ms) ||
	    (b->state == BREAKER_HALF && b->is_probing);
}

static bool
counts(const struct breaker *b, const struct breaker_pass *pass)
{
	return pass->epoch == b->epoch &&
	    (b->state != BREAKER_HALF || pass->is_probe);
}

void
breaker_ok(struct breaker *b, const struct breaker_pass *pass, uint64_t now_ms)
{
	if (counts(b, pass))
		run(b, EV_OK, now_ms, -1);
}

void
breaker_fail(struct breaker *b, const struct breaker_pass *pass,
    uint64_t now_ms, int64_t retry_after_ms)
{
	if (counts(b, pass))
		run(b, EV_FAIL, now_ms, retry_after_ms);
}

void
breaker_leave(struct breaker *b, const struct breaker_pass *pass)
{
	if (counts(b, pass))
		run(b, EV_LEAVE, 0, -1);
}

/* ---- what it does */

static void
move(struct breaker *b, enum breaker_state to)
{
	b->state = to;
	b->epoch++;
	b->is_probing = false;
	b->n = 0;
	b->opened += to == BREAKER_OPEN;
}

static void
stay(struct breaker *b, const struct happening *h)
{
	(void)b;
	(void)h;
}

static void
forget(struct breaker *b, const struct happening *h)
{
	(void)h;
	/* A window counts failures in a time; without one, a row of them. */
	if (!b->conf.demotes)
		b->n = 0;
}

static void
reopen(struct breaker *b, const struct happening *h)
{
	int64_t hold = b->conf.hold_ms;

	if (h->retry_after_ms > hold)
		hold = h->retry_after_ms;
	move(b, BREAKER_OPEN);
	b->open_until_ms = h->now_ms + (uint64_t)hold;
}

static void
remember(struct breaker *b, const struct happening *h)
{
	unsigned kept = 0;

	if (b->conf.fails_max == 0)
		return;
	for (unsigned i = 0; i < b->n; i++)
		if (b->fails_ms[i] + (uint64_t)b->conf.window_ms > h->now_ms)
			b->fails_ms[kept++] = b->fails_ms[i];
	b->fails_ms[kept++] = h->now_ms;
	b->n = kept;
	if (kept >= (unsigned)b->conf.fails_max)
		reopen(b, h);
}

static void
shut(struct breaker *b, const struct happening *h)
{
	(void)h;
	move(b, BREAKER_CLOSED);
}

static void
try_half(struct breaker *b, const struct happening *h)
{
	if (h->now_ms >= b->open_until_ms)
		move(b, BREAKER_HALF);
}

static void
unprobe(struct breaker *b, const struct happening *h)
{
	(void)h;
	b->is_probing = false;
}
