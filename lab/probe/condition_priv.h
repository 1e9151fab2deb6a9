/* A program's definitions and paths, for condition.c and its proofs. */
#ifndef LAB_PROBE_CONDITION_PRIV_H
#define LAB_PROBE_CONDITION_PRIV_H

#include "lab/probe/condition.h"

#define COND_NOWHERE UINT32_MAX /* no definition, or several */

struct cond_function {
	uint32_t *def;         /* owned: the instruction that makes each slot */
	uint32_t *block;       /* owned: of each instruction */
	uint32_t *idom;        /* owned: of each block */
	int32_t *param;        /* owned: of each slot, its parameter or -1 */
	uint32_t caller, call; /* the one place it is called; or COND_NOWHERE */
};

struct cond {
	const struct program *p;
	uint32_t kernel;
	struct cond_function *functions; /* owned */
	struct cond_loop *loops;         /* owned; condition_loops.h */
	size_t nloops;
};

/* An operand in a function. */
struct cond_value {
	uint32_t f;
	int32_t v;
};

/* Fills in a function's def, block, param; its idom. */
void cond_find_definitions(const struct prog_function *f,
    struct cond_function *cf);
void cond_find_dominators(const struct prog_function *f,
    struct cond_function *cf);

/* Does every way to a block, at, come through another one, or is it that one? */
bool cond_stands_before(const struct cond_function *cf, uint32_t block,
    uint32_t at);

/* Does an instruction make a value? */
bool cond_has_result(const struct prog_instr *i);
/* Does the block that ends in a branch lead to another one on one way alone?
 * Which: 1 true, 0 false; -1: on both, or it cannot be told. */
int cond_way_to(const struct prog_function *f, const struct cond_function *cf,
    uint32_t from, uint32_t to);
/* The constants that a variable, one side of a point's comparison, can be
 * before that first comes out so; 0: it can be anything else, or is none. */
size_t cond_first_values(const struct cond *c, const struct prog_point *pt,
    uint32_t outcome, struct cond_value of, struct cond_value *out, size_t max);

/* Does a point's comparison stand where the same one has come out otherwise
 * before, and can't come out so again? */
bool cond_is_settled(const struct cond *c, const struct prog_point *pt,
    uint32_t outcome);

/* Follows a value to what makes it: through moves, and into the caller. */
struct cond_value cond_resolve(const struct cond *c, struct cond_value v);
/* The instruction that makes a resolved value; NULL: a constant, an argument
 * of the kernel's, or unknown. */
const struct prog_instr *cond_maker(const struct cond *c, struct cond_value v);
/* The kernel's argument that a resolved value is, or -1. */
int cond_argument(const struct cond *c, struct cond_value v);
/* Who a work item is: which question an instruction asks, and of which
 * dimension.  false: none. */
enum cond_identity {
	COND_GLOBAL_ID,
	COND_LOCAL_ID,
	COND_GROUP_ID,
	COND_GLOBAL_SIZE,
	COND_LOCAL_SIZE,
	COND_NUM_GROUPS,
};
bool cond_asks(const struct cond *c, const struct prog_instr *i,
    enum cond_identity *ret, uint64_t *ret_d);
/* Adds a number to a list of n, at most max, unless it is there; returns how
 * many there are. */
size_t cond_add_once(uint64_t *out, size_t n, size_t max, uint64_t v);
/* Is it a variable that a loop has given a value? */
bool cond_is_bound(const struct cond_place *at, struct cond_value v,
    uint64_t *ret);
uint64_t cond_identity(enum cond_identity which, uint64_t d,
    const struct cond_place *at);
/* false: unknown.  *left: how many more steps it may take. */
bool cond_eval(const struct cond *c, struct cond_value v,
    const struct cond_place *at, uint32_t *left, uint64_t *ret);
/* Two numbers of so many bits by enum prog_predicate, of whole numbers. */
bool cond_compare(uint32_t predicate, uint64_t a, uint64_t b, uint32_t bits);
/* Of a constant that is ones from the lowest bit on, how many, at most
 * COND_COUNT_BITS_MAX; else 0. */
uint32_t cond_mask_bits(const struct program *p, int32_t v);
/* To how many bits an instruction cuts a number that had more; 0: it does not.
 */
uint32_t cond_cuts_to(const struct program *p, const struct prog_instr *i);
/* Its parts, for an address, what a constant table holds, and a function of
 * numbers. */
bool cond_eval_place(const struct cond *c, struct cond_value v,
    const struct prog_instr *i, const struct cond_place *at, uint32_t *left,
    uint64_t *ret);
bool cond_eval_load(const struct cond *c, struct cond_value v,
    const struct prog_instr *i, const struct cond_place *at, uint32_t *left,
    uint64_t *ret);
bool cond_eval_function(const struct cond *c, struct cond_value v,
    const struct prog_instr *i, const struct cond_place *at, uint32_t *left,
    uint64_t *ret);

#endif
