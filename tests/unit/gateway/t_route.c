/* First match wins, conditions are ANDed, and each type orders its way. */
#include "gateway/routing/route.h"

#include "base/metadata_header.h"
#include "tests/unit.h"
#include <stdio.h>
#include <string.h>

static const char text[] =
    "providers: [{name: p, base_url: 'http://127.0.0.1:9'}]\n"
    "virtual_models: [{name: v/best, routing_config: {type: "
    "priority-based-routing, load_balance_targets: "
    "[{target: p/virt}]}}]\n"
    "rules:\n"
    "  - id: pro\n"
    "    type: priority-based-routing\n"
    "    when: {models: [flash], metadata: {escalate: pro}}\n"
    "    load_balance_targets: [{target: p/coder}]\n"
    "  - id: team\n"
    "    type: priority-based-routing\n"
    "    when: {subjects: ['user:ann']}\n"
    "    load_balance_targets: [{target: p/ann}]\n"
    "  - id: weights\n"
    "    type: weight-based-routing\n"
    "    when: {models: [w]}\n"
    "    sticky_routing: {ttl_seconds: 60, session_identifiers: [{source: "
    "metadata, key: user}]}\n"
    "    load_balance_targets:\n"
    "      - {target: p/a, weight: 10}\n"
    "      - {target: p/b, weight: 70}\n"
    "      - {target: p/c, weight: 20, fallback_candidate: false}\n"
    "  - id: by-header\n"
    "    type: weight-based-routing\n"
    "    when: {models: [h]}\n"
    "    sticky_routing: {ttl_seconds: 60, session_identifiers: [{source: "
    "headers, key: x-session-id}]}\n"
    "    load_balance_targets: [{target: p/a, weight: 1}]\n"
    "  - id: latency\n"
    "    type: latency-based-routing\n"
    "    when: {models: [l]}\n"
    "    load_balance_targets: [{target: p/a}, {target: p/b}, {target: p/c}]\n"
    "  - id: busy\n"
    "    type: least-busy-routing\n"
    "    when: {models: [b]}\n"
    "    load_balance_targets: [{target: p/a}, {target: p/b}, {target: p/c}]\n"
    "  - id: cheap\n"
    "    type: lowest-cost-routing\n"
    "    when: {models: [c]}\n"
    "    load_balance_targets: [{target: p/a}, {target: p/b}, {target: p/c}]\n"
    "  - id: priority\n"
    "    type: priority-based-routing\n"
    "    when: {models: [flash]}\n"
    "    load_balance_targets:\n"
    "      - {target: p/low, priority: 2}\n"
    "      - {target: p/top, priority: 1}\n"
    "      - {target: p/eu, priority: 0, metadata_match: {region: eu}}\n"
    "---\n"
    "routes: [{name: pro, provider: p, model: big, priority: 2}, {name: main, "
    "provider: p, model: small, priority: 1}]\n"
    "escalation_rules: [{if_header: X-TFY-METADATA, contains: escalate=pro, "
    "route_to: pro}]\n";

static const struct row {
	const char *what, *subject, *model, *metadata;
	const char *rule; /* NULL: none */
	const char *order;
} rows[] = {
	{ "escalation by metadata", "", "flash", "escalate=pro", "pro",
	    "coder" },
	{ "the same as JSON", "", "flash", "{\"escalate\":\"pro\"}", "pro",
	    "coder" },
	{ "another value does not", "", "flash", "escalate=no", "priority",
	    "top low" },
	{ "a missing key does not", "", "flash", "op=rope", "priority",
	    "top low" },
	{ "no metadata at all", "", "flash", NULL, "priority", "top low" },
	{ "a virtual model", "", "v/best", "escalate=pro", "v/best", "virt" },
	{ "a subject", "user:ann", "x", NULL, "team", "ann" },
	{ "the first match wins", "user:ann", "flash", "escalate=pro", "pro",
	    "coder" },
	{ "a target's own condition", "", "flash", "region=eu", "priority",
	    "eu top low" },
	{ "the small dialect is last", "", "other", NULL, "routes",
	    "small big" },
	{ "and escalates", "", "other", "escalate=pro;op=x", "pro",
	    "big small" },
};

static void
put_order(const struct route_order *o, char *out, size_t size)
{
	size_t used = 0;

	out[0] = '\0';
	for (size_t i = 0; i < o->n; i++)
		used += (size_t)snprintf(out + used, size - used, "%s%s",
		    i ? " " : "", o->targets[i]->model);
}

static void
matches(const struct conf *c)
{
	for (size_t i = 0; i < COUNT(rows); i++) {
		const struct row *r = &rows[i];
		const struct conf_rule *rule;
		struct route_ask ask = { r->subject, r->model, NULL, NULL,
			NULL };
		struct route_order order;
		char got[200] = "";

		if (r->metadata)
			metadata_header_parse(r->metadata, strlen(r->metadata),
			    &ask.metadata, NULL);
		rule = route_match(c, &ask);
		CHECK_STR(rule ? rule->id : NULL, r->rule, r->what);
		if (rule)
			route_targets(rule, &ask, NULL, 0, &order);
		if (rule)
			put_order(&order, got, sizeof got);
		CHECK_STR(got, r->order, r->what);
		json_decref(ask.metadata);
	}
}

static void
orders(const struct conf *c)
{
	static const struct {
		const char *what, *model;
		uint32_t measures[3];
		double at; /* the random number, 0 to 1 */
		const char *order;
	} picks[] = {
		{ "the first tenth", "w", { 0 }, 0.05, "a b" },
		{ "the middle", "w", { 0 }, 0.5, "b a" },
		{ "the last fifth", "w", { 0 }, 0.9, "c b a" },
		{ "unknown ones are tried", "l", { 100, 0, 300 }, 0.99,
		    "b a c" },
		{ "the fastest", "l", { 300, 200, 100 }, 0.5, "c b a" },
		{ "nearly equal share", "l", { 110, 300, 100 }, 0.2, "a c b" },
		{ "and share", "l", { 110, 300, 100 }, 0.8, "c a b" },
		{ "the least busy", "b", { 2, 1, 3 }, 0.9, "b a c" },
		{ "equally busy ones share", "b", { 1, 2, 1 }, 0.9, "c a b" },
		{ "nearly equal is not equal", "c", { 110, 300, 100 }, 0.2,
		    "c a b" },
	};

	for (size_t i = 0; i < COUNT(picks); i++) {
		struct route_ask ask = { "", picks[i].model, NULL, NULL, NULL };
		struct route_order order;
		char got[200];

		route_targets(route_match(c, &ask), &ask, picks[i].measures,
		    (uint32_t)(picks[i].at * 4294967295.0), &order);
		put_order(&order, got, sizeof got);
		CHECK_STR(got, picks[i].order, picks[i].what);
	}
}

static void
sticks(const struct conf *c)
{
	struct route_ask ask = { "", "w", NULL, NULL, NULL };
	const struct conf_rule *rule = route_match(c, &ask);
	uint32_t first, again, seen[64];
	unsigned moved = 0;
	char user[32];

	CHECK(!route_session(rule, &ask, 0, &first), "no session, no stick");
	for (int i = 0; i < 64; i++) {
		snprintf(user, sizeof user, "user=%d", i);
		metadata_header_parse(user, strlen(user), &ask.metadata, NULL);
		CHECK(route_session(rule, &ask, 6000, &seen[i]), "a session");
		CHECK(route_session(rule, &ask, 6000, &again), "again");
		CHECK_INT(seen[i], again, "sticks");
		CHECK(route_session(rule, &ask, 6060, &again), "later");
		CHECK(seen[i] != again, "is drawn anew after its ttl");
		moved += i > 0 && seen[i] != seen[i - 1];
		json_decref(ask.metadata);
	}
	CHECK_INT(moved, 63, "sessions differ");
}

static void
sticks_by_header(const struct conf *c)
{
	struct http1_head head = { .nheaders = 1 };
	struct route_ask ask = { "", "h", NULL, &head, NULL };
	const struct conf_rule *rule = route_match(c, &ask);
	uint32_t ann, bob, again;

	head.headers[0].name = slice_of("X-Session-Id");
	head.headers[0].value = slice_of("ann");
	CHECK(route_session(rule, &ask, 60, &ann), "a session");
	CHECK(route_session(rule, &ask, 60, &again), "again");
	CHECK_INT(ann, again, "sticks");
	head.headers[0].value = slice_of("bob");
	CHECK(route_session(rule, &ask, 60, &bob), "another");
	CHECK(ann != bob, "differs");
	head.nheaders = 0;
	CHECK(!route_session(rule, &ask, 60, &bob), "none without the header");
}

void t_route(void);

void
t_route(void)
{
	struct findings f;
	struct conf *c;

	findings_init(&f, "f");
	c = conf_parse("f", text, sizeof text - 1, &f);
	CHECK_STR(f.text.data, NULL, "nothing is wrong with it");
	if (c) {
		matches(c);
		orders(c);
		sticks(c);
		sticks_by_header(c);
	}
	findings_done(&f);
	conf_unref(c);
}
