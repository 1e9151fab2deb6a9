/*
 * proving composed: correct kernels in styles put together at random, and how
 * many of them the verifier refuses (docs/mutation.md).
 *
 * The witness stand runs each on a scene as well: one that is wrong there is
 * the composer's mistake, or the device's, and not counted against anybody.
 */
#include "base/clock.h"
#include "base/files.h"
#include "base/mem.h"
#include "base/opts.h"
#include "tests/proving/compose.h"
#include "tests/proving/daybook.h"
#include "tests/proving/pool.h"
#include "tests/proving/proving.h"
#include "tests/proving/stand.h"
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct composed_line {
	int64_t n, first, workers, finds_max, minutes;
	bool stand;
	const char *seed, *only, *out, *journal;
};

#define AT(m) offsetof(struct composed_line, m)

/* clang-format off */
static const struct opt rows[] = {
	{ "n",       OPT_INT,    AT(n),       1, 10000000, "N",    "kernels to compose (default 100)" },
	{ "first",   OPT_INT,    AT(first),   0, 10000000, "N",    "number of the first one (default 0)" },
	{ "workers", OPT_INT,    AT(workers), 1, 64,       "N",    "processes that judge (default 2)" },
	{ "finds-max", OPT_INT,  AT(finds_max), 0, 10000000, "N",  "refused or unproven ones that are no failure (default 0)" },
	{ "stand",   OPT_FLAG,   AT(stand),   0, 0,        NULL,   "run every kernel on the witness stand, not only refused ones" },
	{ "only",    OPT_STRING, AT(only),    0, 0,        "WORD", "only operators whose name holds WORD" },
	{ "seed",    OPT_STRING, AT(seed),    0, 0,        "WORD", "what is drawn from (default: a fresh one, printed)" },
	{ "out",     OPT_STRING, AT(out),     0, 0,        "DIR",  "where refused kernels go (default build/adversary)" },
	{ "journal", OPT_STRING, AT(journal), 0, 0,        "FILE", "keep each verdict there, and go on where it ends" },
	{ "minutes", OPT_INT,    AT(minutes), 0, 100000,   "N",    "begin nothing after so long (default 0: no limit)" },
};
/* clang-format on */

static const struct opt_command opts = {
	.name = "proving composed",
	.usage = "",
	.about =
	    "composes correct kernels in random styles and counts what the "
	    "verifier refuses",
	.rows = rows,
	.nrows = COUNT(rows),
};

enum composed_fate {
	COMPOSED_VERIFIED,
	COMPOSED_REFUSED,
	COMPOSED_UNPROVEN,
	COMPOSED_NOT_GOOD, /* the stand says so */
	COMPOSED_NFATES
};

static const char *const fate_names[COMPOSED_NFATES] = {
	[COMPOSED_VERIFIED] = "verified",
	[COMPOSED_REFUSED] = "refused",
	[COMPOSED_UNPROVEN] = "unproven",
	[COMPOSED_NOT_GOOD] = "not good",
};

struct composed_record {
	size_t job;
	enum composed_fate fate;
	double ms;
	char text[400];
};

struct composed {
	const struct composed_line *line;
	const char *seed;
	struct daybook *journal; /* owned, or NULL */
	struct daybook_range range;
	bool *judged; /* owned: by job, in an earlier run */
	char work[64];
	struct stand *stand; /* a worker's own */
	size_t fates[COMPOSED_NFATES], done;
	double ms;
};

static const struct op *
draw_op(const struct composed *g, struct draw *d)
{
	const struct op *op;

	do
		op = op_at(draw_range(d, 0, (uint32_t)op_count() - 1));
	while (g->line->only && !strstr(op->name, g->line->only));
	return op;
}

/* Right on the scene that is drawn for it? */
static bool
stands(struct composed *g, const struct kernel *k, struct draw *d, char *why,
    size_t size)
{
	struct stand_finding f;
	enum stand_says says;
	struct scene s;

	for (int tries = 0; tries < 50; tries++) {
		if (!scene_draw(k, d, &s))
			continue;
		says = stand_try(g->stand, &k->candidate, &s, false, &f);
		scene_done(&s);
		snprintf(why, size, "%s",
		    says == STAND_NO_BUILD ? "it does not build" : f.what);
		return says == STAND_RIGHT;
	}
	return true;
}

static void
keep(const struct composed *g, const struct kernel *k, size_t job,
    const char *why, struct composed_record *r)
{
	char *path =
	    xasprintf("%s/composed_%s_%zu.cl", g->line->out, k->op->name, job);
	FILE *out = fopen(path, "w");

	snprintf(r->text, sizeof r->text, "%s: %s", path, why);
	if (out) {
		fputs(k->text, out);
		fclose(out);
	}
	free(path);
}

static void
judge(struct composed *g, struct lab *lab, const struct kernel *k, size_t job,
    struct draw *d, struct composed_record *out)
{
	uint8_t secret[32];
	struct lab_request rq = { .op = k->op,
		.candidate = &k->candidate,
		.upto = LAB_NSTAGES - 1,
		.seed = secret };
	struct lab_report *r = xcalloc(1, sizeof *r);
	uint64_t start_us = clock_mono_us();
	char why[160] = "";

	for (size_t i = 0; i < sizeof secret; i++)
		secret[i] = (uint8_t)draw_bits(d);
	lab_judge(lab, &rq, r);
	out->ms = (double)(clock_mono_us() - start_us) / 1e3;
	if (r->verdict != LAB_VERIFIED_CORRECT)
		out->fate =
		    strcmp(lab_verdict_name(r->verdict), "unproven") == 0
		    ? COMPOSED_UNPROVEN
		    : COMPOSED_REFUSED;
	if ((g->line->stand || out->fate != COMPOSED_VERIFIED) &&
	    !stands(g, k, d, why, sizeof why)) {
		out->fate = COMPOSED_NOT_GOOD;
		keep(g, k, job, why, out);
	} else if (out->fate != COMPOSED_VERIFIED) {
		keep(g, k, job, r->message, out);
	}
	free(r);
}

static void
run_job(struct pool *p, struct lab *lab, size_t job, void *arg)
{
	struct composed *g = arg;
	struct composed_record r = { .job = job, .fate = COMPOSED_VERIFIED };
	struct kernel k = { .name = xstrdup("composed.cl") };
	uint8_t seed[32];
	struct why why;
	struct draw d;

	job += (size_t)g->line->first;
	if (!g->stand && stand_open(g->work, &g->stand, &why) != ERR_OK) {
		fprintf(stderr, "%s\n", why.text);
		_exit(EXIT_ENV);
	}
	proving_seed(g->seed, job, seed);
	draw_init(&d, seed, "composed");
	k.op = draw_op(g, &d);
	k.text = compose_kernel(k.op, &d);
	k.len = strlen(k.text);
	if (candidate_parse_file(k.name, k.text, k.len, &k.candidate, &why) ==
	    ERR_OK) {
		judge(g, lab, &k, job, &d, &r);
	} else {
		r.fate = COMPOSED_REFUSED;
		keep(g, &k, job, why.text, &r);
	}
	pool_send(p, &r);
	candidate_done(&k.candidate);
	free(k.text);
	free(k.name);
}

static void
count(struct composed *g, const struct composed_record *r)
{
	g->fates[r->fate]++;
	g->ms += r->ms;
	g->done++;
	if (r->fate != COMPOSED_VERIFIED)
		fprintf(stderr, "%s %s\n", fate_names[r->fate], r->text);
}

static void
take(const void *record, void *arg)
{
	struct composed *g = arg;
	struct composed_record r;
	char key[DAYBOOK_KEY_MAX];

	memcpy(&r, record, sizeof r);
	count(g, &r);
	daybook_key(&g->range, r.job, key);
	if (g->journal)
		daybook_add(g->journal, g->seed, key,
		    json_pack("{s:s, s:f, s:s}", "verdict", fate_names[r.fate],
		        "ms", r.ms, "text", r.text));
	proving_progress(g->done, (size_t)g->line->n, "");
}

/* false: a line that does not count. */
static bool
read_verdict(const json_t *said, struct composed_record *ret)
{
	*ret = (struct composed_record){ .fate = COMPOSED_NFATES,
		.ms = daybook_number(said, "ms") };
	for (int i = 0; i < COMPOSED_NFATES; i++)
		if (strcmp(fate_names[i], daybook_text(said, "verdict")) == 0)
			ret->fate = (enum composed_fate)i;
	snprintf(ret->text, sizeof ret->text, "%s", daybook_text(said, "text"));
	return ret->fate < COMPOSED_NFATES;
}

/* What was judged before; what another build did not verify this one may. */
static void
recall_all(struct composed *g)
{
	char key[DAYBOOK_KEY_MAX];

	for (size_t i = 0; i < g->range.n; i++) {
		const json_t *said;
		struct composed_record r;

		daybook_key(&g->range, i, key);
		said = daybook_find(g->journal, g->seed, key);
		if (!said || !read_verdict(said, &r) ||
		    (r.fate != COMPOSED_VERIFIED &&
		        !daybook_is_own(g->journal, said)))
			continue;
		g->judged[i] = true;
		daybook_recall(g->journal, said);
		count(g, &r);
	}
	if (g->done > 0)
		fprintf(stderr, "seed \"%s\": %zu of %zu judged before\n",
		    g->seed, g->done, g->range.n);
}

static int
run_all(struct composed *g)
{
	struct pool_work work = { .njobs = (size_t)g->line->n,
		.nworkers = (size_t)g->line->workers,
		.record_bytes = sizeof(struct composed_record),
		.minutes = (uint32_t)g->line->minutes,
		.run = run_job,
		.on_record = take,
		.arg = g };
	struct why why;
	enum err e;

	g->judged = xcalloc(g->range.n, sizeof *g->judged);
	if (g->journal)
		recall_all(g);
	work.done = g->judged;
	e = pool_run(&work, &why);
	if (e != ERR_OK && e != ERR_AGAIN) {
		fprintf(stderr, "composed: %s\n", why.text);
		return (int)err_exit_code(e);
	}
	printf("%zu of %zu correct kernels refused, %zu unproven, %zu not "
	       "good; %.0f ms a verdict; seed \"%s\"\n",
	    g->fates[COMPOSED_REFUSED], g->done, g->fates[COMPOSED_UNPROVEN],
	    g->fates[COMPOSED_NOT_GOOD],
	    g->ms / (double)(g->done ? g->done : 1), g->seed);
	if (g->journal)
		daybook_print(g->journal, stdout);
	return g->fates[COMPOSED_REFUSED] + g->fates[COMPOSED_UNPROVEN] <=
	            (size_t)g->line->finds_max &&
	        proving_is_whole(e, g->done, g->range.n)
	    ? EXIT_DONE
	    : EXIT_JUDGED;
}

int
proving_composed(int argc, char **argv)
{
	struct composed_line line = { .n = 100,
		.workers = 2,
		.out = "build/adversary" };
	struct composed g = { .line = &line };
	char *fresh = proving_fresh_seed();
	struct why why;
	int code = EXIT_USAGE;
	enum err e = opts_parse(&opts, argc, argv, &line, NULL, NULL, &why);

	if (e == ERR_OK)
		e = proving_folders(line.out, g.work, sizeof g.work, &why);
	if (e == ERR_OK && line.journal)
		e = daybook_open(line.journal, NULL, &g.journal, &why);
	if (e == ERR_OK) {
		g.range = (struct daybook_range){ (size_t)line.first,
			(size_t)line.n, line.only };
		g.seed = daybook_seed(g.journal, &g.range, line.seed, fresh);
		code = run_all(&g);
	} else if (e == ERR_STATE) {
		code = EXIT_DONE;
	} else {
		fprintf(stderr, "composed: %s\n", why.text);
	}
	if (g.work[0])
		files_remove_tree(g.work);
	daybook_close(g.journal);
	free(g.judged);
	free(fresh);
	return code;
}
