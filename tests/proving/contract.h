/*
 * The contracts of the corruption operators, in code: where a silent mutant
 * and its original agree, and a witness case where they may part.
 *
 * cltext says both in words, and knows no operator, shape or storage type;
 * here the words are predicates over cases.  Every silent mutant is held to
 * them: it must agree wherever its contract says so.
 */
#ifndef TESTS_PROVING_CONTRACT_H
#define TESTS_PROVING_CONTRACT_H

#include "ops/op.h"

enum contract_match {
	CONTRACT_EQUAL,  /* the same values; zeros of either sign */
	CONTRACT_BY_EYE, /* within what the smoke test lets pass */
};

/* Predicates look at op, c and shape of an instance, never at its values. */
struct contract {
	const char *operator; /* of cltext's registry */
	/* Does the predicate hold for a case?  Then both agree on it. */
	bool (*agrees)(const struct op_instance *in);
	enum contract_match match;
	/* The data, shape or type of a case that sets them apart. */
	bool (*parts)(const struct op_instance *in);
};

size_t contract_count(void);
const struct contract *contract_find(const char *operator); /* NULL: none */

/* Two outputs of n values agree, in the contract's sense. */
bool contract_matches(enum contract_match m, size_t n, const float *a,
    const float *b);

#endif
