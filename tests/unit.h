/*
 * A small test runner.  A file tests/unit/FOLDER/t_MODULE.c defines one
 * function `void t_MODULE(void)`, usually a table of rows and a loop; the
 * Makefile makes the table of groups from the folder listing.  Checks report
 * and go on, so that one run shows every row that fails.
 *
 *	build/unit-base            all groups of base/
 *	build/unit-base http1      one group
 */
#ifndef TESTS_UNIT_H
#define TESTS_UNIT_H

#include "base/units.h"
#include <stdbool.h>
#include <stddef.h>

/* what: names the row ("two failures open it"). */
#define CHECK(cond, what) unit_check((cond), __FILE__, __LINE__, #cond, (what))
#define CHECK_STR(got, want, what)                                             \
	unit_check_str((got), (want), __FILE__, __LINE__, (what))
#define CHECK_INT(got, want, what)                                             \
	unit_check_int((long long)(got), (long long)(want), __FILE__,          \
	    __LINE__, (what))

bool unit_check(bool ok, const char *file, int line, const char *expr,
    const char *what);
bool unit_check_str(const char *got, const char *want, const char *file,
    int line, const char *what); /* NULL equals NULL only */
bool unit_check_int(long long got, long long want, const char *file, int line,
    const char *what);

/* Leaves the group with a reason (a machine without a device): counted as
 * skipped, and printed. */
void unit_skip(const char *reason);

/* A fresh empty folder for this group, removed at the end; borrowed. */
const char *unit_tmpdir(void);

#endif
