/* Children, the pipes they answer on, and who runs when. */
#include "agent/service/call_child.h"

#include "base/end_with_parent.h"
#include "base/log.h"
#include "base/mem.h"
#include <errno.h>
#include <event2/buffer.h>
#include <event2/bufferevent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>
#include <sys/wait.h>
#include <unistd.h>

#define RESULT_MAX ((size_t)4 * 1024 * 1024)
#define PIPE_FD    3 /* in the child */
#define AGAIN_S    1

struct job {
	TAILQ_ENTRY(job) link;
	struct jobs *jobs; /* borrowed */
	const struct mcp_tool *tool;
	json_t *arguments; /* owned, or NULL */
	struct job_ops ops;
	void *arg;
	pid_t pid;                /* 0: waits for its turn */
	struct bufferevent *pipe; /* owned, once it runs */
	struct event *limit;      /* owned, once it runs */
};

TAILQ_HEAD(job_list, job);

struct jobs {
	struct jobs_conf conf;
	struct job_list running, waiting;
	unsigned nrunning, nwaiting;
	struct event *again; /* owned: when no process was to be had */
};

static void start_next(struct jobs *js);

/* ---- in the child */

static void
write_line(json_t *o)
{
	char *text = json_dumps(o, JSON_COMPACT);
	size_t len = text ? strlen(text) : 0, at = 0;

	if (text)
		text[len++] = '\n'; /* instead of its NUL */
	while (at < len) {
		ssize_t n = write(PIPE_FD, text + at, len - at);

		if (n <= 0 && errno != EINTR)
			_exit(EXIT_ENV);
		at += n > 0 ? (size_t)n : 0;
	}
	free(text);
	json_decref(o);
}

static void
write_progress(unsigned done, unsigned total, const char *text, void *arg)
{
	(void)arg;
	write_line(json_pack("{s:i, s:i, s:s}", "done", (int)done, "total",
	    (int)total, "text", text));
}

/* Nothing of the server's stays open, its channel to the client least of all.
 */
static bool
let_go(int fd)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);
	bool ok = null >= 0 && dup2(null, STDIN_FILENO) == STDIN_FILENO &&
	    dup2(null, STDOUT_FILENO) == STDOUT_FILENO &&
	    dup2(fd, PIPE_FD) == PIPE_FD;

	if (ok)
		ok = fcntl(PIPE_FD, F_SETFD, FD_CLOEXEC) == 0 &&
		    close_range(PIPE_FD + 1, ~0U, 0) == 0;
	return ok;
}

_Noreturn static void
be_child(const struct job *j, int fd, pid_t parent)
{
	const struct mcp_tool_ground ground = {
		.runs = j->jobs->conf.runs,
		.device = j->jobs->conf.device,
		.on_progress = write_progress,
	};

	(void)signal(SIGTERM, SIG_DFL);
	(void)signal(SIGINT, SIG_DFL);
	(void)signal(SIGHUP, SIG_DFL);
	end_with_parent(parent, SIGTERM);
	if (!let_go(fd))
		_exit(EXIT_ENV);
	write_line(json_pack("{s:o}", "result",
	    mcp_tool_call(j->tool, &ground, j->arguments)));
	_exit(EXIT_DONE);
}

/* ---- in the server */

static void
job_free(struct job *j)
{
	struct jobs *js = j->jobs;

	if (j->pid) {
		TAILQ_REMOVE(&js->running, j, link);
		js->nrunning--;
		(void)kill(j->pid, SIGKILL);
		while (waitpid(j->pid, NULL, 0) < 0 && errno == EINTR)
			continue;
		bufferevent_free(j->pipe);
		event_free(j->limit);
	} else {
		TAILQ_REMOVE(&js->waiting, j, link);
		js->nwaiting--;
	}
	json_decref(j->arguments);
	free(j);
}

/* Its place goes to the next before the result is told: who is told may free
 * everything. */
static void
finish(struct job *j, json_t *result)
{
	struct job_ops ops = j->ops;
	struct jobs *js = j->jobs;
	void *arg = j->arg;

	job_free(j);
	start_next(js);
	ops.on_result(result, arg);
}

/* False: that was the last line, and the job is gone. */
static bool
take_line(struct job *j, const char *line, size_t len)
{
	json_t *o = json_loadb(line, len, 0, NULL);
	json_t *result = json_object_get(o, "result");

	if (result) {
		json_incref(result);
		json_decref(o);
		finish(j, result);
		return false;
	}
	if (o && j->ops.on_progress)
		j->ops.on_progress((unsigned)json_integer_value(
		                       json_object_get(o, "done")),
		    (unsigned)json_integer_value(json_object_get(o, "total")),
		    json_string_value(json_object_get(o, "text")), j->arg);
	json_decref(o);
	return true;
}

static void
on_readable(struct bufferevent *b, void *arg)
{
	struct evbuffer *in = bufferevent_get_input(b);
	struct job *j = arg;
	bool goes_on = true;
	size_t len;
	char *line;

	while (goes_on && (line = evbuffer_readln(in, &len, EVBUFFER_EOL_LF))) {
		goes_on = take_line(j, line, len);
		free(line);
	}
	if (goes_on && evbuffer_get_length(in) > RESULT_MAX)
		finish(j, mcp_tool_error("the result is too large"));
}

static void
on_end(struct bufferevent *b, short what, void *arg)
{
	(void)b, (void)what;
	finish(arg,
	    mcp_tool_error(
	        "the lab's process ended without a result; nothing is "
	        "said of the kernel"));
}

static void
on_limit(evutil_socket_t fd, short what, void *arg)
{
	(void)fd, (void)what;
	finish(arg,
	    mcp_tool_error(
	        "the call took longer than this server allows; nothing "
	        "is said of the kernel"));
}

static bool
may_start(const struct jobs *js, const struct job *next)
{
	const struct job *first = TAILQ_FIRST(&js->running);

	if (!first)
		return true;
	return js->nrunning < js->conf.at_once && !next->tool->is_alone &&
	    !first->tool->is_alone;
}

/* ERR_ENV: no process or pipe is to be had. */
static enum err
start(struct job *j)
{
	struct jobs *js = j->jobs;
	struct event_base *base = loop_base(js->conf.loop);
	int fds[2];
	pid_t parent = getpid();

	if (pipe2(fds, O_CLOEXEC) != 0)
		return ERR_ENV;
	fflush(NULL);
	j->pid = fork();
	if (j->pid == 0)
		be_child(j, fds[1], parent);
	(void)close(fds[1]);
	if (j->pid < 0) {
		j->pid = 0;
		(void)close(fds[0]);
		return ERR_ENV;
	}
	TAILQ_REMOVE(&js->waiting, j, link);
	js->nwaiting--;
	TAILQ_INSERT_TAIL(&js->running, j, link);
	js->nrunning++;
	(void)evutil_make_socket_nonblocking(fds[0]);
	j->pipe = bufferevent_socket_new(base, fds[0], BEV_OPT_CLOSE_ON_FREE);
	j->limit = evtimer_new(base, on_limit, j);
	if (!j->pipe || !j->limit)
		fatalx("cannot watch a child");
	loop_arm(j->limit, (uint64_t)js->conf.limit_ms * US_PER_MS);
	bufferevent_setcb(j->pipe, on_readable, NULL, on_end, j);
	bufferevent_enable(j->pipe, EV_READ);
	return ERR_OK;
}

static void
start_next(struct jobs *js)
{
	struct job *j;

	while ((j = TAILQ_FIRST(&js->waiting)) && may_start(js, j))
		if (start(j) != ERR_OK) {
			log_error("mcp", "no child can be started: %s",
			    strerror(errno));
			loop_arm(js->again, AGAIN_S * US_PER_S);
			return;
		}
}

static void
on_again(evutil_socket_t fd, short what, void *arg)
{
	(void)fd, (void)what;
	start_next(arg);
}

struct jobs *
jobs_new(const struct jobs_conf *conf)
{
	struct jobs *js = xcalloc(1, sizeof *js);

	js->conf = *conf;
	TAILQ_INIT(&js->running);
	TAILQ_INIT(&js->waiting);
	js->again = evtimer_new(loop_base(conf->loop), on_again, js);
	if (!js->again)
		fatalx("cannot make a timer");
	return js;
}

void
jobs_free(struct jobs *js)
{
	struct job *j;

	if (!js)
		return;
	while ((j = TAILQ_FIRST(&js->waiting)))
		job_free(j);
	while ((j = TAILQ_FIRST(&js->running)))
		job_free(j);
	event_free(js->again);
	free(js);
}

struct job *
job_start(struct jobs *js, const struct mcp_tool *t, json_t *arguments,
    const struct job_ops *ops, void *arg)
{
	struct job *j;

	if (js->nwaiting >= JOBS_WAITING_MAX)
		return NULL;
	j = xcalloc(1, sizeof *j);
	j->jobs = js;
	j->tool = t;
	j->arguments = json_incref(arguments);
	j->ops = *ops;
	j->arg = arg;
	TAILQ_INSERT_TAIL(&js->waiting, j, link);
	js->nwaiting++;
	start_next(js);
	return j;
}

void
job_cancel(struct job *j)
{
	struct jobs *js = j->jobs;

	job_free(j);
	start_next(js);
}
