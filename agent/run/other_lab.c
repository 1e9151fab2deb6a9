/* Asking the other lab, and reading its verdict by tables. */
#include "agent/run/other_lab.h"

#include "agent/mcp/client.h"
#include "agent/run/note_degradation.h"
#include "agent/run/run_progress.h"
#include "base/circuit_breaker.h"
#include "base/clock.h"
#include "base/jfield.h"
#include "base/mask.h"
#include "base/mem.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct other_lab {
	struct mcp_client *client; /* owned */
	struct breaker breaker;
	json_t
	    *said; /* owned: what the last report's names are borrowed from */
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
	json_t *diff, *ratio;
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
	{ "max_abs_diff", JF_ANY,    0, 0, 0, CASE(diff),  NULL },
	{ "bound_ratio",  JF_ANY,    0, 0, 0, CASE(ratio), NULL },
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

struct other_lab *
other_lab_new(const struct other_lab_conf *conf)
{
	struct other_lab *l = xcalloc(1, sizeof *l);
	struct breaker_conf bc;

	if (!breaker_preset(conf->profile, &bc))
		(void)breaker_preset("production", &bc);
	breaker_init(&l->breaker, &bc);
	l->client = mcp_client_new(conf->url, conf->token, conf->deadline_ms);
	return l;
}

void
other_lab_free(struct other_lab *l)
{
	if (!l)
		return;
	mcp_client_free(l->client);
	json_decref(l->said);
	free(l);
}

/* An event of the trace, and a line for who watches. */
static void
degrade(struct run *run, const char *status, const char *text)
{
	degrade_trace(run, status,
	    json_pack("{s:s, s:s, s:s, s:i}", "tool", "other_lab", "reason",
	        text, "op", run->op, "iteration", (int)run->iteration));
	say_step(run, "the other lab: %s; our own judges", text);
}

void
other_lab_contradicted(struct run *run, const struct lab_report *own)
{
	char text[128];

	(void)snprintf(text, sizeof text, "it called right what ours found %s",
	    *own->class ? own->class : lab_verdict_name(own->verdict));
	degrade(run, "contradicted", text);
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

/* A null stands for what is not finite. */
static double
number(json_t *v)
{
	return json_is_number(v) ? json_number_value(v) : (double)INFINITY;
}

static enum err
read_case(json_t *o, struct lab_case_result *ret, struct why *why)
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
	if (e != ERR_OK)
		return e;
	*ret = (struct lab_case_result){ .name = c.name,
		.dtype = (enum dtype)d,
		.passed = c.passed,
		.max_abs_diff = c.passed ? 0 : number(c.diff),
		.bound_ratio = c.passed ? 0 : number(c.ratio) };
	return ERR_OK;
}

static enum err
read_stage(json_t *o, struct lab_stage_result *ret, struct why *why)
{
	static const char *const words[] = {
		[LAB_STAGE_PASSED] = "passed",
		[LAB_STAGE_FAILED] = "failed",
		[LAB_STAGE_SKIPPED] = "skipped",
	};
	struct said_stage s = { 0 };
	size_t status = 0;
	enum err e = jfield_read(o, "/stages", stage_fields,
	    COUNT(stage_fields), &s, why);

	if (e != ERR_OK)
		return e;
	while (status < COUNT(words) && strcmp(words[status], s.status) != 0)
		status++;
	ret->stage = lab_stage_find(s.name);
	if (status == COUNT(words) || ret->stage == LAB_NSTAGES)
		return why_set(why, ERR_RANGE, "/stages: unknown");
	ret->status = (enum lab_stage_status)status;
	return ERR_OK;
}

static enum err
read_lists(const struct said *s, struct lab_report *ret, struct why *why)
{
	enum err e = ERR_OK;
	json_t *o;
	size_t i;

	json_array_foreach(s->cases, i, o) {
		if (e == ERR_OK)
			e = read_case(o, &ret->cases[i], why);
	}
	json_array_foreach(s->stages, i, o) {
		if (e == ERR_OK)
			e = read_stage(o, &ret->stages[i], why);
	}
	ret->ncases = json_array_size(s->cases);
	ret->nstages = json_array_size(s->stages);
	return e;
}

/* Is it the verdict of this candidate by this seed? */
static enum err
check_bound(const struct said *s, const struct lab_exam_job *job,
    struct lab_report *ret, struct why *why)
{
	char reveal[SEED_REVEAL_HEX];
	struct seed seed;

	seed_init(&seed, job->seeds->seed, job->seeds->nonce);
	seed_reveal(&seed, reveal);
	(void)snprintf(ret->seed_reveal, sizeof ret->seed_reveal, "%s", reveal);
	lab_seed_commit(job->seeds->seed, job->seeds->nonce, ret->seed_commit);
	digest_sha256_hex(job->candidate->source,
	    strlen(job->candidate->source), ret->source_sha256);
	if (strcmp(s->op, job->op->name) != 0 ||
	    strcmp(s->source, ret->source_sha256) != 0 ||
	    strcmp(s->commit, ret->seed_commit) != 0 ||
	    strcmp(s->by, "caller") != 0)
		return why_set(why, ERR_SYNTAX,
		    "the verdict of another question");
	return ERR_OK;
}

static enum err
read_said(json_t *value, const struct lab_exam_job *job, struct lab_report *ret,
    struct why *why)
{
	struct said s = { 0 };
	enum err e =
	    jfield_read(value, "", said_fields, COUNT(said_fields), &s, why);
	int v = 0;

	*ret = (struct lab_report){ .verdict = LAB_ERROR,
		.smoke = -1,
		.batch_invariant = -1 };
	if (e == ERR_OK)
		e = check_bound(&s, job, ret, why);
	if (e == ERR_OK)
		e = read_lists(&s, ret, why);
	if (e != ERR_OK)
		return e;
	while (v < LAB_NVERDICTS &&
	    strcmp(lab_verdict_name((enum lab_verdict)v), s.verdict) != 0)
		v++;
	if (v == LAB_NVERDICTS)
		return why_set(why, ERR_RANGE, "/verdict: unknown");
	ret->verdict = (enum lab_verdict)v;
	ret->class = s.class;
	ret->smoke = json_is_null(s.smoke) ? -1 : json_is_true(s.smoke);
	mask_format(ret->message, sizeof ret->message, "%s", s.message);
	mask_format(ret->suspect, sizeof ret->suspect, "%s", s.suspect);
	return ERR_OK;
}

static enum other_lab_word
word_of(const struct lab_report *r)
{
	if (r->verdict == LAB_VERIFIED_CORRECT)
		return OTHER_LAB_AGREES;
	for (size_t i = 0; i < COUNT(refusals); i++)
		if (r->verdict == refusals[i])
			return OTHER_LAB_REFUTES;
	return OTHER_LAB_SILENT;
}

static enum err
question(struct other_lab *l, struct run *run, const struct lab_exam_job *job,
    struct lab_report *ret, struct why *why)
{
	char *session = xasprintf("lab/%s/%u", job->op->name, run->iteration);
	struct mcp_question q = {
		.tool = "verify_kernel",
		.arguments = arguments_of(job),
		.session = session,
	};
	enum err e;

	json_decref(l->said);
	l->said = NULL;
	e = mcp_client_call(l->client, &q, &l->said, why);
	if (e == ERR_OK)
		e = read_said(l->said, job, ret, why);
	json_decref(q.arguments);
	free(session);
	return e;
}

enum other_lab_word
other_lab_ask(struct other_lab *l, struct run *run,
    const struct lab_exam_job *job, struct lab_report *ret)
{
	struct breaker_pass pass;
	struct why why;
	enum err e;

	if (!breaker_enter(&l->breaker, clock_mono_ms(), &pass)) {
		degrade(run, "breaker_open", "not asked, its breaker is open");
		return OTHER_LAB_SILENT;
	}
	say_step(run, "asking the other lab");
	e = question(l, run, job, ret, &why);
	/* We were stopped, which says nothing about the other lab. */
	if (e == ERR_CLOSED) {
		breaker_leave(&l->breaker, &pass);
		return OTHER_LAB_SILENT;
	}
	if (e == ERR_OK) {
		breaker_ok(&l->breaker, &pass, clock_mono_ms());
		return word_of(ret);
	}
	breaker_fail(&l->breaker, &pass, clock_mono_ms(), -1);
	degrade(run, failures[e] ? failures[e] : "malformed", why.text);
	return OTHER_LAB_SILENT;
}
