/*
 * Reading LLVM's text: what the files of the reader share.  An error sticks:
 * once ps->bad is set, every function returns something harmless.
 */
#ifndef LAB_PROBE_PARSE_H
#define LAB_PROBE_PARSE_H

#include "lab/probe/program.h"

/* A structure's name and the text behind "type". */
struct parse_named {
	struct slice name, body;
	const struct prog_type *type; /* NULL: not read yet */
	bool busy;
};

struct parse_global {
	struct slice name;
	uint64_t pointer;
};

struct parse_local {
	struct slice name;
	int32_t slot;
	const struct prog_type *type;
	uint32_t uses,
	    plain_uses; /* plain: as the address of a load or store */
	bool odd;       /* a plain use of another type than it was made with */
	bool is_made;   /* its one definition was read */
	const struct prog_type *variable; /* of an alloca */
};

struct parse_phi {
	uint32_t block;
	int32_t dst, value;
	uint32_t slots;
	struct slice from;
};

struct parse {
	struct program *prog;
	struct why *why;
	bool bad;
	enum err err;         /* which one, once it is bad */
	const char *at, *end; /* what is being read */
	struct parse_named *named;
	size_t nnamed;
	struct parse_global *globals;
	size_t nglobals;
	struct slice *metadata; /* by number */
	size_t nmetadata;
	/* of the function that is being read */
	struct prog_function *f;
	struct parse_local *locals;
	size_t nlocals, locals_size;
	uint32_t *buckets; /* of names: index + 1 into locals */
	size_t nbuckets;
	struct parse_phi *phis;
	size_t nphis, phis_size;
	uint32_t block;
};

extern const struct prog_type parse_void, parse_i1, parse_ptr;

/* ---- words */
/* Nothing that clang makes of a kernel: the lab's own fault, ERR_SYNTAX. */
void parse_fail(struct parse *ps, const char *what);
/* What a legal kernel may be too large for, ERR_TOOBIG, or may have and is not
 * run here, ERR_DENIED: its own fault. */
void parse_limit(struct parse *ps, const char *what);
void parse_refuse(struct parse *ps, const char *what);
void parse_space(struct parse *ps);
bool parse_char(struct parse *ps, char c); /* takes it, if it is next */
void parse_expect(struct parse *ps, char c);
bool parse_word(struct parse *ps, const char *w); /* takes it, if it is next */
struct slice parse_name(struct parse *ps);        /* of letters; may be empty */
uint64_t parse_number(struct parse *ps);
/* *ret_byval (may be NULL): the bytes of "byval(T)", or 0. */
void parse_skip_attributes(struct parse *ps, uint64_t *ret_byval);
/* Room for one more element of size bytes behind n of them. */
void *parse_grow(void *p, size_t n, size_t *size, size_t bytes);

/* ---- types, constants */
const struct prog_type *parse_type(struct parse *ps);
const struct prog_type *parse_vector_of(struct parse *ps, uint64_t n,
    const struct prog_type *of);
/* Past the words, "nuw" or "spir_func", that stand before a type. */
void parse_skip_to_type(struct parse *ps);
/* Into type->slots slots. */
void parse_constant(struct parse *ps, const struct prog_type *t, uint64_t *out);
/* A value of a type as an operand. */
int32_t parse_value(struct parse *ps, const struct prog_type *t);
/* The slot of a name, new if need be. */
struct parse_local *parse_local(struct parse *ps, struct slice name,
    const struct prog_type *t);
/* The same where the name is given: a second time fails. */
struct parse_local *parse_definition(struct parse *ps, struct slice name,
    const struct prog_type *t);

/* ---- what must be so, or the reader fails */

bool parse_is_same(const struct prog_type *a, const struct prog_type *b);
/* Of arithmetic, comparisons and casts, by a table. */
void parse_check_form(struct parse *ps, enum prog_op op,
    const struct prog_type *from, const struct prog_type *to);
void parse_check_same(struct parse *ps, const struct prog_type *a,
    const struct prog_type *b);
/* It is held in slots. */
void parse_check_value(struct parse *ps, const struct prog_type *t);
void parse_check_address(struct parse *ps, const struct prog_type *t);
void parse_check_whole(struct parse *ps, const struct prog_type *t);
void parse_check_choice(struct parse *ps, const struct prog_type *c,
    const struct prog_type *t);
/* Does a block end with it? */
bool parse_is_way_out(enum prog_op op);

/* ---- a function's lines */

/* What follows an instruction's word; result: the name it gives, or empty. */
typedef void form_fn(struct parse *ps, struct prog_instr *i,
    struct slice result);
form_fn parse_gep, parse_extract, parse_insert, parse_shuffle;

struct prog_instr *parse_append(struct parse *ps, const struct prog_instr *i);
void parse_set_result(struct parse *ps, struct prog_instr *i, struct slice name,
    const struct prog_type *t);
/* "T v"; ret: may be NULL. */
int32_t parse_typed(struct parse *ps, const struct prog_type **ret);
void parse_instruction(struct parse *ps, struct slice line);
void parse_end_function(struct parse *ps);
uint32_t parse_block(struct parse *ps, struct slice name);
/* The number behind "key: " in metadata number n, or 0. */
uint64_t parse_metadata(const struct parse *ps, uint64_t n, const char *key);

#endif
