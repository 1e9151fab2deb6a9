/*
 * The life of a trial:
 *
 *	RUNNING --the program ends--> DONE
 *	RUNNING --deadline: SIGTERM--> ENDING --grace: SIGKILL--> DONE
 *
 * The program leads a process group of its own, so that nothing it started
 * outlives the trial.  DONE closes the proxies first: what is then still
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
#include "chaos/http/proxy.h"
#include "chaos/tcp/tcpproxy.h"
#include "chaos/trials/client_process.h"
#include "chaos/trials/recording.h"

#define REQUESTS_MAX 4096
#define LINES_MAX    4096
#define GRACE_MS     1000
#define PATIENCE     3 /* deadlines for one that goes on asking */
#define OUTCOME_MAX  (1u << 20)

struct client_trial {
	struct loop *loop; /* borrowed; NULL once it is over */
	char *name, *folder;
	uint32_t deadline_ms;
	unsigned deadlines; /* that have passed */
	void (*on_done)(struct client_trial *t, void *arg);
	void *arg;
	/* the world */
	struct scenario *scenario;
	struct events *events;
	struct engine *engine;
	struct traffic *traffic;
	struct upstreams *upstreams;
	struct fetch_pool *pool;
	struct proxy *proxies[SCENARIO_PROXIES_MAX];
	size_t nproxies;
	struct tcpset *fronts; /* with a toxic each; NULL: none */
	/* the program */
	struct client_process child;
	struct event *ended, *timer; /* owned */
	uint64_t start_ms;
	/* what was seen */
	struct retry_conduct_attempt *attempts;
	struct client_trial_call *calls;
	size_t open; /* requests that are not over */
	struct client_trial_result result;
};

/* ---- watching */

static void
keep_answer(struct client_trial *t, const struct traffic_view *s)
{
	struct retry_conduct_attempt *a = &t->attempts[s->id - 1];
	struct client_trial_call *c = &t->calls[s->id - 1];

	t->open--;
	a->over_us = s->over_us;
	a->head = *answer_worth_head(s->reading);
	a->worth = answer_worth_of(s->reading);
	a->is_struck = s->fires > 0;
	a->has_left = s->has_left;
	a->reached_upstream = s->reached_upstream;
	c->events = answer_worth_events(s->reading);
	c->bytes = answer_worth_bytes(s->reading);
	c->is_stream = answer_worth_is_stream(s->reading);
}

static void
keep_request(struct client_trial *t, const struct traffic_view *s)
{
	struct retry_conduct_attempt *a = &t->attempts[s->id - 1];
	struct client_trial_call *c = &t->calls[s->id - 1];

	memcpy(a->key, s->key, sizeof a->key);
	a->arrived_us = a->over_us = s->arrived_us;
	a->worth = WORTH_NOTHING;
	a->has_side_effect = s->has_side_effect;
	a->has_idempotency = s->has_idempotency;
	c->attempt = s->attempt;
	c->ordinal = s->ordinal;
	memcpy(c->method, s->method, sizeof c->method);
	memcpy(c->path, s->path, sizeof c->path);
	memcpy(c->model, s->model, sizeof c->model);
	memcpy(c->op, s->op, sizeof c->op);
	memcpy(c->call, s->call, sizeof c->call);
	snprintf(c->proxy, sizeof c->proxy, "%s", s->proxy);
	t->result.n = s->id;
	t->open++;
}

static void
on_view(const struct traffic_view *s, enum traffic_view_step step, void *arg)
{
	struct client_trial *t = arg;

	if (s->id > REQUESTS_MAX)
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
close_world(struct client_trial *t)
{
	for (size_t i = 0; i < t->nproxies; i++)
		proxy_free(t->proxies[i]);
	t->nproxies = 0;
	tcpset_free(t->fronts);
	t->fronts = NULL;
	if (t->pool)
		fetch_pool_free(t->pool);
	t->pool = NULL;
	engine_free(t->engine);
	t->engine = NULL;
	events_close(t->events);
	t->events = NULL;
	upstreams_free(t->upstreams);
	t->upstreams = NULL;
	traffic_free(t->traffic);
	t->traffic = NULL;
	scenario_free(t->scenario);
	t->scenario = NULL;
}

static void
reap(struct client_trial *t)
{
	int status = client_process_reap(&t->child);

	if (WIFSIGNALED(status))
		t->result.signal = WTERMSIG(status);
	else
		t->result.exit_code = WEXITSTATUS(status);
}

/* What is no object says nothing. */
static void
read_outcome(struct client_trial *t)
{
	char *path = files_join(t->folder, CLIENT_TRIAL_OUTCOME), *text = NULL;
	size_t n = 0;

	if (files_read(path, OUTCOME_MAX, &text, &n, NULL) == ERR_OK)
		t->result.outcome = json_loadb(text, n, 0, NULL);
	if (!json_is_object(t->result.outcome)) {
		json_decref(t->result.outcome);
		t->result.outcome = NULL;
	}
	free(text);
	free(path);
}

static void
on_ended(evutil_socket_t fd, short what, void *arg)
{
	struct client_trial *t = arg;

	(void)fd;
	(void)what;
	evtimer_del(t->timer);
	reap(t);
	close_world(t);
	t->result.took_ms = clock_mono_ms() - t->start_ms;
	read_outcome(t);
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
	if (!t->result.was_killed && is_retrying(t) &&
	    ++t->deadlines < PATIENCE) {
		loop_arm(t->timer, (uint64_t)t->deadline_ms * US_PER_MS);
		return;
	}
	if (!t->result.was_killed)
		t->result.is_retrying = is_retrying(t);
	client_process_kill(&t->child,
	    t->result.was_killed ? SIGKILL : SIGTERM);
	t->result.was_killed = true;
	loop_arm(t->timer, GRACE_MS * US_PER_MS);
}

/* ---- the program */

/* Where the program finds proxy i: its front when there is one. */
static void
address_of(const struct client_trial *t, size_t i, char out[ADDR_TEXT_MAX])
{
	struct tcpproxy_conf front;
	struct addr at;

	if (t->fronts) {
		tcpproxy_conf(tcpset_find(t->fronts, proxy_name(t->proxies[i])),
		    &front);
		snprintf(out, ADDR_TEXT_MAX, "%s", front.listen);
		return;
	}
	proxy_address(t->proxies[i], &at);
	addr_format(&at, out);
}

static void
set_url(const char *name, const char *address, const char *suffix)
{
	char *url = xasprintf("http://%s%s", address, suffix);

	setenv(name, url, 1);
	free(url);
}

/* Where the official clients of each API look for their server. */
static const struct {
	const char *name, *suffix;
} url_names[] = {
	{ "ANTHROPIC_BASE_URL", "" },
	{ "GOOGLE_GEMINI_BASE_URL", "" },
	{ "KF_CHAOS_URL", "" },
	{ "OLLAMA_HOST", "" },
	{ "OPENAI_API_BASE", "/v1" },
	{ "OPENAI_BASE_URL", "/v1" },
	{ "TFY_GATEWAY_BASE_URL", "" },
};

static const char *const key_names[] = { "ANTHROPIC_API_KEY", "GEMINI_API_KEY",
	"OPENAI_API_KEY" };

struct setting { /* what the program's environment is made from */
	const struct client_trial *t;
	const struct client_trial_conf *conf;
};

static void
set_environment(void *arg)
{
	const struct setting *s = arg;
	const struct client_trial *t = s->t;
	const char *proxy = s->conf->proxy;
	char at[ADDR_TEXT_MAX];
	size_t main = 0;

	for (size_t i = 0; i < t->nproxies; i++) {
		char *name =
		    xasprintf("KF_CHAOS_URL_%s", proxy_name(t->proxies[i]));

		address_of(t, i, at);
		set_url(name, at, "");
		free(name);
		if (proxy && strcmp(proxy, proxy_name(t->proxies[i])) == 0)
			main = i;
	}
	address_of(t, main, at);
	for (size_t i = 0; i < COUNT(url_names); i++)
		set_url(url_names[i].name, at, url_names[i].suffix);
	/* Never over one that is there: an upstream may be real and want it. */
	for (size_t i = 0; i < COUNT(key_names); i++)
		setenv(key_names[i], "local", 0);
	if (s->conf->timeout_ms) {
		char *ms = xasprintf("%u", s->conf->timeout_ms);

		setenv("KF_CHAOS_TIMEOUT_MS", ms, 1);
		free(ms);
	}
	setenv("KF_CHAOS_RUN", t->name, 1);
	setenv("KF_CHAOS_DIR", t->folder, 1);
}

static enum err
start_program(struct client_trial *t, const struct client_trial_conf *conf,
    struct why *why)
{
	struct event_base *base = loop_base(t->loop);
	struct setting setting = { t, conf };
	enum err e = client_process_start(
	    &(struct client_process_conf){ .command = conf->command,
	        .folder = t->folder,
	        .set_environment = set_environment,
	        .arg = &setting },
	    &t->child, why);

	if (e != ERR_OK)
		return e;
	t->start_ms = clock_mono_ms();
	t->ended = event_new(base, t->child.fd, EV_READ, on_ended, t);
	t->timer = evtimer_new(base, on_timer, t);
	event_add(t->ended, NULL);
	loop_arm(t->timer, (uint64_t)t->deadline_ms * US_PER_MS);
	return ERR_OK;
}

/* ---- the world */

static enum err
open_proxies(struct client_trial *t, struct why *why)
{
	struct mode_env env = { .scenario = t->scenario,
		.pool = t->pool,
		.upstreams = t->upstreams,
		.traffic = t->traffic };
	enum err e = ERR_OK;

	for (size_t i = 0; i < t->scenario->nproxies && e == ERR_OK; i++) {
		env.conf = &t->scenario->proxies[i];
		e = proxy_new(t->loop, t->engine, &env,
		    &t->proxies[t->nproxies], why);
		if (e == ERR_OK)
			t->nproxies++;
	}
	if (e == ERR_OK && t->nproxies == 0)
		e = why_set(why, ERR_SYNTAX, "the scenario has no proxy");
	return e;
}

/* A TCP proxy of the same name, with the toxic, in front of each proxy. */
static enum err
open_fronts(struct client_trial *t, json_t *toxic, struct why *why)
{
	enum err e = ERR_OK;

	t->fronts = tcpset_new(&(
	    struct tcpset_conf){ .loop = t->loop, .seed = t->scenario->seed });
	for (size_t i = 0; i < t->nproxies && e == ERR_OK; i++) {
		struct tcpproxy *p = NULL;
		struct toxic *x = NULL;
		struct addr at;
		char upstream[ADDR_TEXT_MAX];

		proxy_address(t->proxies[i], &at);
		addr_format(&at, upstream);
		e = tcpset_add(t->fronts,
		    &(struct tcpproxy_conf){ proxy_name(t->proxies[i]),
		        "127.0.0.1:0", upstream, true },
		    &p, why);
		if (e == ERR_OK)
			e = toxic_read(toxic, &x, why);
		if (e == ERR_OK)
			e = tcpproxy_add_toxic(p, x, why);
	}
	return e;
}

static enum err
open_world(struct client_trial *t, const struct client_trial_conf *conf,
    struct why *why)
{
	static const struct opt_list no_upstreams;
	char *log = files_join(t->folder, "log");
	char *outcome = files_join(t->folder, CLIENT_TRIAL_OUTCOME);
	enum err e = files_mkdirs(t->folder, why);

	/* A folder may be used again, and a journal goes on where its file
	 * ends. */
	unlink(log);
	unlink(outcome);
	free(outcome);
	if (e == ERR_OK)
		/* Copied, because reading expands presets into the document,
		 * which the next trial needs as it was. */
		e = scenario_of(json_deep_copy(conf->scenario), conf->dir,
		    &t->scenario, why);
	if (e == ERR_OK && conf->record)
		recording_play(t->scenario, conf->record, &t->result.missing);
	if (e == ERR_OK)
		e = events_open(log, &t->events, why);
	if (e == ERR_OK)
		e = upstreams_new(conf->upstreams ? conf->upstreams
		                                  : &no_upstreams,
		    &t->upstreams, why);
	free(log);
	if (e != ERR_OK)
		return e;
	events_watch(t->events, on_line, t);
	t->traffic = traffic_new();
	traffic_watch(t->traffic, on_view, t);
	t->pool = fetch_pool_new(t->loop, NULL);
	t->engine = engine_new(t->scenario, conf->seed, t->events,
	    loop_now_us(t->loop) / 1000);
	if (conf->allows)
		engine_only(t->engine, conf->allows, conf->allows_arg);
	e = open_proxies(t, why);
	return e == ERR_OK && conf->toxic ? open_fronts(t, conf->toxic, why)
	                                  : e;
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
	t->on_done = on_done;
	t->arg = arg;
	t->attempts = xcalloc(REQUESTS_MAX, sizeof *t->attempts);
	t->calls = xcalloc(REQUESTS_MAX, sizeof *t->calls);
	t->result.attempts = t->attempts;
	t->result.calls = t->calls;
	t->result.lines = json_array();
	e = open_world(t, conf, why);
	if (e == ERR_OK)
		e = start_program(t, conf, why);
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
	close_world(t);
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
	free(t->attempts);
	free(t->calls);
	free(t->folder);
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
