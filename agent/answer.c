/*
 * Rendering the final answer.  Verified operators come first, so that the
 * lines of the others stand together and can be checked together.
 */
#include "agent/answer.h"

#include "agent/claim.h"
#include "agent/standing.h"
#include "base/buf.h"
#include <stdlib.h>

#define ANSWER_BYTES ((size_t)1024 * 1024)

/* What a state without a claim is called; indexed by the state reached. */
static const char *const answer_ends[LEDGER_NSTATES] = {
	[LEDGER_NONE] = "nothing was attempted",
	[LEDGER_ATTEMPTED] = "no usable answer",
	[LEDGER_GENERATED] = "it did not compile or was refused",
	[LEDGER_COMPILED] = "it failed the smoke test",
	[LEDGER_SMOKE_PASSED] = "the holdouts were not finished",
	[LEDGER_VERIFIED_INCORRECT] = "it failed a holdout",
};

static void
put_verified(struct buf *b, const struct standing *s)
{
	const struct standing_try *t = standing_last(s);

	buf_addf(b, "%s: verified_correct in iteration %u", s->op,
	    t->iteration);
	if (t->holdouts >= 0)
		buf_addf(b, ", %ld holdouts", t->holdouts);
	if (t->worst >= 0)
		buf_addf(b, ", worst error %.3f of its bound", t->worst);
	if (*t->route)
		buf_addf(b, ", by %s", t->route);
	buf_adds(b, "\n");
}

static void
put_unverified(struct buf *b, const struct standing *s, bool foreign,
    size_t number)
{
	const struct standing_try *t = standing_last(s);
	const char *end = answer_ends[t->reached];

	if (foreign)
		buf_adds(b, s->op);
	else
		buf_addf(b, "operator %zu", number);
	buf_addf(b, ": NOT VERIFIED, %s (iteration %u",
	    end ? end : "no verdict", t->iteration);
	if (foreign && *t->class)
		buf_addf(b, ", %s", t->class);
	if (foreign && json_array_size(t->failing) > 0)
		buf_addf(b, ", case %s",
		    json_string_value(json_array_get(t->failing, 0)));
	if (foreign && *t->suspect)
		buf_addf(b, ", suspected: %s", t->suspect);
	buf_adds(b, ")\n");
}

static size_t
put_all_verified(struct buf *b, const struct standings *all)
{
	size_t n = 0;

	for (size_t i = 0; i < all->n; i++)
		if (ledger_is_verified(all->items[i].state)) {
			put_verified(b, &all->items[i]);
			n++;
		}
	return n;
}

static void
put_all_unverified(struct buf *b, const struct standings *all, bool foreign)
{
	for (size_t i = 0; i < all->n; i++)
		if (!ledger_is_verified(all->items[i].state))
			put_unverified(b, &all->items[i], foreign, i + 1);
}

char *
answer_render(const struct ledger *l)
{
	struct standings all;
	struct buf out, rest;
	size_t n;

	standings_read(l, &all);
	buf_init(&out, ANSWER_BYTES);
	buf_init(&rest, ANSWER_BYTES);
	n = put_all_verified(&out, &all);
	put_all_unverified(&rest, &all, true);
	if (rest.len && claim_is_made(rest.data, rest.len)) {
		buf_clear(&rest);
		put_all_unverified(&rest, &all, false);
	}
	if (rest.len)
		buf_add(&out, rest.data, rest.len);
	buf_addf(&out, "%zu of %zu operators verified.\n", n, all.n);
	buf_done(&rest);
	standings_done(&all);
	return buf_take(&out);
}
