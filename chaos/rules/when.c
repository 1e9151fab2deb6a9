/*
 * The kinds of `when`.  To add one: a reader, a decision, a row.
 *
 * Bursts and the Markov chain look like processes with a state, but are
 * computed backwards from the draws of earlier attempts instead, so that they
 * need no memory and cannot depend on who came first.
 */
#include "chaos/rules/when.h"

#include <stdio.h>
#include <string.h>

#include "base/jfield.h"

#define COUNT_MAX     1e9
#define BURST_LEN_MAX 1000
#define CHAIN_MAX     4096 /* how far a Markov chain is followed back */

typedef enum err when_reader(json_t *v, const char *pointer, struct when *w,
    struct why *why);
typedef bool when_decider(const struct when *w, const struct fire_draw *d,
    const struct when_past *past);

struct when_kind {
	const char *name;
	when_reader *read;
	when_decider *fires;
	const struct jfield *fields; /* nfields 0: of one value, NULL: true */
	size_t nfields;
};

static when_reader read_after, read_always, read_burst, read_every, read_markov,
    read_nth, read_p, read_window;
static when_decider after_fires, always_fires, burst_fires, every_fires,
    markov_fires, p_fires, window_fires;

/* ---- what the kinds are written as */

struct pair {
	int64_t a, b;
};

struct burst_raw {
	double start_p;
	json_t *len;
};

struct markov_raw {
	double to_bad, to_good;
};

/* clang-format off */
static const struct jfield after_fields[] = {
	{ "rule", JF_STRING, JF_REQUIRED, 1, 64, offsetof(struct when, rule), NULL },
};

static const struct jfield burst_fields[] = {
	{ "len", JF_ARRAY, JF_REQUIRED, 2, 2, offsetof(struct burst_raw, len), NULL },
	{ "start_p", JF_REAL, JF_REQUIRED, 0, 1, offsetof(struct burst_raw, start_p), NULL },
};

static const struct jfield every_fields[] = {
	{ "n", JF_INT, JF_REQUIRED, 1, COUNT_MAX, offsetof(struct pair, a), NULL },
	{ "len", JF_INT, 0, 1, COUNT_MAX, offsetof(struct pair, b), NULL },
};

static const struct jfield markov_fields[] = {
	{ "bad_to_good", JF_REAL, JF_REQUIRED, 0, 1, offsetof(struct markov_raw, to_good), NULL },
	{ "good_to_bad", JF_REAL, JF_REQUIRED, 0, 1, offsetof(struct markov_raw, to_bad), NULL },
};

static const struct jfield window_fields[] = {
	{ "from", JF_INT, JF_REQUIRED, 1, COUNT_MAX, offsetof(struct pair, a), NULL },
	{ "to", JF_INT, JF_REQUIRED, 1, COUNT_MAX, offsetof(struct pair, b), NULL },
};

/* Kinds that are one value. */
static const struct jfield nth_field = { "nth", JF_INT, 0, 1, COUNT_MAX, 0, NULL };
static const struct jfield p_field = { "p", JF_REAL, 0, 0, 1, 0, NULL };

#define ROWS(name) name##_fields, sizeof name##_fields / sizeof name##_fields[0]

static const struct when_kind kinds[] = {	/* sorted by name */
	{ "after",  read_after,  after_fires, ROWS(after) },
	{ "always", read_always, always_fires, NULL, 0 },
	{ "burst",  read_burst,  burst_fires, ROWS(burst) },
	{ "every",  read_every,  every_fires, ROWS(every) },
	{ "markov", read_markov, markov_fires, ROWS(markov) },
	{ "nth",    read_nth,    window_fires, &nth_field, 0 },
	{ "p",      read_p,      p_fires, &p_field, 0 },
	{ "window", read_window, window_fires, ROWS(window) },
};
/* clang-format on */

#define NKINDS COUNT(kinds)

const char *
when_kind_at(size_t i, const struct jfield **fields, size_t *n)
{
	if (i >= NKINDS)
		return NULL;
	*fields = kinds[i].fields;
	*n = kinds[i].nfields;
	return kinds[i].name;
}

enum err
when_read(json_t *v, const char *pointer, struct when *ret, struct why *why)
{
	char found[128], at[256];
	const char *name;
	struct when w = { 0 };
	enum err e;

	if (!json_is_object(v) || json_object_size(v) != 1) {
		jfield_describe(v, found, sizeof found);
		return why_set(why, ERR_SYNTAX,
		    "%s: found %s, expected an object with exactly one of "
		    "after, always, burst, every, markov, nth, p, window",
		    pointer, found);
	}
	name = json_object_iter_key(json_object_iter(v));
	for (size_t i = 0; i < NKINDS; i++)
		if (strcmp(kinds[i].name, name) == 0)
			w.kind = &kinds[i];
	if (!w.kind)
		return why_set(why, ERR_SYNTAX,
		    "%s/%s: unknown kind, expected one of after, always, "
		    "burst, every, markov, nth, p, window",
		    pointer, name);
	snprintf(at, sizeof at, "%s/%s", pointer, name);
	e = w.kind->read(json_object_get(v, name), at, &w, why);
	if (e == ERR_OK)
		*ret = w;
	return e;
}

bool
when_fires(const struct when *w, const struct fire_draw *d,
    const struct when_past *past)
{
	return w->kind->fires(w, d, past);
}

bool
when_draws(const struct when *w)
{
	return w->kind->fires == p_fires || w->kind->fires == burst_fires ||
	    w->kind->fires == markov_fires;
}

bool
when_is_dead(const struct when *w)
{
	if (w->kind->fires == window_fires)
		return w->b < w->a;
	if (when_draws(w))
		return !w->p.is_certain && w->p.below == 0;
	return false;
}

static bool
is_certain(const struct when *w)
{
	return w->kind->fires == always_fires ||
	    (w->kind->fires == p_fires && w->p.is_certain) ||
	    (w->kind->fires == every_fires && w->a == w->b);
}

bool
when_covers(const struct when *a, const struct when *b)
{
	return is_certain(a) ||
	    (a->kind->fires == window_fires && b->kind->fires == window_fires &&
	        a->a <= b->a && a->b >= b->b);
}

uint64_t
when_first(const struct when *w)
{
	if (w->kind->fires == window_fires)
		return w->a;
	return w->kind->fires == every_fires ? w->a - w->b + 1 : 1;
}

/* ---- always, p, nth, window */

static enum err
expected(json_t *v, const char *pointer, const char *what, struct why *why)
{
	char found[128];

	jfield_describe(v, found, sizeof found);
	return why_set(why, ERR_SYNTAX, "%s: found %s, expected %s", pointer,
	    found, what);
}

static enum err
read_always(json_t *v, const char *pointer, struct when *w, struct why *why)
{
	(void)w;
	return json_is_true(v) ? ERR_OK : expected(v, pointer, "true", why);
}

static bool
always_fires(const struct when *w, const struct fire_draw *d,
    const struct when_past *past)
{
	(void)w;
	(void)d;
	(void)past;
	return true;
}

static enum err
read_p(json_t *v, const char *pointer, struct when *w, struct why *why)
{
	double p = json_number_value(v);

	if (!json_is_number(v) || p < 0.0 || p > 1.0)
		return expected(v, pointer, "a number from 0 to 1", why);
	w->p = chance_of(p);
	return ERR_OK;
}

static bool
p_fires(const struct when *w, const struct fire_draw *d,
    const struct when_past *past)
{
	(void)past;
	return fire_draw_hits(d, "when", w->p);
}

static enum err
read_nth(json_t *v, const char *pointer, struct when *w, struct why *why)
{
	json_int_t n = json_integer_value(v);

	if (!json_is_integer(v) || n < 1 || n > (json_int_t)COUNT_MAX)
		return expected(v, pointer, "an integer from 1 to 1000000000",
		    why);
	w->a = w->b = (uint64_t)n;
	return ERR_OK;
}

static enum err
read_window(json_t *v, const char *pointer, struct when *w, struct why *why)
{
	struct pair n = { 0, 0 };
	enum err e = jfield_read(v, pointer, window_fields, 2, &n, why);

	if (e != ERR_OK)
		return e;
	w->a = (uint64_t)n.a;
	w->b = (uint64_t)n.b;
	return ERR_OK;
}

static bool
window_fires(const struct when *w, const struct fire_draw *d,
    const struct when_past *past)
{
	(void)past;
	return d->attempt >= w->a && d->attempt <= w->b;
}

/* ---- every: len of each n attempts */

static enum err
read_every(json_t *v, const char *pointer, struct when *w, struct why *why)
{
	struct pair n = { 0, 1 };
	enum err e = jfield_read(v, pointer, every_fields, 2, &n, why);

	if (e != ERR_OK)
		return e;
	if (n.b > n.a)
		return why_set(why, ERR_RANGE,
		    "%s/len: found integer %lld, expected at most n, %lld",
		    pointer, (long long)n.b, (long long)n.a);
	w->a = (uint64_t)n.a;
	w->b = (uint64_t)n.b;
	return ERR_OK;
}

/* The last len of every n: every{n:3} is the third, the sixth, ... */
static bool
every_fires(const struct when *w, const struct fire_draw *d,
    const struct when_past *past)
{
	(void)past;
	return (d->attempt - 1) % w->a >= w->a - w->b;
}

/* ---- burst: starts with start_p, lasts len[0]..len[1] attempts */

static enum err
read_burst(json_t *v, const char *pointer, struct when *w, struct why *why)
{
	struct burst_raw raw = { 0, NULL };
	enum err e = jfield_read(v, pointer, burst_fields, 2, &raw, why);
	json_t *lo, *hi;

	if (e != ERR_OK)
		return e;
	lo = json_array_get(raw.len, 0);
	hi = json_array_get(raw.len, 1);
	if (!json_is_integer(lo) || !json_is_integer(hi) ||
	    json_integer_value(lo) < 1 ||
	    json_integer_value(hi) < json_integer_value(lo) ||
	    json_integer_value(hi) > BURST_LEN_MAX)
		return why_set(why, ERR_RANGE,
		    "%s/len: expected two integers, 1 to %d, in order", pointer,
		    BURST_LEN_MAX);
	w->p = chance_of(raw.start_p);
	w->a = (uint64_t)json_integer_value(lo);
	w->b = (uint64_t)json_integer_value(hi);
	return ERR_OK;
}

/* In a burst that started at some attempt not longer ago than its length? */
static bool
burst_fires(const struct when *w, const struct fire_draw *d,
    const struct when_past *past)
{
	struct fire_draw at = *d;

	(void)past;
	for (uint64_t back = 0; back < w->b && back < d->attempt; back++) {
		at.attempt = d->attempt - back;
		if (fire_draw_hits(&at, "burst.start", w->p) &&
		    fire_draw_between(&at, "burst.len", w->a, w->b) > back)
			return true;
	}
	return false;
}

/* ---- markov: good and bad, a draw each way for each attempt */

static enum err
read_markov(json_t *v, const char *pointer, struct when *w, struct why *why)
{
	struct markov_raw raw = { 0, 0 };
	enum err e = jfield_read(v, pointer, markov_fields, 2, &raw, why);

	if (e != ERR_OK)
		return e;
	w->p = chance_of(raw.to_bad);
	w->q = chance_of(raw.to_good);
	return ERR_OK;
}

/*
 * The chain starts good before attempt 1.  An attempt whose two draws lead to
 * the same state from either side decides it; one that keeps or swaps the
 * state sends us one attempt back.
 */
static bool
markov_fires(const struct when *w, const struct fire_draw *d,
    const struct when_past *past)
{
	struct fire_draw at = *d;
	bool is_swapped = false;

	(void)past;
	for (int i = 0; i < CHAIN_MAX && at.attempt > 0; i++, at.attempt--) {
		bool bad_from_good = fire_draw_hits(&at, "markov.bad", w->p);
		bool bad_from_bad = !fire_draw_hits(&at, "markov.good", w->q);

		if (bad_from_good == bad_from_bad)
			return bad_from_good != is_swapped;
		if (bad_from_good)
			is_swapped = !is_swapped;
	}
	/* Back at the beginning, or so far back that no run of attempts gets
	 * there: the state before was good. */
	return is_swapped;
}

/* ---- after: once another rule was decided for the same key */

static enum err
read_after(json_t *v, const char *pointer, struct when *w, struct why *why)
{
	return jfield_read(v, pointer, after_fields, 1, w, why);
}

static bool
after_fires(const struct when *w, const struct fire_draw *d,
    const struct when_past *past)
{
	(void)d;
	return past && past->was_decided(w->rule, past->arg);
}
