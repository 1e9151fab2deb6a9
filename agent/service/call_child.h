/*
 * Tool calls that take long, each in a child process of its own.
 *
 * The lab waits for compilers and devices, so a server that called it would be
 * deaf meanwhile.  A child that is forked for one call and killed when nobody
 * wants its result any more is the simplest thing that cannot be in the way:
 * what it started ends with it (the zygotes follow their parent), and what it
 * leaves in its memory is gone.  It has no descriptor of the server's but the
 * pipe that its result comes back on.
 *
 * So many run at once, the others wait in their order; one that measures
 * (tool.is_alone) runs when nothing else does.
 */
#ifndef AGENT_SERVICE_CALL_CHILD_H
#define AGENT_SERVICE_CALL_CHILD_H

#include "agent/service/tool.h"
#include "base/loop.h"

#define JOBS_WAITING_MAX 64

struct jobs;
struct job;

struct job_ops {
	void (*on_progress)(unsigned done, unsigned total, const char *text,
	    void *arg);
	/* The tool's result, taken over; the job is gone then. */
	void (*on_result)(json_t *result, void *arg);
};

struct jobs_conf {
	struct loop *loop; /* borrowed, as all here */
	unsigned at_once;  /* at least 1 */
	uint32_t limit_ms; /* a job that takes longer is killed */
	const char *runs;  /* as struct mcp_tool_ground */
	const char *device;
};

struct jobs *jobs_new(const struct jobs_conf *conf);
void jobs_free(struct jobs *js); /* kills what runs; NULL-safe */

/* arguments: the tool's, or NULL; borrowed.  NULL: too many wait already. */
struct job *job_start(struct jobs *js, const struct mcp_tool *t,
    json_t *arguments, const struct job_ops *ops, void *arg);
/* Kills its child; no callback comes any more. */
void job_cancel(struct job *j);

#endif
