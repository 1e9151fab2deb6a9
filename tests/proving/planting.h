/*
 * What the mistakes of plant.c share: a kernel's tokens, its places, and the
 * edits that are being made to it.  For plant*.c only.
 */
#ifndef TESTS_PROVING_PLANTING_H
#define TESTS_PROVING_PLANTING_H

#include "cltext/clcode.h"
#include "tests/proving/condition.h"
#include "tests/proving/plant.h"

#define EDITS_MAX 192

struct edit {
	uint32_t at, len;
	char *text; /* owned */
};

struct planting {
	const struct kernel *k;
	const struct scene *s;
	struct draw *d;          /* of places and forms */
	struct draw *conditions; /* of what a mistake is behind */
	const char *instead;     /* of a condition that is drawn, or NULL */
	char *shown;             /* owned: the condition that was taken */
	struct cllex lex;
	struct clcode code;
	size_t open, close; /* braces of the entry's body */
	bool has_barriers;
	struct edit edits[EDITS_MAX];
	size_t nedits;
	const char *condition; /* class */
	bool by_order;
};

/* A call NAME(args); ends at the token of its ")" . */
struct call {
	size_t at, end;
	size_t nargs;
	size_t from[4], to[4]; /* token spans, to excluded */
};

uint32_t plant_below(struct planting *p, uint32_t n);

/* A call of name in the body, any one; false: there is none. */
bool plant_call(struct planting *p, const char *name, struct call *ret);
/* Source of tokens from..to-1; owned. */
char *plant_text(const struct planting *p, size_t from, size_t to);

/* Replace tokens from..to-1; takes text. */
void plant_replace(struct planting *p, size_t from, size_t to, char *text);
/* In front of a token; takes text. */
void plant_insert(struct planting *p, size_t before, char *text);

/* A condition that holds in the scene.  Owned. */
char *plant_condition(struct planting *p, enum condition_sight sight,
    const struct condition_place *at);
/* Sometimes "1" instead: for mistakes that hide by themselves. */
char *plant_condition_or_always(struct planting *p, enum condition_sight sight,
    const struct condition_place *at);
/* Launch or item: what a mistake that may differ by item can look at. */
enum condition_sight plant_sight(const struct planting *p);

/* C that is bad where the condition holds and good elsewhere: a choice, or
 * bits put together without one.  Owned. */
char *plant_float(struct planting *p, const char *condition, const char *good,
    const char *bad);
char *plant_uint(struct planting *p, const char *condition, const char *good,
    const char *bad);

/* form with value in place of every "$"; owned. */
char *plant_fill(const char *form, const char *value);

/* The families of mistakes; each makes its edits, or says false. */
typedef bool plant_fn(struct planting *p);
plant_fn plant_pitch, plant_tail, plant_cap, plant_parameter, plant_narrow,
    plant_swap; /* plant_args.c */
plant_fn plant_value_out, plant_precision_out, plant_special_out,
    plant_clamp_out, plant_skip, plant_shift, plant_gap_write, plant_sniff,
    plant_copy_above; /* plant_store.c */
plant_fn plant_value_in, plant_special_in, plant_precision_in, plant_clamp_in,
    plant_index_in, plant_over_read, plant_position; /* plant_load.c */
plant_fn plant_return, plant_barrier, plant_move_barrier, plant_uninitialised,
    plant_start, plant_fork, plant_operator; /* plant_flow.c */

#endif
