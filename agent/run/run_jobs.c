/*
 * A job is an operator and a part; the baseline's jobs stand first.
 */
#include "agent/run/run_jobs.h"

#include "agent/run/naive.h"
#include "agent/run/other_lab.h"
#include "agent/run/work.h"
#include "agent/run/worker_pool.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"
#include "lab/lab.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define OPERATORS_A_WORKER 4

struct jobs {
	const struct run_jobs *conf;
	struct lab *labs[WORKER_POOL_MAX]; /* owned, until a worker has its */
	json_t *done; /* owned: operators that the baseline has a line of */
};

/* A worker: the first has the run's own tools. */
struct hand {
	const struct jobs *jobs;
	struct run *run; /* &own, or the run's */
	struct run own;
};

static void
close_tools(struct hand *h)
{
	lab_close(h->own.lab);
	other_lab_free(h->own.other_lab);
	model_free(h->own.model);
	json_decref(h->own.degraded);
}

static enum err
open_tools(struct hand *h, struct why *why)
{
	if (h->own.other_conf)
		h->own.other_lab = other_lab_new(h->own.other_conf);
	return model_new(&h->own.model_conf, &h->own.model, why);
}

/* Before anybody works: the first one's lab is busy then. */
static void
open_labs(struct jobs *jobs)
{
	struct run *run = jobs->conf->run;
	struct why why;

	for (size_t i = 1; i < jobs->conf->nworkers; i++)
		if (lab_open_beside(run->lab, &jobs->labs[i], &why) != ERR_OK)
			log_warn("run", "one worker less: %s", why.text);
}

static void *
begin(size_t worker, void *arg)
{
	struct jobs *jobs = arg;
	struct lab *lab = worker < WORKER_POOL_MAX ? jobs->labs[worker] : NULL;
	struct hand *h;
	struct why why;

	if (worker > 0 && !lab)
		return NULL;
	h = xcalloc(1, sizeof *h);
	h->jobs = jobs;
	h->run = jobs->conf->run;
	if (worker == 0)
		return h;
	h->own = *jobs->conf->run;
	h->own.model = NULL;
	h->own.lab = lab;
	jobs->labs[worker] = NULL;
	h->own.other_lab = NULL;
	h->own.degraded = NULL;
	h->own.pending = (struct tally_pending){ 0 };
	/* The copy still points at the run it was copied from. */
	h->own.model_conf.arg = &h->own;
	h->run = &h->own;
	if (open_tools(h, &why) == ERR_OK)
		return h;
	log_warn("run", "one worker less: %s", why.text);
	close_tools(h);
	free(h);
	return NULL;
}

static void
end(void *arg)
{
	struct hand *h = arg;

	if (h->run == &h->own)
		close_tools(h);
	free(h);
}

static bool
has_naive(const struct jobs *jobs, const char *op)
{
	size_t i;
	json_t *name;

	json_array_foreach(jobs->done, i, name)
		if (strcmp(json_string_value(name), op) == 0)
			return true;
	return false;
}

static enum err
naive_part(struct hand *h, const struct op *op, struct why *why)
{
	if (!h->run->scenario->naive || has_naive(h->jobs, op->name))
		return ERR_OK;
	return naive_operator(h->run, op, h->jobs->conf->naive, why);
}

static enum err
forge_part(struct hand *h, const struct op *op, struct why *why)
{
	return work_operator(h->run, op, why);
}

static const struct {
	const char *name;
	enum err (*run)(struct hand *h, const struct op *op, struct why *why);
} parts[] = {
	{ "naive", naive_part },
	{ "forge", forge_part },
};

#define NPARTS COUNT(parts)

static enum err
run_job(void *arg, size_t job, struct why *why)
{
	struct hand *h = arg;
	struct run *run = h->run;
	size_t nops = run->scenario->nops, part = job / nops;
	const char *op = run->scenario->ops[job % nops];
	uint64_t start_us = clock_mono_us();
	enum err e;

	run->span = rundir_span_id(run->dir);
	run->place = job % nops + 1;
	e = parts[part].run(h, op_find(op), why);
	rundir_trace(run->dir, run->span,
	    &(struct rundir_span){
	        .name = parts[part].name,
	        .start_us = start_us,
	        .end_us = clock_mono_us(),
	        .status = err_name(e),
	        .attributes = json_pack("{s:s}", "op", op),
	    });
	return e;
}

static void
collect(json_t *line, void *arg)
{
	json_array_append(arg, json_object_get(line, "op"));
}

enum err
run_jobs_do(const struct run_jobs *conf, struct why *why)
{
	struct jobs jobs = { .conf = conf, .done = json_array() };
	const struct worker_pool pool = {
		.njobs = conf->run->scenario->nops * NPARTS,
		.nworkers = conf->nworkers,
		.begin = begin,
		.run = run_job,
		.end = end,
		.arg = &jobs,
	};
	char *path = rundir_file(conf->run->dir, "naive.jsonl");
	enum err e;

	/* It may not be there yet, and one that is broken was refused when the
	 * run was opened. */
	(void)journal_check(path, collect, jobs.done, NULL, NULL);
	free(path);
	open_labs(&jobs);
	e = worker_pool_run(&pool, why);
	/* Of workers that could not be started. */
	for (size_t i = 0; i < conf->nworkers; i++)
		lab_close(jobs.labs[i]);
	json_decref(jobs.done);
	return e;
}

/* A lab takes half a second and a hundred megabytes, which a few operators do
 * not repay. */
size_t
run_jobs_workers(size_t asked, size_t nops)
{
	long cores = sysconf(_SC_NPROCESSORS_ONLN);
	size_t n = nops / OPERATORS_A_WORKER;

	if (asked)
		return asked;
	if (cores > 0 && n > (size_t)cores)
		n = (size_t)cores;
	return n > WORKER_POOL_MAX ? WORKER_POOL_MAX : n ? n : 1;
}

bool
run_jobs_fill_cores(size_t nworkers)
{
	return nworkers > 1 && (long)nworkers >= sysconf(_SC_NPROCESSORS_ONLN);
}
