/*
 * proving mutation: reads the corpus, makes the mutants, has workers sort
 * them, prints what that came to.  A job is one kernel with all its mutants,
 * as they share the original's answers; where a run goes on in the middle of a
 * job, the kernel answers once more.
 */
#include "base/digest.h"
#include "base/mem.h"
#include "base/opts.h"
#include "tests/proving/account.h"
#include "tests/proving/daybook.h"
#include "tests/proving/pool.h"
#include "tests/proving/proving.h"
#include "tests/proving/sorting.h"
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

struct mutation_line {
	bool json, sole;
	int64_t subset, sample, workers, silent, per_operator, minutes;
	const char *corpus, *seed, *only, *journal;
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
	{ "journal",      OPT_STRING, AT(journal),      0, 0,    "FILE", "keep each verdict there, and go on where it ends" },
	{ "minutes",      OPT_INT,    AT(minutes),      0, 100000, "N",  "begin no kernel after so long (default 0: no limit)" },
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

#define DIGITS 8 /* of a kernel's hash, in a key */

static const char *const fate_names[FATE_NFATES] = {
	[FATE_GOOD] = "good",
	[FATE_REFUSED] = "refused",
	[FATE_LOUD] = "loud",
	[FATE_EQUIVALENT] = "equivalent",
	[FATE_ROUNDING] = "rounding",
	[FATE_KILLED] = "killed",
	[FATE_SURVIVED] = "survived",
};

struct run {
	const struct mutation_line *line;
	struct daybook *journal; /* owned, or NULL */
	/* Owned: in an earlier run, by mutant and by kernel. */
	bool *judged, *judged_kernels;
	struct corpus corpus;
	struct mutants mutants;
	struct sorting sorting;
	struct account account;
	uint32_t *jobs; /* owned: kernels with something to do */
	size_t njobs, total;
};

/* ---- in a worker */

struct telling {
	const struct run *run;
	struct pool *pool;
};

static bool
is_of_kernel(const struct finding *f)
{
	return f->fate == FATE_GOOD || f->fate == FATE_REFUSED;
}

static void
send_finding(const struct finding *f, void *arg)
{
	const struct telling *t = arg;

	if (!is_of_kernel(f) || !t->run->judged_kernels[f->kernel])
		pool_send(t->pool, f);
}

static void
run_job(struct pool *p, struct lab *lab, size_t job, void *arg)
{
	struct run *r = arg;
	struct telling t = { r, p };

	sorting_kernel(&r->sorting, lab, r->jobs[job], send_finding, &t);
}

/* ---- what is kept */

/* A kernel by its name and text; a mutant by its place there, too.  Who asks
 * for sole killers asks for more. */
static void
name_finding(const struct run *r, const struct finding *f,
    char key[DAYBOOK_KEY_MAX])
{
	const struct kernel *k = &r->corpus.items[f->kernel];
	const struct mutant *m = &r->mutants.items[f->mutant];
	char hex[DIGEST_HEX];

	digest_sha256_hex(k->text, k->len, hex);
	if (is_of_kernel(f))
		snprintf(key, DAYBOOK_KEY_MAX, "%s %.*s", k->name, DIGITS, hex);
	else
		snprintf(key, DAYBOOK_KEY_MAX, "%s %.*s %s %u%s", k->name,
		    DIGITS, hex, corrupt_at(m->operator)->name, m->site,
		    r->line->sole ? " sole" : "");
}

static void
keep_finding(struct run *r, const struct finding *f)
{
	char key[DAYBOOK_KEY_MAX];

	name_finding(r, f, key);
	daybook_add(r->journal, r->line->seed, key,
	    json_pack("{s:s, s:s, s:b, s:b, s:b, s:b, s:b, s:f, s:f, s:s, s:s, "
	              "s:s}",
	        "verdict", fate_names[f->fate], "stage",
	        f->fate == FATE_KILLED ? lab_stage_name(f->killer) : "", "sole",
	        f->sole, "gap", f->gap, "in_order", f->in_order, "kept",
	        f->kept, "parted", f->parted, "ratio", f->ratio, "ms", f->ms,
	        "class", f->class, "breach", f->breach, "message", f->message));
}

/* false: a line that does not count. */
static bool
read_finding(const json_t *said, struct finding *f)
{
	const char *verdict = daybook_text(said, "verdict");

	f->fate = FATE_NFATES;
	for (int i = 0; i < FATE_NFATES; i++)
		if (strcmp(fate_names[i], verdict) == 0)
			f->fate = (enum fate)i;
	f->killer = lab_stage_find(daybook_text(said, "stage"));
	f->sole = json_is_true(json_object_get(said, "sole"));
	f->gap = json_is_true(json_object_get(said, "gap"));
	f->in_order = json_is_true(json_object_get(said, "in_order"));
	f->kept = json_is_true(json_object_get(said, "kept"));
	f->parted = json_is_true(json_object_get(said, "parted"));
	f->ratio = daybook_number(said, "ratio");
	f->ms = daybook_number(said, "ms");
	snprintf(f->class, sizeof f->class, "%s", daybook_text(said, "class"));
	snprintf(f->breach, sizeof f->breach, "%s",
	    daybook_text(said, "breach"));
	snprintf(f->message, sizeof f->message, "%s",
	    daybook_text(said, "message"));
	return f->fate < FATE_NFATES &&
	    (f->fate != FATE_KILLED || f->killer < LAB_NSTAGES);
}

static bool
is_find(const struct finding *f)
{
	return f->fate == FATE_REFUSED || f->fate == FATE_SURVIVED || f->gap;
}

/* What was judged before; of what another build has found this one may say
 * something else. */
static bool
recall(struct run *r, struct finding *f)
{
	char key[DAYBOOK_KEY_MAX];
	json_t *said;

	name_finding(r, f, key);
	said = daybook_find(r->journal, r->line->seed, key);
	if (!said || !read_finding(said, f) ||
	    (is_find(f) && !daybook_is_own(r->journal, said)))
		return false;
	daybook_recall(r->journal, said);
	account_add(&r->account, f);
	if (f->fate == FATE_SURVIVED || f->fate == FATE_REFUSED)
		account_tell(&r->account, f, stderr);
	return true;
}

static void
recall_all(struct run *r)
{
	for (size_t k = 0; k < r->njobs; k++) {
		struct finding f = { .kernel = r->jobs[k], .fate = FATE_GOOD };

		r->judged_kernels[r->jobs[k]] = recall(r, &f);
	}
	for (size_t i = 0; i < r->mutants.n; i++) {
		struct finding f = { .kernel = r->mutants.items[i].kernel,
			.mutant = (uint32_t)i,
			.fate = FATE_LOUD };

		r->judged[i] = recall(r, &f);
	}
	if (r->account.n > 0)
		fprintf(stderr, "%zu of %zu judged before\n", r->account.n,
		    r->total);
}

/* Jobs of which nothing is left. */
static bool *
find_done(const struct run *r)
{
	bool *done = xcalloc(r->njobs + 1, sizeof *done);

	for (size_t k = 0; k < r->njobs; k++) {
		done[k] = r->judged_kernels[r->jobs[k]];
		for (size_t i = 0; i < r->mutants.n; i++)
			if (r->mutants.items[i].kernel == r->jobs[k])
				done[k] &= r->judged[i];
	}
	return done;
}

/* ---- in the parent */

static void
take_finding(const void *record, void *arg)
{
	struct run *r = arg;
	struct finding f;

	memcpy(&f, record, sizeof f);
	account_add(&r->account, &f);
	if (r->journal)
		keep_finding(r, &f);
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
finish(struct run *r, const struct mutation_line *line, enum err ended)
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
		if (r->journal)
			daybook_print(r->journal, stdout);
	}
	/* The next run is another one. */
	if (r->journal && ended == ERR_OK)
		daybook_forget(r->journal, line->seed);
	return proving_is_whole(ended, r->account.n, r->total) &&
	        account_passes(&r->account, &goal, stderr)
	    ? EXIT_DONE
	    : EXIT_JUDGED;
}

static int
run_all(struct run *r, const struct mutation_line *line)
{
	struct pool_work work = { .nworkers = (size_t)line->workers,
		.minutes = (uint32_t)line->minutes,
		.record_bytes = sizeof(struct finding),
		.run = run_job,
		.on_record = take_finding,
		.arg = r };
	bool *done;
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
	r->judged = xcalloc(r->mutants.n + 1, sizeof *r->judged);
	r->judged_kernels = xcalloc(r->corpus.n, sizeof *r->judged_kernels);
	if (r->journal)
		recall_all(r);
	r->sorting.judged = r->judged;
	done = find_done(r);
	work.njobs = r->njobs;
	work.done = done;
	e = pool_run(&work, &why);
	free(done);
	if (e == ERR_OK || e == ERR_AGAIN)
		return finish(r, line, e);
	fprintf(stderr, "mutation: %s\n", why.text);
	return (int)err_exit_code(e);
}

int
proving_mutation(int argc, char **argv)
{
	struct mutation_line line = { .workers = 2,
		.corpus = PROVING_CORPUS,
		.seed = "mutation" };
	struct run r = { .line = &line };
	uint8_t seed[32];
	struct why why;
	int code;
	enum err e = opts_parse(&opts, argc, argv, &line, NULL, NULL, &why);

	if (e == ERR_STATE)
		return EXIT_DONE;
	if (e == ERR_OK)
		e = corpus_read(line.corpus, &r.corpus, &why);
	if (e == ERR_OK && line.journal)
		e = daybook_open(line.journal, NULL, &r.journal, &why);
	if (e != ERR_OK) {
		fprintf(stderr, "mutation: %s\n", why.text);
		corpus_done(&r.corpus);
		return EXIT_USAGE;
	}
	proving_seed(line.seed, 0, seed);
	r.sorting.seed = seed;
	r.sorting.sole = line.sole;
	code = run_all(&r, &line);
	account_done(&r.account);
	mutants_done(&r.mutants);
	corpus_done(&r.corpus);
	daybook_close(r.journal);
	free(r.judged);
	free(r.judged_kernels);
	free(r.jobs);
	return code;
}
