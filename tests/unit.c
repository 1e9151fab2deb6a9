/*
 * The runner behind tests/unit.h.  The table of groups, unit_groups.inc, is
 * made by the Makefile from the listing of tests/unit/FOLDER.
 */
#include "tests/unit.h"

#include "base/files.h"
#include "base/mem.h"
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define GROUP(name) void name(void);
#include UNIT_GROUPS
#undef GROUP

static const struct {
	const char *name;
	void (*run)(void);
} groups[] = {
#define GROUP(name) { &#name[2], name },
#include UNIT_GROUPS
#undef GROUP
};

static long checks_failed, checks_passed;
static long failed_before, passed_before;
static const char *skip_reason;
static jmp_buf skip_jump;
static char *tmpdir;

static void
report(const char *file, int line, const char *what)
{
	checks_failed++;
	printf("  %s:%d: %s: ", file, line, what);
}

bool
unit_check(bool ok, const char *file, int line, const char *expr,
    const char *what)
{
	if (ok) {
		checks_passed++;
		return true;
	}
	report(file, line, what);
	printf("not true: %s\n", expr);
	return false;
}

bool
unit_check_str(const char *got, const char *want, const char *file, int line,
    const char *what)
{
	if (got == want || (got && want && strcmp(got, want) == 0)) {
		checks_passed++;
		return true;
	}
	report(file, line, what);
	printf("got \"%s\", want \"%s\"\n", got ? got : "(null)",
	    want ? want : "(null)");
	return false;
}

bool
unit_check_int(long long got, long long want, const char *file, int line,
    const char *what)
{
	if (got == want) {
		checks_passed++;
		return true;
	}
	report(file, line, what);
	printf("got %lld, want %lld\n", got, want);
	return false;
}

_Noreturn static void
leave_group(void)
{
	longjmp(skip_jump, 1);
}

void
unit_skip(const char *reason)
{
	skip_reason = reason;
	leave_group();
}

const char *
unit_tmpdir(void)
{
	const char *top = getenv("TMPDIR");

	if (tmpdir)
		return tmpdir;
	tmpdir = xasprintf("%s/kf-unit-XXXXXX", top ? top : "/tmp");
	if (!mkdtemp(tmpdir)) {
		perror(tmpdir);
		exit(EXIT_ENV);
	}
	return tmpdir;
}

static void
remove_tmpdir(void)
{
	if (!tmpdir)
		return;
	files_remove_tree(tmpdir);
	free(tmpdir);
	tmpdir = NULL;
}

static bool
is_wanted(const char *name, int argc, char **argv)
{
	if (argc < 2)
		return true;
	for (int i = 1; i < argc; i++)
		if (strcmp(argv[i], name) == 0)
			return true;
	return false;
}

int
main(int argc, char **argv)
{
	volatile size_t i;
	volatile int passed = 0, failed = 0, skipped = 0;

	setvbuf(stdout, NULL, _IOLBF, 0);
	for (i = 0; i < COUNT(groups); i++) {
		if (!is_wanted(groups[i].name, argc, argv))
			continue;
		failed_before = checks_failed;
		passed_before = checks_passed;
		skip_reason = NULL;
		if (setjmp(skip_jump) == 0)
			groups[i].run();
		remove_tmpdir();
		if (skip_reason) {
			skipped++;
			printf("skip %s: %s\n", groups[i].name, skip_reason);
		} else if (checks_failed > failed_before) {
			failed++;
			printf("FAIL %s\n", groups[i].name);
		} else if (checks_passed == passed_before) {
			failed++;
			printf("FAIL %s: it checks nothing\n", groups[i].name);
		} else {
			passed++;
			printf("ok   %s\n", groups[i].name);
		}
	}
	printf("unit: %d groups passed, %d failed, %d skipped (%ld checks)\n",
	    passed, failed, skipped, checks_passed + checks_failed);
	if (passed + failed + skipped == 0)
		return EXIT_USAGE; /* no group has that name */
	return failed ? EXIT_JUDGED : EXIT_DONE;
}
