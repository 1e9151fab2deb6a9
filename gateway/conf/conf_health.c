/*
 * health_check of a provider: what is asked, how often, and how many answers
 * in a row change its state.
 */
#include "gateway/conf/conf_read.h"

#include "base/mem.h"

#define HOUR_MS 3600000.0

#define OFF(m) offsetof(struct conf_health, m)

/* clang-format off */
static const struct cfield rows[] = {
	{ "fails",       CF_INT,    false, 1,   100,     OFF(fails),       NULL },
	{ "interval_ms", CF_INT,    false, 100, HOUR_MS, OFF(interval_ms), NULL },
	{ "model",       CF_STRING, false, 0,   0,       OFF(model),       NULL },
	{ "passes",      CF_INT,    false, 1,   100,     OFF(passes),      NULL },
	{ "path",        CF_STRING, false, 0,   0,       OFF(path),        NULL },
	{ "timeout_ms",  CF_INT,    false, 1,   HOUR_MS, OFF(timeout_ms),  NULL },
};
/* clang-format on */

/* Its path stands behind the provider's own; a question is a chat's. */
static void
read_target(struct conf_reader *r, const struct conf_provider *p,
    const struct ynode *map, struct conf_health *h)
{
	if (!h->path == !h->model)
		findings_error(r->f, map,
		    "expected path or model, one of both");
	else if (h->path && h->path[0] != '/')
		findings_error(r->f, ynode_get(map, "path"),
		    "found %s, expected a path such as /models", h->path);
	else if (h->model && !p->targets[SCHEMA_CHAT])
		findings_error(r->f, ynode_get(map, "model"),
		    "asks a chat, which is not in this provider's apis");
	else if (h->path)
		h->target =
		    conf_own(r->conf, xasprintf("%s%s", p->url.path, h->path));
	else
		h->target = p->targets[SCHEMA_CHAT];
}

void
conf_read_health(struct conf_reader *r, const struct ynode *map,
    struct conf_provider *p)
{
	struct conf_health h = { .interval_ms = 10000,
		.timeout_ms = 2000,
		.fails = 3,
		.passes = 2 };

	if (!map)
		return;
	cfield_read(map, rows, COUNT(rows), &h, r->f);
	read_target(r, p, map, &h);
	p->health = h;
}
