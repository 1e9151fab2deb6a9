/*
 * timeouts, breaker, buffer and malformed_events: at the top of a document
 * for everybody, in a rule for what it routes, so that a chat and a batch can
 * differ.  A rule starts from everybody's and changes what it names.
 */
#include "gateway/conf/conf_read.h"

#define DAY_MS     86400000.0
#define COMMENT_MS 10000
#define ROWS(a)    COUNT(a)

struct terms_fields {
	const char *breaker;
	int malformed;
};

static const char *const malformed_names[] = {
	[CONF_MALFORMED_AUTO] = "auto",
	[CONF_MALFORMED_DROP] = "drop",
	[CONF_MALFORMED_CUT] = "cut",
	NULL,
};

/* clang-format off */
static const struct cfield rows[] = {
	{ "breaker",          CF_STRING, false, 0, 0, offsetof(struct terms_fields, breaker),   NULL },
	{ "malformed_events", CF_ENUM,   false, 0, 0, offsetof(struct terms_fields, malformed), malformed_names },
};

static const struct cfield timer_rows[] = {
	{ "connect_ms",     CF_INT, false, 1, DAY_MS, offsetof(struct conf_timers, connect_ms),     NULL },
	{ "first_token_ms", CF_INT, false, 1, DAY_MS, offsetof(struct conf_timers, first_token_ms), NULL },
	{ "idle_ms",        CF_INT, false, 1, DAY_MS, offsetof(struct conf_timers, idle_ms),        NULL },
	{ "total_ms",       CF_INT, false, 1, DAY_MS, offsetof(struct conf_timers, total_ms),       NULL },
};

static const struct cfield buffer_rows[] = {
	{ "max_bytes",  CF_INT, true,  1, 4 << 20, offsetof(struct conf_terms, buffer_bytes), NULL },
	{ "max_ms",     CF_INT, true,  1, DAY_MS,  offsetof(struct conf_terms, buffer_ms),    NULL },
	{ "comment_ms", CF_INT, false, 0, DAY_MS,  offsetof(struct conf_terms, comment_ms),   NULL },
};
/* clang-format on */

/* The row's key alone: the map has others, which somebody else reads. */
static void
read_row(const struct ynode *map, const struct cfield *row,
    struct terms_fields *in, struct findings *f)
{
	const struct ynode *n = ynode_get(map, row->key);
	struct ynode only = { .kind = YNODE_MAP };
	struct ynode child;

	if (!n)
		return;
	child = *n;
	child.next = NULL;
	only.first = &child;
	cfield_read(&only, row, 1, in, f);
}

/* A time that another ends first. */
static void
warn_of_long(const struct ynode *timers, const struct conf_timers *t,
    struct findings *f)
{
	const struct {
		const char *key;
		int64_t ms;
	} ends[] = { { "connect_ms", t->connect_ms },
		{ "first_token_ms", t->first_token_ms },
		{ "idle_ms", t->idle_ms } };

	for (size_t i = 0; i < ROWS(ends); i++)
		if (ynode_get(timers, ends[i].key) && ends[i].ms > t->total_ms)
			findings_warn(f, ynode_get(timers, ends[i].key),
			    "longer than total_ms, which ends it first");
}

void
conf_read_terms(struct conf_reader *r, const struct ynode *map,
    struct conf_terms *t)
{
	struct terms_fields in = { .malformed = t->malformed };
	const struct ynode *timers = ynode_get(map, "timeouts");
	const struct ynode *buffer = ynode_get(map, "buffer");

	for (size_t i = 0; i < ROWS(rows); i++)
		read_row(map, &rows[i], &in, r->f);
	t->malformed = in.malformed;
	if (timers) {
		cfield_read(timers, timer_rows, ROWS(timer_rows), &t->timers,
		    r->f);
		warn_of_long(timers, &t->timers, r->f);
	}
	if (buffer) {
		t->comment_ms = COMMENT_MS;
		cfield_read(buffer, buffer_rows, ROWS(buffer_rows), t, r->f);
	}
	if (!in.breaker)
		return;
	t->has_breaker = true;
	if (!breaker_preset(in.breaker, &t->breaker))
		findings_error(r->f, ynode_get(map, "breaker"),
		    "found %s, expected demo, off, production or truefoundry",
		    in.breaker);
}
