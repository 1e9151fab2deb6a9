/*
 * A look is rewrite_plan_early() on the code so far.  It is made when a
 * statement of a function is over, or the function.  Looks may read so many
 * bytes in all; then everything is held, and the whole answer decides.
 */
#include "chaos/faults/kernelwatch.h"

#include <string.h>

#include "chaos/faults/heldstream.h"

#define LOOKED_MAX (2 * HELD_BYTES_MAX)

/* Operators whose sites change with what follows in the function; of all
 * others, those of the code so far are the first of the whole. */
static const struct {
	const char *name;
	const char *const *words; /* one is in a statement with a site */
} waiting[] = {
	/* sorted by name */
	{ "identity", NULL },
	{ "mean_sum", (const char *const[]){ "/", NULL } },
	{ "reduce_tail", NULL },
	{ "rope_interleaved", NULL },
	{ "softmax_shift", (const char *const[]){ "exp", NULL } },
	{ "sync_late", (const char *const[]){ "barrier", NULL } },
	{ "variance", NULL },
};

void
kernelwatch_init(struct kernelwatch *w, const struct corrupt_operator *op,
    const struct rewrite_choice *choice)
{
	*w = (struct kernelwatch){ .op = op,
		.choice = choice,
		.reserve = SIZE_MAX };
	for (size_t i = 0; i < COUNT(waiting); i++)
		if (strcmp(waiting[i].name, op->name) == 0) {
			w->words = waiting[i].words;
			w->waits = true;
		}
}

/* Does a word end at content[at], all of it in the statement? */
static bool
is_word_here(const struct kernelwatch *w, struct slice content, size_t at)
{
	size_t from = w->scan.statement;

	for (size_t i = 0; w->words && w->words[i]; i++) {
		size_t n = strlen(w->words[i]);

		if (at + 1 >= from + n &&
		    memcmp(content.p + at + 1 - n, w->words[i], n) == 0)
			return true;
	}
	return false;
}

/* The statement from `from` to `end` is over. */
static void
end_statement(struct kernelwatch *w, size_t from, size_t end, bool was_in_body)
{
	if (was_in_body && (!w->words || w->has_word)) {
		if (!w->has_suspect)
			w->suspect = from;
		w->has_suspect = true;
		if (!w->waits)
			w->look_at = end;
	}
	w->has_word = false;
}

static void
read_byte(struct kernelwatch *w, struct slice content, size_t at)
{
	size_t from = w->scan.statement;
	bool was_in_body = w->scan.in_body;
	enum codescan_step step;

	w->has_word |= w->scan.is_code && is_word_here(w, content, at);
	step = codescan_read(&w->scan, content, at);
	if (step == SCAN_NOTHING)
		return;
	end_statement(w, from, at + 1, was_in_body);
	if (step == SCAN_FUNCTION && w->has_suspect)
		w->look_at = at + 1;
	if (step == SCAN_OVER) {
		w->look_at = at + 1;
		w->is_over = true;
	}
}

static enum err
look(struct kernelwatch *w, struct slice content, struct rewrite *ret)
{
	struct slice so_far = { content.p, w->look_at };
	size_t free_to = w->look_at;
	bool is_over = w->is_over;
	enum err e;

	w->look_at = 0;
	w->is_over = false;
	w->looked += so_far.n;
	/* Each look reads the code from its beginning: without a bound a long
	 * answer would cost the square of its length. */
	if (w->looked > LOOKED_MAX)
		return ERR_AGAIN;
	e = rewrite_plan_early(so_far, is_over, w->op, w->choice, ret,
	    &free_to);
	if (e == ERR_OK)
		return ERR_OK;
	if (e == ERR_AGAIN || is_over) {
		w->has_suspect = false;
		w->reserve = free_to < so_far.n ? free_to : SIZE_MAX;
	}
	return ERR_AGAIN;
}

enum err
kernelwatch_read(struct kernelwatch *w, struct slice content,
    struct rewrite *ret, size_t *ret_free)
{
	enum err e = ERR_AGAIN;

	for (; w->read < content.n && e == ERR_AGAIN; w->read++) {
		read_byte(w, content, w->read);
		if (w->is_over)
			e = look(w, content, ret);
	}
	if (w->look_at && e == ERR_AGAIN)
		e = look(w, content, ret);
	*ret_free = w->has_suspect ? w->suspect : w->scan.statement;
	if (w->reserve < *ret_free)
		*ret_free = w->reserve;
	return e;
}
