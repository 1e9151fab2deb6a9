/* Arithmetic of one lane, for the machine. */
#ifndef LAB_PROBE_ARITHMETIC_H
#define LAB_PROBE_ARITHMETIC_H

#include "lab/probe/program.h"

struct machine;

static inline uint64_t
arith_mask(uint32_t bits)
{
	return bits >= 64 ? UINT64_MAX : ((uint64_t)1 << bits) - 1;
}

static inline int64_t
arith_extend(uint64_t v, uint32_t bits)
{
	uint32_t shift = bits >= 64 ? 0 : 64 - bits;

	return (int64_t)(v << shift) >> shift;
}

static inline uint64_t
arith_gcd(uint64_t a, uint64_t b)
{
	while (b != 0) {
		uint64_t rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

/* Does it show which of two is taken?  One NaN is not told from another. */
static inline bool
arith_differ(uint64_t a, uint64_t b)
{
	return a != b || (a & 0x7fffffffU) > 0x7f800000U;
}

/* Results are not yet cut to their width. */
uint64_t arith_whole(enum prog_op op, uint64_t a, uint64_t b, uint32_t bits);
uint64_t arith_real(struct machine *m, enum prog_op op, uint64_t a, uint64_t b,
    uint32_t bits);
uint64_t arith_cast(const struct prog_instr *i, uint64_t v);

bool arith_compare_whole(uint32_t predicate, uint64_t a, uint64_t b,
    uint32_t bits);
bool arith_compare_real(uint32_t predicate, uint64_t a, uint64_t b,
    uint32_t bits);

#endif
