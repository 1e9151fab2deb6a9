/*
 * From verified_correct to perf_measured.
 *
 * Speed is no part of the claim: whatever goes wrong here, the verdict
 * stands.
 */
#include "agent/run/work_state.h"

#include "agent/run/run_progress.h"
#include "base/clock.h"
#include "base/log.h"
#include "lab/timing/timing.h"
#include <math.h>

static void
on_size(const struct lab_timing_size *s, void *arg)
{
	const struct work *w = arg;

	say_step(w->run, "timed %s", s->shape);
}

static json_t *
number(double v)
{
	/* JSON has no infinity; null says that there is no number. */
	return isfinite(v) ? json_real(v) : json_null();
}

/* What the ledger keeps of every size. */
static json_t *
speedups_json(const struct lab_timing *t)
{
	json_t *all = json_array();

	for (size_t i = 0; i < t->nsizes; i++) {
		const struct lab_timing_size *s = &t->sizes[i];

		json_array_append_new(all,
		    json_pack("{s:s, s:b, s:s, s:o, s:o, s:o}", "size",
		        s->shape, "held_out", s->is_held_out, "status",
		        lab_timing_status_name(s->status), "speedup",
		        number(s->speedup), "roofline", number(s->roofline),
		        "sol", number(s->sol)));
	}
	return all;
}

void
work_time(struct work *w)
{
	struct secret_seed seeds;
	struct lab_timing t;
	struct why why;
	struct lab_timing_request rq = { .op = w->op,
		.candidate = &w->candidate,
		.verdict = &w->report,
		.machine = w->run->machine,
		.seed = seeds.seed,
		.on_size = on_size,
		.arg = w };
	uint64_t start_us = clock_mono_us();
	enum err e;

	/* Some sizes are drawn as well: a kernel cannot be tuned to all that
	 * will be timed. */
	secret_seed_draw(w->run->seed, "bench", w->op->name, w->forge.iteration,
	    &seeds);
	e = lab_time(w->run->lab, &rq, &t, &why);
	rundir_trace(w->run->dir, 0,
	    &(struct rundir_span){
	        .name = "lab.timing",
	        .parent = w->run->span,
	        .start_us = start_us,
	        .end_us = clock_mono_us(),
	        .status = err_name(e),
	        .attributes = json_pack("{s:s}", "op", w->op->name),
	    });
	if (e == ERR_OK)
		json_object_set_new(w->record, "timing", lab_timing_json(&t));
	work_save_audit(w);
	if (e != ERR_OK || t.speedup <= 0) {
		log_warn("bench", "%s: %s", w->op->name,
		    e == ERR_OK ? "an impossible time: no speed-up is claimed"
		                : why.text);
		return;
	}
	work_append(w, LEDGER_PERF_MEASURED,
	    json_pack("{s:f, s:o}", "speedup", t.speedup, "speedups",
	        speedups_json(&t)));
}
