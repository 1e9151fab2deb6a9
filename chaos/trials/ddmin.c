/*
 * The items still kept are cut into `parts` runs.  A run that fails alone
 * becomes the set; else a run that can be left out is; else the runs are
 * halved, until each is a single item.  The same part may come up again: a
 * caller whose test is slow remembers what it was told.
 */
#include "chaos/trials/ddmin.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

struct search {
	bool *keep, *trial; /* n flags */
	size_t n, kept;
	ddmin_test *fails;
	void *arg;
};

static size_t
count(const bool *keep, size_t n)
{
	size_t kept = 0;

	for (size_t i = 0; i < n; i++)
		kept += keep[i];
	return kept;
}

/*
 * Tries run `at` of `parts` alone (only true) or the set without it; takes
 * it over if it fails.
 */
static enum err
try_run(struct search *s, size_t at, size_t parts, bool only, bool *ret_taken)
{
	size_t from = s->kept * at / parts, to = s->kept * (at + 1) / parts;
	size_t rank = 0;
	enum err e;

	for (size_t i = 0; i < s->n; i++) {
		bool is_in = s->keep[i] && rank >= from && rank < to;

		s->trial[i] = s->keep[i] && is_in == only;
		rank += s->keep[i];
	}
	*ret_taken = false;
	e = s->fails(s->trial, s->n, ret_taken, s->arg);
	if (e == ERR_OK && *ret_taken) {
		memcpy(s->keep, s->trial, s->n * sizeof *s->keep);
		s->kept = count(s->keep, s->n);
	}
	return e;
}

/* Two runs are each other's rest: one pass tries both. */
static enum err
try_runs(struct search *s, size_t parts, bool only, bool *ret_taken)
{
	enum err e = ERR_OK;

	*ret_taken = false;
	for (size_t i = 0; i < parts && e == ERR_OK && !*ret_taken; i++)
		e = try_run(s, i, parts, only, ret_taken);
	return e;
}

enum err
ddmin(bool *keep, size_t n, ddmin_test *fails, void *arg)
{
	struct search s = { keep, xcalloc(n, sizeof *keep), n, n, fails, arg };
	size_t parts = 2;
	bool is_taken;
	enum err e = ERR_OK;

	while (e == ERR_OK && s.kept > 1) {
		e = try_runs(&s, parts, true, &is_taken);
		if (e != ERR_OK)
			break;
		if (is_taken) {
			parts = 2;
			continue;
		}
		if (parts > 2)
			e = try_runs(&s, parts, false, &is_taken);
		if (e == ERR_OK && is_taken)
			parts = parts - 1 > 2 ? parts - 1 : 2;
		else if (parts >= s.kept)
			break;
		else
			parts = parts * 2 < s.kept ? parts * 2 : s.kept;
	}
	free(s.trial);
	return e;
}
