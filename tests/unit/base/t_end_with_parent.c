/*
 * A process that is to end with its parent.  This program, its grandparent,
 * adopts it (a subreaper), and so sees what it ended of: the signal, or
 * nothing within its patience.
 */
#include "base/end_with_parent.h"

#include "tests/unit.h"
#include <errno.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define PATIENCE_S 5 /* SIGALRM after it: of nothing else */

/* What the parent does, once its child is there. */
enum parent { ENDS_BEFORE_ASKED, ENDS_AFTER_ASKED, STAYS };

/* In the child: fd tells when the parent may end; survivors exit with 0. */
_Noreturn static void
be_child(enum parent parent, int fd, int sig, int64_t said)
{
	pid_t was = getppid();

	alarm(PATIENCE_S);
	if (parent == ENDS_BEFORE_ASKED) {
		close(fd);
		while (getppid() == was)
			usleep(1000);
	}
	end_with_parent(said < 0 ? was : said, sig);
	if (parent == ENDS_AFTER_ASKED) {
		close(fd);
		pause(); /* the id changes before the signal is sent */
	}
	_exit(0);
}

_Noreturn static void
be_parent(enum parent parent, int sig, int64_t said)
{
	int fds[2];
	char none;
	pid_t pid;

	if (pipe(fds) != 0)
		_exit(1);
	pid = fork();
	if (pid == 0) {
		close(fds[0]);
		be_child(parent, fds[1], sig, said);
	}
	close(fds[1]);
	(void)!read(fds[0], &none, 1);
	/* One that stays leaves its child's end to be seen as its own. */
	if (parent == STAYS) {
		int status = 0;

		waitpid(pid, &status, 0);
		_exit(WIFSIGNALED(status) ? 100 + WTERMSIG(status) : 50);
	}
	_exit(1);
}

/* The signal that the child ended of; 0: of none. */
static int
child_ended_of(enum parent parent, int sig, int64_t said)
{
	pid_t pid = fork();
	int status = 0;

	if (pid == 0)
		be_parent(parent, sig, said);
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		continue;
	if (parent == STAYS)
		return WEXITSTATUS(status) > 100 ? WEXITSTATUS(status) - 100
		                                 : 0;
	while (wait(&status) < 0 && errno == EINTR)
		continue;
	return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

void
t_end_with_parent(void)
{
	static const struct {
		const char *what;
		enum parent parent;
		int sig;
		int64_t said; /* below 0: the parent's own id */
		int want;
	} rows[] = {
		{ "a parent that ended first", ENDS_BEFORE_ASKED, SIGTERM, -1,
		    SIGTERM },
		{ "the same, in a hurry", ENDS_BEFORE_ASKED, SIGKILL, -1,
		    SIGKILL },
		{ "a parent that ends later", ENDS_AFTER_ASKED, SIGTERM, -1,
		    SIGTERM },
		{ "the same, in a hurry, later", ENDS_AFTER_ASKED, SIGKILL, -1,
		    SIGKILL },
		{ "another's id", STAYS, SIGTERM, 1, SIGTERM },
		{ "a parent that stays", STAYS, SIGTERM, -1, 0 },
		{ "nobody was said", ENDS_BEFORE_ASKED, SIGTERM, 0, 0 },
	};

	prctl(PR_SET_CHILD_SUBREAPER, 1);
	for (size_t i = 0; i < COUNT(rows); i++)
		CHECK_INT(child_ended_of(rows[i].parent, rows[i].sig,
		              rows[i].said),
		    rows[i].want, rows[i].what);
	prctl(PR_SET_CHILD_SUBREAPER, 0);
}
