/*
 * A zygote that does not answer, and a child that does not listen: neither
 * may hold the program, nor put what it says later in another's place; and one
 * whose build fills the disk, file by file.  All are real processes, stopped by
 * a signal.  And zygotes forked from one another, which hold the compiler
 * once, and of its code only what they run themselves.
 */
#include "lab/run/child_handle.h"
#include "lab/run/zygote_handle.h"

#include "base/clock.h"
#include "base/files.h"
#include "base/mem.h"
#include "tests/unit.h"
#include "tests/unit/lab/kit.h"
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define REPLY_MS    100
#define DEADLINE_MS 100
#define PATIENCE_MS 20000
#define NICE        5
#define NICE_SAID   "nice 5"
#define ORDERS_MAX  100000 /* no socket's buffer holds as many */
#define MAPS_BYTES  4096
#define CODE_KB_MAX (40 << 10)

static struct zygote *
open_zygote(const char *name)
{
	char *scratch = xasprintf("%s/%s", unit_tmpdir(), name);
	struct zygote *z = NULL;
	struct why why;

	mkdir(scratch, 0700);
	CHECK_INT(zygote_start(ZYGOTE_TOOLS, NULL, scratch, &z, &why), ERR_OK,
	    "a zygote without a device");
	free(scratch);
	return z;
}

/* The zygote is this program's last child. */
static pid_t
pid_of_zygote(void)
{
	char *text = kit_children();
	pid_t last = 0;

	for (char *p = strtok(text, " \n"); p; p = strtok(NULL, " \n"))
		last = (pid_t)strtol(p, NULL, 10);
	free(text);
	return last;
}

static enum err
execute(struct zygote *z, pid_t *ret)
{
	static const char *const args[] = { "/bin/true", NULL };
	int output = open("/dev/null", O_WRONLY);
	const struct zygote_exec x = { .dir = unit_tmpdir(),
		.args = args,
		.cpu_s = 5,
		.file_bytes = 1 << 20,
		.output = output };
	enum err e = zygote_execute(z, &x, ret, NULL);

	close(output);
	return e;
}

static void
check_late_reply(void)
{
	struct zygote *z = open_zygote("late");
	pid_t pid, first = 0, second = 0;

	if (!z)
		return;
	pid = pid_of_zygote();
	zygote_set_reply_ms(z, REPLY_MS);
	kill(pid, SIGSTOP);
	CHECK_INT(execute(z, &first), ERR_IO, "no reply in time");
	kill(pid, SIGCONT);
	zygote_set_reply_ms(z, PATIENCE_MS);
	CHECK_INT(execute(z, &second), ERR_IO,
	    "the late reply is not the next one's");
	CHECK_INT(second, 0, "nor its process");
	zygote_stop(z);
}

static void
check_deaf_child(void)
{
	static const struct order_launch order = { .kind = ORDER_LAUNCH };
	struct zygote *z = open_zygote("deaf");
	struct child_handle *w = NULL;
	struct order_answer answer;
	uint64_t begun_ms;
	struct why why;
	int sent = 0;

	if (!z)
		return;
	if (CHECK_INT(child_handle_start(z, unit_tmpdir(), &w, &why), ERR_OK,
	        "a child")) {
		kill(child_handle_pid(w), SIGSTOP);
		do {
			begun_ms = clock_mono_ms();
			child_handle_launch(w, &order, DEADLINE_MS);
		} while (++sent < ORDERS_MAX &&
		    clock_mono_ms() - begun_ms < DEADLINE_MS);
		CHECK(sent < ORDERS_MAX, "its socket is full in the end");
		CHECK_INT(child_handle_await(w, &answer), CHILD_HANDLE_TIMEOUT,
		    "a child that does not listen");
		child_handle_stop(w);
	}
	zygote_stop(z);
}

/* Fills the only child's folder with files that are each small enough. */
static bool
fill_folder(const char *scratch)
{
	enum { FILES = 5 };
	const off_t each = (off_t)(CHILD_HANDLE_FILES_MAX / (FILES - 1));
	DIR *d = opendir(scratch);
	const struct dirent *e;
	bool ok = false;

	while (d && (e = readdir(d)) != NULL) {
		if (strncmp(e->d_name, "child-", 6) != 0)
			continue;
		ok = true;
		for (int i = 0; i < FILES; i++) {
			char *path =
			    xasprintf("%s/%s/%d", scratch, e->d_name, i);
			int fd = open(path, O_WRONLY | O_CREAT, 0600);

			ok &= posix_fallocate(fd, 0, each) == 0;
			close(fd);
			free(path);
		}
	}
	if (d)
		(void)closedir(d);
	return ok;
}

/* All files together are capped while a build may write some. */
static void
check_flood(void)
{
	static const struct order_build order = { .kind = ORDER_BUILD };
	struct zygote *z = open_zygote("flood");
	char *scratch = xasprintf("%s/flooded", unit_tmpdir());
	struct child_handle *w = NULL;
	struct order_answer answer;
	uint64_t begun_ms = clock_mono_ms();

	mkdir(scratch, 0700);
	if (z &&
	    CHECK_INT(child_handle_start(z, scratch, &w, NULL), ERR_OK,
	        "a child")) {
		kill(child_handle_pid(w), SIGSTOP);
		child_handle_build(w, &order, PATIENCE_MS);
		CHECK(fill_folder(scratch), "its folder is filled");
		CHECK_INT(child_handle_await(w, &answer), CHILD_HANDLE_FLOOD,
		    "a build that fills the disk");
		CHECK(clock_mono_ms() - begun_ms < PATIENCE_MS,
		    "is ended before its deadline");
		CHECK_INT(child_handle_pid(w), 0, "and gone");
		child_handle_stop(w);
	}
	zygote_stop(z);
	free(scratch);
}

/* Executes through z, and collects. */
static bool
works(struct zygote *z)
{
	pid_t pid = 0;

	return execute(z, &pid) == ERR_OK && pid > 0 &&
	    zygote_kill(z, pid) >= 0;
}

static struct zygote *
open_twin(struct zygote *from, const char *name, char **ret_scratch)
{
	struct zygote *z = NULL;
	struct why why;

	*ret_scratch = xasprintf("%s/%s", unit_tmpdir(), name);
	mkdir(*ret_scratch, 0700);
	CHECK_INT(zygote_start_twin(from, *ret_scratch, &z, &why), ERR_OK,
	    "a twin");
	return z;
}

/* Either may end before the other, and takes with it what is its own. */
static void
check_twins(void)
{
	struct zygote *z = open_zygote("first"), *a, *b;
	char *scratch_a, *scratch_b;

	if (!z)
		return;
	a = open_twin(z, "a", &scratch_a);
	b = open_twin(z, "b", &scratch_b);
	if (a && b) {
		CHECK(works(z) && works(a) && works(b), "all three work");
		zygote_stop(a);
		CHECK(!files_exists(scratch_a) && files_exists(scratch_b),
		    "one that stops removes its folder alone");
		CHECK(works(z) && works(b), "and the others work on");
		zygote_stop(z);
		CHECK(works(b), "a twin outlives the first");
		zygote_stop(b);
		CHECK(!files_exists(scratch_b), "and then stops");
	}
	free(scratch_a);
	free(scratch_b);
}

/* A line's kilobytes in what the system says of a process's memory. */
static long
kilobytes(const char *text, const char *line)
{
	const char *at = strstr(text, line);

	return at ? strtol(at + strlen(line), NULL, 10) : -1;
}

/* A compiler's code that warming up has touched, twice that at least, is in
 * the system's cache for the children, and in no table of this process. */
static void
check_code_is_given_back(void)
{
	char *scratch = xasprintf("%s/warm", unit_tmpdir());
	char *path, *text = NULL;
	struct zygote *z = NULL;
	struct why why;
	enum err e;

	mkdir(scratch, 0700);
	e = zygote_start(ZYGOTE_DEVICE, NULL, scratch, &z, &why);
	free(scratch);
	if (e != ERR_OK) {
		unit_skip("no OpenCL device");
		return;
	}
	CHECK(works(z), "it is warm");
	path = xasprintf("/proc/%d/smaps_rollup", (int)pid_of_zygote());
	CHECK_INT(files_read(path, MAPS_BYTES, &text, NULL, &why), ERR_OK,
	    "the system tells its memory");
	if (text)
		CHECK(kilobytes(text, "\nRss:") -
		            kilobytes(text, "\nAnonymous:") <
		        CODE_KB_MAX,
		    "code that only children run is given back");
	zygote_stop(z);
	free(path);
	free(text);
}

/* Its source is stopped by a signal: no twin, and no wait beyond the reply's
 * time. */
static void
check_twin_of_the_deaf(void)
{
	struct zygote *z = open_zygote("stopped"), *twin = NULL;
	char *scratch = xasprintf("%s/none", unit_tmpdir());
	struct why why;

	if (z) {
		mkdir(scratch, 0700);
		zygote_set_reply_ms(z, REPLY_MS);
		kill(pid_of_zygote(), SIGSTOP);
		CHECK_INT(zygote_start_twin(z, scratch, &twin, &why), ERR_IO,
		    "no twin of one that does not answer");
		CHECK(!twin, "and none is told");
		zygote_stop(z);
	}
	free(scratch);
}

/* In a process of its own, which stays nice. */
_Noreturn static void
start_nicely(void)
{
	char path[48], text[64] = "";
	struct zygote *z = NULL;
	FILE *f;

	(void)setpriority(PRIO_PROCESS, 0, NICE);
	z = open_zygote("nice");
	snprintf(path, sizeof path, "/proc/%d/autogroup", (int)pid_of_zygote());
	f = z ? fopen(path, "re") : NULL;
	if (!f || !fgets(text, sizeof text, f))
		text[0] = '\0';
	if (f)
		fclose(f);
	zygote_stop(z);
	_exit(strstr(text, NICE_SAID) ? 0 : 1);
}

/* A session may have a share of the machine to itself. */
static void
check_nice(void)
{
	FILE *f = fopen("/proc/sys/kernel/sched_autogroup_enabled", "re");
	int status = -1;
	pid_t pid;

	if (!f)
		return;
	status = fgetc(f);
	fclose(f);
	if (status != '1' || access("/proc/self/autogroup", W_OK) != 0)
		return;
	pid = fork();
	if (pid == 0)
		start_nicely();
	CHECK_INT(waitpid(pid, &status, 0), pid, "it ends");
	CHECK_INT(status, 0, "the session of a nice program's zygote is nice");
}

void
t_zygote(void)
{
	check_nice();
	check_twins();
	check_twin_of_the_deaf();
	check_code_is_given_back();
	check_late_reply();
	check_deaf_child();
	check_flood();
}
