/* The forge's table and its budgets. */
#include "agent/run/forge_states.h"
#include "tests/unit.h"

#define P     FORGE_PASS
#define F     FORGE_FAIL
#define STEPS 8

static void
check_walks(void)
{
	/* Each event is what the work says; REFINE is answered by the budget.
	 */
	static const struct {
		const char *what, *profile;
		enum forge_event events[STEPS];
		size_t n;
		enum forge_state end;
		unsigned iteration;
		bool escalates;
	} rows[] = {
		{ "all passes", "demo", { P, P }, 2, FORGE_VERIFIED, 1, false },
		{ "the verdict is against it once", "demo", { P, F, P, P }, 4,
		    FORGE_VERIFIED, 2, true },
		{ "generation fails three times", "demo", { F, F, F }, 3,
		    FORGE_ABANDONED, 3, true },
		{ "a verdict against it", "demo", { P, F }, 2, FORGE_GENERATING,
		    2, true },
		{ "regression has six", "regression", { F, F, F, F, F }, 5,
		    FORGE_GENERATING, 6, true },
		{ "regression ends after six", "regression",
		    { F, F, F, F, F, F }, 6, FORGE_ABANDONED, 6, true },
		{ "regression escalates later", "regression", { F }, 1,
		    FORGE_GENERATING, 2, false },
		{ "the end is the end", "demo", { P, P, F, P }, 4,
		    FORGE_VERIFIED, 1, false },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct forge f;

		forge_init(&f, forge_profile_find(rows[i].profile), 1, 0);
		for (size_t k = 0; k < rows[i].n; k++) {
			forge_step(&f, rows[i].events[k]);
			if (f.state == FORGE_REFINE)
				forge_step(&f, forge_budget(&f));
		}
		CHECK_STR(forge_state_name(f.state),
		    forge_state_name(rows[i].end), rows[i].what);
		CHECK_INT(f.iteration, rows[i].iteration, rows[i].what);
		CHECK_INT(forge_escalates(&f), rows[i].escalates, rows[i].what);
	}
}

/* Nothing but a pass of JUDGING leads to VERIFIED. */
static void
check_only_way(void)
{
	for (int s = 0; s < FORGE_VERIFIED; s++)
		for (int e = 0; e < FORGE_NEVENTS; e++) {
			struct forge f;

			forge_init(&f, forge_profile_find("demo"), 1, 0);
			f.state = (enum forge_state)s;
			forge_step(&f, (enum forge_event)e);
			CHECK_INT(f.state == FORGE_VERIFIED,
			    s == FORGE_JUDGING && e == FORGE_PASS,
			    forge_state_name((enum forge_state)s));
		}
}

void
t_forge_states(void)
{
	check_walks();
	check_only_way();
	CHECK(!forge_profile_find("none"), "an unknown profile");
}
