/*
 * compile_kernel, verify_kernel and bench_kernel: the lab, asked by a model.
 *
 * The verdict is the one of `kernelforge verify --json`.  What the person with
 * the file in hand is told beside it (where it failed on which shape, what was
 * expected, the seed) is taken out, and of what failed no more is said than
 * the loop's own model hears (lab/stages/model_hint.h).
 */
#include "agent/ledger/repeat_verdict.h"
#include "agent/service/tools.h"
#include "agent/telling/bench_print.h"
#include "agent/text/claim_filter.h"
#include "base/mask.h"
#include "base/mem.h"
#include "lab/lab.h"
#include "lab/read/plain_kernel.h"
#include "lab/stages/model_hint.h"
#include "lab/timing/timing.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MESSAGE_CHARS 400
#define COMPILED      "compiled"

/* clang-format off */
const char tool_verdict_output[] =
    "{\"type\":\"object\",\"properties\":{"
    "\"op\":{\"type\":\"string\"},"
    "\"verdict\":{\"enum\":[\"verified_correct\",\"verified_incorrect\",\"refused\","
      "\"compile_error\",\"timeout\",\"crash\",\"sandbox\",\"resource\",\"unproven\",\"" COMPILED "\"],"
      "\"description\":\"only verified_correct says that the kernel is right\"},"
    "\"class\":{\"type\":\"string\"},"
    "\"message\":{\"type\":\"string\"},"
    "\"suspect\":{\"type\":\"string\",\"description\":\"the suspected cause\"},"
    "\"smoke\":{\"type\":[\"boolean\",\"null\"]},"
    "\"cases\":{\"type\":\"array\",\"description\":\"up to the first that failed\",\"items\":{\"type\":\"object\",\"properties\":{"
      "\"name\":{\"type\":\"string\"},\"dtype\":{\"type\":\"string\"},\"passed\":{\"type\":\"boolean\"},"
      "\"max_abs_diff\":{\"type\":[\"number\",\"null\"],\"description\":\"a power of ten; null: not finite\"},"
      "\"bound_ratio\":{\"type\":[\"number\",\"null\"],\"description\":\"a power of ten; null: not finite\"}},"
      "\"required\":[\"name\",\"dtype\",\"passed\"],\"additionalProperties\":false}},"
    "\"stages\":{\"type\":\"array\",\"items\":{\"type\":\"object\",\"properties\":{"
      "\"name\":{\"type\":\"string\"},\"status\":{\"enum\":[\"passed\",\"failed\",\"skipped\"]}},"
      "\"required\":[\"name\",\"status\"],\"additionalProperties\":false}},"
    "\"skipped\":{\"type\":\"array\"},\"needs\":{\"type\":\"object\"},\"coverage\":{\"type\":\"object\"},"
    "\"array\":{\"type\":\"object\"},\"batch_invariant\":{\"type\":[\"boolean\",\"null\"]},"
    "\"source_sha256\":{\"type\":\"string\"},\"seed_commit\":{\"type\":\"string\"},"
    "\"seed_by\":{\"enum\":[\"lab\",\"caller\"]}},"
    "\"required\":[\"op\",\"verdict\",\"class\",\"message\",\"suspect\",\"smoke\",\"cases\",\"stages\","
      "\"source_sha256\",\"seed_commit\",\"seed_by\"],\"additionalProperties\":false}";

const char tool_bench_output[] =
    "{\"type\":\"object\",\"properties\":{"
    "\"op\":{\"type\":\"string\"},\"verdict\":{\"const\":\"verified_correct\"},"
    "\"source_sha256\":{\"type\":\"string\"},\"machine\":{\"type\":\"object\"},"
    "\"sizes\":{\"type\":\"array\",\"items\":{\"type\":\"object\"}},"
    "\"speedup\":{\"type\":[\"number\",\"null\"]}},"
    "\"required\":[\"op\",\"verdict\",\"source_sha256\",\"machine\",\"sizes\",\"speedup\"]}";
/* clang-format on */

/* A judgement under way. */
struct exam {
	const struct mcp_tool_ground *ground;
	unsigned done, total;
};

static void
tell(struct exam *x, const char *text)
{
	x->done++;
	if (x->ground->on_progress)
		x->ground->on_progress(x->done, x->total, text, x->ground->arg);
}

static void
on_stage(const struct lab_stage_result *r, void *arg)
{
	static const char *const words[] = {
		[LAB_STAGE_PASSED] = "passed",
		[LAB_STAGE_FAILED] = "failed",
		[LAB_STAGE_SKIPPED] = "skipped",
	};
	char text[64];

	(void)snprintf(text, sizeof text, "%s %s", lab_stage_name(r->stage),
	    words[r->status]);
	tell(arg, text);
}

static void
on_size(const struct lab_timing_size *s, void *arg)
{
	char text[64];

	(void)snprintf(text, sizeof text, "%s timed", s->name);
	tell(arg, text);
}

/* The kernel in the arguments, in either form; ERR_SYNTAX. */
static enum err
read_kernel(const struct mcp_tool_args *a, json_t *json, struct candidate *ret,
    struct why *why)
{
	bool is_file = !a->entry && !a->global_size && !a->local_size;
	json_t *answer;
	char *text;
	enum err e;

	if (is_file)
		return candidate_parse_file("source", a->source,
		    strlen(a->source), ret, why);
	if (!a->entry || !a->global_size || !a->local_size)
		return why_set(why, ERR_SYNTAX,
		    "expected entry, global_size and local_size, all three or "
		    "none");
	answer = json_pack("{s:O, s:O, s:O, s:O}", "source",
	    json_object_get(json, "source"), "entry",
	    json_object_get(json, "entry"), "global_size", a->global_size,
	    "local_size", a->local_size);
	text = json_dumps(answer, JSON_COMPACT);
	e = candidate_parse_answer(text, strlen(text), ret, why);
	free(text);
	json_decref(answer);
	return e;
}

static enum err
read_seed(const struct mcp_tool_args *a, struct repeat *ret, struct why *why)
{
	char *hex =
	    xasprintf("%s%s", a->seed ? a->seed : "", a->nonce ? a->nonce : "");
	enum err e = ERR_OK;

	if (a->nonce && !a->seed)
		e = why_set(why, ERR_SYNTAX, "nonce: expected seed, too");
	else if (a->seed)
		e = repeat_from_hex(hex, ret, why);
	free(hex);
	return e;
}

/* JSON has no infinity: what has no number is null. */
static json_t *
power_of_ten(double v)
{
	double power = model_hint_power_of_ten(v);

	return isfinite(power) ? json_real(power) : json_null();
}

/* Up to the first that failed: what the others would say is more of the same
 * to a model that mends its kernel, and eleven answers a call to one that asks
 * for the cases. */
static json_t *
cases_json(const struct lab_report *r)
{
	json_t *all = json_array();
	bool goes_on = true;

	for (size_t i = 0; i < r->ncases && goes_on; i++) {
		const struct lab_case_result *c = &r->cases[i];
		json_t *o = json_pack("{s:s, s:s, s:b}", "name", c->name,
		    "dtype", dtype_name(c->dtype), "passed", c->passed);

		if (!c->passed) {
			json_object_set_new(o, "max_abs_diff",
			    power_of_ten(c->max_abs_diff));
			json_object_set_new(o, "bound_ratio",
			    power_of_ten(c->bound_ratio));
		}
		json_array_append_new(all, o);
		goes_on = c->passed;
	}
	return all;
}

/* Foreign words (a compiler quotes the source) pass the claim filter. */
static void
clean(json_t *o, const char *key)
{
	const char *said = json_string_value(json_object_get(o, key));
	char *whole = xstrdup(said ? said : ""), *text;

	/* Before it is cut, and after the lab may have cut it. */
	mask_foreign(whole);
	text = claim_clean(whole, MESSAGE_CHARS);
	json_object_set_new(o, key, json_string(text));
	free(text);
	free(whole);
}

static json_t *
verdict_json(const struct op *op, const struct lab_report *r, bool by_caller)
{
	json_t *o = lab_report_json(op, r), *stage;
	char *words = model_hint_words(r);
	size_t i;

	json_object_del(o, "seed");
	json_object_del(o, "nonce");
	json_object_del(o, "seed_reveal");
	json_object_set_new(o, "cases", cases_json(r));
	json_array_foreach(json_object_get(o, "stages"), i, stage) {
		/* Without times the same seed gives the same bytes. */
		json_object_del(stage, "note");
		json_object_del(stage, "ms");
	}
	json_object_set_new(o, "message", json_string(words));
	clean(o, "message");
	clean(o, "suspect");
	json_object_set_new(json_object_get(o, "needs"), "local_size",
	    json_integer((json_int_t)model_hint_group(r->needs.local_size)));
	json_object_set_new(o, "seed_by",
	    json_string(by_caller ? "caller" : "lab"));
	free(words);
	return o;
}

/* The report of one judgement; ERR_ENV: this machine's fault. */
static enum err
judge(struct exam *x, struct lab *lab, const struct lab_request *plan,
    struct lab_report *ret, struct why *why)
{
	struct lab_request rq = *plan;
	enum err e;
	char *words;

	rq.on_stage = on_stage;
	rq.arg = x;
	lab_judge(lab, &rq, ret);
	if (ret->verdict != LAB_ERROR)
		return ERR_OK;
	words = model_hint_words(ret);
	e = why_set(why, ERR_ENV,
	    "the lab cannot judge on this machine; nothing is said of the "
	    "kernel: %s",
	    words);
	free(words);
	return e;
}

static json_t *
judge_for(const struct mcp_tool_ground *g, const struct mcp_tool_args *a,
    json_t *json, enum lab_stage upto, struct why *why)
{
	static struct lab_report r;
	struct lab_conf conf = { .device = g->device };
	struct exam x = { .ground = g, .total = (unsigned)upto + 1 };
	struct lab_request rq = { .op = op_find(a->op), .upto = upto };
	struct candidate c = { 0 };
	struct repeat seed = { 0 };
	struct lab *lab = NULL;
	json_t *o = NULL;
	enum err e = read_kernel(a, json, &c, why);

	if (e == ERR_OK)
		e = read_seed(a, &seed, why);
	if (e == ERR_OK)
		e = lab_open(&conf, &lab, why);
	rq.candidate = &c;
	rq.seed = a->seed ? seed.seed : NULL;
	rq.nonce = seed.has_nonce ? seed.nonce : NULL;
	if (e == ERR_OK)
		e = judge(&x, lab, &rq, &r, why);
	if (e == ERR_OK)
		o = verdict_json(rq.op, &r, a->seed != NULL);
	if (o && r.verdict == LAB_SMOKE_PASSED) {
		json_object_set_new(o, "verdict", json_string(COMPILED));
		json_object_set_new(o, "message",
		    json_string("compiled for every storage type; nothing is "
		                "said of its results"));
	}
	lab_close(lab);
	candidate_done(&c);
	return o;
}

json_t *
tool_compile(const struct mcp_tool_ground *g, const struct mcp_tool_args *a,
    json_t *json, struct why *why)
{
	return judge_for(g, a, json, LAB_STAGE_BUILD, why);
}

json_t *
tool_verify(const struct mcp_tool_ground *g, const struct mcp_tool_args *a,
    json_t *json, struct why *why)
{
	return judge_for(g, a, json, LAB_NSTAGES - 1, why);
}

static json_t *
timing_json(const struct op *op, const struct lab_report *r,
    const struct lab_machine *m, const struct lab_timing *t)
{
	json_t *o = lab_timing_json(t);

	json_object_set_new(o, "op", json_string(op->name));
	json_object_set_new(o, "verdict",
	    json_string(lab_verdict_name(r->verdict)));
	json_object_set_new(o, "source_sha256", json_string(r->source_sha256));
	json_object_set_new(o, "machine", lab_machine_json(m));
	return o;
}

static json_t *
measure(struct exam *x, struct lab *lab, const struct lab_timing_request *plan,
    struct why *why)
{
	static struct lab_report r;
	struct lab_timing_request time = *plan;
	struct lab_request rq = { .op = plan->op,
		.candidate = plan->candidate,
		.upto = LAB_NSTAGES - 1 };
	struct lab_machine m;
	struct lab_timing t;
	enum err e = judge(x, lab, &rq, &r, why);

	if (e == ERR_OK && r.verdict != LAB_VERIFIED_CORRECT)
		e = why_set(why, ERR_STATE,
		    "%s: not timed, for what is not right has no speed; "
		    "verify_kernel says why",
		    *r.class ? r.class : lab_verdict_name(r.verdict));
	if (e == ERR_OK)
		e = lab_machine_measure(lab, &m, why);
	time.verdict = &r;
	time.machine = &m;
	time.on_size = on_size;
	time.arg = x;
	if (e == ERR_OK)
		e = lab_time(lab, &time, &t, why);
	return e == ERR_OK ? timing_json(time.op, &r, &m, &t) : NULL;
}

json_t *
tool_bench(const struct mcp_tool_ground *g, const struct mcp_tool_args *a,
    json_t *json, struct why *why)
{
	struct lab_conf conf = { .device = g->device };
	struct exam x = { .ground = g };
	struct lab_timing_request time = { .op = op_find(a->op) };
	struct op_shape shape = { 0 };
	struct candidate c = { 0 };
	struct lab *lab = NULL;
	json_t *o = NULL;
	enum err e;

	e = a->source ? read_kernel(a, json, &c, why)
	              : plain_candidate(time.op, &c, why);
	if (e == ERR_OK && a->size)
		e = bench_parse_size(time.op, a->size, &shape, why);
	time.candidate = &c;
	time.shape = a->size ? &shape : NULL;
	x.total = (unsigned)LAB_NSTAGES +
	    (a->size ? 1 : (unsigned)time.op->bench->ncases);
	if (e == ERR_OK)
		e = lab_open(&conf, &lab, why);
	if (e == ERR_OK)
		o = measure(&x, lab, &time, why);
	lab_close(lab);
	candidate_done(&c);
	return o;
}
