/*
 * The work of a run: every operator by the baseline, then every operator by
 * the forge, by one worker or by several side by side.
 *
 * Each worker has a lab and a connection of its own.  What is decided about an
 * operator hangs on no other operator, so one seed gives one run at any number
 * of workers; only the order of lines in journals and trace differs.
 */
#ifndef AGENT_RUN_JOBS_H
#define AGENT_RUN_JOBS_H

#include "agent/run/run.h"
#include "base/chained_journal.h"

struct run_jobs {
	struct run *run;       /* borrowed: the first worker's */
	struct journal *naive; /* borrowed: the baseline's lines */
	size_t nworkers;
};

/* How many workers nops operators get: those that were asked for, or, with 0,
 * one for every four operators, up to the cores. */
size_t run_jobs_workers(size_t asked, size_t nops);

/* Several, as many as there are cores or more: none is left for what a lab
 * would begin early, and each child of that takes twenty megabytes. */
bool run_jobs_fill_cores(size_t nworkers);

/* What the journals have already is left alone.  The error of the first
 * operator that had one, as naive_operator and work_operator. */
enum err run_jobs_do(const struct run_jobs *conf, struct why *why);

#endif
