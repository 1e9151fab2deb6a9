/*
 * What became of a claim when the whole lab looked at the kernel afterwards,
 * with other seeds.  A kernel is silently wrong only when that was measured:
 * one that hangs or crashes is found out by whoever runs it, and of one that
 * the lab could not judge nothing is known.
 */
#ifndef AGENT_CLAIM_TRUTH_H
#define AGENT_CLAIM_TRUTH_H

#include <jansson.h>

enum truth {
	TRUTH_UNKNOWN,  /* the lab could not say: no judgement */
	TRUTH_RIGHT,    /* it passed everything */
	TRUTH_WRONG,    /* shown, and nothing but its values tells */
	TRUTH_LOUD,     /* it hangs, crashes, or is refused by the tools */
	TRUTH_UNPROVEN, /* nothing was wrong, but some of it never ran */
	TRUTH_NTRUTHS
};

const char *truth_name(enum truth t); /* "right", "unknown", ... */
/* TRUTH_UNKNOWN for a name that is none, and for NULL. */
enum truth truth_find(const char *name);

/* By the name of a lab's verdict, as records keep it; NULL is unknown. */
enum truth truth_of_verdict(const char *verdict);

#endif
