/*
 * One run of somebody's program against one scenario, watched: the proxies
 * are opened in this process, the program is started with their addresses in
 * its environment, and everything it did is kept until it ends or its
 * deadline passes.  Several trials may be under way on one loop.
 *
 * The program gets OPENAI_BASE_URL and OPENAI_API_BASE (with /v1), and
 * without it ANTHROPIC_BASE_URL, GOOGLE_GEMINI_BASE_URL, OLLAMA_HOST,
 * TFY_GATEWAY_BASE_URL and KF_CHAOS_URL; KF_CHAOS_URL_NAME for each proxy of
 * that name, KF_CHAOS_RUN (the trial's name) and KF_CHAOS_DIR (a folder of its
 * own); KF_CHAOS_TIMEOUT_MS, the time-out it is to give its client, where one
 * is set; KF_CHAOS_CHECK, how much it is to look at; KF_CHAOS_RESUMED where it
 * was killed and begins again; a key for OpenAI, Anthropic and Gemini where it
 * is unset.
 */
#ifndef CHAOS_CLIENT_TRIAL_H
#define CHAOS_CLIENT_TRIAL_H

#include "base/loop.h"
#include "base/opts.h"
#include "chaos/http/traffic_view.h"
#include "chaos/rules/engine.h"
#include "chaos/trials/conduct.h"
#include <jansson.h>

struct client_trial;

/* Behind which a command ends whose runs were interrupted: and the signal, as
 * shells say it. */
#define CLIENT_TRIAL_INTERRUPTED 128

/* A program may say what its client handed over, in KF_CHAOS_DIR: an object
 * with "text" and "finish" (the reason that the caller sees, or null). */
#define CLIENT_TRIAL_OUTCOME "outcome.json"

struct client_trial_conf {  /* all borrowed; needed until client_trial_start
	                returns, but  allows_arg until the end */
	const char *name;   /* a file name */
	const char *folder; /* made if it is missing: log, stdout, stderr */
	json_t *scenario;   /* the document */
	const char *dir;    /* what its paths are relative to */
	const char *seed;   /* NULL: the scenario's */
	const struct opt_list *upstreams; /* of --upstream; NULL: none */
	json_t *toxic;         /* on a TCP proxy in front of each; NULL: none */
	const char *proxy;     /* whose address the program gets; NULL: first */
	char *const *command;  /* NULL-terminated */
	uint32_t deadline_ms;  /* from its first request on */
	uint32_t start_max_ms; /* as much more until then */
	const char *check;     /* KF_CHAOS_CHECK; NULL: unset */
	uint32_t timeout_ms;   /* KF_CHAOS_TIMEOUT_MS; 0: unset */
	size_t tool_calls_max; /* answers that call a tool, behind which it is
	                        * stopped; 0: no bound */
	const char *state;     /* for sh -c, when it has ended: exit 0 if what
	                        * it left is right, and a line for each effect
	                        * on standard output; NULL: nobody looks */
	uint64_t crash_at;     /* killed as that request comes, counted from 1,
	                        * and begun again; 0: it is not */
	const char *record;    /* a folder: upstreams' answers are played from
	                        * there (recording.h); NULL: they are asked */
	int *interrupted_by;   /* gets the signal that ended client_trial_run()
	                        * before its time; NULL: nobody asks */
	bool asks;             /* upstreams, for what is not in the record */
	engine_allows *allows; /* NULL: every fault may act */
	void *allows_arg;
};

/* A request of the program, beside its conduct. */
struct client_trial_call {
	uint64_t attempt, ordinal, events, bytes;
	int64_t turn; /* of a conversation with a model; 0: it is none */
	char method[16], path[TRAFFIC_VIEW_TEXT_MAX],
	    model[TRAFFIC_VIEW_TEXT_MAX];
	char op[TRAFFIC_VIEW_TEXT_MAX], call[TRAFFIC_VIEW_TEXT_MAX],
	    proxy[TRAFFIC_VIEW_TEXT_MAX];
	bool is_stream; /* its answer was */
};

struct client_trial_result {
	const struct conduct_attempt *attempts; /* by arrival */
	const struct client_trial_call *calls;  /* beside them */
	size_t n;
	json_t *lines; /* of the event log */
	size_t fired;
	size_t missing; /* requests that were not in the record */
	int exit_code, signal;
	bool was_killed;
	bool is_retrying; /* when it was killed: it waited to ask again */
	json_t *outcome;  /* what it says came out; NULL: it says nothing */
	json_t *effects;  /* effects.h: of its folder, of tools, of the state */
	bool has_crashed; /* and began again: exit_code is of the second */
	bool is_wrong_state;        /* what it left is not right */
	uint64_t took_ms, start_ms; /* start: until its first request */
};

/* ERR_*: nothing was started.  on_done comes from the loop, once; the trial
 * stays until it is freed. */
enum err client_trial_start(struct loop *l,
    const struct client_trial_conf *conf,
    void (*on_done)(struct client_trial *t, void *arg), void *arg,
    struct client_trial **ret, struct why *why);
/* The same, and waits for its end.  ERR_STATE: it was interrupted. */
enum err client_trial_run(const struct client_trial_conf *conf,
    struct client_trial **ret, struct why *why);
void client_trial_free(
    struct client_trial *t); /* kills what still runs; NULL-safe */

/* Did the program fail: a status, a signal, or no end? */
bool client_trial_failed(const struct client_trial_result *r);

const struct client_trial_result *client_trial_result(
    const struct client_trial *t);

/* The reason of the first bypass; NULL: there was none. */
const char *client_trial_bypass(const struct client_trial_result *r);

/* Why a run that nothing was done to cannot be judged: the last line that the
 * program wrote on standard error. */
void client_trial_last_words(const struct client_trial *t, char *out,
    size_t size);

#endif
