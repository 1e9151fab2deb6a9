/*
 * A price and what was used become nanodollars; a window that spans midnight
 * is one whose end is before its beginning.  An answer that was never counted
 * by its upstream is estimated from its bytes, so that a target that does not
 * count is not a free one.
 */
#include "gateway/decisions/cost.h"

#include <math.h>
#include <string.h>

#define COST_MOST                                                              \
	1e15 /* nanodollars: a million dollars for one answer is a lie */
#define DAY_MIN   1440
#define PRICE_MAX 100000.0

struct price_fields {
	struct cost_price price;
	const struct ynode *schedule;
};

struct window_fields {
	const char *from, *to;
	double factor;
};

#define PRICE(m)  offsetof(struct price_fields, m)
#define WINDOW(m) offsetof(struct window_fields, m)

/* clang-format off */
static const struct cfield price_rows[] = {
	{ "cached_input", CF_REAL,   false, 0, PRICE_MAX, PRICE(price.cached), NULL },
	{ "input",        CF_REAL,   true,  0, PRICE_MAX, PRICE(price.input),  NULL },
	{ "output",       CF_REAL,   true,  0, PRICE_MAX, PRICE(price.output), NULL },
	{ "schedule",     CF_LIST,   false, 0, 0,         PRICE(schedule),     NULL },
	{ "target",       CF_STRING, true,  0, 0,         PRICE(price.target), NULL },
};

static const struct cfield window_rows[] = {
	{ "factor", CF_REAL,   true, 0, 100, WINDOW(factor), NULL },
	{ "from",   CF_STRING, true, 0, 0,   WINDOW(from),   NULL },
	{ "to",     CF_STRING, true, 0, 0,   WINDOW(to),     NULL },
};
/* clang-format on */

static bool
is_in(const struct cost_window *w, unsigned minute)
{
	if (w->from_min <= w->to_min)
		return minute >= w->from_min && minute < w->to_min;
	return minute >= w->from_min || minute < w->to_min;
}

static double
factor_at(const struct cost_price *p, uint64_t wall_s)
{
	unsigned minute = (unsigned)(wall_s / 60 % DAY_MIN);

	for (size_t i = 0; i < p->nwindows; i++)
		if (is_in(&p->windows[i], minute))
			return p->windows[i].factor;
	return 1;
}

uint64_t
cost_nano(const struct cost_price *price, const struct cost_usage *u,
    uint64_t wall_s)
{
	uint64_t cached = u->cached < u->in ? u->cached : u->in;
	double each_cached, sum;

	if (!price)
		return 0;
	each_cached = price->cached < 0 ? price->input : price->cached;
	/* Dollars per million tokens are thousands of nanodollars a token. */
	sum = (double)(u->in - cached) * price->input +
	    (double)cached * each_cached + (double)u->out * price->output;
	return (uint64_t)llround(
	    fmin(sum * 1000 * factor_at(price, wall_s), COST_MOST));
}

/* ---- reading */

/* "16:30" in minutes of the day; false when it is no time. */
static bool
parse_time(const char *s, unsigned *ret)
{
	unsigned h, m;

	if (strlen(s) != 5 || s[2] != ':' || strspn(s, "0123456789") != 2 ||
	    strspn(s + 3, "0123456789") != 2)
		return false;
	h = (unsigned)(s[0] - '0') * 10 + (unsigned)(s[1] - '0');
	m = (unsigned)(s[3] - '0') * 10 + (unsigned)(s[4] - '0');
	*ret = h * 60 + m;
	return h < 24 && m < 60;
}

static void
read_window(const struct ynode *n, struct cost_price *p, struct findings *f)
{
	struct window_fields in = { NULL, NULL, 1 };
	struct cost_window *w = &p->windows[p->nwindows];

	cfield_read(n, window_rows, COUNT(window_rows), &in, f);
	if (!in.from || !in.to)
		return;
	if (!parse_time(in.from, &w->from_min) ||
	    !parse_time(in.to, &w->to_min)) {
		findings_error(f, n, "expected times of the day, \"16:30\"");
		return;
	}
	if (w->from_min == w->to_min)
		findings_warn(f, n, "from and to are one time: it never is");
	w->factor = in.factor;
	p->nwindows++;
}

void
cost_read_price(const struct ynode *node, struct cost_price *ret,
    struct findings *f)
{
	struct price_fields in = { .price = { .cached = -1 } };

	cfield_read(node, price_rows, COUNT(price_rows), &in, f);
	if (in.schedule && in.schedule->n > COST_WINDOWS_MAX)
		findings_error(f, in.schedule, "more than %d windows",
		    COST_WINDOWS_MAX);
	else if (in.schedule)
		for (const struct ynode *n = in.schedule->first; n; n = n->next)
			read_window(n, &in.price, f);
	*ret = in.price;
}
