/*
 * Walking the tables.  An event is read once for all the places of a role,
 * and what no pointer leads into is stepped over: a stream has an event a
 * token, and each fault asks for a role or two.  Text that is no whole JSON
 * value has nothing anywhere.
 */
#include "chaos/text/dialect.h"
#include "base/slice.h"

#include <stdint.h>
#include <string.h>

#define INDEXES_MAX 32 /* of '#' */
#define NO_INDEX    SIZE_MAX
#define FOUND_MAX   64 /* an item and its `when` for each index */

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

/* ---- one pass for all the pointers of a role */

struct want {
	const struct dialect_place *place;
	const char *rest; /* of its pointer, from here on; NULL: was met */
	size_t index;     /* what '#' stood for; NO_INDEX: it has none */
	bool is_when;
};

struct found {
	struct want want;
	struct jspan span;
};

struct seek {
	struct slice json;
	struct found found[FOUND_MAX];
	size_t n;
};

static size_t walk(struct seek *s, size_t at, struct want *wants, size_t n);

/* The pointer behind its first part, when that is the name; else NULL. */
static const char *
step_member(const char *rest, struct slice name)
{
	size_t i = 0;

	if (!rest || *rest++ != '/')
		return NULL;
	while (i < name.n && rest[i] == name.p[i] && rest[i] != '/' &&
	    rest[i] != '\0')
		i++;
	if (i < name.n || (rest[i] != '/' && rest[i] != '\0'))
		return NULL;
	return rest + i;
}

/* The same for an item, which '#' stands for, too. */
static const char *
step_item(const char *rest, size_t index)
{
	size_t n = 0;

	if (!rest || *rest++ != '/')
		return NULL;
	if (*rest == '#')
		return rest + 1;
	if (*rest < '0' || *rest > '9')
		return NULL;
	for (; *rest >= '0' && *rest <= '9'; rest++)
		n = 10 * n + (size_t)(*rest - '0');
	return n == index ? rest : NULL;
}

static void
note(struct seek *s, const struct want *w, struct jspan span)
{
	if (s->n < FOUND_MAX)
		s->found[s->n++] = (struct found){ *w, span };
}

/* The value at `at`, which n wants lead to or into; its end, 0 when it is
 * none. */
static size_t
visit(struct seek *s, size_t at, struct want *wants, size_t n)
{
	struct jspan span;
	size_t inner = 0, end;

	if (n == 0)
		return jspan_value(s->json, at, &span) ? span.at + span.n : 0;
	at = jspan_skip_space(s->json, at);
	for (size_t i = 0; i < n; i++)
		inner += wants[i].rest[0] != '\0';
	if (inner && at < s->json.n &&
	    (s->json.p[at] == '{' || s->json.p[at] == '['))
		end = walk(s, at, wants, n);
	else
		end = jspan_value(s->json, at, &span) ? span.at + span.n : 0;
	for (size_t i = 0; i < n && end; i++)
		if (wants[i].rest && wants[i].rest[0] == '\0')
			note(s, &wants[i], (struct jspan){ at, end - at });
	return end;
}

/* The wants that go on into the member of that name.  Of two members of one
 * name the first is meant. */
static size_t
into_member(struct want *wants, size_t n, struct slice name,
    struct want ret[DIALECT_POINTERS])
{
	size_t m = 0;

	for (size_t i = 0; i < n; i++) {
		const char *rest = step_member(wants[i].rest, name);

		if (!rest)
			continue;
		ret[m] = wants[i];
		ret[m++].rest = rest;
		wants[i].rest = NULL;
	}
	return m;
}

static size_t
into_item(const struct want *wants, size_t n, size_t index,
    struct want ret[DIALECT_POINTERS])
{
	size_t m = 0;

	if (index >= INDEXES_MAX)
		return 0;
	for (size_t i = 0; i < n; i++) {
		const char *rest = step_item(wants[i].rest, index);

		if (!rest)
			continue;
		ret[m] = wants[i];
		if (wants[i].rest[1] == '#')
			ret[m].index = index;
		ret[m++].rest = rest;
	}
	return m;
}

/* The container at `at`.  Behind its end, 0 when it has none.  It goes only as
 * deep as the pointers do. */
static size_t
walk(struct seek *s, size_t at, struct want *wants, size_t n)
{
	bool is_object = s->json.p[at] == '{';
	char close = is_object ? '}' : ']';
	struct want inner[DIALECT_POINTERS];
	struct jspan name;
	size_t m;

	at = jspan_skip_space(s->json, at + 1);
	if (at < s->json.n && s->json.p[at] == close)
		return at + 1;
	for (size_t index = 0;; index++) {
		if (is_object) {
			if (!jspan_value(s->json, at, &name) || name.n < 2 ||
			    s->json.p[name.at] != '"')
				return 0;
			at = jspan_skip_space(s->json, name.at + name.n);
			if (at >= s->json.n || s->json.p[at++] != ':')
				return 0;
			m = into_member(wants, n,
			    (struct slice){ s->json.p + name.at + 1,
			        name.n - 2 },
			    inner);
		} else {
			m = into_item(wants, n, index, inner);
		}
		at = visit(s, at, inner, m);
		if (at == 0)
			return 0;
		at = jspan_skip_space(s->json, at);
		if (at >= s->json.n)
			return 0;
		if (s->json.p[at++] != ',')
			return s->json.p[at - 1] == close ? at : 0;
	}
}

/* What stands in the place's `when` lets it count. */
static bool
is_meant(const struct seek *s, const struct found *f)
{
	for (size_t i = 0; i < s->n; i++) {
		const struct found *w = &s->found[i];

		if (w->want.is_when && w->want.place == f->want.place &&
		    (w->want.index == NO_INDEX ||
		        w->want.index == f->want.index))
			return slice_is((struct slice){ s->json.p + w->span.at,
			                    w->span.n },
			    f->want.place->is);
	}
	return true;
}

size_t
dialect_hits(const struct dialect *d, struct slice json, enum dialect_role role,
    struct dialect_hit ret[DIALECT_HITS])
{
	const struct dialect_place *places[DIALECT_POINTERS / 2];
	struct want wants[DIALECT_POINTERS];
	size_t nplaces = 0, nwants = 0, n = 0;
	struct seek s;

	for (size_t i = 0; i < d->nplaces && nplaces < COUNT(places); i++) {
		const struct dialect_place *p = &d->places[i];

		if (p->role != role)
			continue;
		places[nplaces++] = p;
		wants[nwants++] =
		    (struct want){ p, p->pointer, NO_INDEX, false };
		if (p->when)
			wants[nwants++] =
			    (struct want){ p, p->when, NO_INDEX, true };
	}
	s.json = json;
	s.n = 0;
	if (nwants == 0 || visit(&s, 0, wants, nwants) == 0)
		return 0;
	for (size_t i = 0; i < nplaces; i++)
		for (size_t k = 0; k < s.n && n < DIALECT_HITS; k++)
			if (s.found[k].want.place == places[i] &&
			    !s.found[k].want.is_when &&
			    is_meant(&s, &s.found[k]))
				ret[n++] = (struct dialect_hit){ places[i],
					s.found[k].span };
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

bool
dialect_says_more(const struct dialect *d, struct slice json)
{
	struct jspan at;

	if (d->is_dense || dialect_has_finish(d, json) ||
	    (dialect_hit(d, json, DIALECT_USAGE, &at) && json.p[at.at] == '{'))
		return true;
	for (const char *const *p = d->beside; p && *p; p++)
		if (jspan_pointer(json, *p, &at) && json.p[at.at] != 'n')
			return true;
	return false;
}
