/*
 * Names that stand in the text, once in the order of their tokens.
 *
 * KF_T tells nothing while it is used as "KF_T *NAME" alone and every other
 * NAME is the first argument of kf_load() or kf_store(), or what such a NAME
 * is declared as: the accessors take and give float, as long as no macro has
 * their names.  sizeof, a difference of pointers, a vector of KF_T or the
 * pointer handed on is more than that.
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

/* The pointers to storage that were declared so far. */
struct pointers {
	struct slice names[POINTERS_MAX];
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
	p->names[p->n++] = cllex_text(l, i);
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

static bool
is_pointer(const struct pointers *p, struct slice name)
{
	for (size_t i = 0; i < p->n; i++)
		if (slice_same(p->names[i], name))
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
 * argument.  before: the tokens in front, the nearest one first. */
static bool
is_plain_use(const struct cllex *l, const struct pointers *p,
    const size_t before[NBEFORE])
{
	size_t i = 0;

	if (cllex_is(l, before[0], "(") &&
	    (cllex_is(l, before[1], "kf_load") ||
	        cllex_is(l, before[1], "kf_store")))
		return true;
	if (cllex_is(l, before[0], "=") &&
	    is_pointer(p, cllex_text(l, before[1])))
		i = 2;
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

		depends |= text_depends_of_name(text);
		if (is_redefined(&l, i, before[0]) ||
		    (is_pointer(&p, text) && !is_plain_use(&l, &p, before)))
			depends |= TEXT_DEPENDS_STORAGE;
		memmove(before + 1, before, sizeof before - sizeof *before);
		before[0] = i;
	}
	cllex_done(&l);
	return depends;
}
