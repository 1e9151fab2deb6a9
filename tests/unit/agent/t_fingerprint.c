/* The fingerprint follows decisions, and nothing else. */
#include "agent/ledger/fingerprint.h"
#include "tests/unit.h"
#include <string.h>

struct story {
	const char *route, *class, *wall, *fault;
	double ratio;
	bool swap; /* the order of two faults */
};

static void
print_of(const struct story *s, char out[DIGEST_HEX])
{
	struct ledger *l = ledger_new();
	json_t *extra = json_pack("{s:s, s:[s], s:f}", "class", s->class,
	    "failing_cases", "far", "worst_bound_ratio", s->ratio);
	json_t *naive = json_pack("[{s:s, s:b, s:s}]", "op", "rope", "claimed",
	    true, "wall", s->wall);
	json_t *a = json_pack("{s:s, s:s}", "rule", s->fault, "wall", s->wall);
	json_t *b = json_pack("{s:s}", "rule", "other");
	json_t *chaos = json_array();

	ledger_append(l,
	    &(struct ledger_step){ "rope", 1, LEDGER_ATTEMPTED, s->route,
	        NULL },
	    NULL);
	ledger_append(l,
	    &(struct ledger_step){ "rope", 1, LEDGER_ABANDONED, s->route,
	        extra },
	    NULL);
	json_array_append_new(chaos, s->swap ? b : a);
	json_array_append_new(chaos, s->swap ? a : b);
	fingerprint_make(l, naive, chaos, NULL, out);
	json_decref(extra);
	json_decref(naive);
	json_decref(chaos);
	ledger_free(l);
}

/* Two operators that fail at once, one after the other or side by side. */
static void
print_of_two(bool side_by_side, json_t *ops, char out[DIGEST_HEX])
{
	static const char *const names[] = { "rope", "gelu" };
	struct ledger *l = ledger_new();
	json_t *naive = side_by_side
	    ? json_pack("[{s:s}, {s:s}]", "op", "gelu", "op", "rope")
	    : json_pack("[{s:s}, {s:s}]", "op", "rope", "op", "gelu");

	for (size_t i = 0; i < 4; i++) {
		bool is_end = side_by_side ? i >= 2 : i % 2 == 1;
		struct ledger_step step = { .iteration = 1,
			.op = names[side_by_side ? i % 2 : i / 2],
			.state = is_end ? LEDGER_ABANDONED : LEDGER_ATTEMPTED,
			.route = "m/a" };

		CHECK_INT(ledger_append(l, &step, NULL), ERR_OK, step.op);
	}
	fingerprint_make(l, naive, NULL, ops, out);
	json_decref(naive);
	ledger_free(l);
}

static void
test_side_by_side(void)
{
	json_t *ops = json_pack("[s, s]", "rope", "gelu");
	json_t *other = json_pack("[s, s]", "gelu", "rope");
	char one[DIGEST_HEX], two[DIGEST_HEX], turned[DIGEST_HEX];

	print_of_two(false, ops, one);
	print_of_two(true, ops, two);
	CHECK_STR(two, one, "side by side is one after the other");
	print_of_two(false, NULL, two);
	CHECK_STR(two, one, "one after the other is as it stands");
	print_of_two(false, other, turned);
	CHECK(strcmp(turned, one) != 0, "another order is another run");
	json_decref(ops);
	json_decref(other);
}

void
t_fingerprint(void)
{
	static const struct story base = { "m/a", "wrong", "noon", "lie", 2.5,
		false };
	static const struct {
		const char *what;
		struct story s;
		bool equal;
	} rows[] = {
		{ "the same", { "m/a", "wrong", "noon", "lie", 2.5, false },
		    true },
		{ "another time", { "m/a", "wrong", "late", "lie", 2.5, false },
		    true },
		{ "other digits", { "m/a", "wrong", "noon", "lie", 2.6, false },
		    true },
		{ "faults in another order",
		    { "m/a", "wrong", "noon", "lie", 2.5, true }, true },
		{ "another route",
		    { "m/b", "wrong", "noon", "lie", 2.5, false }, false },
		{ "another class", { "m/a", "race", "noon", "lie", 2.5, false },
		    false },
		{ "another fault",
		    { "m/a", "wrong", "noon", "cut", 2.5, false }, false },
	};
	char want[DIGEST_HEX], got[DIGEST_HEX];

	print_of(&base, want);
	for (size_t i = 0; i < COUNT(rows); i++) {
		print_of(&rows[i].s, got);
		if (rows[i].equal)
			CHECK_STR(got, want, rows[i].what);
		else
			CHECK(strcmp(got, want) != 0, rows[i].what);
	}
	test_side_by_side();
}
