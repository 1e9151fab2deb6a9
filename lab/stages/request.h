/*
 * What is asked of the lab: the machine to use and its deadlines, and one
 * candidate with how far it is to be judged.
 */
#ifndef LAB_REQUEST_H
#define LAB_REQUEST_H

#include "cltext/candidate.h"
#include "lab/stages/lab_report.h"

struct lab_conf {
	uint32_t deadline_ms;       /* per launch; default 5000 */
	uint32_t build_deadline_ms; /* default 20000 */
	const char *device; /* substring of platform or device name, or NULL */
	/* Nothing is begun before the stage that needs it: less is done for a
	 * candidate that fails, and a good one waits longer.  For who judges
	 * as many at once as there are cores; verdicts are the same. */
	bool in_turn;
	/* What is judged is compiled as everybody has it, and not as suits a
	 * judge: see device.h.  Verdicts are the same. */
	bool as_usual;
};

struct lab;

struct lab_request {
	const struct op *op;
	const struct candidate *candidate;
	enum lab_stage upto;  /* LAB_STAGE_SMOKE, or the last stage */
	const uint8_t *seed;  /* 32 bytes, or NULL: drawn fresh */
	const uint8_t *nonce; /* 32 bytes, or NULL: drawn fresh */
	/* Told after each stage, in order; may be NULL. */
	void (*on_stage)(const struct lab_stage_result *r, void *arg);
	/* Told when a stage begins and, of stages that go through cases, after
	 * each of them: how many have been looked at, of how many (0: it does
	 * not count).  For who waits; may be NULL. */
	void (*on_step)(enum lab_stage s, size_t done, size_t of, void *arg);
	/* Shown what a case came out as, out.rows * out.cols values, packed,
	 * when memory was left in order; for who compares two candidates.  May
	 * be NULL. */
	void (*on_output)(const struct op_instance *in, const float *got,
	    void *arg);
	void *arg;
	/* The storage types whose cases are drawn, bits 1 << enum dtype,
	 * beside the smoke case; 0: all.  With fewer nothing is claimed: for
	 * who knows where a kernel is wrong and wants to hear it soon. */
	uint32_t storage;
	/* Stages left out, bits 1 << enum lab_stage, as far as they may be;
	 * without the holdouts there is no claim. */
	uint32_t skip;
};

#endif
