/*
 * proving mutation: reads the corpus, makes the mutants, has workers sort
 * them, prints what that came to.  A job is one kernel with all its mutants,
 * as they share the original's answers.
 */
#include "base/mem.h"
#include "base/opts.h"
#include "tests/proving/account.h"
#include "tests/proving/pool.h"
#include "tests/proving/proving.h"
#include "tests/proving/sorting.h"
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

struct mutation_line {
	bool json, sole;
	int64_t subset, sample, workers, silent, per_operator;
	const char *corpus, *seed, *only;
};

#define AT(m) offsetof(struct mutation_line, m)

/* clang-format off */
static const struct opt rows[] = {
	{ "json",         OPT_FLAG,   AT(json),         0, 0,    NULL,   "print one JSON object" },
	{ "sole",  OPT_FLAG,   AT(sole),  0, 0,    NULL,   "ask of every stage that kills whether it is the only one" },
	{ "subset",       OPT_INT,    AT(subset),       0, 1000, "N",    "only N mutants of each corruption operator (default 0: all)" },
	{ "sample",       OPT_INT,    AT(sample),       0, 100000, "N",  "only N mutants of all, drawn by the seed (default 0: all)" },
	{ "workers",      OPT_INT,    AT(workers),      1, 64,   "N",    "processes that judge (default 2)" },
	{ "min-silent",   OPT_INT,    AT(silent),       0, 100000, "N",  "fail with fewer silent mutants (default 0)" },
	{ "min-operator", OPT_INT,    AT(per_operator), 0, 100000, "N",  "fail with fewer of one corruption operator (default 0)" },
	{ "corpus",       OPT_STRING, AT(corpus),       0, 0,    "DIR",  "the known-good kernels (default " PROVING_CORPUS ")" },
	{ "only",         OPT_STRING, AT(only),         0, 0,    "WORD", "only mutants whose kernel or operator holds WORD" },
	{ "seed",         OPT_STRING, AT(seed),         0, 0,    "WORD", "what the cases are drawn from (default \"mutation\")" },
};
/* clang-format on */

static const struct opt_command opts = {
	.name = "proving mutation",
	.usage = "",
	.about = "corrupts known-good kernels and counts what the verifier "
	         "catches",
	.rows = rows,
	.nrows = COUNT(rows),
};

struct run {
	struct corpus corpus;
	struct mutants mutants;
	struct sorting sorting;
	struct account account;
	uint32_t *jobs; /* owned: kernels with something to do */
	size_t njobs, total;
};

static void
send_finding(const struct finding *f, void *arg)
{
	pool_send(arg, f);
}

static void
run_job(struct pool *p, struct lab *lab, size_t job, void *arg)
{
	struct run *r = arg;

	sorting_kernel(&r->sorting, lab, r->jobs[job], send_finding, p);
}

static void
take_finding(const void *record, void *arg)
{
	struct run *r = arg;
	struct finding f;

	memcpy(&f, record, sizeof f);
	account_add(&r->account, &f);
	if (f.fate == FATE_SURVIVED || f.fate == FATE_REFUSED)
		account_tell(&r->account, &f, stderr);
	proving_progress(r->account.n, r->total,
	    r->corpus.items[f.kernel].name);
}

static void
keep_only(struct run *r, const char *word)
{
	size_t kept = 0;

	for (size_t i = 0; i < r->mutants.n; i++) {
		const struct mutant *m = &r->mutants.items[i];

		if (strstr(r->corpus.items[m->kernel].name, word) ||
		    strstr(corrupt_at(m->operator)->name, word))
			r->mutants.items[kept++] = *m;
	}
	r->mutants.n = kept;
}

/* Kernels that have a mutant; all of them when all have. */
static void
make_jobs(struct run *r)
{
	r->jobs = xcalloc(r->corpus.n, sizeof *r->jobs);
	for (size_t i = 0; i < r->mutants.n; i++) {
		uint32_t kernel = r->mutants.items[i].kernel;

		if (r->njobs == 0 || r->jobs[r->njobs - 1] != kernel)
			r->jobs[r->njobs++] = kernel;
	}
	r->total = r->njobs + r->mutants.n;
}

static int
finish(struct run *r, const struct mutation_line *line)
{
	struct account_goal goal = { (size_t)line->silent,
		(size_t)line->per_operator };

	account_close(&r->account);
	if (line->json) {
		json_t *o = account_json(&r->account);

		json_dumpf(o, stdout, JSON_INDENT(2) | JSON_SORT_KEYS);
		putchar('\n');
		json_decref(o);
	} else {
		account_print(&r->account, stdout);
	}
	return account_passes(&r->account, &goal, stderr) ? EXIT_DONE
	                                                  : EXIT_JUDGED;
}

static int
run_all(struct run *r, const struct mutation_line *line)
{
	struct pool_work work = { .nworkers = (size_t)line->workers,
		.record_bytes = sizeof(struct finding),
		.run = run_job,
		.on_record = take_finding,
		.arg = r };
	struct why why;
	enum err e;

	mutants_find(&r->corpus, (size_t)line->subset, &r->mutants);
	if (line->only)
		keep_only(r, line->only);
	if (line->sample)
		mutants_sample(&r->mutants, (size_t)line->sample,
		    r->sorting.seed);
	make_jobs(r);
	r->sorting.corpus = &r->corpus;
	r->sorting.mutants = &r->mutants;
	account_init(&r->account, &r->corpus, &r->mutants);
	work.njobs = r->njobs;
	e = pool_run(&work, &why);
	if (e == ERR_OK)
		return finish(r, line);
	fprintf(stderr, "mutation: %s\n", why.text);
	return (int)err_exit_code(e);
}

int
proving_mutation(int argc, char **argv)
{
	struct mutation_line line = { .workers = 2,
		.corpus = PROVING_CORPUS,
		.seed = "mutation" };
	struct run r = { 0 };
	uint8_t seed[32];
	struct why why;
	int code;
	enum err e = opts_parse(&opts, argc, argv, &line, NULL, NULL, &why);

	if (e == ERR_STATE)
		return EXIT_DONE;
	if (e == ERR_OK)
		e = corpus_read(line.corpus, &r.corpus, &why);
	if (e != ERR_OK) {
		fprintf(stderr, "mutation: %s\n", why.text);
		return EXIT_USAGE;
	}
	proving_seed(line.seed, 0, seed);
	r.sorting.seed = seed;
	r.sorting.sole = line.sole;
	code = run_all(&r, &line);
	account_done(&r.account);
	mutants_done(&r.mutants);
	corpus_done(&r.corpus);
	free(r.jobs);
	return code;
}
