/*
 * Names that stand in the text, in the order of their tokens.
 *
 * KF_T tells nothing while it is used as "KF_T *NAME" alone and every other
 * NAME is the first argument of kf_load() or kf_store(), or what such a NAME
 * is declared as: the accessors take and give float, as long as no macro has
 * their names.  sizeof, a difference of pointers, a vector of KF_T or the
 * pointer handed on is more than that.  So is what a kernel loads where it has
 * stored: 1 + 2^-20 comes back as it was from a float32 alone.
 */
#include "lab/read/text_depends.h"

#include "base/units.h"
#include "cltext/cllex.h"
#include <stdint.h>
#include <string.h>

#define POINTERS_MAX 32
#define NBEFORE      5

static const struct {
	const char *name;
	unsigned depends;
	bool is_prefix;
} rows[] = {
	{ "KF_DTYPE", TEXT_DEPENDS_STORAGE, false },
	{ "sizeof", TEXT_DEPENDS_STORAGE, false },
	{ "_Alignof", TEXT_DEPENDS_STORAGE, false },
	{ "__alignof", TEXT_DEPENDS_STORAGE, true },
	{ "_Generic", TEXT_DEPENDS_STORAGE, false },
	{ "typeof", TEXT_DEPENDS_STORAGE, false },
	{ "__typeof", TEXT_DEPENDS_STORAGE, true },
	{ "__builtin_types_compatible_p", TEXT_DEPENDS_STORAGE, false },
	{ "__local", TEXT_DEPENDS_GROUP, false },
	{ "local", TEXT_DEPENDS_GROUP, false },
	{ "get_local_", TEXT_DEPENDS_GROUP, true },
	{ "get_group_", TEXT_DEPENDS_GROUP, true },
	{ "get_num_groups", TEXT_DEPENDS_GROUP, false },
	{ "get_enqueued_", TEXT_DEPENDS_GROUP, true },
	{ "reqd_work_group_size", TEXT_DEPENDS_GROUP, false },
	{ "__reqd_work_group_size__", TEXT_DEPENDS_GROUP, false },
	{ "work_group_", TEXT_DEPENDS_GROUP, true },
	{ "async_work_group_", TEXT_DEPENDS_GROUP, true },
	{ "wait_group_events", TEXT_DEPENDS_GROUP | TEXT_DEPENDS_BARRIER,
	    false },
	{ "barrier", TEXT_DEPENDS_GROUP | TEXT_DEPENDS_BARRIER, false },
	{ "work_group_barrier", TEXT_DEPENDS_GROUP | TEXT_DEPENDS_BARRIER,
	    false },
	{ "overloadable", TEXT_DEPENDS_STORAGE, false },
	{ "__overloadable__", TEXT_DEPENDS_STORAGE, false },
	{ "##", TEXT_DEPENDS_ALL, false },
};

/* The pointers to storage that are declared anywhere.  Those of one tensor, for
 * one begins as the other, share the number of the first of them. */
struct pointers {
	struct slice names[POINTERS_MAX];
	size_t tensor[POINTERS_MAX];
	bool is_loaded[POINTERS_MAX], is_stored[POINTERS_MAX]; /* by tensor */
	size_t n;
};

static unsigned
text_depends_of_name(struct slice text)
{
	unsigned depends = 0;

	for (size_t i = 0; i < COUNT(rows); i++)
		if (rows[i].is_prefix ? slice_begins(text, rows[i].name)
		                      : slice_is(text, rows[i].name))
			depends |= rows[i].depends;
	return depends;
}

static bool
is_qualifier(const struct cllex *l, size_t i)
{
	return cllex_is(l, i, "const") || cllex_is(l, i, "restrict") ||
	    cllex_is(l, i, "__restrict");
}

/* "* [const] NAME" behind the KF_T at i: adds NAME.  false: something else. */
static bool
take_pointer(const struct cllex *l, size_t i, struct pointers *p)
{
	i = cllex_next_any(l, i);
	if (!cllex_is(l, i, "*"))
		return false;
	i = cllex_next_any(l, i);
	if (is_qualifier(l, i))
		i = cllex_next_any(l, i);
	/* Too many pointers to keep in mind are as good as a use that is not
	 * understood: the text is then taken to depend on its storage. */
	if (i >= l->ntoks || l->toks[i].kind != CLTOK_IDENT ||
	    p->n == POINTERS_MAX)
		return false;
	p->names[p->n] = cllex_text(l, i);
	p->tensor[p->n] = p->n;
	/* A name that is declared twice stands for either. */
	for (size_t k = 0; k < p->n; k++)
		if (slice_same(p->names[k], p->names[p->n]))
			return true;
	p->n++;
	return true;
}

/* false: KF_T stands for something else too. */
static bool
take_pointers(const struct cllex *l, struct pointers *p)
{
	for (size_t i = cllex_next_any(l, SIZE_MAX); i < l->ntoks;
	     i = cllex_next_any(l, i))
		if (cllex_is(l, i, "KF_T") && !take_pointer(l, i, p))
			return false;
	return true;
}

/* Its number; p->n: it is none. */
static size_t
find_pointer(const struct pointers *p, struct slice name)
{
	size_t i = 0;

	while (i < p->n && !slice_same(p->names[i], name))
		i++;
	return i;
}

static void
join(struct pointers *p, size_t a, size_t b)
{
	size_t to = p->tensor[a], from = p->tensor[b];

	for (size_t i = 0; i < p->n; i++)
		if (p->tensor[i] == from)
			p->tensor[i] = to;
	p->is_loaded[to] |= p->is_loaded[from];
	p->is_stored[to] |= p->is_stored[from];
}

/* Is anything loaded from a tensor that is stored to as well? */
static bool
reads_what_it_wrote(const struct pointers *p)
{
	for (size_t i = 0; i < p->n; i++)
		if (p->is_loaded[i] && p->is_stored[i])
			return true;
	return false;
}

/* An accessor that is another macro from here on. */
static bool
is_redefined(const struct cllex *l, size_t i, size_t before)
{
	return (cllex_is(l, i, "kf_load") || cllex_is(l, i, "kf_store")) &&
	    cllex_is(l, before, "define");
}

/* A splice, a trigraph or another "#": its tokens are not what they look. */
static bool
is_spelled_oddly(const char *source)
{
	return strchr(source, '\\') || strstr(source, "??") ||
	    strstr(source, "%:");
}

/* A declaration, what another one begins as, or an accessor's first
 * argument: notes which.  before: the tokens in front, the nearest one first.
 */
static bool
is_plain_use(const struct cllex *l, struct pointers *p, size_t name,
    const size_t before[NBEFORE])
{
	size_t tensor = p->tensor[name], i = 0, other;

	if (cllex_is(l, before[0], "(") && cllex_is(l, before[1], "kf_load"))
		return p->is_loaded[tensor] = true;
	if (cllex_is(l, before[0], "(") && cllex_is(l, before[1], "kf_store"))
		return p->is_stored[tensor] = true;
	if (cllex_is(l, before[0], "=") && before[1] < l->ntoks) {
		other = find_pointer(p, cllex_text(l, before[1]));
		if (other < p->n) {
			join(p, other, name);
			i = 2;
		}
	}
	if (is_qualifier(l, before[i]))
		i++;
	return cllex_is(l, before[i], "*") &&
	    cllex_is(l, before[i + 1], "KF_T");
}

unsigned
text_depends_on(const char *source)
{
	struct pointers p = { .n = 0 };
	size_t before[NBEFORE];
	unsigned depends = is_spelled_oddly(source) ? TEXT_DEPENDS_ALL : 0;
	struct cllex l;

	for (size_t k = 0; k < NBEFORE; k++)
		before[k] = SIZE_MAX;
	cllex_init(&l, source, strlen(source));
	if (!take_pointers(&l, &p))
		depends |= TEXT_DEPENDS_STORAGE;
	for (size_t i = cllex_next_any(&l, SIZE_MAX); i < l.ntoks;
	     i = cllex_next_any(&l, i)) {
		struct slice text = cllex_text(&l, i);
		size_t name = find_pointer(&p, text);

		depends |= text_depends_of_name(text);
		if (is_redefined(&l, i, before[0]) ||
		    (name < p.n && !is_plain_use(&l, &p, name, before)))
			depends |= TEXT_DEPENDS_STORAGE;
		memmove(before + 1, before, sizeof before - sizeof *before);
		before[0] = i;
	}
	cllex_done(&l);
	if (reads_what_it_wrote(&p))
		depends |= TEXT_DEPENDS_STORAGE;
	return depends;
}
