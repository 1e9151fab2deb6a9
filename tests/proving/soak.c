/*
 * proving soak: every known-good kernel under many secret seeds.
 *
 * A build costs as much as many launches, so a batch of seeds shares one: the
 * operator is given its holdouts once a seed, each time under another name,
 * and cases draw their values and shapes from their names.  Each seed adds an
 * undisclosed shape of its own, of every kind in turn.  The few largest cases,
 * there for their size and not for their values, run once a batch, and so do
 * the relations.
 */
#include "base/digest.h"
#include "base/mem.h"
#include "base/opts.h"
#include "ops/drawn_shapes.h"
#include "tests/proving/daybook.h"
#include "tests/proving/pool.h"
#include "tests/proving/proving.h"
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LARGE_ELEMENTS 16384
#define SEED_WORD      "soak"
#define DIGITS         8 /* of a kernel's hash, in a key */

struct soak_line {
	int64_t seeds, first, workers, minutes;
	const char *corpus, *only, *journal;
};

#define AT(m) offsetof(struct soak_line, m)

/* clang-format off */
static const struct opt rows[] = {
	{ "seeds",   OPT_INT,    AT(seeds),   1, 10000000, "N", "how many (default 1000)" },
	{ "first",   OPT_INT,    AT(first),   0, 10000000, "N", "number of the first one (default 0)" },
	{ "workers", OPT_INT,    AT(workers), 1, 64, "N",    "processes that judge (default 2)" },
	{ "corpus",  OPT_STRING, AT(corpus),  0, 0,  "DIR",  "the known-good kernels (default " PROVING_CORPUS ")" },
	{ "only",    OPT_STRING, AT(only),    0, 0,  "WORD", "only kernels whose name holds WORD" },
	{ "journal", OPT_STRING, AT(journal), 0, 0,  "FILE", "keep each verdict there, and go on where it ends" },
	{ "minutes", OPT_INT,    AT(minutes), 0, 100000, "N", "begin nothing after so long (default 0: no limit)" },
};
/* clang-format on */

static const struct opt_command opts = {
	.name = "proving soak",
	.usage = "",
	.about = "judges known-good kernels under many seeds; none may be "
	         "refused",
	.rows = rows,
	.nrows = COUNT(rows),
};

/* A verdict on one kernel under a batch of seeds. */
struct soaked {
	size_t job;
	uint32_t kernel;
	uint32_t seeds;
	bool refused;
	double ratio; /* the largest error over its bound, in float32: in the
	               * others the store's rounding hides the kernel's */
	char message[512];
};

struct soak {
	const struct soak_line *line;
	struct daybook *journal; /* owned, or NULL */
	bool *judged;            /* owned: by job, in an earlier run */
	struct corpus corpus;
	uint32_t *jobs; /* owned: kernels, once a batch */
	uint64_t *at;   /* owned: the first seed of each job's batch */
	size_t njobs, done, refused;
	uint64_t verdicts;
	double *worst; /* owned: by kernel */
};

/* The holdouts of a batch: as many seeds as the lab has room for cases. */
struct batch {
	struct op op;
	struct op_case *cases; /* owned */
	char **names;          /* owned */
};

static size_t
batch_max(const struct op *op)
{
	return (LAB_CASES_MAX - 1) / (op->nholdouts + 1);
}

static bool
is_large(const struct op *op, const struct op_case *c)
{
	struct op_extent e = op->extent(&c->shape, 0);

	return (uint64_t)e.rows * e.cols > LARGE_ELEMENTS;
}

static void
add_case(struct batch *b, const struct op_case *c, uint64_t seed)
{
	size_t i = b->op.nholdouts++;

	b->names[i] =
	    xasprintf("%s, seed %llu", c->name, (unsigned long long)seed);
	b->cases[i] = *c;
	b->cases[i].name = b->names[i];
}

static void
add_undisclosed(struct batch *b, const struct op *op, uint64_t seed)
{
	struct op_case c;
	uint8_t bytes[32];

	proving_seed(SEED_WORD, seed, bytes);
	shapes_undisclosed(op, (enum shapes_class)(seed % SHAPES_NCLASSES),
	    bytes, &c);
	add_case(b, &c, seed);
}

static void
batch_init(struct batch *b, const struct op *op, uint64_t first, size_t seeds)
{
	b->op = *op;
	b->op.nholdouts = 0;
	b->cases = xcalloc((op->nholdouts + 1) * seeds, sizeof *b->cases);
	b->names = xcalloc((op->nholdouts + 1) * seeds, sizeof *b->names);
	b->op.holdouts = b->cases;
	for (size_t s = 0; s < seeds; s++) {
		for (size_t i = 0; i < op->nholdouts; i++)
			if (s == 0 || !is_large(op, &op->holdouts[i]))
				add_case(b, &op->holdouts[i], first + s);
		add_undisclosed(b, op, first + s);
	}
}

static void
batch_done(struct batch *b)
{
	for (size_t i = 0; i < b->op.nholdouts; i++)
		free(b->names[i]);
	free(b->names);
	free(b->cases);
}

static size_t
seeds_of_job(const struct soak *s, size_t job)
{
	const struct op *op = s->corpus.items[s->jobs[job]].op;
	uint64_t end = (uint64_t)(s->line->first + s->line->seeds);
	uint64_t left = end - s->at[job];

	return left < batch_max(op) ? (size_t)left : batch_max(op);
}

static void
run_job(struct pool *p, struct lab *lab, size_t job, void *arg)
{
	const struct soak *s = arg;
	const struct kernel *k = &s->corpus.items[s->jobs[job]];
	struct soaked out = { .job = job, .kernel = s->jobs[job] };
	struct lab_request rq = { .candidate = &k->candidate,
		.upto = LAB_NSTAGES - 1 };
	uint8_t seed[32];
	static struct lab_report r; /* too large for a stack */
	struct batch b;

	out.seeds = (uint32_t)seeds_of_job(s, job);
	batch_init(&b, k->op, s->at[job], out.seeds);
	proving_seed(SEED_WORD, s->at[job], seed);
	rq.op = &b.op;
	rq.seed = seed;
	lab_judge(lab, &rq, &r);
	out.refused = r.verdict != LAB_VERIFIED_CORRECT;
	for (size_t i = 0; i < r.ncases; i++)
		if (r.cases[i].dtype == DTYPE_F32)
			out.ratio = fmax(out.ratio, r.cases[i].bound_ratio);
	snprintf(out.message, sizeof out.message, "%s", r.message);
	batch_done(&b);
	pool_send(p, &out);
}

/* A kernel by its name and text, with the seeds of its batch. */
static void
name_batch(const struct soak *s, size_t job, char key[DAYBOOK_KEY_MAX])
{
	const struct kernel *k = &s->corpus.items[s->jobs[job]];
	char hex[DIGEST_HEX];

	digest_sha256_hex(k->text, k->len, hex);
	snprintf(key, DAYBOOK_KEY_MAX, "%s %.*s %llu+%zu", k->name, DIGITS, hex,
	    (unsigned long long)s->at[job], seeds_of_job(s, job));
}

static void
count(struct soak *s, const struct soaked *v)
{
	s->verdicts += v->seeds;
	s->worst[v->kernel] = fmax(s->worst[v->kernel], v->ratio);
	s->done++;
	if (!v->refused)
		return;
	s->refused++;
	printf("refused: %s: %s\n", s->corpus.items[v->kernel].name,
	    v->message);
}

static void
take_verdict(const void *record, void *arg)
{
	struct soak *s = arg;
	char key[DAYBOOK_KEY_MAX];
	struct soaked v;

	memcpy(&v, record, sizeof v);
	count(s, &v);
	name_batch(s, v.job, key);
	if (s->journal)
		daybook_add(s->journal, SEED_WORD, key,
		    json_pack("{s:s, s:f, s:s}", "verdict",
		        v.refused ? "refused" : "verified", "ratio", v.ratio,
		        "message", v.message));
	proving_progress(s->done, s->njobs, s->corpus.items[v.kernel].name);
}

/* What was judged before; what another build refused this one may not. */
static void
recall_all(struct soak *s)
{
	char key[DAYBOOK_KEY_MAX];

	for (size_t i = 0; i < s->njobs; i++) {
		struct soaked v = { .kernel = s->jobs[i],
			.seeds = (uint32_t)seeds_of_job(s, i) };
		const json_t *said;

		name_batch(s, i, key);
		said = daybook_find(s->journal, SEED_WORD, key);
		if (!said)
			continue;
		v.refused =
		    strcmp(daybook_text(said, "verdict"), "verified") != 0;
		if (v.refused && !daybook_is_own(s->journal, said))
			continue;
		v.ratio = daybook_number(said, "ratio");
		snprintf(v.message, sizeof v.message, "%s",
		    daybook_text(said, "message"));
		s->judged[i] = true;
		daybook_recall(s->journal, said);
		count(s, &v);
	}
	if (s->done > 0)
		fprintf(stderr, "%zu of %zu batches judged before\n", s->done,
		    s->njobs);
}

/* Batches of all kernels in turn, so that an early end has seen them all. */
static void
make_jobs(struct soak *s)
{
	uint64_t first = (uint64_t)s->line->first;
	uint64_t end = first + (uint64_t)s->line->seeds;

	s->jobs =
	    xcalloc(s->corpus.n * (size_t)s->line->seeds, sizeof *s->jobs);
	s->at = xcalloc(s->corpus.n * (size_t)s->line->seeds, sizeof *s->at);
	s->worst = xcalloc(s->corpus.n, sizeof *s->worst);
	for (size_t batch = 0; batch < end - first; batch++)
		for (size_t k = 0; k < s->corpus.n; k++) {
			const struct kernel *kernel = &s->corpus.items[k];
			uint64_t at = first + batch * batch_max(kernel->op);

			if (at >= end ||
			    (s->line->only &&
			        !strstr(kernel->name, s->line->only)))
				continue;
			s->jobs[s->njobs] = (uint32_t)k;
			s->at[s->njobs++] = at;
		}
}

static int
run_all(struct soak *s)
{
	struct pool_work work = { .nworkers = (size_t)s->line->workers,
		.minutes = (uint32_t)s->line->minutes,
		.record_bytes = sizeof(struct soaked),
		.run = run_job,
		.on_record = take_verdict,
		.arg = s };
	double worst = 0;
	struct why why;
	enum err e;

	make_jobs(s);
	s->judged = xcalloc(s->njobs + 1, sizeof *s->judged);
	if (s->journal)
		recall_all(s);
	work.njobs = s->njobs;
	work.done = s->judged;
	e = pool_run(&work, &why);
	if (e != ERR_OK && e != ERR_AGAIN) {
		fprintf(stderr, "soak: %s\n", why.text);
		return (int)err_exit_code(e);
	}
	for (size_t k = 0; k < s->corpus.n; k++) {
		if (s->line->only &&
		    !strstr(s->corpus.items[k].name, s->line->only))
			continue;
		printf("%-28s worst error %.3f of its bound\n",
		    s->corpus.items[k].name, s->worst[k]);
		worst = fmax(worst, s->worst[k]);
	}
	printf("%llu verdicts, %zu batches refused, worst float32 error %.3f "
	       "of its bound\n",
	    (unsigned long long)s->verdicts, s->refused, worst);
	if (s->journal)
		daybook_print(s->journal, stdout);
	/* The next run is another one. */
	if (s->journal && e == ERR_OK)
		daybook_forget(s->journal, SEED_WORD);
	return proving_is_whole(e, s->done, s->njobs) && s->refused == 0
	    ? EXIT_DONE
	    : EXIT_JUDGED;
}

int
proving_soak(int argc, char **argv)
{
	struct soak_line line = { .seeds = 1000,
		.workers = 2,
		.corpus = PROVING_CORPUS };
	struct soak s = { .line = &line };
	struct why why;
	int code;
	enum err e = opts_parse(&opts, argc, argv, &line, NULL, NULL, &why);

	if (e == ERR_STATE)
		return EXIT_DONE;
	if (e == ERR_OK)
		e = corpus_read(line.corpus, &s.corpus, &why);
	if (e == ERR_OK && line.journal)
		e = daybook_open(line.journal, NULL, &s.journal, &why);
	if (e != ERR_OK) {
		fprintf(stderr, "soak: %s\n", why.text);
		corpus_done(&s.corpus);
		return EXIT_USAGE;
	}
	code = run_all(&s);
	corpus_done(&s.corpus);
	daybook_close(s.journal);
	free(s.judged);
	free(s.jobs);
	free(s.at);
	free(s.worst);
	return code;
}
