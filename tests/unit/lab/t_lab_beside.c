/*
 * Two labs for two workers: the second shares what the first one's compiler
 * has read, judges alike, and needs the first no more.
 */
#include "lab/lab.h"

#include "base/mem.h"
#include "lab/read/plain_kernel.h"
#include "tests/unit.h"
#include "tests/unit/lab/kit.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

#define SHARED_AT_LEAST 4 /* of what the second holds, its own is a part of */

static pid_t
last_child(pid_t of)
{
	char *text = kit_children_of(of);
	pid_t last = 0;

	for (char *p = strtok(text, " \n"); p; p = strtok(NULL, " \n"))
		last = (pid_t)strtol(p, NULL, 10);
	free(text);
	return last;
}

/* A line of smaps_rollup, in KiB; -1: there is none. */
static long
kib(pid_t pid, const char *key)
{
	char *path = xasprintf("/proc/%d/smaps_rollup", (int)pid);
	FILE *f = fopen(path, "r");
	char line[256];
	long ret = -1;

	while (f && fgets(line, sizeof line, f))
		if (strncmp(line, key, strlen(key)) == 0)
			ret = strtol(line + strlen(key), NULL, 10);
	if (f)
		(void)fclose(f);
	free(path);
	return ret;
}

static void
check_verdict(struct lab *l, const char *what)
{
	static struct lab_report r;
	struct candidate c = { 0 };
	struct why why;

	if (CHECK_INT(plain_candidate(op_find("relu"), &c, &why), ERR_OK,
	        "the plain kernel")) {
		lab_judge(l,
		    &(struct lab_request){ .op = op_find("relu"),
		        .candidate = &c,
		        .upto = LAB_STAGE_EXACT },
		    &r);
		CHECK(r.smoke == 1 && !*r.class, what);
	}
	candidate_done(&c);
}

/* The device's zygote is the lab's last child, and its last is the twin. */
static void
check_shared(void)
{
	pid_t twin = last_child(last_child(getpid()));
	long all_kib = kib(twin, "Rss:"), own_kib = kib(twin, "Private_Dirty:");

	if (own_kib < 0)
		return; /* a system that does not tell */
	CHECK(all_kib > 0 && own_kib * SHARED_AT_LEAST < all_kib,
	    "the second holds little of its own");
}

void
t_lab_beside(void)
{
	struct lab *first = NULL, *second = NULL;
	struct why why;
	enum err e;

	setenv("TMPDIR", unit_tmpdir(), 1);
	e = lab_open(NULL, &first, &why);
	if (e == ERR_ENV)
		unit_skip(why.text);
	if (!CHECK_INT(e, ERR_OK, "the lab opens") ||
	    !CHECK_INT(lab_open_beside(first, &second, &why), ERR_OK,
	        "and one beside it"))
		return;
	check_shared();
	CHECK_STR(lab_device(second), lab_device(first), "the same device");
	check_verdict(second, "the second judges");
	check_verdict(first, "the first judges");
	lab_close(first);
	check_verdict(second, "the second judges without the first");
	lab_close(second);
	unsetenv("TMPDIR");
}
