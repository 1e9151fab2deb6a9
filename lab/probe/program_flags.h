/*
 * What values may be that decisions make.
 *
 *	flag	one of a few known values: a comparison's, a step()'s, a bit,
 *		a variable's that is given constants in several places, and
 *		whatever is computed of flags and constants alone
 *	masked	data that a flag was multiplied into, or that a min or a clamp
 *		cut: it may or may not be nothing
 *	data	anything else
 */
#ifndef LAB_PROBE_PROGRAM_FLAGS_H
#define LAB_PROBE_PROGRAM_FLAGS_H

#include "lab/probe/program.h"

enum made { NOTHING_YET, FLAG, MASKED, DATA };

struct value {
	enum made made;
	uint32_t n;
	uint64_t v[PROG_COMBINED_MAX];
	uint64_t decisions; /* a bit each, by a hash */
};

struct flags;

/* p is borrowed. */
struct flags *flags_new(const struct program *p);
void flags_free(struct flags *l);

/* Of an operand in function f, whenever. */
struct value flags_value(const struct flags *l, uint32_t f, int32_t v);

/* May it be one or another? */
bool flags_is_flag(const struct value *v);
bool flags_is_product(enum prog_op op);
/* Does an instruction leave something in its slots? */
bool flags_makes_value(const struct prog_instr *i);

#endif
