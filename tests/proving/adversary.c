/*
 * proving adversary: wrong kernels from a grammar, by seed, and how many of
 * them the verifier accepts (docs/mutation.md).
 *
 * A job draws a correct kernel, a scene and a mistake behind a condition that
 * holds there, until the witness stand proves the result wrong; then the
 * verifier is asked, under a secret seed drawn with the rest.  So nothing is
 * counted that is not wrong, and nothing is drawn to fit the verifier's cases.
 */
#include "base/clock.h"
#include "base/files.h"
#include "base/mem.h"
#include "base/opts.h"
#include "tests/proving/daybook.h"
#include "tests/proving/hunt.h"
#include "tests/proving/pool.h"
#include "tests/proving/proving.h"
#include "tests/proving/shortly.h"
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#define TRIES_MAX    400
#define TRIES_ALIKE  200 /* of one mistake, before any will do */
#define DEADLINE_MS  5000
#define MISTAKES_MAX 48
#define CHECK_EVERY  16 /* judged whole, see shortly.h */

struct adversary_line {
	int64_t n, first, workers, finds_max, minutes;
	const char *corpus, *seed, *only, *out, *journal;
};

#define AT(m) offsetof(struct adversary_line, m)

/* clang-format off */
static const struct opt rows[] = {
	{ "n",       OPT_INT,    AT(n),       1, 10000000, "N",    "wrong kernels to make (default 100)" },
	{ "first",   OPT_INT,    AT(first),   0, 10000000, "N",    "number of the first one (default 0)" },
	{ "workers", OPT_INT,    AT(workers), 1, 64,       "N",    "processes that judge (default 2)" },
	{ "finds-max", OPT_INT,  AT(finds_max), 0, 10000000, "N",  "accepted ones that are no failure (default 0)" },
	{ "corpus",  OPT_STRING, AT(corpus),  0, 0,        "DIR",  "the known-good kernels (default " PROVING_CORPUS ")" },
	{ "only",    OPT_STRING, AT(only),    0, 0,        "WORD", "only kernels or mistakes whose name holds WORD" },
	{ "seed",    OPT_STRING, AT(seed),    0, 0,        "WORD", "what is drawn from (default: a fresh one, printed)" },
	{ "out",     OPT_STRING, AT(out),     0, 0,        "DIR",  "where accepted kernels go (default build/adversary)" },
	{ "journal", OPT_STRING, AT(journal), 0, 0,        "FILE", "keep each verdict there, and go on where it ends" },
	{ "minutes", OPT_INT,    AT(minutes), 0, 100000,   "N",    "begin nothing after so long (default 0: no limit)" },
};
/* clang-format on */

static const struct opt_command opts = {
	.name = "proving adversary",
	.usage = "",
	.about =
	    "plants mistakes in known-good kernels by a grammar and counts "
	    "what the verifier accepts",
	.rows = rows,
	.nrows = COUNT(rows),
};

enum fate_of {
	ADVERSARY_KILLED,
	ADVERSARY_UNPROVEN,
	ADVERSARY_ACCEPTED,
	ADVERSARY_LAB_ERROR,
	ADVERSARY_LOUD,    /* fails the smoke test: nobody is deceived */
	ADVERSARY_NOTHING, /* no kernel that the stand proves wrong was drawn */
	ADVERSARY_NFATES
};

static const char *const fate_names[ADVERSARY_NFATES] = {
	[ADVERSARY_KILLED] = "killed",
	[ADVERSARY_UNPROVEN] = "unproven",
	[ADVERSARY_ACCEPTED] = "accepted",
	[ADVERSARY_LAB_ERROR] = "lab_error",
	[ADVERSARY_LOUD] = "loud",
	[ADVERSARY_NOTHING] = "nothing",
};

/* One wrong kernel and its verdict. */
struct trying {
	size_t job;
	enum fate_of fate;
	uint32_t mistake, tries, loud;
	enum lab_stage killer;
	double stand_ms, lab_ms; /* wall clock */
	double stand_cpu_ms;
	char condition[16];
	char class[24];
	char text[400]; /* accepted: the file, the scene and the witness */
};

struct tally {
	size_t fates[ADVERSARY_NFATES];
	size_t kills[LAB_NSTAGES];
};

struct adversary {
	const struct adversary_line *line;
	const char *seed;
	struct daybook *journal; /* owned, or NULL */
	struct daybook_range range;
	bool *judged; /* owned: by job, in an earlier run */
	struct corpus corpus;
	char work[64];
	struct stand *stand; /* a worker's own */
	struct tally by_mistake[MISTAKES_MAX], all;
	size_t done, tries, loud;
	double stand_ms, lab_ms;
};

/* ---- in a worker */

/* Processor time of this process and of the children that have ended: the
 * lab's are its zygote's. */
static double
cpu_ms(void)
{
	static const int whose[] = { RUSAGE_SELF, RUSAGE_CHILDREN };
	double ms = 0;

	for (size_t i = 0; i < COUNT(whose); i++) {
		struct rusage r;

		getrusage(whose[i], &r);
		ms += (double)(r.ru_utime.tv_sec + r.ru_stime.tv_sec) * 1e3 +
		    (double)(r.ru_utime.tv_usec + r.ru_stime.tv_usec) / 1e3;
	}
	return ms;
}

/* Its kernel is right there: the mistake is the plant's, not the scene's. */
static bool
is_fair(struct adversary *a, const struct kernel *k, const struct scene *s)
{
	struct stand_finding ignored;

	return stand_try(a->stand, &k->candidate, s, false, &ignored) ==
	    STAND_RIGHT;
}

static void
keep(const struct adversary *a, const struct kernel *k, const struct hunted *h,
    struct trying *t)
{
	const struct planted *p = &h->planted;
	char *path = xasprintf("%s/%s_%s_%zu.cl", a->line->out, k->op->name,
	    p->mistake, t->job + (size_t)a->line->first);
	char scene[256];
	FILE *out = fopen(path, "w");

	scene_text(&h->scene, scene, sizeof scene);
	snprintf(t->text, sizeof t->text, "%s: %s on %s (%s)", path,
	    p->condition, scene, h->finding.what);
	if (out) {
		fprintf(out,
		    "%s\n// of %s; %s behind %s\n// wrong on %s\n// "
		    "%s\n",
		    p->text, k->name, p->mistake, p->condition, scene,
		    h->finding.what);
		fclose(out);
	}
	free(path);
}

/* wrong_in: the storage type; NULL: order shows it, and no holdout does. */
static void
judge(struct lab *lab, const struct kernel *k, const struct candidate *c,
    const enum dtype *wrong_in, struct draw *d, struct lab_report *r,
    struct trying *t)
{
	uint8_t secret[32];
	struct lab_request rq = { .op = k->op,
		.candidate = c,
		.upto = LAB_NSTAGES - 1,
		.seed = secret };
	uint64_t start_us = clock_mono_us();

	for (size_t i = 0; i < sizeof secret; i++)
		secret[i] = (uint8_t)draw_bits(d);
	if (wrong_in)
		shortly_judge(lab, &rq, *wrong_in, t->job % CHECK_EVERY == 0,
		    r);
	else
		lab_judge(lab, &rq, r);
	t->lab_ms = (double)(clock_mono_us() - start_us) / 1e3;
	snprintf(t->class, sizeof t->class, "%s", r->class);
	t->fate = ADVERSARY_KILLED;
	if (r->verdict == LAB_VERIFIED_CORRECT)
		t->fate = ADVERSARY_ACCEPTED;
	else if (r->verdict == LAB_ERROR)
		t->fate = ADVERSARY_LAB_ERROR;
	else if (r->smoke != 1)
		t->fate = ADVERSARY_LOUD;
	else if (strcmp(lab_verdict_name(r->verdict), "unproven") == 0)
		t->fate = ADVERSARY_UNPROVEN;
	for (size_t i = 0; i < r->nstages; i++)
		if (r->stages[i].status == LAB_STAGE_FAILED)
			t->killer = r->stages[i].stage;
}

/* The verdict on what was found; true when it counts. */
static bool
judge_hunted(struct adversary *a, struct lab *lab, const struct kernel *k,
    const struct hunted *h, struct draw *d, struct trying *t)
{
	struct lab_report *r = xcalloc(1, sizeof *r);
	const struct planted *p = &h->planted;
	bool ok;

	judge(lab, k, &h->candidate, p->by_order ? NULL : &h->scene.c.dtype, d,
	    r, t);
	t->loud += t->fate == ADVERSARY_LOUD;
	ok = t->fate == ADVERSARY_KILLED ||
	    (t->fate != ADVERSARY_LOUD && is_fair(a, k, &h->scene));
	snprintf(t->condition, sizeof t->condition, "%s", p->condition);
	if (ok && t->fate != ADVERSARY_KILLED)
		keep(a, k, h, t);
	if (ok && t->fate == ADVERSARY_LAB_ERROR)
		snprintf(t->text + strlen(t->text),
		    sizeof t->text - strlen(t->text), ": %.80s", r->message);
	free(r);
	return ok;
}

/* One draw; true when it was wrong and has been judged. */
static bool
try_once(struct adversary *a, struct lab *lab, struct draw *d, struct trying *t)
{
	const struct kernel *k =
	    &a->corpus.items[draw_range(d, 0, (uint32_t)a->corpus.n - 1)];
	uint64_t start_us = clock_mono_us();
	double start_cpu_ms = cpu_ms();
	uint32_t loud = 0;
	struct hunted h = { 0 };
	bool found = hunt(a->stand, k, t->mistake, a->line->only, d, &h, &loud);

	if (loud > 0)
		t->fate = ADVERSARY_LOUD;
	t->loud += loud;
	t->stand_ms += (double)(clock_mono_us() - start_us) / 1e3;
	t->stand_cpu_ms += cpu_ms() - start_cpu_ms;
	if (!found)
		return false;
	found = judge_hunted(a, lab, k, &h, d, t);
	hunted_done(&h);
	return found;
}

static void
run_job(struct pool *pool, struct lab *lab, size_t job, void *arg)
{
	struct adversary *a = arg;
	struct trying t = { .job = job, .fate = ADVERSARY_NOTHING };
	uint8_t seed[32];
	struct why why;
	struct draw d;

	job += (size_t)a->line->first;
	if (!a->stand && stand_open(a->work, &a->stand, &why) != ERR_OK) {
		fprintf(stderr, "%s\n", why.text);
		_exit(EXIT_ENV);
	}
	proving_seed(a->seed, job, seed);
	draw_init(&d, seed, "adversary");
	do {
		t.fate = ADVERSARY_NOTHING;
		t.mistake = (uint32_t)(t.tries < TRIES_ALIKE
		        ? job % plant_nmistakes()
		        : draw_bits(&d) % plant_nmistakes());
	} while (!try_once(a, lab, &d, &t) && ++t.tries < TRIES_MAX);
	pool_send(pool, &t);
}

/* ---- in the parent */

static bool
is_find(enum fate_of f)
{
	return f == ADVERSARY_UNPROVEN || f == ADVERSARY_ACCEPTED ||
	    f == ADVERSARY_LAB_ERROR;
}

static void
count(struct adversary *a, const struct trying *t)
{
	struct tally *of[] = { &a->all, &a->by_mistake[t->mistake] };

	for (size_t i = 0; i < COUNT(of); i++) {
		of[i]->fates[t->fate]++;
		if (t->fate == ADVERSARY_KILLED)
			of[i]->kills[t->killer]++;
	}
	a->tries += t->tries;
	a->loud += t->loud;
	a->stand_ms += t->stand_ms;
	a->lab_ms += t->lab_ms;
	a->done++;
	if (is_find(t->fate))
		fprintf(stderr, "%s %s\n",
		    t->fate == ADVERSARY_ACCEPTED ? "ACCEPTED"
		                                  : fate_names[t->fate],
		    t->text);
}

static void
keep_verdict(struct adversary *a, const struct trying *t)
{
	bool killed = t->fate == ADVERSARY_KILLED;
	char key[DAYBOOK_KEY_MAX];

	daybook_key(&a->range, t->job, key);
	daybook_add(a->journal, a->seed, key,
	    json_pack("{s:s, s:s, s:s, s:s, s:s, s:i, s:i, s:f, s:f, s:f, s:s}",
	        "verdict", fate_names[t->fate], "stage",
	        killed ? lab_stage_name(t->killer) : "", "class",
	        killed ? t->class : "", "mistake", plant_mistake(t->mistake),
	        "condition", t->condition, "tries", (int)t->tries, "loud",
	        (int)t->loud, "stand_ms", t->stand_ms, "stand_cpu_ms",
	        t->stand_cpu_ms, "lab_ms", t->lab_ms, "text", t->text));
}

static void
take(const void *record, void *arg)
{
	struct adversary *a = arg;
	struct trying t;

	memcpy(&t, record, sizeof t);
	count(a, &t);
	if (a->journal)
		keep_verdict(a, &t);
	proving_progress(a->done, (size_t)a->line->n, "");
}

/* false: a line that does not count. */
static bool
read_verdict(const json_t *said, struct trying *ret)
{
	const char *mistake = daybook_text(said, "mistake");
	const char *verdict = daybook_text(said, "verdict");

	*ret = (struct trying){ .fate = ADVERSARY_NFATES,
		.killer = lab_stage_find(daybook_text(said, "stage")),
		.mistake = UINT32_MAX,
		.tries = (uint32_t)daybook_number(said, "tries"),
		.loud = (uint32_t)daybook_number(said, "loud"),
		.stand_ms = daybook_number(said, "stand_ms"),
		.stand_cpu_ms = daybook_number(said, "stand_cpu_ms"),
		.lab_ms = daybook_number(said, "lab_ms") };
	for (int i = 0; i < ADVERSARY_NFATES; i++)
		if (strcmp(fate_names[i], verdict) == 0)
			ret->fate = (enum fate_of)i;
	for (size_t i = 0; i < plant_nmistakes(); i++)
		if (strcmp(plant_mistake(i), mistake) == 0)
			ret->mistake = (uint32_t)i;
	snprintf(ret->text, sizeof ret->text, "%s", daybook_text(said, "text"));
	return ret->fate < ADVERSARY_NFATES && ret->mistake != UINT32_MAX &&
	    (ret->fate != ADVERSARY_KILLED || ret->killer < LAB_NSTAGES);
}

/* What was judged before.  What another build did not kill this one may, and
 * where the lab was at fault nothing was judged. */
static void
recall_all(struct adversary *a)
{
	char key[DAYBOOK_KEY_MAX];

	for (size_t i = 0; i < a->range.n; i++) {
		const json_t *said;
		struct trying t;

		daybook_key(&a->range, i, key);
		said = daybook_find(a->journal, a->seed, key);
		if (!said || !read_verdict(said, &t) ||
		    t.fate == ADVERSARY_LAB_ERROR ||
		    (is_find(t.fate) && !daybook_is_own(a->journal, said)))
			continue;
		a->judged[i] = true;
		daybook_recall(a->journal, said);
		count(a, &t);
	}
	if (a->done > 0)
		fprintf(stderr, "seed \"%s\": %zu of %zu judged before\n",
		    a->seed, a->done, a->range.n);
}

static void
print_row(const char *name, const struct tally *t)
{
	printf("%-15s %6zu %8zu %8zu %9zu |", name,
	    t->fates[ADVERSARY_KILLED] + t->fates[ADVERSARY_ACCEPTED] +
	        t->fates[ADVERSARY_UNPROVEN] + t->fates[ADVERSARY_LAB_ERROR],
	    t->fates[ADVERSARY_ACCEPTED], t->fates[ADVERSARY_UNPROVEN],
	    t->fates[ADVERSARY_LAB_ERROR]);
	for (int i = 0; i < LAB_NSTAGES; i++)
		printf(" %6zu", t->kills[i]);
	putchar('\n');
}

static void
print_table(const struct adversary *a)
{
	printf("%-15s %6s %8s %8s %9s |", "mistake", "wrong", "accepted",
	    "unproven", "lab_error");
	for (int i = 0; i < LAB_NSTAGES; i++)
		printf(" %6.6s", lab_stage_name((enum lab_stage)i));
	putchar('\n');
	for (size_t i = 0; i < plant_nmistakes(); i++)
		print_row(plant_mistake(i), &a->by_mistake[i]);
	print_row("all", &a->all);
	if (a->done > 0)
		printf("\na witness took %.0f ms, a verdict %.0f ms",
		    a->stand_ms / (double)a->done, a->lab_ms / (double)a->done);
	printf("\n%zu of %zu wrong kernels accepted, %zu unproven; %zu draws, "
	       "%zu loud; seed \"%s\"\n",
	    a->all.fates[ADVERSARY_ACCEPTED],
	    a->done - a->all.fates[ADVERSARY_NOTHING],
	    a->all.fates[ADVERSARY_UNPROVEN], a->tries, a->loud, a->seed);
}

static int
run_all(struct adversary *a)
{
	struct pool_work work = { .njobs = (size_t)a->line->n,
		.nworkers = (size_t)a->line->workers,
		.record_bytes = sizeof(struct trying),
		.deadline_ms = DEADLINE_MS,
		.minutes = (uint32_t)a->line->minutes,
		.run = run_job,
		.on_record = take,
		.arg = a };
	struct why why;
	enum err e;

	a->judged = xcalloc(a->range.n, sizeof *a->judged);
	if (a->journal)
		recall_all(a);
	work.done = a->judged;
	e = pool_run(&work, &why);
	if (e != ERR_OK && e != ERR_AGAIN) {
		fprintf(stderr, "adversary: %s\n", why.text);
		return (int)err_exit_code(e);
	}
	print_table(a);
	if (a->journal)
		daybook_print(a->journal, stdout);
	return a->all.fates[ADVERSARY_ACCEPTED] +
	                a->all.fates[ADVERSARY_LAB_ERROR] <=
	            (size_t)a->line->finds_max &&
	        proving_is_whole(e, a->done, a->range.n)
	    ? EXIT_DONE
	    : EXIT_JUDGED;
}

static enum err
prepare(struct adversary *a, struct why *why)
{
	const struct adversary_line *line = a->line;
	enum err e = corpus_read(line->corpus, &a->corpus, why);

	a->range = (struct daybook_range){ (size_t)line->first, (size_t)line->n,
		line->only };
	if (e == ERR_OK)
		e = proving_folders(line->out, a->work, sizeof a->work, why);
	if (e == ERR_OK && line->journal)
		e = daybook_open(line->journal, NULL, &a->journal, why);
	return e;
}

int
proving_adversary(int argc, char **argv)
{
	struct adversary_line line = { .n = 100,
		.workers = 2,
		.corpus = PROVING_CORPUS,
		.out = "build/adversary" };
	struct adversary a = { .line = &line };
	char *fresh = proving_fresh_seed();
	struct why why;
	int code;
	enum err e = opts_parse(&opts, argc, argv, &line, NULL, NULL, &why);

	if (e == ERR_OK)
		e = prepare(&a, &why);
	if (e == ERR_OK) {
		a.seed = daybook_seed(a.journal, &a.range, line.seed, fresh);
		code = run_all(&a);
	} else if (e == ERR_STATE) {
		code = EXIT_DONE;
	} else {
		fprintf(stderr, "adversary: %s\n", why.text);
		code = EXIT_USAGE;
	}
	if (a.work[0])
		files_remove_tree(a.work);
	daybook_close(a.journal);
	corpus_done(&a.corpus);
	free(a.judged);
	free(fresh);
	return code;
}
