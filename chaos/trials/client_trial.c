/*
 * The life of a trial:
 *
 *	PROGRAM --it ends--> STATE --the look is over--> OVER
 *	PROGRAM --killed as a request comes--> RESUMED --it ends--> STATE
 *	either --deadline: SIGTERM, grace: SIGKILL--> STATE
 *
 * The program leads a process group of its own, so that nothing it started
 * outlives the trial.  Its end closes the proxies first: what is then still
 * open was left by the program.
 */
#include "chaos/trials/client_trial.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/files.h"
#include "base/mem.h"
#include "chaos/trials/client_environment.h"
#include "chaos/trials/client_process.h"
#include "chaos/trials/client_world.h"
#include "chaos/trials/effects.h"

#define REQUESTS_MAX 4096
#define LINES_MAX    4096
#define GRACE_MS     1000
#define PATIENCE     3 /* deadlines for one that goes on asking */
#define OUTCOME_MAX  (1u << 20)

#define SERVER_NAME "mcp-server"
#define STATE_NAME  "state" /* where its output goes */

enum act {
	ACT_PROGRAM,
	ACT_RESUMED, /* it was killed, and begins again */
	ACT_STATE,   /* what it left is looked at */
	ACT_OVER
};

struct client_trial {
	struct loop *loop;            /* borrowed; NULL once it is over */
	char *name, *folder, *server; /* owned */
	uint32_t deadline_ms, start_max_ms;
	bool has_asked;        /* since it was last begun */
	unsigned deadlines;    /* that have passed */
	size_t tool_calls_max; /* answers that call one; 0: no bound */
	size_t tool_calls;     /* so far */
	void (*on_done)(struct client_trial *t, void *arg);
	void *arg;
	struct client_world world;
	/* the program */
	char *const *command; /* borrowed */
	const char *state;    /* borrowed; NULL: nobody looks */
	uint64_t crash_at;    /* the request as which it is killed; 0: none */
	enum act act;
	struct client_environment environment;
	struct client_process child;
	struct event *ended, *timer; /* owned */
	uint64_t start_ms;
	/* what was seen */
	struct conduct_attempt *attempts;
	struct client_trial_call *calls;
	size_t open;  /* requests that are not over */
	json_t *seen; /* keys of idempotency; owned */
	struct client_trial_result result;
};

/* ---- watching */

static enum err start_act(struct client_trial *t, struct why *why);

/* It is asked to end, and later made to. */
static void
stop_program(struct client_trial *t)
{
	client_process_kill(&t->child,
	    t->result.was_killed ? SIGKILL : SIGTERM);
	t->result.was_killed = true;
	loop_arm(t->timer, (uint64_t)GRACE_MS * US_PER_MS);
}

/* A tool did what it was told, unless it knows the key of a call that it has
 * seen. */
static void
keep_effect(struct client_trial *t, const struct traffic_view *s)
{
	if (s->idempotency[0]) {
		if (json_object_get(t->seen, s->idempotency))
			return;
		json_object_set_new(t->seen, s->idempotency, json_true());
	}
	json_array_append_new(t->result.effects, json_string(s->effect));
}

static void
keep_answer(struct client_trial *t, const struct traffic_view *s)
{
	struct conduct_attempt *a = &t->attempts[s->id - 1];
	struct client_trial_call *c = &t->calls[s->id - 1];

	t->open--;
	a->over_us = s->over_us;
	a->head = *answer_worth_head(s->reading);
	a->worth = answer_worth_of(s->reading);
	a->is_struck = s->fires > 0;
	/* Who was killed has not heard the answer, wherever it lies. */
	a->has_left = s->has_left || s->id == t->crash_at;
	a->reached_upstream = s->reached_upstream;
	c->events = answer_worth_events(s->reading);
	c->bytes = answer_worth_bytes(s->reading);
	c->is_stream = answer_worth_is_stream(s->reading);
	t->tool_calls += a->head.calls_tool;
	if (t->tool_calls_max && t->tool_calls > t->tool_calls_max &&
	    !t->result.was_killed)
		stop_program(t);
	if (s->effect && s->reached_upstream)
		keep_effect(t, s);
}

static void
keep_request(struct client_trial *t, const struct traffic_view *s)
{
	struct conduct_attempt *a = &t->attempts[s->id - 1];
	struct client_trial_call *c = &t->calls[s->id - 1];

	memcpy(a->key, s->key, sizeof a->key);
	memcpy(a->credential, s->credential, sizeof a->credential);
	a->arrived_us = a->over_us = s->arrived_us;
	a->worth = WORTH_NOTHING;
	a->has_side_effect = s->has_side_effect;
	a->has_idempotency = s->has_idempotency;
	a->is_model = s->turn > 0;
	a->tells_failure = s->tells_failure;
	c->attempt = s->attempt;
	c->ordinal = s->ordinal;
	c->turn = s->turn;
	memcpy(c->method, s->method, sizeof c->method);
	memcpy(c->path, s->path, sizeof c->path);
	memcpy(c->model, s->model, sizeof c->model);
	memcpy(c->op, s->op, sizeof c->op);
	memcpy(c->call, s->call, sizeof c->call);
	snprintf(c->proxy, sizeof c->proxy, "%s", s->proxy);
	t->result.n = s->id;
	t->open++;
	/* Its time begins here: what it takes to start is its own affair. */
	if (!t->has_asked && !t->result.was_killed)
		loop_arm(t->timer, (uint64_t)t->deadline_ms * US_PER_MS);
	t->has_asked = true;
	if (s->id == 1)
		t->result.start_ms = clock_mono_ms() - t->start_ms;
	if (s->id == t->crash_at) {
		t->result.has_crashed = true;
		client_process_kill(&t->child, SIGKILL);
	}
}

static void
on_view(const struct traffic_view *s, enum traffic_view_step step, void *arg)
{
	struct client_trial *t = arg;

	if (s->id > REQUESTS_MAX || t->act == ACT_STATE)
		return;
	if (step == TRAFFIC_VIEW_ARRIVED)
		keep_request(t, s);
	else if (step == TRAFFIC_VIEW_OVER)
		keep_answer(t, s);
}

static void
on_line(json_t *line, void *arg)
{
	struct client_trial *t = arg;
	const char *result = json_string_value(json_object_get(line, "result"));

	if (strcmp(result, "fired") == 0)
		t->result.fired++;
	if (json_array_size(t->result.lines) < LINES_MAX)
		json_array_append(t->result.lines, line);
}

/* ---- the end */

static void
reap(struct client_trial *t)
{
	int status = client_process_reap(&t->child);
	int code = WIFEXITED(status) ? WEXITSTATUS(status) : 0;
	int sig = WIFSIGNALED(status) ? WTERMSIG(status) : 0;

	if (t->act == ACT_STATE) {
		t->result.is_wrong_state = code || sig;
		return;
	}
	t->result.exit_code = code;
	t->result.signal = sig;
}

/* What is no object says nothing. */
static void
read_outcome(struct client_trial *t)
{
	char *path = files_join(t->folder, CLIENT_TRIAL_OUTCOME), *text = NULL;
	size_t n = 0;

	if (files_read_kept(path, OUTCOME_MAX, &text, &n, NULL) == ERR_OK)
		t->result.outcome = json_loadb(text, n, 0, NULL);
	if (!json_is_object(t->result.outcome)) {
		json_decref(t->result.outcome);
		t->result.outcome = NULL;
	}
	free(text);
	free(path);
}

static void
read_effects(struct client_trial *t)
{
	char *own = files_join(t->folder, EFFECTS_NAME);
	char *state = files_join(t->folder, STATE_NAME "/stdout");

	effects_add(t->result.effects, own);
	if (t->act == ACT_STATE)
		effects_add(t->result.effects, state);
	free(own);
	free(state);
}

/* The act that follows; ACT_OVER: none. */
static enum act
next_act(const struct client_trial *t)
{
	if (t->act == ACT_PROGRAM && t->result.has_crashed)
		return ACT_RESUMED;
	return t->act != ACT_STATE && t->state ? ACT_STATE : ACT_OVER;
}

static void
on_ended(evutil_socket_t fd, short what, void *arg)
{
	struct client_trial *t = arg;
	enum act next = next_act(t);
	struct why why = { "" };

	(void)fd;
	(void)what;
	evtimer_del(t->timer);
	reap(t);
	event_free(t->ended);
	t->ended = NULL;
	if (next != ACT_OVER) {
		t->act = next;
		if (start_act(t, &why) == ERR_OK)
			return;
		t->result.is_wrong_state = true;
	}
	t->result.took_ms = clock_mono_ms() - t->start_ms;
	client_world_close(&t->world);
	read_outcome(t);
	read_effects(t);
	t->on_done(t, t->arg);
}

/* It waits, to ask again what it asked last: that is no hanging. */
static bool
is_retrying(const struct client_trial *t)
{
	return t->open == 0 && t->result.n > 1 &&
	    t->calls[t->result.n - 1].attempt > 1;
}

static void
on_timer(evutil_socket_t fd, short what, void *arg)
{
	struct client_trial *t = arg;

	(void)fd;
	(void)what;
	if (t->act == ACT_STATE) { /* it is no client: nothing to learn */
		client_process_kill(&t->child, SIGKILL);
		return;
	}
	if (!t->result.was_killed && is_retrying(t) &&
	    ++t->deadlines < PATIENCE) {
		loop_arm(t->timer, (uint64_t)t->deadline_ms * US_PER_MS);
		return;
	}
	if (!t->result.was_killed)
		t->result.is_retrying = is_retrying(t);
	stop_program(t);
}

/* ---- the program */

/* The program, or what says how it has left the world. */
static enum err
start_act(struct client_trial *t, struct why *why)
{
	struct event_base *base = loop_base(t->loop);
	char *const look[] = { xstrdup("sh"), xstrdup("-c"),
		t->state ? xstrdup(t->state) : NULL, NULL };
	char *folder = t->act == ACT_STATE ? files_join(t->folder, STATE_NAME)
	                                   : xstrdup(t->folder);
	enum err e = files_mkdirs(folder, why);

	t->environment.is_resumed = t->act == ACT_RESUMED;
	if (e == ERR_OK)
		e = client_process_start(
		    &(struct client_process_conf){
		        .command = t->act == ACT_STATE ? look : t->command,
		        .folder = folder,
		        .set_environment = client_environment_set,
		        .arg = &t->environment },
		    &t->child, why);
	for (size_t i = 0; i < COUNT(look); i++)
		free(look[i]);
	free(folder);
	if (e != ERR_OK)
		return e;
	t->ended = event_new(base, t->child.fd, EV_READ, on_ended, t);
	event_add(t->ended, NULL);
	t->has_asked = false;
	loop_arm(t->timer,
	    ((uint64_t)t->deadline_ms + t->start_max_ms) * US_PER_MS);
	return ERR_OK;
}

/* A folder may be used again: what an earlier run left there is not of this
 * one. */
static enum err
open_folder(struct client_trial *t, struct why *why)
{
	static const char *const left[] = { CLIENT_TRIAL_OUTCOME, EFFECTS_NAME,
		STATE_NAME };

	for (size_t i = 0; i < COUNT(left); i++) {
		char *path = files_join(t->folder, left[i]);

		unlink(path);
		files_remove_tree(path);
		free(path);
	}
	return files_mkdirs(t->folder, why);
}

enum err
client_trial_start(struct loop *l, const struct client_trial_conf *conf,
    void (*on_done)(struct client_trial *t, void *arg), void *arg,
    struct client_trial **ret, struct why *why)
{
	struct client_trial *t = xcalloc(1, sizeof *t);
	enum err e;

	t->loop = l;
	t->name = xstrdup(conf->name);
	t->folder = xstrdup(conf->folder);
	t->deadline_ms = conf->deadline_ms;
	t->start_max_ms = conf->start_max_ms;
	t->on_done = on_done;
	t->arg = arg;
	t->attempts = xcalloc(REQUESTS_MAX, sizeof *t->attempts);
	t->calls = xcalloc(REQUESTS_MAX, sizeof *t->calls);
	t->result.attempts = t->attempts;
	t->result.calls = t->calls;
	t->result.lines = json_array();
	t->result.effects = json_array();
	t->seen = json_object();
	t->command = conf->command;
	t->state = conf->state;
	t->crash_at = conf->crash_at;
	t->tool_calls_max = conf->tool_calls_max;
	t->environment.run = t->name;
	t->environment.folder = t->folder;
	t->environment.server = t->server = files_join(t->folder, SERVER_NAME);
	t->environment.timeout_ms = conf->timeout_ms;
	t->environment.check = conf->check;
	e = open_folder(t, why);
	if (e == ERR_OK)
		e = client_world_open(&t->world, l,
		    &(struct client_world_conf){ .trial = conf,
		        .on_view = on_view,
		        .on_line = on_line,
		        .arg = t,
		        .missing = &t->result.missing },
		    why);
	if (e == ERR_OK) {
		client_world_list_doors(&t->world, conf->proxy,
		    &t->environment);
		e = client_environment_write_server(&t->environment, why);
	}
	if (e == ERR_OK) {
		t->timer = evtimer_new(loop_base(l), on_timer, t);
		t->start_ms = clock_mono_ms();
		e = start_act(t, why);
	}
	if (e == ERR_OK)
		*ret = t;
	else
		client_trial_free(t);
	return e;
}

/* All that stands on the loop goes; what was seen stays. */
static void
leave_loop(struct client_trial *t)
{
	if (t->child.pid > 0)
		reap(t);
	if (t->ended)
		event_free(t->ended);
	if (t->timer)
		event_free(t->timer);
	t->ended = t->timer = NULL;
	client_world_close(&t->world);
	t->loop = NULL;
}

void
client_trial_free(struct client_trial *t)
{
	if (!t)
		return;
	leave_loop(t);
	json_decref(t->result.lines);
	json_decref(t->result.outcome);
	json_decref(t->result.effects);
	json_decref(t->seen);
	free(t->attempts);
	free(t->calls);
	free(t->folder);
	free(t->server);
	free(t->name);
	free(t);
}

/* ---- one that is waited for */

struct waiting {
	struct loop *loop;
	bool is_done;
};

static void
on_interrupt(void *arg)
{
	struct waiting *w = arg;

	loop_quit(w->loop);
}

static void
on_waited(struct client_trial *t, void *arg)
{
	struct waiting *w = arg;

	(void)t;
	w->is_done = true;
	loop_quit(w->loop);
}

static const struct loop_ops waiting_ops = { .on_stop = on_interrupt };

enum err
client_trial_run(const struct client_trial_conf *conf,
    struct client_trial **ret, struct why *why)
{
	struct waiting w = { NULL, false };
	struct client_trial *t = NULL;
	enum err e;

	w.loop = loop_new(&waiting_ops, &w);
	e = client_trial_start(w.loop, conf, on_waited, &w, &t, why);
	if (e != ERR_OK) {
		loop_free(w.loop);
		return e;
	}
	loop_run(w.loop);
	if (!w.is_done && conf->interrupted_by)
		*conf->interrupted_by = loop_stopped_by(w.loop);
	leave_loop(t);
	loop_free(w.loop);
	if (!w.is_done) {
		client_trial_free(t);
		return why_set(why, ERR_STATE, "interrupted");
	}
	*ret = t;
	return ERR_OK;
}

/* ---- what came of it */

const struct client_trial_result *
client_trial_result(const struct client_trial *t)
{
	return &t->result;
}

bool
client_trial_failed(const struct client_trial_result *r)
{
	return r->was_killed || r->signal || r->exit_code;
}

const char *
client_trial_bypass(const struct client_trial_result *r)
{
	const char *reason;
	json_t *line;
	size_t i;

	json_array_foreach(r->lines, i, line) {
		reason = json_string_value(json_object_get(line, "reason"));
		if (reason)
			return reason;
	}
	return NULL;
}

void
client_trial_last_words(const struct client_trial *t, char *out, size_t size)
{
	client_process_last_words(t->folder, out, size);
}
