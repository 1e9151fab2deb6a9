/*
 * lab_time: a verified candidate and the plain kernel, side by side.
 *
 * Each size has three slots of its own inputs.  The first launch on a slot is
 * not timed: its output is held against the reference, and every later output
 * of that slot must be the same bits.  Before each launch its output is
 * poisoned, so that an old answer is none.  References are made after the
 * launches that they judge, as everywhere in the lab.
 */
#include "lab/timing/timing.h"

#include "base/digest.h"
#include "base/mem.h"
#include "lab/read/plain_kernel.h"
#include "lab/read/prelude.h"
#include "lab/run/geometry.h"
#include "lab/run/poisoned_buffers.h"
#include "lab/stages/seed_commitment.h"
#include "lab/timing/timing_rig.h"
#include "lab/timing/timing_stats.h"
#include "ops/draw.h"
#include "ops/element_judge.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TURNS_MAX    3 /* launches of one kernel in a row */
#define DISCARDS_MAX 20
#define SAMPLES_MAX  ((size_t)LAB_TIMING_SAMPLES * 4)

enum side { SIDE_PLAIN, SIDE_CANDIDATE, NSIDES };

static const char *const side_names[NSIDES] = {
	[SIDE_PLAIN] = "the plain kernel",
	[SIDE_CANDIDATE] = "the candidate",
};

/* One kernel under one size. */
struct runner {
	struct rig rig;
	const struct candidate *candidate;
	struct order_geometry geometry;
	char *known[RIG_SLOTS]; /* owned: the outputs that were checked */
	double parent_ms[SAMPLES_MAX], device_ms[SAMPLES_MAX];
	size_t samples;
};

struct bench {
	struct lab *lab;
	const struct lab_timing_request *rq;
	struct seed seed;
	struct op_case cases[LAB_TIMING_SIZES_MAX];
	bool held_out[LAB_TIMING_SIZES_MAX];
	size_t ncases;
	struct candidate plain; /* owned */
	struct runner runners[NSIDES];
	struct op_instance *in[RIG_SLOTS]; /* owned; of the current size */
	struct pack pack;
	struct draw dice;
	uint32_t last_slot;
	size_t discarded; /* launches of this size that do not count */
	struct sweep sweep;
};

static enum err check_request(const struct lab_timing_request *rq,
    struct why *why);
static enum err bench_open(struct bench *b, struct why *why);
static void bench_close(struct bench *b);
static enum err time_size(struct bench *b, size_t i,
    struct lab_timing_size *ret, struct why *why);

enum err
lab_time(struct lab *l, const struct lab_timing_request *rq,
    struct lab_timing *ret, struct why *why)
{
	struct bench *b = xcalloc(1, sizeof *b);
	struct lab_timing t = { .nsizes = 0 };
	enum err e = check_request(rq, why);
	struct pin pin;

	b->lab = l;
	b->rq = rq;
	pin_enter(&pin, rq->machine->cpu);
	if (e == ERR_OK)
		e = bench_open(b, why);
	for (size_t i = 0; i < b->ncases && e == ERR_OK; i++) {
		e = time_size(b, i, &t.sizes[i], why);
		if (e != ERR_OK)
			break;
		t.nsizes++;
		if (rq->on_size)
			rq->on_size(&t.sizes[i], rq->arg);
	}
	bench_close(b);
	pin_leave(&pin);
	free(b);
	if (e != ERR_OK)
		return e;
	t.speedup = timing_mean(&t);
	*ret = t;
	return ERR_OK;
}

static enum err
check_request(const struct lab_timing_request *rq, struct why *why)
{
	char hash[65];

	digest_sha256_hex(rq->candidate->source, strlen(rq->candidate->source),
	    hash);
	if (rq->verdict->verdict != LAB_VERIFIED_CORRECT ||
	    strcmp(hash, rq->verdict->source_sha256) != 0)
		return why_set(why, ERR_STATE,
		    "only a kernel that was just verified is timed");
	return ERR_OK;
}

/* ---- building */

static void
choose_cases(struct bench *b)
{
	const struct op *op = b->rq->op;

	if (b->rq->shape) {
		b->cases[0] = op->bench->cases[0];
		b->cases[0].name = "given";
		b->cases[0].shape = *b->rq->shape;
		b->ncases = 1;
		return;
	}
	for (size_t i = 0; i < op->bench->ncases; i++) {
		b->cases[i] = op_bench_case(op, i, b->seed.seed);
		b->held_out[i] = op->bench->cases[i].vary;
	}
	b->ncases = op->bench->ncases;
}

static enum err
start_build(struct bench *b, enum side side, struct why *why)
{
	const struct op *op = b->rq->op;
	struct runner *r = &b->runners[side];
	struct order_build *o = xcalloc(1, sizeof *o);
	enum err e = ERR_OK;

	o->kind = ORDER_BUILD;
	o->nargs = (uint32_t)op->nargs;
	for (size_t i = 0; i < op->nargs; i++)
		o->args[i] = (uint32_t)op->args[i].kind;
	for (size_t i = 0; i < b->ncases && e == ERR_OK; i++)
		e = geometry_eval(op, &b->cases[i].shape, r->candidate,
		    &o->geometries[o->ngeometries++], why);
	snprintf(o->entry, sizeof o->entry, "%s", r->candidate->entry);
	o->source_bytes = (uint32_t)snprintf(o->source, sizeof o->source,
	    "%s%s", prelude_text(b->cases[0].dtype), r->candidate->source);
	if (e == ERR_OK)
		e = rig_start(&r->rig, b->lab, side_names[side], o, why);
	free(o);
	return e;
}

static enum err
bench_open(struct bench *b, struct why *why)
{
	enum err e = plain_candidate(b->rq->op, &b->plain, why);

	if (e != ERR_OK)
		return e;
	seed_init(&b->seed, b->rq->seed, NULL);
	draw_init(&b->dice, b->seed.seed, "turns");
	choose_cases(b);
	sweep_init(&b->sweep, b->rq->machine->cache_bytes);
	b->runners[SIDE_PLAIN].candidate = &b->plain;
	b->runners[SIDE_CANDIDATE].candidate = b->rq->candidate;
	for (int s = 0; s < NSIDES && e == ERR_OK; s++)
		e = start_build(b, (enum side)s, why);
	for (int s = 0; s < NSIDES && e == ERR_OK; s++)
		e = rig_await(&b->runners[s].rig, b->rq->machine->cpu, why);
	return e;
}

static void
bench_close(struct bench *b)
{
	for (int s = 0; s < NSIDES; s++)
		rig_stop(&b->runners[s].rig);
	candidate_done(&b->plain);
	sweep_done(&b->sweep);
}

/* ---- one size */

static void
draw_inputs(struct bench *b, const struct op_case *c)
{
	uint8_t seed[SEED_BYTES];

	for (uint8_t k = 0; k < RIG_SLOTS; k++) {
		memcpy(seed, b->seed.seed, sizeof seed);
		seed[0] = (uint8_t)(seed[0] ^ k);
		b->in[k] = op_instance_new(b->rq->op, c, seed);
	}
	pack_plan(b->in[0], &b->pack);
}

static size_t
output_at(const struct bench *b, uint32_t slot)
{
	return slot * b->pack.output_bytes +
	    b->pack.regions[b->in[0]->out_index].data_at;
}

static size_t
output_bytes(const struct bench *b)
{
	return b->pack.regions[b->in[0]->out_index].data_bytes;
}

static enum err
arm_slot(struct bench *b, struct runner *r, uint32_t slot, struct why *why)
{
	struct order_launch o;

	pack_inputs(b->in[slot], &b->pack,
	    r->rig.input + slot * b->pack.input_bytes);
	pack_launch(b->in[slot], &b->pack, &r->geometry, &o);
	for (size_t i = 0; i < b->rq->op->nargs; i++) {
		size_t arena = b->rq->op->args[i].kind == OP_OUT
		    ? b->pack.output_bytes
		    : b->pack.input_bytes;

		o.regions[i].map_at += slot * arena;
		o.regions[i].data_at += slot * arena;
	}
	return rig_arm(&r->rig, slot, &o, why);
}

static enum err
launch(struct bench *b, struct runner *r, uint32_t slot, struct rig_time *ret,
    struct why *why)
{
	pack_poison(b->in[slot], &b->pack,
	    (enum pack_poison)draw_range(&b->dice, 0, PACK_NPOISONS - 1),
	    r->rig.output + slot * b->pack.output_bytes);
	/* After the poison, which has just brought the output near. */
	sweep_caches(&b->sweep);
	return rig_fire(&r->rig, slot, ret, why);
}

/* The launch that does not count, and what it left. */
static enum err
prepare(struct bench *b, struct runner *r, const struct op_case *c,
    struct why *why)
{
	enum err e = geometry_eval(b->rq->op, &c->shape, r->candidate,
	    &r->geometry, why);
	struct rig_time ignored;

	r->samples = 0;
	if (e == ERR_OK)
		e = rig_arenas(&r->rig, RIG_SLOTS * b->pack.input_bytes,
		    RIG_SLOTS * b->pack.output_bytes, why);
	for (uint32_t k = 0; k < RIG_SLOTS && e == ERR_OK; k++) {
		e = arm_slot(b, r, k, why);
		if (e == ERR_OK)
			e = launch(b, r, k, &ignored, why);
		if (e == ERR_OK)
			r->known[k] = xmemdup(r->rig.output + output_at(b, k),
			    output_bytes(b));
	}
	return e;
}

static enum err
check_first(const struct bench *b, uint32_t slot, struct why *why)
{
	const struct op_instance *in = b->in[slot];
	size_t n = (size_t)in->out.rows * in->out.cols;
	float *got = xcalloc(n + 1, sizeof *got);
	struct judge_want want;
	enum err e = ERR_OK;

	judge_want_init(&want, in);
	for (int s = 0; s < NSIDES && e == ERR_OK; s++) {
		struct judge_result j;

		for (size_t i = 0; i < n; i++)
			got[i] = dtype_load(in->c->dtype,
			    b->runners[s].known[slot], i);
		judge_compare(&want, got, &j);
		if (j.grade != JUDGE_VERIFIED)
			e = why_set(why, ERR_DENIED,
			    "%s is %s at size \"%s\": no speed of it counts",
			    side_names[s], judge_grade_name(j.grade),
			    in->c->name);
	}
	free(got);
	judge_want_done(&want);
	return e;
}

static enum err
sample(struct bench *b, enum side side, struct why *why)
{
	struct runner *r = &b->runners[side];
	/* Never the slot of the launch before, whose data may still lie
	 * near. */
	uint32_t slot =
	    (b->last_slot + 1 + draw_range(&b->dice, 0, RIG_SLOTS - 2)) %
	    RIG_SLOTS;
	struct rig_time t;
	enum err e = launch(b, r, slot, &t, why);

	if (e != ERR_OK)
		return e;
	b->last_slot = slot;
	if (memcmp(r->known[slot], r->rig.output + output_at(b, slot),
	        output_bytes(b)) != 0)
		return why_set(why, ERR_DENIED,
		    "%s gives another output than before: no speed of it "
		    "counts",
		    side_names[side]);
	/* What the system has interrupted is no measure of a kernel; on a
	 * machine where that never ends, it counts after all. */
	if (t.is_disturbed && b->discarded < DISCARDS_MAX) {
		b->discarded++;
		return ERR_OK;
	}
	r->parent_ms[r->samples] = t.parent_ms;
	r->device_ms[r->samples++] = t.device_ms;
	return ERR_OK;
}

static enum err
take_turns(struct bench *b, struct why *why)
{
	enum err e = ERR_OK;

	while (e == ERR_OK &&
	    (b->runners[SIDE_PLAIN].samples < LAB_TIMING_SAMPLES ||
	        b->runners[SIDE_CANDIDATE].samples < LAB_TIMING_SAMPLES))
		for (int s = 0; s < NSIDES; s++) {
			/* Drawn, so that no rhythm of the machine's falls on
			 * one of the two alone. */
			uint32_t turns = draw_range(&b->dice, 1, TURNS_MAX);

			while (turns-- > 0 && e == ERR_OK &&
			    b->runners[s].samples < SAMPLES_MAX)
				e = sample(b, (enum side)s, why);
		}
	return e;
}

static void
report_size(struct bench *b, size_t i, struct lab_timing_size *ret)
{
	const struct op_case *c = &b->cases[i];
	const struct op *op = b->rq->op;
	struct op_traffic t = op_traffic(op, &c->shape, c->dtype);
	struct lab_series *series[NSIDES] = { &ret->plain, &ret->candidate };

	*ret = (struct lab_timing_size){ .is_held_out = b->held_out[i],
		.discarded = b->discarded };
	snprintf(ret->name, sizeof ret->name, "%s", c->name);
	op_shape_text(op, &c->shape, ret->shape, sizeof ret->shape);
	timing_floor(b->rq->machine, &t, op->bench->flops(&c->shape), ret);
	for (int s = 0; s < NSIDES; s++)
		timing_summarize(b->runners[s].parent_ms,
		    b->runners[s].device_ms, b->runners[s].samples, series[s]);
	timing_judge(ret);
}

static enum err
time_size(struct bench *b, size_t i, struct lab_timing_size *ret,
    struct why *why)
{
	enum err e = ERR_OK;

	b->discarded = 0;
	draw_inputs(b, &b->cases[i]);
	for (int s = 0; s < NSIDES && e == ERR_OK; s++)
		e = prepare(b, &b->runners[s], &b->cases[i], why);
	for (uint32_t k = 0; k < RIG_SLOTS && e == ERR_OK; k++)
		e = check_first(b, k, why);
	if (e == ERR_OK)
		e = take_turns(b, why);
	if (e == ERR_OK)
		report_size(b, i, ret);
	for (uint32_t k = 0; k < RIG_SLOTS; k++) {
		op_instance_free(b->in[k]);
		b->in[k] = NULL;
		for (int s = 0; s < NSIDES; s++) {
			free(b->runners[s].known[k]);
			b->runners[s].known[k] = NULL;
		}
	}
	return e;
}
