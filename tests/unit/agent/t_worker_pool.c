/* A worker pool does every job once, whoever does it, and ends at the first
 * error. */
#include "agent/run/worker_pool.h"
#include "tests/unit.h"
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#define JOBS 200

struct record {
	_Atomic int done[JOBS], begun, ended;
	size_t fails_from; /* jobs from here on fail */
	size_t lame;       /* workers from here on have no tools */
};

static void *
begin(size_t worker, void *arg)
{
	struct record *r = arg;

	if (worker >= r->lame)
		return NULL;
	r->begun++;
	return r;
}

static enum err
run(void *tools, size_t job, struct why *why)
{
	struct record *r = tools;

	r->done[job]++;
	return job < r->fails_from ? ERR_OK
	                           : why_set(why, ERR_IO, "job %zu", job);
}

static void
end(void *tools)
{
	struct record *r = tools;

	r->ended++;
}

void
t_worker_pool(void)
{
	static const struct {
		const char *what;
		size_t nworkers, lame, fails_from;
		enum err want;
		const char *why;
	} rows[] = {
		{ "one worker", 1, 64, JOBS, ERR_OK, "" },
		{ "two workers", 2, 64, JOBS, ERR_OK, "" },
		{ "many workers", 64, 64, JOBS, ERR_OK, "" },
		{ "workers without tools", 8, 1, JOBS, ERR_OK, "" },
		{ "one fails", 1, 64, 7, ERR_IO, "job 7" },
		{ "several fail: the first is told", 8, 64, 7, ERR_IO,
		    "job 7" },
		{ "the first fails", 4, 64, 0, ERR_IO, "job 0" },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct record r = { .fails_from = rows[i].fails_from,
			.lame = rows[i].lame };
		const struct worker_pool c = { .njobs = JOBS,
			.nworkers = rows[i].nworkers,
			.begin = begin,
			.run = run,
			.end = end,
			.arg = &r };
		struct why why = { "" };
		size_t done = 0;

		CHECK_INT(worker_pool_run(&c, &why), rows[i].want,
		    rows[i].what);
		CHECK_STR(why.text, rows[i].why, rows[i].what);
		for (size_t k = 0; k < JOBS; k++) {
			CHECK(r.done[k] <= 1, rows[i].what);
			done += (size_t)r.done[k];
		}
		CHECK(rows[i].want != ERR_OK ? done < JOBS : done == JOBS,
		    rows[i].what);
		CHECK_INT(r.begun, r.ended, rows[i].what);
	}
}
