/*
 * Another kernel lab, asked beside our own (run --lab mcp:URL): one on a
 * machine with another compiler and device, say.
 *
 * Its word is never proof, neither way.  A server may be broken, old or lying,
 * and between it and us is a network; no signature would help against the
 * first three.  So our own lab judges every candidate by the same seed, and
 * what the ledger calls right or proved wrong is what ours found.  The other
 * lab has a veto: what it refuses is not claimed, also where ours finds nothing
 * wrong, for it may see what our device does not show.  Such an attempt ends
 * without a verdict, told as that lab's word (agent/ledger/opinion.h); a veto
 * that is wrong costs an attempt and claims nothing.
 *
 * When it fails, or answers what cannot be checked, the run is as if there were
 * no other lab, and a breaker keeps us from asking again for a while.
 */
#ifndef AGENT_OTHER_LAB_H
#define AGENT_OTHER_LAB_H

#include "agent/ledger/opinion.h"
#include "agent/run/lab_exam.h"

#define OTHER_LAB_SCHEME "mcp:"

struct other_lab;

struct other_lab_conf { /* strings are borrowed */
	const char *url;
	const char *token;   /* NULL: none */
	uint32_t silence_ms; /* how long it may say nothing */
	const char *profile; /* of the breaker: base/circuit_breaker.h */
};

struct other_lab *other_lab_new(const struct other_lab_conf *conf);
void other_lab_free(struct other_lab *l); /* NULL-safe */

/* What it says of the candidate; OPINION_NONE when it said nothing that
 * counts.  What goes wrong is an event in the run's trace. */
void other_lab_ask(struct other_lab *l, struct run *run,
    const struct lab_exam_job *job, struct opinion *ret);

/* Both have spoken: where they differ, the trace says so. */
void other_lab_compare(struct run *run, const struct opinion *said,
    const struct lab_report *own);

/* What a model is told of a refusal that ours does not share: words of ours,
 * for none of the other lab's may reach it. */
extern const char other_lab_hint[];

#endif
