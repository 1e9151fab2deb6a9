/*
 * Tasks: handles on long calls, for clients that come back for the result.
 *
 *	working -> completed | cancelled
 *
 * Both eras have them: 2025-11-25 where the client asks for one (params.task),
 * 2026-07-28 as the extension io.modelcontextprotocol/tasks, where we answer
 * every long call of a client that takes tasks with one.  A handle is 128
 * random bits, so whoever knows it may have the result, on any connection.  A
 * task is forgotten when its time to live is over.
 */
#ifndef AGENT_SERVICE_TASK_LIFETIME_H
#define AGENT_SERVICE_TASK_LIFETIME_H

#include "agent/mcp/protocol_version.h"
#include "agent/service/call_child.h"

#define TASKS_MAX     256
#define TASK_TTL_MS   (UINT64_C(10) * 60 * 1000)
#define TASK_TTL_MAX  (UINT64_C(60) * 60 * 1000)
#define TASK_POLL_MS  500
#define TASK_ID_CHARS 32

struct tasks;
struct task;

/* on_end: told when a task came to its end, for who waits for it. */
struct tasks *tasks_new(struct jobs *jobs,
    void (*on_end)(struct task *t, void *arg), void *arg);
void tasks_free(struct tasks *ts); /* NULL-safe; before its jobs */

/* ttl_ms 0: the default; more than the most is cut.  NULL: too many. */
struct task *task_start(struct tasks *ts, const struct mcp_tool *tool,
    json_t *arguments, uint64_t ttl_ms);
struct task *task_find(struct tasks *ts, const char *id); /* NULL: unknown */
void task_cancel(struct task *t); /* nothing happens to one that ended */

bool task_has_ended(const struct task *t);
/* What the call gave, borrowed; NULL when it was cancelled or works. */
json_t *task_result(const struct task *t);

/* The task as the era tells it; owned.  with_result: for tasks/get of the
 * modern era. */
json_t *task_json(const struct task *t, enum mcp_era era, bool with_result);
const char *task_id(const struct task *t);

#endif
