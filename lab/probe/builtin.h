/*
 * OpenCL C 1.2's built-in functions, for the machine.
 *
 * By their plain names; which overload is meant, the types of a call say, and
 * for whole numbers the letters behind the mangled name.  Values are computed
 * in double and rounded once, as far as that goes.
 */
#ifndef LAB_PROBE_BUILTIN_H
#define LAB_PROBE_BUILTIN_H

#include "lab/probe/program.h"

struct machine;

/* One call: args[i] is the first slot of argument i. */
struct builtin_call {
	struct machine *m;
	const struct prog_call *c;
	const uint64_t *args[PROG_ARGS_MAX];
	uint64_t *out;  /* of the result; may be NULL */
	uint32_t lanes; /* of the result, or of the first argument */
	uint32_t point;
	bool waits; /* it was a barrier */
	uint32_t fences;
};

typedef void builtin_fn(struct builtin_call *k);

/* How far a device may be off: in ulps, or as GPU vendors document it. */
enum builtin_error_kind {
	BUILTIN_ULPS,
	BUILTIN_FAST_EXP,
	BUILTIN_FAST_SIN,
	BUILTIN_FAST_LOG
};

struct prog_builtin {
	const char *name;
	builtin_fn *fn;
	double (*of1)(double);
	double (*of2)(double, double);
	uint32_t needs; /* arguments, at least */
	double ulps;
	enum builtin_error_kind error;
	uint32_t outcomes;
	bool is_atomic;
	bool is_void;
};

/* NULL: none.  Fills in c->plain and c->is_signed. */
const struct prog_builtin *builtin_find(struct prog_call *c);
uint32_t builtin_outcomes(const struct prog_builtin *b);
/* Does it ask the launch, or touch memory?  Else its arguments are all. */
bool builtin_is_of_memory(const struct prog_builtin *b);

void builtin_call(const struct prog_builtin *b, struct builtin_call *k);

/* ---- what the files of the built-ins share */

extern const struct prog_builtin builtin_math_rows[], builtin_integer_rows[],
    builtin_memory_rows[];
extern const size_t builtin_math_nrows, builtin_integer_nrows,
    builtin_memory_nrows;

/* Lane i of argument a; an argument of one lane has it for all. */
uint64_t builtin_bits(const struct builtin_call *k, uint32_t a, uint32_t i);
double builtin_real(const struct builtin_call *k, uint32_t a, uint32_t i);
int64_t builtin_whole(const struct builtin_call *k, uint32_t a, uint32_t i);
uint32_t builtin_width(const struct builtin_call *k, uint32_t a);
void builtin_set_real(struct builtin_call *k, uint32_t i, double v);
void builtin_set_whole(struct builtin_call *k, uint32_t i, uint64_t v);
void builtin_chose(struct builtin_call *k, uint32_t outcome);
/* What is to be taken: this, unless the launch gives another outcome. */
uint32_t builtin_told(const struct builtin_call *k, uint32_t outcome);

/* A float's or a double's value by its bits, and back. */
double builtin_value(uint64_t bits, uint32_t width);
uint64_t builtin_to_bits(double v, uint32_t width);

/* What a device that errs as far as it may answers instead of v. */
double builtin_err(struct machine *m, const struct prog_builtin *b, double x,
    double v, uint32_t width);

#endif
