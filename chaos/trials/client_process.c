/*
 * Fork, exec, and an end that is noticed by a descriptor, so that a loop can
 * wait for it beside everything else.
 */
#include "chaos/trials/client_process.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/pidfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/files.h"

#define EXIT_NO_EXEC 127
#define ERRORS_MAX   ((size_t)1 << 20)

static int
open_output(const char *folder, const char *name)
{
	char *path = files_join(folder, name);
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644);

	free(path);
	return fd;
}

static _Noreturn void
become(const struct client_process_conf *conf)
{
	int null = open("/dev/null", O_RDONLY);
	int out = open_output(conf->folder, "stdout"),
	    err = open_output(conf->folder, "stderr");
	sigset_t none;

	/* Here and in the parent, because nobody knows which of the two runs
	 * first, and a kill must find the group. */
	setpgid(0, 0);
	sigemptyset(&none);
	/* Blocked and ignored signals outlive execve(2): the program must find
	 * what a shell would give it. */
	sigprocmask(SIG_SETMASK, &none, NULL);
	signal(SIGPIPE, SIG_DFL);
	if (null < 0 || out < 0 || err < 0 || dup2(null, 0) < 0 ||
	    dup2(out, 1) < 0 || dup2(err, 2) < 0)
		_exit(EXIT_NO_EXEC);
	conf->set_environment(conf->arg);
	/* Listeners too: a program that outlived us would hold their ports. */
	close_range(3, ~0u, 0);
	execvp(conf->command[0], conf->command);
	dprintf(2, "%s: cannot be run: %s\n", conf->command[0],
	    strerror(errno));
	_exit(EXIT_NO_EXEC);
}

enum err
client_process_start(const struct client_process_conf *conf,
    struct client_process *ret, struct why *why)
{
	struct client_process c = { fork(), -1 };

	if (c.pid == 0)
		become(conf);
	if (c.pid < 0)
		return why_set(why, ERR_ENV, "fork: %s", strerror(errno));
	setpgid(c.pid, c.pid);
	c.fd = pidfd_open(c.pid, 0);
	if (c.fd < 0) {
		why_set(why, ERR_ENV, "pidfd_open: %s", strerror(errno));
		client_process_reap(&c);
		return ERR_ENV;
	}
	*ret = c;
	return ERR_OK;
}

void
client_process_kill(const struct client_process *c, int sig)
{
	if (c->pid > 0)
		kill(-c->pid, sig);
}

int
client_process_reap(struct client_process *c)
{
	int status = 0;

	/* Before the wait: until then the group's number is the leader's and
	 * cannot be anybody else's. */
	client_process_kill(c, SIGKILL);
	while (waitpid(c->pid, &status, 0) < 0 && errno == EINTR)
		;
	c->pid = 0;
	if (c->fd >= 0)
		close(c->fd);
	c->fd = -1;
	return status;
}

/* ---- what it said */

/* The first line that speaks of an error, else the last. */
static const char *
telling_line(char *text)
{
	char *line, *rest = text;
	const char *last = "";

	while ((line = strsep(&rest, "\r\n"))) {
		if (strcasestr(line, "error:") || strcasestr(line, "error]"))
			return line;
		if (*line)
			last = line;
	}
	return last;
}

void
client_process_last_words(const char *folder, char *out, size_t size)
{
	char *path = files_join(folder, "stderr"), *text = NULL;

	out[0] = '\0';
	if (files_read(path, ERRORS_MAX, &text, NULL, NULL) == ERR_OK)
		snprintf(out, size, "%s", telling_line(text));
	free(text);
	free(path);
}
