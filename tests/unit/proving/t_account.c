/*
 * A run passes only when every silent mutant died, no good kernel was
 * refused, every contract was kept, and the goal was reached.
 */
#include "tests/proving/account.h"

#include "base/mem.h"
#include "tests/unit.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NMUTANTS 4

static char name[] = "relu_item.cl";

static const struct {
	const char *what;
	struct finding last; /* of four mutants; the others were killed */
	struct account_goal goal;
	bool passes;
	size_t silent;
	const char *says;
} rows[] = {
	/* clang-format off */
	{ "all killed", { .fate = FATE_KILLED, .kept = true, .parted = true }, { 4, 0 }, true, 4, "kill rate 100.0% (4 of 4" },
	{ "a survivor", { .fate = FATE_SURVIVED, .kept = true, .parted = true }, { 0, 0 }, false, 4, "kill rate 75.0% (3 of 4" },
	{ "loud ones do not count", { .fate = FATE_LOUD }, { 0, 0 }, true, 3, "kill rate 100.0% (3 of 3" },
	{ "equivalent ones neither", { .fate = FATE_EQUIVALENT, .kept = true }, { 0, 0 }, true, 3, "equivalent: no witness" },
	{ "rounding neither", { .fate = FATE_ROUNDING, .kept = true }, { 0, 0 }, true, 3, "differ in last bits" },
	{ "a good kernel refused", { .fate = FATE_REFUSED }, { 0, 0 }, false, 3, "1 of 1 good kernels refused" },
	{ "a contract broken", { .fate = FATE_KILLED, .parted = true }, { 0, 0 }, false, 4, "part from their originals" },
	{ "parted nowhere", { .fate = FATE_KILLED, .kept = true }, { 0, 0 }, false, 4, "silent, but not on a case" },
	{ "a gap", { .fate = FATE_KILLED, .kept = true, .gap = true }, { 0, 0 }, false, 4, "no witness tells them" },
	{ "too few", { .fate = FATE_LOUD }, { 4, 0 }, false, 3, "kill rate 100.0%" },
	{ "too few of one", { .fate = FATE_LOUD }, { 0, 4 }, false, 3, "kill rate 100.0%" },
	/* clang-format on */
};

static void
check_row(size_t i, FILE *null)
{
	struct kernel kernel = { .name = name };
	struct corpus corpus = { &kernel, 1 };
	struct mutant items[NMUTANTS];
	struct mutants mutants = { items, NMUTANTS };
	struct account a;
	char *text = NULL;
	size_t bytes, all = corrupt_count();
	FILE *f = open_memstream(&text, &bytes);
	json_t *json;

	account_init(&a, &corpus, &mutants);
	for (uint32_t m = 0; m < NMUTANTS; m++) {
		struct finding killed = { .mutant = m,
			.fate = FATE_KILLED,
			.killer = LAB_STAGE_HOLDOUTS,
			.kept = true,
			.parted = true,
			.class = "wrong" };

		items[m] = (struct mutant){ .site = m, .line = m + 1 };
		account_add(&a, m + 1 < NMUTANTS ? &killed : &rows[i].last);
	}
	account_close(&a);
	account_print(&a, f);
	fclose(f);
	CHECK(strstr(text, rows[i].says), text);
	CHECK_INT(account_silent(&a.rows[all]), rows[i].silent, rows[i].what);
	json = account_json(&a);
	CHECK_INT(json_integer_value(json_object_get(json, "silent")),
	    rows[i].silent, rows[i].what);
	json_decref(json);
	CHECK_INT(account_passes(&a, &rows[i].goal, null), rows[i].passes,
	    rows[i].what);
	account_done(&a);
	free(text);
}

void
t_account(void)
{
	FILE *null = fopen("/dev/null", "w");

	for (size_t i = 0; i < COUNT(rows); i++)
		check_row(i, null);
	fclose(null);
}
