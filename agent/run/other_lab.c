/* Asking the other lab, and reading its word by tables. */
#include "agent/run/other_lab.h"

#include "agent/mcp/client.h"
#include "agent/run/note_degradation.h"
#include "agent/run/run_progress.h"
#include "agent/text/claim_filter.h"
#include "base/circuit_breaker.h"
#include "base/clock.h"
#include "base/jfield.h"
#include "base/jlenient.h"
#include "base/mem.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define REASON_CHARS 240

struct other_lab {
	struct mcp_client *client; /* owned */
	struct breaker breaker;
	const char *url; /* borrowed from the conf */
};

/* A verdict, a stage and a case as verify_kernel's output schema has them. */
struct said {
	const char *op, *verdict, *class, *message, *suspect, *source, *commit,
	    *by;
	json_t *smoke, *cases, *stages, *other;
};

struct said_stage {
	const char *name, *status;
};

struct said_case {
	const char *name, *dtype;
	bool passed;
	json_t *other;
};

#define SAID(m)  offsetof(struct said, m)
#define STAGE(m) offsetof(struct said_stage, m)
#define CASE(m)  offsetof(struct said_case, m)

/* clang-format off */
static const struct jfield said_fields[] = {
	{ "op",		     JF_STRING, JF_REQUIRED, 0, 0, SAID(op),	  NULL },
	{ "verdict",	     JF_STRING, JF_REQUIRED, 0, 0, SAID(verdict), NULL },
	{ "class",	     JF_STRING, JF_REQUIRED, 0, 0, SAID(class),	  NULL },
	{ "message",	     JF_STRING, JF_REQUIRED, 0, 0, SAID(message), NULL },
	{ "suspect",	     JF_STRING, JF_REQUIRED, 0, 0, SAID(suspect), NULL },
	{ "source_sha256",   JF_STRING, JF_REQUIRED, 0, 0, SAID(source),  NULL },
	{ "seed_commit",     JF_STRING, JF_REQUIRED, 0, 0, SAID(commit),  NULL },
	{ "seed_by",	     JF_STRING, JF_REQUIRED, 0, 0, SAID(by),	  NULL },
	{ "smoke",	     JF_ANY,	JF_REQUIRED, 0, 0, SAID(smoke),	  NULL },
	{ "cases",	     JF_ARRAY,	JF_REQUIRED, 0, LAB_CASES_MAX,	SAID(cases),  NULL },
	{ "stages",	     JF_ARRAY,	JF_REQUIRED, 1, LAB_STAGES_MAX, SAID(stages), NULL },
	{ "skipped",	     JF_ARRAY,	0, 0, 0, SAID(other), NULL },
	{ "needs",	     JF_OBJECT, 0, 0, 0, SAID(other), NULL },
	{ "coverage",	     JF_OBJECT, 0, 0, 0, SAID(other), NULL },
	{ "array",	     JF_OBJECT, 0, 0, 0, SAID(other), NULL },
	{ "batch_invariant", JF_ANY,	0, 0, 0, SAID(other), NULL },
};
static const struct jfield stage_fields[] = {
	{ "name",   JF_STRING, JF_REQUIRED, 0, 0, STAGE(name),	 NULL },
	{ "status", JF_STRING, JF_REQUIRED, 0, 0, STAGE(status), NULL },
};
static const struct jfield case_fields[] = {
	{ "name",	  JF_STRING, JF_REQUIRED, 0, 0, CASE(name),   NULL },
	{ "dtype",	  JF_STRING, JF_REQUIRED, 0, 0, CASE(dtype),  NULL },
	{ "passed",	  JF_BOOL,   JF_REQUIRED, 0, 0, CASE(passed), NULL },
	{ "max_abs_diff", JF_ANY,    0, 0, 0, CASE(other), NULL },
	{ "bound_ratio",  JF_ANY,    0, 0, 0, CASE(other), NULL },
};
/* clang-format on */

/* How a failure is told; every other one is "malformed". */
static const char *const failures[ERR_NERRS] = {
	[ERR_TIMEOUT] = "timeout",
	[ERR_IO] = "unreachable",
	[ERR_DENIED] = "tool_error",
};

/* What a refusal may say: of the candidate, and not of a machine's day. */
static const enum lab_verdict refusals[] = {
	LAB_VERIFIED_INCORRECT,
	LAB_REFUSED,
	LAB_COMPILE_ERROR,
};

const char other_lab_hint[] =
    "Another lab, with another compiler and device, refuses this kernel, "
    "though nothing wrong was found with it here. What differs between devices "
    "is looked at first: work items that rely on an order or miss a barrier, "
    "reads of what nobody wrote or beyond an end, the size of a group.";

struct other_lab *
other_lab_new(const struct other_lab_conf *conf)
{
	struct other_lab *l = xcalloc(1, sizeof *l);
	struct breaker_conf bc;

	if (!breaker_preset(conf->profile, &bc))
		(void)breaker_preset("production", &bc);
	breaker_init(&l->breaker, &bc);
	l->url = conf->url;
	l->client = mcp_client_new(conf->url, conf->token, conf->silence_ms);
	return l;
}

void
other_lab_free(struct other_lab *l)
{
	if (!l)
		return;
	mcp_client_free(l->client);
	free(l);
}

/* An event of the trace, and a line for who watches. */
static void
degrade(struct run *run, const char *status, const char *text)
{
	/* It may quote what was sent: the name of a key that nobody expects. */
	char *clean = claim_clean(text, REASON_CHARS);

	degrade_trace(run, status,
	    json_pack("{s:s, s:s, s:s, s:i}", "tool", "other_lab", "reason",
	        clean, "op", run->op, "iteration", (int)run->iteration));
	say_step(run, "the other lab: %s; our own judges", clean);
	free(clean);
}

void
other_lab_compare(struct run *run, const struct opinion *said,
    const struct lab_report *own)
{
	bool is_right = own->verdict == LAB_VERIFIED_CORRECT;
	char text[128];

	if (own->verdict == LAB_ERROR)
		return;
	(void)snprintf(text, sizeof text, "it called right what ours found %s",
	    *own->class ? own->class : lab_verdict_name(own->verdict));
	if (said->word == OPINION_ACCEPTED && !is_right)
		degrade(run, "contradicted", text);
	if (said->word == OPINION_REFUSED && is_right)
		degrade(run, "disputed",
		    "it refuses a kernel with which ours finds nothing wrong");
}

static json_t *
arguments_of(const struct lab_exam_job *job)
{
	const struct candidate *c = job->candidate;
	json_t *o = json_object(), *global = json_array(),
	       *local = json_array();
	char seed[DIGEST_HEX], nonce[DIGEST_HEX];

	digest_hex(job->seeds->seed, seed);
	digest_hex(job->seeds->nonce, nonce);
	for (size_t i = 0; i < c->ndims; i++) {
		json_array_append_new(global, json_string(c->global[i]));
		json_array_append_new(local, json_string(c->local[i]));
	}
	json_object_set_new(o, "op", json_string(job->op->name));
	json_object_set_new(o, "source", json_string(c->source));
	json_object_set_new(o, "entry", json_string(c->entry));
	json_object_set_new(o, "global_size", global);
	json_object_set_new(o, "local_size", local);
	json_object_set_new(o, "seed", json_string(seed));
	json_object_set_new(o, "nonce", json_string(nonce));
	return o;
}

static enum err
check_case(json_t *o, struct why *why)
{
	struct said_case c = { 0 };
	enum err e =
	    jfield_read(o, "/cases", case_fields, COUNT(case_fields), &c, why);
	int d = 0;

	while (e == ERR_OK && d < DTYPE_NDTYPES &&
	    strcmp(dtype_name((enum dtype)d), c.dtype) != 0)
		d++;
	if (e == ERR_OK && d == DTYPE_NDTYPES)
		e = why_set(why, ERR_RANGE, "/cases/dtype: unknown");
	return e;
}

static enum err
check_stage(json_t *o, struct why *why)
{
	static const char *const words[] = { "passed", "failed", "skipped" };
	struct said_stage s = { 0 };
	size_t status = 0;
	enum err e = jfield_read(o, "/stages", stage_fields,
	    COUNT(stage_fields), &s, why);

	if (e != ERR_OK)
		return e;
	while (status < COUNT(words) && strcmp(words[status], s.status) != 0)
		status++;
	if (status == COUNT(words) || lab_stage_find(s.name) == LAB_NSTAGES)
		return why_set(why, ERR_RANGE, "/stages: unknown");
	return ERR_OK;
}

/* Nothing of them is used: an answer that is not a lab's counts for nothing. */
static enum err
check_lists(const struct said *s, struct why *why)
{
	enum err e = ERR_OK;
	json_t *o;
	size_t i;

	json_array_foreach(s->cases, i, o) {
		if (e == ERR_OK)
			e = check_case(o, why);
	}
	json_array_foreach(s->stages, i, o) {
		if (e == ERR_OK)
			e = check_stage(o, why);
	}
	return e;
}

/* Is it the verdict of this candidate by this seed? */
static enum err
check_bound(const struct said *s, const struct lab_exam_job *job,
    struct why *why)
{
	char commit[SEED_COMMIT_HEX], source[DIGEST_HEX];

	lab_seed_commit(job->seeds->seed, job->seeds->nonce, commit);
	digest_sha256_hex(job->candidate->source,
	    strlen(job->candidate->source), source);
	if (strcmp(s->op, job->op->name) != 0 ||
	    strcmp(s->source, source) != 0 || strcmp(s->commit, commit) != 0 ||
	    strcmp(s->by, "caller") != 0)
		return why_set(why, ERR_SYNTAX,
		    "the verdict of another question");
	return ERR_OK;
}

static enum opinion_word
word_of(enum lab_verdict v)
{
	if (v == LAB_VERIFIED_CORRECT)
		return OPINION_ACCEPTED;
	for (size_t i = 0; i < COUNT(refusals); i++)
		if (v == refusals[i])
			return OPINION_REFUSED;
	return OPINION_NONE;
}

static enum err
read_said(json_t *value, const struct lab_exam_job *job, struct opinion *ret,
    struct why *why)
{
	struct said s = { 0 };
	enum err e =
	    jfield_read(value, "", said_fields, COUNT(said_fields), &s, why);
	int v = 0;

	if (e == ERR_OK)
		e = check_bound(&s, job, why);
	if (e == ERR_OK)
		e = check_lists(&s, why);
	if (e != ERR_OK)
		return e;
	while (v < LAB_NVERDICTS &&
	    strcmp(lab_verdict_name((enum lab_verdict)v), s.verdict) != 0)
		v++;
	if (v == LAB_NVERDICTS)
		return why_set(why, ERR_RANGE, "/verdict: unknown");
	ret->word = word_of((enum lab_verdict)v);
	opinion_take(ret, "class", s.class);
	opinion_take(ret, "message", s.message);
	return ERR_OK;
}

/* By what the answer says of its server, and where we asked. */
static void
name_it(const struct other_lab *l, struct opinion *ret)
{
	json_t *server = mcp_client_server(l->client);

	opinion_take(ret, "name", jlenient_text(server, "name"));
	opinion_take(ret, "version", jlenient_text(server, "version"));
	opinion_take(ret, "url", l->url);
}

static enum err
question(struct other_lab *l, struct run *run, const struct lab_exam_job *job,
    struct opinion *ret, struct why *why)
{
	char *session = xasprintf("lab/%s/%u", job->op->name, run->iteration);
	json_t *said = NULL;
	struct mcp_question q = {
		.tool = "verify_kernel",
		.arguments = arguments_of(job),
		.session = session,
	};
	enum err e = mcp_client_call(l->client, &q, &said, why);

	if (e == ERR_OK)
		e = read_said(said, job, ret, why);
	if (e == ERR_OK)
		name_it(l, ret);
	json_decref(said);
	json_decref(q.arguments);
	free(session);
	return e;
}

void
other_lab_ask(struct other_lab *l, struct run *run,
    const struct lab_exam_job *job, struct opinion *ret)
{
	struct breaker_pass pass;
	struct why why;
	enum err e;

	*ret = (struct opinion){ 0 };
	if (!breaker_enter(&l->breaker, clock_mono_ms(), &pass)) {
		degrade(run, "breaker_open", "not asked, its breaker is open");
		return;
	}
	say_step(run, "asking the other lab");
	e = question(l, run, job, ret, &why);
	/* We were stopped, which says nothing about the other lab. */
	if (e == ERR_CLOSED) {
		breaker_leave(&l->breaker, &pass);
		return;
	}
	if (e == ERR_OK) {
		breaker_ok(&l->breaker, &pass, clock_mono_ms());
		return;
	}
	breaker_fail(&l->breaker, &pass, clock_mono_ms(), -1);
	degrade(run, failures[e] ? failures[e] : "malformed", why.text);
}
