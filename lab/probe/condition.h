/*
 * Conditions that sizes and places alone decide, worked out without running
 * anything: which outcome a point of coverage has under given sizes, for a
 * given work item.  So thousands of shapes can be looked through for the few
 * that take each way.
 *
 * A value is followed back through what is assigned once; what is assigned in
 * several places, or read from memory that is no constant table, is unknown.
 */
#ifndef LAB_PROBE_CONDITION_H
#define LAB_PROBE_CONDITION_H

#include "lab/probe/machine.h"

/* What a variable is for the time being. */
struct cond_bound {
	uint32_t f;
	int32_t slot;
	uint64_t v;
};

/* A launch and a work item of it. */
struct cond_place {
	uint64_t args[MACHINE_ARGS_MAX]; /* numbers, by argument */
	uint32_t ndims;
	uint64_t global[3], local[3];
	uint64_t id[3];                 /* global */
	const struct cond_bound *bound; /* in a loop; borrowed */
	uint32_t nbound;
};

#define COND_UNKNOWN (-1) /* not decided by sizes and places alone */
#define COND_BEFORE  (-2) /* a condition before it says that it is not met */

struct cond;

/* Both are borrowed. */
struct cond *cond_new(const struct program *p,
    const struct prog_function *kernel);
void cond_free(struct cond *c); /* NULL-safe */

/* The outcome of a point, COND_UNKNOWN or COND_BEFORE. */
int cond_outcome(const struct cond *c, size_t point,
    const struct cond_place *at);

/* Is it one whose outcome sizes and places tell? */
bool cond_is_told(const struct cond *c, size_t point);

/* Of a loop: do constants alone decide how often it goes round?  is_fixed:
 * which local sizes are constants, by dimension. */
bool cond_constants_decide(const struct cond *c, size_t point,
    const bool *is_fixed);
/* Of a loop whose rounds are told: is there a way not to go round at all, and
 * is its test the only way out? */
bool cond_may_miss(const struct cond *c, size_t point);
bool cond_has_one_end(const struct cond *c, size_t point);

/* Do values, a float or what memory holds, have a say in a point's outcome, or in
 * whether it is come to? */
bool cond_hangs_on_values(const struct cond *c, size_t point);

/* What the contract says of the arguments, for proofs. */
struct cond_facts {
	bool is_size[MACHINE_ARGS_MAX];
	uint64_t least[MACHINE_ARGS_MAX];
	/* The argument that it is not less than, or -1: a stride's columns. */
	int not_less[MACHINE_ARGS_MAX];
	bool is_even[MACHINE_ARGS_MAX];
	/* The geometry of sizes; false: there is none. */
	bool (*geometry)(void *arg, struct cond_place *at);
	void *arg;
};

/* Is an outcome excluded by the contract or by the geometry?  false: not
 * proved. */
bool cond_is_impossible(const struct cond *c, size_t point, uint32_t outcome,
    const struct cond_facts *facts);

/* Floating numbers that sizes alone make, and that are more than a size, a sum
 * of sizes or a quotient: at most max, the last ones of the text first.  at:
 * any place. */
struct cond_number_place {
	uint32_t function, instr;
};
size_t cond_numbers(const struct cond *c, const struct cond_place *at,
    struct cond_number_place *out, size_t max);
/* One of them there; false: it is not to be told. */
bool cond_number(const struct cond *c, const struct cond_place *at,
    struct cond_number_place which, double *ret);

/* What may be a quotient of another number, which depends on the work item, and
 * is made without a division: at most max.  And both at a place; false: they
 * are not to be told. */
struct cond_quotient {
	uint32_t function, of_function;
	int32_t is, of;
};
size_t cond_quotients(const struct cond *c, struct cond_quotient *out,
    size_t max);
bool cond_quotient(const struct cond *c, const struct cond_place *at,
    const struct cond_quotient *q, uint64_t *ret, uint64_t *ret_of);

/* To how many bits a program may count, the most that are not more than max:
 * what a mask leaves, what mul24() and mad24() take, what a float counts in
 * ones, what a word has beside what else it holds.  0: nothing says so. */
#define COND_COUNT_BITS_MAX 25
uint32_t cond_counts_to(const struct cond *c, uint32_t max);
/* Does it take a logarithm of a whole number?  Of a float that rounds down next
 * to a power of two, see COND_LOG_BITS. */
#define COND_LOG_BITS 21
bool cond_takes_log(const struct cond *c);

/* May something that it keeps be too small for a long row or a tall tensor: a
 * number of fewer bits than 32, a product or a shift of 32, a float that is made
 * whole, an array. */
bool cond_keeps_little(const struct cond *c);

/* How many values a number has that a loop adds to, of those of 8 to 20 bits, and
 * by what constants wider ones grow, up to some thousands: each once, at most
 * max. */
size_t cond_counters(const struct cond *c, uint64_t *out, size_t max);
size_t cond_steps(const struct cond *c, uint64_t *out, size_t max);

/* The outcome of a comparison where it is come to first: a variable is what it
 * is given by sizes and places alone.  Or COND_UNKNOWN. */
int cond_first_outcome(const struct cond *c, size_t point,
    const struct cond_place *at);

/* The largest numbers that are left where a program cuts whole numbers to their
 * lowest 8 to 20 bits, by a mask, a remainder or a narrower type: each once, at
 * most max. */
size_t cond_cuts(const struct program *p, uint64_t *out, size_t max);

/* The constants that a program compares with, divides by or adds: whole
 * numbers, and floats' values.  Sorted, each once; at most max. */
size_t cond_constants_whole(const struct program *p, uint64_t *out, size_t max);
size_t cond_constants_real(const struct program *p, float *out, size_t max);
/* Of the latter those that it compares with alone. */
size_t cond_constants_compared(const struct program *p, float *out, size_t max);
/* The bits of the widest whole number that it makes of a float; 0: of none. */
uint32_t cond_makes_whole(const struct program *p);
/* Those that a variable or a function is given. */
size_t cond_constants_given(const struct program *p, uint64_t *out, size_t max);
/* The lines in which a program asks whether digests of elements, bits of theirs
 * that are multiplied and mixed, are alike, or makes floats of them; at most
 * max. */
size_t cond_digests(const struct program *p, uint32_t *out, size_t max);
/* Whole numbers that are no constants of the text and that it computes with in
 * two of these launches alike, one behind the other: as a factor, a divisor, a
 * step.  Each once, at most max. */
size_t cond_constants_made(const struct cond *c, const struct cond_place *at,
    size_t nplaces, uint64_t *out, size_t max);

#endif
