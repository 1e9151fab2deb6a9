/*
 * The model client: one chat completion at a time through the gateway, on
 * libcurl, with deadlines, strict endings and retries (docs/wire.md names
 * every header).
 *
 * Deadline and attempts are shared with the gateway: each attempt tells it how
 * much time is left and that we retry, so it does not; and what it asked of
 * providers counts against model_retry_policy.calls_max.
 *
 * What the other side does wrong is data (struct model_failure); the caller
 * decides whether it costs an iteration or ends the run.
 */
#ifndef AGENT_MODEL_H
#define AGENT_MODEL_H

#include "agent/model/answer_assembly.h"
#include "base/err.h"
#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#define MODEL_TEXT_MAX 256

/* One attempt on the wire, for the trace. */
struct model_attempt {
	unsigned number;           /* from 1 */
	uint64_t start_us, end_us; /* monotonic */
	int status;                /* HTTP status, 0: none came */
	const char *outcome;       /* "good", "stream_cut", "http_503", ... */
	const char *decision; /* "done", or why a retry follows or does not */
	bool retries;
	uint32_t delay_ms; /* before the next attempt */
};

/* The class of a question for which this process may open no socket. */
#define MODEL_LACKS_DESCRIPTORS "descriptors"

/* An attempt that goes on, about once a second, and whenever much has come. */
struct model_wait {
	uint64_t ms;
	uint64_t before_ms; /* what ms was when it was told before; or 0 */
	unsigned pieces;    /* of a stream, about a token each */
	size_t bytes;
	unsigned attempt;  /* from 1 */
	const char *model; /* which was asked for */
};

/* Is a multiple of so many seconds reached that was not before?  The telling
 * drifts, and may have no moment in a given second. */
bool model_wait_reaches(const struct model_wait *w, unsigned seconds);

struct attempt_cost;
struct model_retry_policy;

struct model_conf {           /* strings are borrowed */
	const char *base_url; /* with or without a path; "/v1" is added */
	const char *key;
	const char *model;
	const char *scenario;
	bool stream;
	uint32_t deadline_ms; /* of one question, all attempts; 0: 300 s */
	uint32_t idle_ms;     /* without payload; 0: 60 s */
	const struct model_retry_policy *retry; /* NULL: model_retry_default */
	uint32_t first_ms;  /* until the first payload; 0: as idle_ms */
	long answer_tokens; /* max_tokens of a question; 0: not said */
	void (*on_attempt)(const struct model_attempt *a, void *arg);
	void (*on_wait)(const struct model_wait *w, void *arg);
	/* Of each attempt, whatever became of it, before the next. */
	void (*on_cost)(const struct attempt_cost *c, void *arg);
	/* May one that failed be followed by another?  NULL: it may. */
	bool (*may_retry)(void *arg);
	void *arg;
};

struct model_question {
	const char *role; /* "kernelforge" or "naive" */
	const char *op;
	unsigned iteration;
	bool escalate;
	const char *model;    /* NULL: the configured one */
	json_t *messages;     /* borrowed */
	uint32_t deadline_ms; /* 0: the configured one */
};

struct model_answer {
	char *content;              /* owned */
	char route[MODEL_TEXT_MAX]; /* "PROVIDER/MODEL reason=REASON" */
	char request_id[MODEL_TEXT_MAX];
	char said_model[MODEL_TEXT_MAX]; /* as the answer says, or "" */
	unsigned attempts;
};

struct model_failure {
	bool unreachable; /* nobody answers at base_url */
	char class[64];   /* "unreachable", "http_503", "stream_cut", ... */
	char text[MODEL_TEXT_MAX];
	char route[MODEL_TEXT_MAX]; /* as far as it is known, or "" */
};

struct model;

/* ERR_SYNTAX: base_url or key cannot be used; model_new asks the same. */
enum err model_check(const char *base_url, const char *key, struct why *why);
enum err model_new(const struct model_conf *conf, struct model **ret,
    struct why *why);
void model_free(struct model *m); /* NULL-safe */

/* ERR_OK: *ret is filled (free with model_answer_done).  Else *failure is. */
enum err model_ask(struct model *m, const struct model_question *q,
    struct model_answer *ret, struct model_failure *failure);
void model_answer_done(struct model_answer *a); /* NULL-safe */

#endif
