/*
 * A kernel of the corpus before the lab, and all of a family.  Stands beside
 * the groups, so that none of them waits for another's kernels.
 */
#include "tests/unit/lab/corpus.h"

#include "base/digest.h"
#include "base/files.h"
#include "base/mem.h"
#include "tests/unit.h"
#include "tests/unit/lab/kit.h"
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FILE_MAX     (1 << 17)
#define OPERATORS_IN 4

/* clang-format off */
static const char *const operators[CORPUS_NFAMILIES][OPERATORS_IN] = {
	[CORPUS_RECTIFIERS]  = { "relu", "abs" },
	[CORPUS_REDUCTIONS]  = { "sum_last", "max_last", "mean_last" },
	[CORPUS_NORMS]       = { "softmax", "rmsnorm", "layernorm" },
	[CORPUS_GATED]       = { "swiglu" },
	[CORPUS_FAR_REACHED] = { "matmul", "rope" },
};
/* clang-format on */

static const uint8_t seed[32] = "the corpus under one fixed seed";

/*
 * A row that says "// seeds: N" is wrong where values meet as few seeds let
 * them: it must be refused under one of the first N.
 */
static unsigned
seeds_of(const char *text)
{
	const char *line = strstr(text, "// seeds: ");
	unsigned n = 1;

	return line && sscanf(line, "// seeds: %u", &n) == 1 ? n : 1;
}

static bool
is_listed(enum corpus_family family, const struct op *op)
{
	for (size_t i = 0; i < OPERATORS_IN && operators[family][i]; i++)
		if (strcmp(operators[family][i], op->name) == 0)
			return true;
	return false;
}

/* Nobody has to think of an operator that is new: it is one of the others. */
static bool
is_of(enum corpus_family family, const struct op *op)
{
	if (family != CORPUS_OTHERS)
		return is_listed(family, op);
	for (int f = 0; f < CORPUS_NFAMILIES; f++)
		if (is_listed((enum corpus_family)f, op))
			return false;
	return true;
}

void
corpus_judge(struct lab *l, const struct op *op, const struct candidate *c,
    unsigned nseeds, struct lab_report *r)
{
	uint8_t other[sizeof seed];
	struct lab_request rq = { .op = op,
		.candidate = c,
		.upto = LAB_NSTAGES - 1,
		.seed = other };

	memcpy(other, seed, sizeof other);
	do {
		lab_judge(l, &rq, r);
		other[0]++;
	} while (r->verdict == LAB_VERIFIED_CORRECT && --nseeds > 0);
}

/* "crash|verified_incorrect": an index out of a private array kills a device or
 * does not, as its memory lies. */
static bool
is_one_of(const char *verdict, const char *wanted)
{
	size_t n = strlen(verdict);

	for (const char *p = wanted; (p = strstr(p, verdict)); p += n)
		if ((p == wanted || p[-1] == '|') &&
		    (p[n] == '\0' || p[n] == '|'))
			return true;
	return false;
}

static void
check_bad(const char *name, const char *text, const struct lab_report *r)
{
	char verdict[32] = "", class[32] = "-", smoke[8] = "";
	const char *want = strstr(text, "// want: ");
	json_t *json;

	if (!CHECK(want &&
	            sscanf(want, "// want: %31s %31s %7[a-z]", verdict, class,
	                smoke) >= 2,
	        name))
		return;
	if (!CHECK(is_one_of(lab_verdict_name(r->verdict), verdict), name))
		printf("  %s, not %s: %s\n", lab_verdict_name(r->verdict),
		    verdict, r->message);
	if (strcmp(class, "-") != 0)
		CHECK_STR(r->class, class, name);
	if (strcmp(r->class, "metamorphic") == 0)
		CHECK(strstr(r->suspect, "something else done"), name);
	if (strcmp(smoke, "smoke") == 0)
		CHECK_INT(r->smoke, 1, name);
	CHECK(r->message[0] != '\0', name);
	json = lab_report_json(op_of_kernel(name), r);
	CHECK(json, name); /* whatever bytes the candidate holds */
	json_decref(json);
}

static void
check_sole(struct lab *l, const char *name, const struct candidate *c,
    const char *text)
{
	const char *sole = strstr(text, "// sole: ");
	struct lab_request rq = { .op = op_of_kernel(name),
		.candidate = c,
		.upto = LAB_NSTAGES - 1,
		.seed = seed };
	static struct lab_report r;
	json_t *skipped;
	enum lab_stage stage;
	char word[32] = "";

	if (!sole)
		return;
	CHECK_INT(sscanf(sole, "// sole: %31s", word), 1, name);
	stage = lab_stage_find(word);
	if (!CHECK(stage < LAB_NSTAGES, name))
		return;
	/* The machine looks for races and bounds as well, a second witness
	 * with other means: what it sees takes nothing from the others. */
	rq.skip = 1U << stage | 1U << LAB_STAGE_COVERAGE;
	lab_judge(l, &rq, &r);
	/* Without the holdouts there is no claim, but no failure either. */
	if (!CHECK_STR(r.class, "", name))
		printf("  without %s: %s\n", word, r.message);
	skipped = lab_skipped_json(&r);
	CHECK(json_array_size(skipped) > 0,
	    "the report says what was left out");
	json_decref(skipped);
}

/* Is the only stage that sees it one that this machine has not got? */
static bool
is_out_of_sight(const char *name, const char *text, const struct lab_report *r)
{
	const char *sole = strstr(text, "// sole: ");
	bool is_read_early = strstr(text, "// want: verified_incorrect unini");
	enum lab_stage stage;
	char word[32] = "";

	if (sole && sscanf(sole, "// sole: %31s", word) != 1)
		return false;
	stage = sole ? lab_stage_find(word) : LAB_STAGE_OCLGRIND;
	if (!sole && !is_read_early)
		return false;
	for (size_t i = 0; i < r->nstages; i++)
		if (r->stages[i].stage == stage &&
		    strstr(r->stages[i].note, "not installed")) {
			printf("  %s: passed over: %s\n", name,
			    r->stages[i].note);
			return true;
		}
	return false;
}

static void
check_good(const char *name, const struct op *op, const struct lab_report *r)
{
	if (!CHECK_STR(lab_verdict_name(r->verdict), "verified_correct", name))
		printf("  %s\n", r->message);
	CHECK_STR(r->class, "", name);
	CHECK_INT(r->ncases, 1 + op->nexact + op->nholdouts, name);
}

/* What is refused, breaks out, dies or eats the machine. */
static bool
is_hostile(const char *text)
{
	static const char *const wants[] = { "refused", "resource", "crash",
		"timeout", "verified_incorrect out_of_bounds",
		"verified_incorrect input_write" };
	const char *want = strstr(text, "// want: ");

	for (size_t i = 0; want && i < COUNT(wants); i++)
		if (strncmp(want + 9, wants[i], strlen(wants[i])) == 0)
			return true;
	return false;
}

static bool
is_asked_for(const char *word)
{
	const char *corpus = getenv("KF_CORPUS");

	return corpus && strcmp(corpus, word) == 0;
}

static bool
is_drawn(const char *text)
{
	bool is_slow = is_asked_for("hostile");
	unsigned one_in = is_slow ? 24 : 6;
	uint8_t byte;

	if (is_asked_for("all") || (!is_slow && strstr(text, "// sole: ")))
		return true;
	if (is_hostile(text))
		one_in = is_slow ? 2 : 1;
	digest_random(&byte, sizeof byte);
	return byte % one_in == 0;
}

static void
check_file(struct lab *l, const char *path, bool good)
{
	const char *name = strrchr(path, '/') + 1;
	const struct op *op = op_of_kernel(name);
	struct candidate c = { 0 };
	static struct lab_report r;
	char *text = NULL;
	struct why why;
	size_t len;

	if (CHECK(files_read(path, FILE_MAX, &text, &len, &why) == ERR_OK,
	        name) &&
	    CHECK(candidate_parse_file(path, text, len, &c, &why) == ERR_OK,
	        name) &&
	    (good || is_drawn(text))) {
		corpus_judge(l, op, &c, good ? 1 : seeds_of(text), &r);
		if (good)
			check_good(name, op, &r);
		else if (!is_out_of_sight(name, text, &r)) {
			check_bad(name, text, &r);
			check_sole(l, name, &c, text);
		}
	}
	candidate_done(&c);
	free(text);
}

static bool
is_quick(const char *path)
{
	static const char *const quick[] = { "gelu_guard_by_bits.cl",
		"matmul_tiled.cl", "rmsnorm_group.cl", "rope.cl",
		"softmax_early_out.cl", "softmax_online.cl",
		"sum_last_early.cl", "sum_last_early_volatile.cl",
		"sum_last_group.cl", "swiglu_row.cl", "swiglu_undef.cl" };

	for (size_t i = 0; i < COUNT(quick); i++)
		if (strcmp(strrchr(path, '/') + 1, quick[i]) == 0)
			return true;
	return is_asked_for("all");
}

static void
check_kernels(struct lab *l, enum corpus_family family, const char *dirs,
    bool good)
{
	char **paths = files_list(dirs, ".cl");
	size_t n = 0;

	for (size_t i = 0; paths[i]; i++) {
		const char *name = strrchr(paths[i], '/') + 1;
		const struct op *op = op_of_kernel(name);

		if (!CHECK(op, name) || !is_of(family, op))
			continue;
		n++;
		if (!good || is_quick(paths[i]))
			check_file(l, paths[i], good);
	}
	CHECK(n > 0, dirs);
	files_list_free(paths);
}

/* Entries of a folder whose names begin with prefix. */
static size_t
count_entries(const char *path, const char *prefix)
{
	DIR *d = opendir(path);
	struct dirent *e;
	size_t n = 0;

	while (d && (e = readdir(d)) != NULL)
		n += strncmp(e->d_name, prefix, strlen(prefix)) == 0 &&
		    e->d_name[0] != '.';
	if (d)
		closedir(d);
	return n;
}

static bool
has_children(void)
{
	char *children = kit_children();
	bool some = children[0] != '\0';

	free(children);
	return some;
}

bool
corpus_open(struct lab **ret, size_t *ret_fds)
{
	const struct lab_conf conf = { .deadline_ms = CORPUS_DEADLINE_MS };
	struct why why;
	enum err e;

	setenv("TMPDIR", unit_tmpdir(), 1);
	*ret_fds = count_entries("/proc/self/fd", "");
	e = lab_open(&conf, ret, &why);
	if (e == ERR_ENV)
		unit_skip(why.text);
	return CHECK_INT(e, ERR_OK, "the lab opens");
}

void
corpus_close(struct lab *l, size_t fds)
{
	lab_close(l);
	unsetenv("TMPDIR");
	CHECK(!has_children(), "no process is left");
	CHECK_INT(count_entries("/proc/self/fd", ""), fds,
	    "no descriptor is left");
	CHECK_INT(count_entries(unit_tmpdir(), ""), 0, "no file is left");
}

void
corpus_check(enum corpus_family family)
{
	struct lab *l = NULL;
	size_t fds;

	if (!corpus_open(&l, &fds))
		return;
	check_kernels(l, family, CORPUS_FOLDER "bad", false);
	check_kernels(l, family, "kernels/plain:" CORPUS_FOLDER "good", true);
	corpus_close(l, fds);
}
