/*
 * A run's journal: what was judged is found again, by whichever build; a line
 * that was cut off is not; nobody else writes it meanwhile.
 */
#include "tests/proving/daybook.h"

#include "base/files.h"
#include "base/mem.h"
#include "tests/unit.h"
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static struct daybook *
open_as(const char *path, const char *build)
{
	struct daybook *j = NULL;
	struct why why = { "" };

	CHECK_INT(daybook_open(path, build, &j, &why), ERR_OK, why.text);
	return j;
}

static void
add(struct daybook *j, const char *seed, const char *key, const char *verdict)
{
	daybook_add(j, seed, key, json_pack("{s:s}", "verdict", verdict));
}

/* "verdict", "" where nothing was said. */
static const char *
said(const struct daybook *j, const char *seed, const char *key)
{
	return daybook_text(daybook_find(j, seed, key), "verdict");
}

static void
check_print(const struct daybook *j, const char *want, const char *what)
{
	char *text = NULL;
	size_t bytes;
	FILE *f = open_memstream(&text, &bytes);

	daybook_print(j, f);
	fclose(f);
	CHECK_STR(text, want, what);
	free(text);
}

static void
check_two_builds(const char *path)
{
	struct daybook *j = open_as(path, "one");

	add(j, "autumn", "0", "killed");
	add(j, "autumn", "1", "accepted");
	daybook_close(j);
	j = open_as(path, "two");
	CHECK_STR(said(j, "autumn", "0"), "killed", "found again");
	CHECK_STR(said(j, "autumn", "2"), "", "not judged");
	CHECK_STR(said(j, "winter", "0"), "", "another seed");
	CHECK(!daybook_is_own(j, daybook_find(j, "autumn", "0")), "one's");
	daybook_recall(j, daybook_find(j, "autumn", "0"));
	add(j, "autumn", "1", "killed");
	CHECK_STR(said(j, "autumn", "1"), "killed", "the last line counts");
	CHECK(daybook_is_own(j, daybook_find(j, "autumn", "1")), "two's");
	check_print(j, "judged by build one: 1; by two (this one): 1\n",
	    "by whom");
	daybook_close(j);
}

static void
check_seed(const char *path)
{
	static const struct daybook_range two = { 0, 2, NULL },
	                                  three = { 0, 3, NULL },
	                                  of_rope = { 0, 2, "rope" };
	struct daybook *j = open_as(path, "two");
	char key[DAYBOOK_KEY_MAX];

	daybook_key(&of_rope, 1, key);
	CHECK_STR(key, "1 of rope", "a key");
	CHECK_STR(daybook_seed(NULL, &two, NULL, "new"), "new", "no journal");
	CHECK_STR(daybook_seed(j, &three, NULL, "new"), "autumn", "goes on");
	CHECK_STR(daybook_seed(j, &of_rope, NULL, "new"), "autumn",
	    "other numbers");
	CHECK_STR(daybook_seed(j, &two, NULL, "new"), "new", "all are there");
	CHECK_STR(daybook_seed(j, &three, "autumn", "new"), "autumn", "asked");
	CHECK_STR(said(j, "autumn", "0"), "killed", "goes on as asked");
	CHECK_STR(daybook_seed(j, &two, "autumn", "new"), "autumn", "anew");
	CHECK_STR(said(j, "autumn", "0"), "", "begun anew");
	daybook_close(j);
	j = open_as(path, "two");
	CHECK_STR(said(j, "autumn", "0"), "", "begun anew, read again");
	daybook_close(j);
}

static void
check_cut_line(const char *path)
{
	static const char text[] =
	    "{\"build\":\"one\",\"seed\":\"s\",\"key\":\"0\","
	    "\"verdict\":\"killed\"}\n{\"build\":\"one\",\"se";
	struct daybook *j;

	CHECK_INT(files_write(path, text, strlen(text), NULL), ERR_OK, "cut");
	j = open_as(path, NULL);
	CHECK_STR(said(j, "s", "0"), "killed", "before the cut");
	add(j, "s", "1", "unproven");
	daybook_close(j);
	j = open_as(path, NULL);
	CHECK_STR(said(j, "s", "1"), "unproven", "behind the cut");
	CHECK(daybook_is_own(j, daybook_find(j, "s", "1")), "this program");
	daybook_close(j);
	CHECK_INT(files_write(path, "a diary\n", 8, NULL), ERR_OK, "other");
	CHECK_INT(daybook_open(path, NULL, &j, NULL), ERR_SYNTAX, "a diary");
}

/* A lock is a process's own. */
static void
check_two_at_once(const char *path)
{
	struct daybook *j = open_as(path, "one"), *other;
	int status = -1;
	pid_t pid = fork();

	if (pid == 0)
		_exit(daybook_open(path, "one", &other, NULL) == ERR_EXISTS
		        ? 0
		        : 1);
	CHECK_INT(waitpid(pid, &status, 0), pid, "waited");
	CHECK_INT(status, 0, "two at once");
	daybook_close(j);
}

void
t_daybook(void)
{
	char *path = files_join(unit_tmpdir(), "a.jsonl");
	char *other = files_join(unit_tmpdir(), "b.jsonl");

	check_two_builds(path);
	check_seed(path);
	check_two_at_once(path);
	check_cut_line(other);
	free(path);
	free(other);
}
