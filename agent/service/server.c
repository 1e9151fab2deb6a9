/* Methods by era, and the calls under way. */
#include "agent/service/server.h"

#include "agent/service/task_lifetime.h"
#include "agent/service/tool.h"
#include "base/log.h"
#include "base/mem.h"
#include <event2/event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>

#define LIST_TTL_MS  3600000
#define PULSE_US     ((uint64_t)5000000)
#define RELATED_TASK "io.modelcontextprotocol/related-task"

enum {
	STATUS_OK = 200,
	STATUS_BAD = 400,
	STATUS_NOT_FOUND = 404,
};

static const char instructions[] =
    "Judges OpenCL C kernels. list_ops says for which operators, get_contract "
    "what a kernel for one must be, verify_kernel whether one is right: only "
    "the verdict verified_correct says so, and no other text of this server "
    "or of anybody else does. It is no formal proof, and it holds for this "
    "device and compiler: a mistake that shows for one value in 2^32 can pass.";

struct mcp_call {
	LIST_ENTRY(mcp_call) link;
	struct mcp_server *server; /* borrowed */
	enum mcp_era era;
	json_t *id;    /* owned, as the next */
	json_t *token; /* of progress, or NULL */
	char *scope;   /* owned */
	const struct mcp_way *way;
	void *arg;
	struct job *job;     /* one of these two, */
	struct task *task;   /* or none: a job that has just ended */
	struct event *pulse; /* owned; NULL: no progress is told */
	unsigned done, total, pulses;
};

struct mcp_server {
	struct mcp_conf conf;
	struct jobs *jobs;
	struct tasks *tasks;
	LIST_HEAD(, mcp_call) calls;
};

/* A request while it is looked at. */
struct request {
	struct mcp_server *server;
	const struct mcp_message *message;
	const struct mcp_origin *from;
	enum mcp_era era;
	json_t *result;        /* what a method gives at once, */
	struct mcp_call *call; /* or what is answered later */
};

typedef enum err method_fn(struct request *r, struct mcp_refusal *no);

static method_fn discover, initialize, ping, list_tools, call_tool, get_task,
    cancel_task, update_task, await_task;

#define ERA(e) (1u << (e))
#define BOTH   (ERA(MCP_LEGACY) | ERA(MCP_MODERN))

/* clang-format off */
static const struct {
	const char *name;
	unsigned eras;
	method_fn *fn;
} methods[] = {					/* sorted by name */
	{ "initialize",	     ERA(MCP_LEGACY), initialize },
	{ "ping",	     ERA(MCP_LEGACY), ping },
	{ "server/discover", ERA(MCP_MODERN), discover },
	{ "tasks/cancel",    BOTH,	      cancel_task },
	{ "tasks/get",	     BOTH,	      get_task },
	{ "tasks/result",    ERA(MCP_LEGACY), await_task },
	{ "tasks/update",    ERA(MCP_MODERN), update_task },
	{ "tools/call",	     BOTH,	      call_tool },
	{ "tools/list",	     BOTH,	      list_tools },
};
/* clang-format on */

int
mcp_status_of(enum mcp_era era, int code)
{
	/* A legacy client takes another status for a failed transport. */
	if (era == MCP_LEGACY)
		return code == MCP_PARSE_ERROR ? STATUS_BAD : STATUS_OK;
	return code == MCP_NO_METHOD ? STATUS_NOT_FOUND : STATUS_BAD;
}

/* ---- calls */

/* A stage has so many pulses told as its parts: progress only grows. */
static void
tell_progress(struct mcp_call *c, const char *text)
{
	double part = 1 - 1.0 / (c->pulses + 1);
	json_t *params =
	    json_pack("{s:O, s:o, s:s}", "progressToken", c->token, "progress",
	        c->pulses ? json_real(c->done + part) : json_integer(c->done),
	        "message", text);
	json_t *note;

	if (c->total > 0 && c->total >= c->done + part)
		json_object_set_new(params, "total", json_integer(c->total));
	note = mcp_message_note("notifications/progress", params);
	c->way->on_note(note, c->arg);
	json_decref(note);
}

/* A stage, or waiting, may take longer than clients bear silence. */
static void
on_pulse(evutil_socket_t fd, short what, void *arg)
{
	struct mcp_call *c = arg;

	(void)fd;
	(void)what;
	c->pulses++;
	loop_arm(c->pulse, PULSE_US);
	tell_progress(c, "still at it");
}

static void
start_pulse(struct mcp_call *c)
{
	c->pulse = evtimer_new(loop_base(c->server->conf.loop), on_pulse, c);
	if (!c->pulse)
		fatalx("cannot make a timer");
	loop_arm(c->pulse, PULSE_US);
}

static struct mcp_call *
call_new(struct request *r)
{
	struct mcp_call *c = xcalloc(1, sizeof *c);
	json_t *token = mcp_message_meta(r->message, "progressToken");

	c->server = r->server;
	c->era = r->era;
	c->id = json_incref(r->message->id);
	if (json_is_string(token) || json_is_integer(token))
		c->token = json_incref(token);
	c->scope = xstrdup(r->from->scope);
	c->way = r->from->way;
	c->arg = r->from->arg;
	LIST_INSERT_HEAD(&r->server->calls, c, link);
	return c;
}

static void
call_free(struct mcp_call *c)
{
	LIST_REMOVE(c, link);
	if (c->pulse)
		event_free(c->pulse);
	json_decref(c->id);
	json_decref(c->token);
	free(c->scope);
	free(c);
}

void
mcp_call_drop(struct mcp_call *c)
{
	if (c->job)
		job_cancel(c->job);
	call_free(c);
}

/* Tells the result, taken over. */
static void
answer_result(const struct mcp_way *way, void *arg, enum mcp_era era,
    json_t *id, json_t *result)
{
	json_t *o;

	mcp_era_finish(era, result);
	o = mcp_message_result(id, result);
	way->on_answer(o, STATUS_OK, arg);
	json_decref(o);
}

static void
call_end(struct mcp_call *c, json_t *result)
{
	answer_result(c->way, c->arg, c->era, c->id, result);
	call_free(c);
}

static void
on_job_progress(unsigned done, unsigned total, const char *text, void *arg)
{
	struct mcp_call *c = arg;

	if (!c->token)
		return;
	c->done = done;
	c->total = total;
	c->pulses = 0;
	loop_arm(c->pulse, PULSE_US);
	tell_progress(c, text ? text : "");
}

static void
on_job_result(json_t *result, void *arg)
{
	struct mcp_call *c = arg;

	c->job = NULL;
	call_end(c, result);
}

static const struct job_ops call_job = { on_job_progress, on_job_result };

/* ---- methods */

static json_t *
capabilities(enum mcp_era era)
{
	if (era == MCP_MODERN)
		return json_pack("{s:{}, s:{s:{}}}", "tools", "extensions",
		    MCP_EXTENSION_TASKS);
	return json_pack("{s:{}, s:{s:{}, s:{s:{s:{}}}}}", "tools", "tasks",
	    "cancel", "requests", "tools", "call");
}

static enum err
initialize(struct request *r, struct mcp_refusal *no)
{
	json_t *version =
	    json_object_get(r->message->params, "protocolVersion");

	(void)no;
	r->result = json_pack("{s:s, s:o, s:o, s:s}", "protocolVersion",
	    mcp_era_agree(json_string_value(version)), "capabilities",
	    capabilities(r->era), "serverInfo", mcp_era_server_info(),
	    "instructions", instructions);
	return ERR_OK;
}

static enum err
ping(struct request *r, struct mcp_refusal *no)
{
	(void)no;
	r->result = json_object();
	return ERR_OK;
}

/* The same for everybody, until the program is another one. */
static void
set_caching(json_t *result)
{
	json_object_set_new(result, "ttlMs", json_integer(LIST_TTL_MS));
	json_object_set_new(result, "cacheScope", json_string("public"));
}

static enum err
discover(struct request *r, struct mcp_refusal *no)
{
	(void)no;
	r->result = json_pack("{s:[s], s:o, s:s}", "supportedVersions",
	    MCP_MODERN_VERSION, "capabilities", capabilities(r->era),
	    "instructions", instructions);
	set_caching(r->result);
	return ERR_OK;
}

static enum err
list_tools(struct request *r, struct mcp_refusal *no)
{
	json_t *tools;

	if (json_object_get(r->message->params, "cursor"))
		return mcp_refuse(no, ERR_SYNTAX, MCP_INVALID_PARAMS,
		    "params.cursor: unknown; there is one page");
	tools = json_array();
	for (size_t i = 0; i < mcp_tool_count(); i++) {
		json_t *o = mcp_tool_json(mcp_tool_at(i));

		/* The modern era leaves it to the server. */
		if (r->era == MCP_LEGACY)
			json_object_set_new(o, "execution",
			    json_pack("{s:s}", "taskSupport",
			        mcp_tool_at(i)->is_long ? "optional"
			                                : "forbidden"));
		json_array_append_new(tools, o);
	}
	r->result = json_pack("{s:o}", "tools", tools);
	if (r->era == MCP_MODERN)
		set_caching(r->result);
	return ERR_OK;
}

static enum err
refuse_busy(struct mcp_refusal *no)
{
	return mcp_refuse(no, ERR_AGAIN, MCP_INTERNAL_ERROR,
	    "too many calls wait already; try again later");
}

static enum err
start_task(struct request *r, const struct mcp_tool *t, json_t *arguments,
    struct mcp_refusal *no)
{
	json_t *ttl =
	    json_object_get(json_object_get(r->message->params, "task"), "ttl");
	json_int_t ms = json_integer_value(ttl);
	struct task *task;

	if (ttl && (!json_is_integer(ttl) || ms < 0))
		return mcp_refuse(no, ERR_RANGE, MCP_INVALID_PARAMS,
		    "params.task.ttl: expected milliseconds, not negative");
	task = task_start(r->server->tasks, t, arguments, (uint64_t)ms);
	if (!task)
		return refuse_busy(no);
	r->result = task_json(task, r->era, false);
	if (r->era == MCP_MODERN)
		json_object_set_new(r->result, "resultType",
		    json_string("task"));
	else
		r->result = json_pack("{s:o}", "task", r->result);
	return ERR_OK;
}

static enum err
call_tool(struct request *r, struct mcp_refusal *no)
{
	json_t *params = r->message->params;
	json_t *arguments = json_object_get(params, "arguments");
	const char *name = json_string_value(json_object_get(params, "name"));
	const struct mcp_tool *t = name ? mcp_tool_find(name) : NULL;
	json_t *task = json_object_get(params, "task");
	bool wants_task = r->era == MCP_LEGACY
	    ? task != NULL
	    : mcp_era_takes_tasks(r->era, r->message);
	struct mcp_tool_ground ground = { 0 };

	if (!t)
		return mcp_refuse(no, ERR_NOTFOUND, MCP_INVALID_PARAMS,
		    "Unknown tool: %.64s", name ? name : "no name");
	if (arguments && !json_is_object(arguments))
		return mcp_refuse(no, ERR_SYNTAX, MCP_INVALID_PARAMS,
		    "params.arguments: expected an object");
	if (task && !json_is_object(task))
		return mcp_refuse(no, ERR_SYNTAX, MCP_INVALID_PARAMS,
		    "params.task: expected an object");
	if (!t->is_long && wants_task && r->era == MCP_LEGACY)
		return mcp_refuse(no, ERR_DENIED, MCP_NO_METHOD,
		    "%s: answers at once, without a task", t->name);
	if (!t->is_long) {
		r->result = mcp_tool_call(t, &ground, arguments);
		return ERR_OK;
	}
	if (wants_task)
		return start_task(r, t, arguments, no);
	r->call = call_new(r);
	if (r->call->token)
		start_pulse(r->call);
	r->call->job =
	    job_start(r->server->jobs, t, arguments, &call_job, r->call);
	if (r->call->job)
		return ERR_OK;
	call_free(r->call);
	r->call = NULL;
	return refuse_busy(no);
}

static enum err
find_task(struct request *r, struct task **ret, struct mcp_refusal *no)
{
	const char *id =
	    json_string_value(json_object_get(r->message->params, "taskId"));

	if (r->era == MCP_MODERN && !mcp_era_takes_tasks(r->era, r->message)) {
		enum err e = mcp_refuse(no, ERR_DENIED, MCP_MISSING_CAPABILITY,
		    "Missing required client capability");

		no->data = json_pack("{s:{s:{s:{}}}}", "requiredCapabilities",
		    "extensions", MCP_EXTENSION_TASKS);
		return e;
	}
	*ret = id ? task_find(r->server->tasks, id) : NULL;
	return *ret ? ERR_OK
	            : mcp_refuse(no, ERR_NOTFOUND, MCP_INVALID_PARAMS,
	                  "params.taskId: no such task, or it is forgotten");
}

static enum err
get_task(struct request *r, struct mcp_refusal *no)
{
	struct task *t = NULL;
	enum err e = find_task(r, &t, no);

	if (e == ERR_OK)
		r->result = task_json(t, r->era, r->era == MCP_MODERN);
	return e;
}

static enum err
cancel_task(struct request *r, struct mcp_refusal *no)
{
	struct task *t = NULL;
	enum err e = find_task(r, &t, no);

	if (e != ERR_OK)
		return e;
	if (r->era == MCP_LEGACY && task_has_ended(t))
		return mcp_refuse(no, ERR_STATE, MCP_INVALID_PARAMS,
		    "the task has ended already");
	task_cancel(t);
	r->result =
	    r->era == MCP_LEGACY ? task_json(t, r->era, false) : json_object();
	return ERR_OK;
}

/* None of our tasks asks for anything, so there is nothing to take in. */
static enum err
update_task(struct request *r, struct mcp_refusal *no)
{
	struct task *t = NULL;
	enum err e = find_task(r, &t, no);

	if (e == ERR_OK)
		r->result = json_object();
	return e;
}

/* A task that has ended, for who asks for its result. */
static enum err
result_of(const struct task *t, json_t **ret, struct mcp_refusal *no)
{
	json_t *meta;

	if (!task_result(t))
		return mcp_refuse(no, ERR_CLOSED, MCP_INVALID_PARAMS,
		    "the task was cancelled");
	*ret = json_copy(task_result(t));
	meta = json_pack("{s:{s:s}}", RELATED_TASK, "taskId", task_id(t));
	json_object_set_new(*ret, "_meta", meta);
	return ERR_OK;
}

static enum err
await_task(struct request *r, struct mcp_refusal *no)
{
	struct task *t = NULL;
	enum err e = find_task(r, &t, no);

	if (e != ERR_OK)
		return e;
	if (task_has_ended(t))
		return result_of(t, &r->result, no);
	r->call = call_new(r);
	r->call->task = t;
	return ERR_OK;
}

static void
answer_refusal(const struct mcp_way *way, void *arg, enum mcp_era era,
    json_t *id, struct mcp_refusal *no)
{
	json_t *o = mcp_message_error(id, no);

	way->on_answer(o, mcp_status_of(era, no->code), arg);
	json_decref(o);
}

static void
on_task_end(struct task *t, void *arg)
{
	struct mcp_server *s = arg;
	struct mcp_call *c = LIST_FIRST(&s->calls), *next;

	for (; c; c = next) {
		struct mcp_refusal no;
		json_t *result = NULL;

		next = LIST_NEXT(c, link);
		if (c->task != t)
			continue;
		if (result_of(t, &result, &no) == ERR_OK) {
			call_end(c, result);
		} else {
			answer_refusal(c->way, c->arg, c->era, c->id, &no);
			call_free(c);
		}
	}
}

/* ---- messages */

static enum err
run_method(struct request *r, struct mcp_refusal *no)
{
	const char *name = r->message->method;

	for (size_t i = 0; i < COUNT(methods); i++)
		if (strcmp(methods[i].name, name) == 0 &&
		    (methods[i].eras & ERA(r->era)))
			return methods[i].fn(r, no);
	return mcp_refuse(no, ERR_NOTFOUND, MCP_NO_METHOD,
	    "Method not found: %.64s", name);
}

static struct mcp_call *
find_call(struct mcp_server *s, json_t *id, const struct mcp_origin *from)
{
	struct mcp_call *c;

	LIST_FOREACH(c, &s->calls, link)
	if (id && json_equal(c->id, id) && strcmp(c->scope, from->scope) == 0)
		break;
	return c;
}

/* The request is not answered: its sender said that it does not care. */
static void
cancel(struct mcp_server *s, const struct mcp_message *m,
    const struct mcp_origin *from)
{
	json_t *id = json_object_get(m->params, "requestId");
	struct mcp_call *c = find_call(s, id, from);

	if (!c)
		return;
	c->way->on_answer(NULL, STATUS_OK, c->arg);
	mcp_call_drop(c);
}

/* Two answers to one id could not be told apart. */
static enum err
check_new(const struct request *r, struct mcp_refusal *no)
{
	if (!find_call(r->server, r->message->id, r->from))
		return ERR_OK;
	return mcp_refuse(no, ERR_EXISTS, MCP_INVALID_REQUEST,
	    "id: a request with this one is not answered yet");
}

struct mcp_call *
mcp_server_take(struct mcp_server *s, const struct mcp_message *m,
    const struct mcp_origin *from)
{
	struct request r = { .server = s, .message = m, .from = from };
	struct mcp_refusal no = { 0 };

	if (m->kind == MCP_NOTIFICATION &&
	    strcmp(m->method, "notifications/cancelled") == 0)
		cancel(s, m, from);
	if (m->kind != MCP_REQUEST)
		return NULL;
	r.era = mcp_era_of(m, from->version);
	if (mcp_era_check(r.era, m, &no) != ERR_OK ||
	    check_new(&r, &no) != ERR_OK || run_method(&r, &no) != ERR_OK)
		answer_refusal(from->way, from->arg, r.era, m->id, &no);
	else if (!r.call)
		answer_result(from->way, from->arg, r.era, m->id, r.result);
	return r.call;
}

struct mcp_server *
mcp_server_new(const struct mcp_conf *conf)
{
	struct mcp_server *s = xcalloc(1, sizeof *s);

	s->conf = *conf;
	LIST_INIT(&s->calls);
	s->jobs = jobs_new(&(struct jobs_conf){
	    .loop = conf->loop,
	    .at_once = conf->at_once,
	    .limit_ms = conf->limit_ms,
	    .runs = conf->runs,
	    .device = conf->device,
	});
	s->tasks = tasks_new(s->jobs, on_task_end, s);
	return s;
}

void
mcp_server_free(struct mcp_server *s)
{
	struct mcp_call *c, *next;

	if (!s)
		return;
	for (c = LIST_FIRST(&s->calls); c; c = next) {
		next = LIST_NEXT(c, link);
		mcp_call_drop(c);
	}
	tasks_free(s->tasks);
	jobs_free(s->jobs);
	free(s);
}
