/* Tasks and their time to live. */
#include "agent/service/task_lifetime.h"

#include "base/clock.h"
#include "base/digest.h"
#include "base/mem.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TEXT_MAX 128

enum status { WORKING, COMPLETED, CANCELLED };

static const char *const status_names[] = {
	[WORKING] = "working",
	[COMPLETED] = "completed",
	[CANCELLED] = "cancelled",
};

struct task {
	struct tasks *tasks; /* borrowed */
	char id[TASK_ID_CHARS + 1];
	enum status status;
	struct job *job; /* while it works */
	json_t *result;  /* owned, once completed */
	char text[TEXT_MAX];
	uint64_t created_ms, updated_ms; /* of the wall clock, to be told */
	uint64_t ttl_ms, ends_ms;        /* ends: of the monotonic clock */
};

struct tasks {
	struct task *all[TASKS_MAX]; /* owned, n of them */
	size_t n;
	struct jobs *jobs; /* borrowed */
	void (*on_end)(struct task *t, void *arg);
	void *arg;
};

static void
set_status(struct task *t, enum status s, const char *text)
{
	t->status = s;
	t->updated_ms = clock_wall_ms();
	(void)snprintf(t->text, sizeof t->text, "%s", text);
	if (s == WORKING)
		return;
	t->job = NULL;
	t->tasks->on_end(t, t->tasks->arg);
}

static void
on_progress(unsigned done, unsigned total, const char *text, void *arg)
{
	(void)done, (void)total;
	set_status(arg, WORKING, text ? text : "");
}

static void
on_result(json_t *result, void *arg)
{
	struct task *t = arg;

	t->result = result;
	set_status(t, COMPLETED, "the result is there");
}

static const struct job_ops task_job = { on_progress, on_result };

static void
task_free(struct task *t)
{
	if (t->job)
		job_cancel(t->job);
	json_decref(t->result);
	free(t);
}

struct tasks *
tasks_new(struct jobs *jobs, void (*on_end)(struct task *t, void *arg),
    void *arg)
{
	struct tasks *ts = xcalloc(1, sizeof *ts);

	ts->jobs = jobs;
	ts->on_end = on_end;
	ts->arg = arg;
	return ts;
}

void
tasks_free(struct tasks *ts)
{
	for (size_t i = 0; ts && i < ts->n; i++)
		task_free(ts->all[i]);
	free(ts);
}

/* Those whose time is over; whoever waits for one is told first. */
static void
forget_old(struct tasks *ts)
{
	uint64_t now = clock_mono_ms();
	size_t kept = 0;

	for (size_t i = 0; i < ts->n; i++) {
		struct task *t = ts->all[i];

		if (t->ends_ms > now) {
			ts->all[kept++] = t;
			continue;
		}
		task_cancel(t);
		task_free(t);
	}
	ts->n = kept;
}

struct task *
task_start(struct tasks *ts, const struct mcp_tool *tool, json_t *arguments,
    uint64_t ttl_ms)
{
	uint8_t random[DIGEST_BYTES];
	char hex[DIGEST_HEX];
	struct task *t;

	forget_old(ts);
	if (ts->n >= TASKS_MAX)
		return NULL;
	t = xcalloc(1, sizeof *t);
	t->tasks = ts;
	t->ttl_ms = ttl_ms == 0 ? TASK_TTL_MS : ttl_ms;
	if (t->ttl_ms > TASK_TTL_MAX)
		t->ttl_ms = TASK_TTL_MAX;
	t->created_ms = t->updated_ms = clock_wall_ms();
	t->ends_ms = clock_mono_ms() + t->ttl_ms;
	digest_random(random, sizeof random);
	digest_hex(random, hex);
	(void)snprintf(t->id, sizeof t->id, "%.*s", TASK_ID_CHARS, hex);
	t->job = job_start(ts->jobs, tool, arguments, &task_job, t);
	if (!t->job) {
		free(t);
		return NULL;
	}
	ts->all[ts->n++] = t;
	return t;
}

struct task *
task_find(struct tasks *ts, const char *id)
{
	forget_old(ts);
	for (size_t i = 0; i < ts->n; i++)
		if (strcmp(ts->all[i]->id, id) == 0)
			return ts->all[i];
	return NULL;
}

void
task_cancel(struct task *t)
{
	if (t->status != WORKING)
		return;
	job_cancel(t->job);
	set_status(t, CANCELLED, "cancelled");
}

bool
task_has_ended(const struct task *t)
{
	return t->status != WORKING;
}

json_t *
task_result(const struct task *t)
{
	return t->result;
}

const char *
task_id(const struct task *t)
{
	return t->id;
}

json_t *
task_json(const struct task *t, enum mcp_era era, bool with_result)
{
	bool modern = era == MCP_MODERN;
	char created[CLOCK_ISO_BYTES], updated[CLOCK_ISO_BYTES];
	json_t *o;

	clock_iso(t->created_ms, created);
	clock_iso(t->updated_ms, updated);
	o = json_pack("{s:s, s:s, s:s, s:s, s:I, s:i}", "taskId", t->id,
	    "status", status_names[t->status], "createdAt", created,
	    "lastUpdatedAt", updated, modern ? "ttlMs" : "ttl",
	    (json_int_t)t->ttl_ms, modern ? "pollIntervalMs" : "pollInterval",
	    TASK_POLL_MS);
	if (*t->text)
		json_object_set_new(o, "statusMessage", json_string(t->text));
	if (with_result && t->result) {
		json_t *result = json_copy(t->result);

		mcp_era_finish(era, result);
		json_object_set_new(o, "result", result);
	}
	return o;
}
