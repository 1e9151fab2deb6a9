/*
 * Another kernel lab, asked before our own (run --lab mcp:URL): a shared
 * machine with better devices, say.
 *
 * Its word is never proof.  A server may be broken, old or lying, and between
 * it and us is a network; no signature would help against the first three.  So
 * a claim rests on our own lab alone: what the other lab calls verified is
 * judged here by the same seed before anybody hears of it.  The other lab can
 * only save us work, by refusing a candidate; a refusal that is wrong costs an
 * attempt and claims nothing, and whoever doubts it repeats it from the ledger.
 *
 * When it fails, or answers what cannot be checked, our own lab judges as if
 * there were no other, and a breaker keeps us from asking again for a while;
 * so it never changes what the ledger says, only how long that takes.
 */
#ifndef AGENT_OTHER_LAB_H
#define AGENT_OTHER_LAB_H

#include "agent/run/lab_exam.h"

#define OTHER_LAB_SCHEME "mcp:"

struct other_lab;

struct other_lab_conf { /* strings are borrowed */
	const char *url;
	const char *token; /* NULL: none */
	uint32_t deadline_ms;
	const char *profile; /* of the breaker: base/circuit_breaker.h */
};

enum other_lab_word {
	OTHER_LAB_SILENT,  /* it said nothing that counts */
	OTHER_LAB_REFUTES, /* the candidate is wrong, as *ret says */
	OTHER_LAB_AGREES,  /* it calls the candidate right */
};

struct other_lab *other_lab_new(const struct other_lab_conf *conf);
void other_lab_free(struct other_lab *l); /* NULL-safe */

/* *ret is filled only when it refutes; its names live until the next call.
 * What goes wrong is an event in the run's trace. */
enum other_lab_word other_lab_ask(struct other_lab *l, struct run *run,
    const struct lab_exam_job *job, struct lab_report *ret);

/* It agreed, and our own lab does not. */
void other_lab_contradicted(struct run *run, const struct lab_report *own);

#endif
