/*
 * Our own routes of the admin API: what holds for all faults.
 *
 *	GET        /limits   where they stand
 *	POST|PATCH /limits   {max_active?, max_fires?, ttl_s?}: changes them
 *	POST       /renew    the ttl begins anew
 *
 * All answer with the limits as they are then.
 */
#include "base/jfield.h"
#include "chaos/admin/admin.h"
#include "chaos/rules/engine.h"

#define LIMIT_MAX 1e9

/* clang-format off */
static const struct jfield fields[] = {		/* sorted by key */
	{ "max_active", JF_INT, 0, 0, LIMIT_MAX, offsetof(struct engine_limits, active_max), NULL },
	{ "max_fires",  JF_INT, 0, 0, LIMIT_MAX, offsetof(struct engine_limits, fires_max),  NULL },
	{ "ttl_s",      JF_INT, 0, 0, LIMIT_MAX, offsetof(struct engine_limits, ttl_s),      NULL },
};
/* clang-format on */

static uint64_t
now_ms(const struct admin_request *r)
{
	return loop_now_us(r->loop) / US_PER_MS;
}

static void
get_limits(struct admin_request *r)
{
	struct engine_limits l;

	engine_limits(r->engine, now_ms(r), &l);
	admin_json(r, 200,
	    json_pack("{sI sI sI sI sI sI sb}", "max_active",
	        (json_int_t)l.active_max, "max_fires", (json_int_t)l.fires_max,
	        "ttl_s", (json_int_t)l.ttl_s, "active", (json_int_t)l.active,
	        "fires", (json_int_t)l.fires, "left_ms", (json_int_t)l.left_ms,
	        "expired", l.is_expired));
}

static void
set_limits(struct admin_request *r)
{
	json_t *body = admin_body(r);
	struct engine_limits l;
	struct why why = { "" };

	if (!body)
		return;
	engine_limits(r->engine, now_ms(r), &l);
	if (jfield_read(body, "", fields, COUNT(fields), &l, &why) != ERR_OK) {
		admin_error(r, 400, why.text);
	} else {
		engine_set_limits(r->engine, &l, now_ms(r));
		tcpset_heed_limits(r->set);
		get_limits(r);
	}
	json_decref(body);
}

static void
renew(struct admin_request *r)
{
	engine_renew(r->engine, now_ms(r));
	tcpset_heed_limits(r->set);
	get_limits(r);
}

/* clang-format off */
const struct admin_route admin_own_routes[] = {
	{ "GET",        "/limits", get_limits },
	{ "POST|PATCH", "/limits", set_limits },
	{ "POST",       "/renew",  renew      },
};
/* clang-format on */

const size_t admin_nown_routes = COUNT(admin_own_routes);
