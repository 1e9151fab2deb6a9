/*
 * An exam: one judgement by the lab, with its spans, its progress
 * and its facts in JSON.
 */
#ifndef AGENT_LAB_EXAM_H
#define AGENT_LAB_EXAM_H

#include "agent/ledger/opinion.h"
#include "agent/run/run.h"
#include "agent/run/secret_seed.h"
#include "lab/lab.h"

struct lab_exam_job {
	const struct op *op;
	const struct candidate *candidate;
	enum lab_stage upto;
	const struct secret_seed *seeds;
	struct opinion *other; /* what another lab says; NULL: none is asked */
	/* Told after each stage; may be NULL. */
	void (*on_stage)(const struct lab_stage_result *r, void *arg);
	void *arg;
};

/*
 * ERR_OK: *ret holds a judgement of the candidate.  ERR_ENV: the lab could not
 * judge, also after it was opened again; that is the machine's fault, says
 * nothing of the candidate, and *why says what is lacking.  ERR_CLOSED: the run
 * was asked to stop meanwhile, and what was found is not to be recorded.
 */
enum err lab_exam_run(struct run *run, const struct lab_exam_job *job,
    struct lab_report *ret, struct why *why);

/* Names of the cases that failed; owned. */
json_t *lab_exam_failing(const struct lab_report *r);
/* Largest bound ratio over all cases; -1 when no case ran. */
double lab_exam_worst(const struct lab_report *r);
/* Hex of seed then nonce, owned: what a ledger reveals. */
char *lab_exam_reveal(const struct secret_seed *s);

#endif
