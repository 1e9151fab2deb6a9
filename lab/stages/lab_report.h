/*
 * The words of a verdict: what a candidate can come to, which stages looked at
 * it and what each case gave.  The names are fixed by design.md, and the JSON
 * is made here, so that every program that tells a verdict says the same.
 */
#ifndef LAB_LAB_REPORT_H
#define LAB_LAB_REPORT_H

#include "ops/covering_array.h"
#include "ops/element_judge.h"
#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#define LAB_CASES_MAX  2048 /* the smoke case, holdouts of a batch of seeds */
#define LAB_OTHERS_MAX 160  /* cases of other stages */
#define LAB_STAGES_MAX 16

enum lab_verdict {
	LAB_VERIFIED_CORRECT,
	LAB_VERIFIED_INCORRECT,
	LAB_REFUSED,
	LAB_COMPILE_ERROR,
	LAB_TIMEOUT,
	LAB_CRASH,
	LAB_SANDBOX,
	LAB_RESOURCE,
	LAB_UNPROVEN, /* all passed, but some of its code never ran */
	LAB_ERROR, /* "lab_error": our fault, nothing is said of the candidate
	            */
	LAB_SMOKE_PASSED, /* only with upto LAB_STAGE_SMOKE: no claim */
	LAB_NVERDICTS
};
const char *lab_verdict_name(enum lab_verdict v); /* "verified_correct" ... */

enum lab_stage {
	LAB_STAGE_TEXT,      /* S0, before and after the preprocessor */
	LAB_STAGE_IR,        /* S0, behind the compiler's front end */
	LAB_STAGE_BUILD,     /* S1 */
	LAB_STAGE_SMOKE,     /* S3 */
	LAB_STAGE_EXACT,     /* S4 */
	LAB_STAGE_HOLDOUTS,  /* S5, S6 in the same runs */
	LAB_STAGE_OCLGRIND,  /* S2, beside S3 to S5 */
	LAB_STAGE_REPLAY,    /* S7 */
	LAB_STAGE_SCHEDULE,  /* S8 */
	LAB_STAGE_RELATIONS, /* S9 */
	LAB_STAGE_COVERAGE, /* 2a to 2c: what ran, in any order, on devices that
	                       err */
	LAB_NSTAGES
};
const char *lab_stage_name(enum lab_stage s);
/* LAB_NSTAGES: no stage has that name. */
enum lab_stage lab_stage_find(const char *name);
/* Not the ones without which nothing could be said at all. */
bool lab_stage_may_be_left_out(enum lab_stage s);

enum lab_stage_status {
	LAB_STAGE_PASSED,
	LAB_STAGE_FAILED,
	LAB_STAGE_SKIPPED,
};

#define LAB_NOT_REACHED "not reached"

struct lab_stage_result {
	enum lab_stage stage;
	enum lab_stage_status status;
	double ms;
	char note[128]; /* why skipped (LAB_NOT_REACHED: for what came before),
	                   or a remark, or "" */
};

struct lab_case_result {
	const char *name; /* borrowed from the operator */
	enum dtype dtype;
	bool passed;
	double max_abs_diff, max_rel_diff, bound_ratio;
	size_t worst; /* index of the worst element, rows packed */
	/* For people with the file in hand, never for a model. */
	struct op_shape shape;
	uint32_t out_cols;             /* of the output's rows, for worst */
	bool is_compared;              /* got and want are known */
	double got, want;              /* at worst */
	uint32_t errors[JUDGE_NBANDS]; /* elements by how far off they are */
};

/* What a kernel asks of a device; of one that was not read, zeros. */
struct lab_needs {
	uint32_t local_size;  /* work items of its largest group */
	uint64_t local_bytes; /* of local memory, as far as it is declared */
	char extensions[256]; /* that it switches on, by spaces */
};

#define LAB_LINES_MAX 16
#define LAB_LOOPS_MAX 64

/* Ways that the candidate's code can go (both outcomes of a comparison, each
 * case of a switch), over all programs that it is. */
struct lab_coverage {
	uint32_t branches, taken;
	uint32_t excused; /* proved impossible by contract or geometry */
	struct lab_untaken {
		uint32_t line;
		const char *what; /* "never true", ... */
		unsigned storage; /* in which types: bit 1 << enum dtype */
	} untaken[LAB_LINES_MAX], impossible[LAB_LINES_MAX]; /* the first */
	size_t nuntaken, nimpossible;
	/* Loops whose rounds constants alone do not decide: how often one went
	 * round when it was come to, in any storage type. */
	struct lab_loop {
		uint32_t line;
		unsigned nth; /* of the line */
		bool none, once, many;
	} loops[LAB_LOOPS_MAX];
	size_t nloops;
};

struct lab_report {
	enum lab_verdict verdict;
	const char
	    *class; /* "wrong", "inaccurate", "unwritten", "timeout", ...;
	               "" when verified */
	int smoke;  /* 1 passed, 0 failed, -1 never reached */
	struct lab_stage_result stages[LAB_STAGES_MAX];
	size_t nstages;
	struct lab_case_result cases[LAB_CASES_MAX + LAB_OTHERS_MAX];
	size_t ncases;
	struct lab_needs needs;
	int batch_invariant; /* a row keeps its bits beside others: 1 or 0; -1:
	                        not looked at */
	struct array_account array; /* what the covering array covered */
	struct lab_coverage coverage;
	char
	    message[512]; /* for people: one line, no input or expected value */
	char suspect[128]; /* suspected cause, or "" */
	char source_sha256[65];
	char seed_commit[65];         /* SHA-256(seed || nonce), hex */
	char seed_reveal[2 * 64 + 1]; /* hex of seed then nonce */
};

/* What a verdict does not rest on: stages that were reached and skipped, as
 * an array of { stage, reason }.  Empty: everything was looked at. */
json_t *lab_skipped_json(const struct lab_report *r);

/* What is said of a kernel that could not be read or judged at all. */
void lab_report_unread(struct lab_report *r, enum lab_verdict v,
    const char *message);

/* Ways that the code can go, how many ran, how many are impossible, and the
 * lines of those that did not run. */
json_t *lab_coverage_json(const struct lab_report *r);

/* The object of `kernelforge verify --json` (design.md). */
json_t *lab_report_json(const struct op *op, const struct lab_report *r);

/* A way that was not taken, or one that is impossible, in storage types; again
 * for others. */
void lab_report_untaken(struct lab_coverage *r, uint32_t line, const char *what,
    unsigned storage);
void lab_report_excused(struct lab_coverage *r, uint32_t line, const char *what,
    unsigned storage);
/* A loop; again for another storage type. */
void lab_report_loop(struct lab_coverage *r, const struct lab_loop *loop);
/* "float16, bfloat16" */
void lab_report_storage(unsigned storage, char *out, size_t size);

#endif
