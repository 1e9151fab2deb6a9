/*
 * Walking the tables.  A pointer with '#' is tried for index 0, 1, ... while
 * the list goes on; answers are short, and events shorter.
 */
#include "chaos/text/dialect.h"
#include "base/slice.h"

#include <stdio.h>
#include <string.h>

#define POINTER_MAX 96
#define INDEXES_MAX 32

static const struct dialect *const dialects[] = {
	&dialect_chat, /* sorted by name */
	&dialect_gemini,
	&dialect_messages,
	&dialect_ollama,
	&dialect_responses,
};

#define NDIALECTS COUNT(dialects)

const struct dialect *
dialect_at(size_t i)
{
	return i < NDIALECTS ? dialects[i] : NULL;
}

const struct dialect *
dialect_find(struct slice path)
{
	for (size_t i = 0; i < NDIALECTS; i++)
		for (const char *const *p = dialects[i]->paths; *p; p++)
			if (slice_ends(path, *p))
				return dialects[i];
	return NULL;
}

/* The pointer with index i for '#'. */
static const char *
at_index(const char *pointer, size_t i, char out[POINTER_MAX])
{
	const char *mark = strchr(pointer, '#');

	if (!mark)
		return pointer;
	snprintf(out, POINTER_MAX, "%.*s%zu%s", (int)(mark - pointer), pointer,
	    i, mark + 1);
	return out;
}

/* Does the list that '#' stands in have an item i? */
static bool
has_item(struct slice json, const char *pointer, size_t i)
{
	char item[POINTER_MAX];
	struct jspan span;

	snprintf(item, sizeof item, "%.*s%zu",
	    (int)(strchr(pointer, '#') - pointer), pointer, i);
	return jspan_pointer(json, item, &span);
}

static bool
is_at(struct slice json, const struct dialect_place *p, size_t i,
    struct jspan *ret)
{
	char at[POINTER_MAX], when[POINTER_MAX];
	struct jspan found;

	if (!jspan_pointer(json, at_index(p->pointer, i, at), ret))
		return false;
	if (!p->when ||
	    !jspan_pointer(json, at_index(p->when, i, when), &found))
		return true;
	return slice_is((struct slice){ json.p + found.at, found.n }, p->is);
}

size_t
dialect_hits(const struct dialect *d, struct slice json, enum dialect_role role,
    struct dialect_hit ret[DIALECT_HITS])
{
	size_t n = 0;

	for (size_t i = 0; i < d->nplaces && n < DIALECT_HITS; i++) {
		const struct dialect_place *p = &d->places[i];
		bool is_list = strchr(p->pointer, '#') != NULL;
		size_t most = is_list ? INDEXES_MAX : 1;

		if (p->role != role)
			continue;
		for (size_t k = 0; k < most && n < DIALECT_HITS; k++) {
			if (is_list && !has_item(json, p->pointer, k))
				break;
			if (is_at(json, p, k, &ret[n].span))
				ret[n++].place = p;
		}
	}
	return n;
}

bool
dialect_hit(const struct dialect *d, struct slice json, enum dialect_role role,
    struct jspan *ret)
{
	struct dialect_hit hits[DIALECT_HITS];
	size_t n = dialect_hits(d, json, role, hits);

	for (size_t i = 0; i < n; i++)
		if (!hits[i].place->is_again) {
			*ret = hits[i].span;
			return true;
		}
	return false;
}

bool
dialect_has_finish(const struct dialect *d, struct slice json)
{
	struct jspan span;

	return dialect_hit(d, json, DIALECT_FINISH, &span) &&
	    json.p[span.at] == '"';
}
