/*
 * What LLVM's own verifier would refuse.
 *
 * A candidate's text comes from clang and is well formed; any other text meets
 * these rules, so that no file behind the reader has to ask: each name has one
 * type and one definition, an operand is of the kind that its instruction
 * computes with, a value has slots and no more than fit, and a block ends once.
 */
#include "lab/probe/parse.h"

/* A value's slots: more are laid out in memory only. */
#define VALUE_SLOTS_MAX 65536

enum relation {
	ALIKE,    /* the same type */
	NARROWER, /* than the operand, lane by lane */
	WIDER,
	LANES,      /* of any width */
	SAME_BYTES, /* all lanes together */
};

enum class { NOTHING, WHOLE, REAL, ADDRESS, NUMBER, ORDERED };

struct form {
	enum class from, to;
	enum relation relation;
};

/* clang-format off */
static const struct form forms[PROG_NOPS] = {
	[PROG_ADD]     = { WHOLE,   WHOLE,  ALIKE },
	[PROG_SUB]     = { WHOLE,   WHOLE,  ALIKE },
	[PROG_MUL]     = { WHOLE,   WHOLE,  ALIKE },
	[PROG_UDIV]    = { WHOLE,   WHOLE,  ALIKE },
	[PROG_SDIV]    = { WHOLE,   WHOLE,  ALIKE },
	[PROG_UREM]    = { WHOLE,   WHOLE,  ALIKE },
	[PROG_SREM]    = { WHOLE,   WHOLE,  ALIKE },
	[PROG_SHL]     = { WHOLE,   WHOLE,  ALIKE },
	[PROG_LSHR]    = { WHOLE,   WHOLE,  ALIKE },
	[PROG_ASHR]    = { WHOLE,   WHOLE,  ALIKE },
	[PROG_AND]     = { WHOLE,   WHOLE,  ALIKE },
	[PROG_OR]      = { WHOLE,   WHOLE,  ALIKE },
	[PROG_XOR]     = { WHOLE,   WHOLE,  ALIKE },
	[PROG_FADD]    = { REAL,    REAL,   ALIKE },
	[PROG_FSUB]    = { REAL,    REAL,   ALIKE },
	[PROG_FMUL]    = { REAL,    REAL,   ALIKE },
	[PROG_FDIV]    = { REAL,    REAL,   ALIKE },
	[PROG_FREM]    = { REAL,    REAL,   ALIKE },
	[PROG_FNEG]    = { REAL,    REAL,   ALIKE },
	[PROG_ICMP]    = { ORDERED, WHOLE,  LANES },
	[PROG_FCMP]    = { REAL,    WHOLE,  LANES },
	[PROG_TRUNC]   = { WHOLE,   WHOLE,  NARROWER },
	[PROG_ZEXT]    = { WHOLE,   WHOLE,  WIDER },
	[PROG_SEXT]    = { WHOLE,   WHOLE,  WIDER },
	[PROG_FPTRUNC] = { REAL,    REAL,   NARROWER },
	[PROG_FPEXT]   = { REAL,    REAL,   WIDER },
	[PROG_FPTOUI]  = { REAL,    WHOLE,  LANES },
	[PROG_FPTOSI]  = { REAL,    WHOLE,  LANES },
	[PROG_UITOFP]  = { WHOLE,   REAL,   LANES },
	[PROG_SITOFP]  = { WHOLE,   REAL,   LANES },
	[PROG_BITCAST] = { NUMBER,  NUMBER, SAME_BYTES },
};
/* clang-format on */

static bool
is_of_class(enum class class, const struct prog_type *t)
{
	enum prog_kind kind = prog_lane(t)->kind;
	const bool is[] = { [NOTHING] = false,
		[WHOLE] = kind == PROG_INT,
		[REAL] = kind == PROG_FLOAT,
		[ADDRESS] = kind == PROG_POINTER,
		[NUMBER] = kind == PROG_INT || kind == PROG_FLOAT,
		[ORDERED] = kind == PROG_INT || kind == PROG_POINTER };

	return is[class];
}

bool
parse_is_same(const struct prog_type *a, const struct prog_type *b)
{
	if (a == b)
		return true;
	if (a->kind != b->kind || a->bits != b->bits || a->count != b->count ||
	    a->bytes != b->bytes || a->slots != b->slots)
		return false;
	if (a->of)
		return parse_is_same(a->of, b->of);
	for (uint32_t i = 0; a->kind == PROG_STRUCT && i < a->count; i++)
		if (a->offsets[i] != b->offsets[i] ||
		    !parse_is_same(a->fields[i], b->fields[i]))
			return false;
	return true;
}

/* Single bits lie in no bytes: they are cast to nothing else. */
static bool
is_related(enum relation relation, const struct prog_type *from,
    const struct prog_type *to)
{
	const bool is[] = { [ALIKE] = parse_is_same(from, to),
		[NARROWER] = from->slots == to->slots && from->bits > to->bits,
		[WIDER] = from->slots == to->slots && from->bits < to->bits,
		[LANES] = from->slots == to->slots,
		[SAME_BYTES] = parse_is_same(from, to) ||
		    (from->bits >= 8 && to->bits >= 8 &&
		        from->slots * from->bits == to->slots * to->bits) };

	return is[relation];
}

void
parse_check_form(struct parse *ps, enum prog_op op,
    const struct prog_type *from, const struct prog_type *to)
{
	const struct form *f = &forms[op];

	if (!is_of_class(f->from, from) || !is_of_class(f->to, to) ||
	    !is_related(f->relation, from, to))
		parse_fail(ps, "types that do not go together");
}

void
parse_check_same(struct parse *ps, const struct prog_type *a,
    const struct prog_type *b)
{
	if (!parse_is_same(a, b))
		parse_fail(ps, "types that differ");
}

void
parse_check_value(struct parse *ps, const struct prog_type *t)
{
	if (t->slots == 0 || t->slots > VALUE_SLOTS_MAX)
		parse_fail(ps, "no value is of this type");
}

void
parse_check_address(struct parse *ps, const struct prog_type *t)
{
	if (t->kind != PROG_POINTER)
		parse_fail(ps, "no address");
}

void
parse_check_whole(struct parse *ps, const struct prog_type *t)
{
	if (t->kind != PROG_INT)
		parse_fail(ps, "no whole number");
}

/* One condition for all lanes, or one for each. */
void
parse_check_choice(struct parse *ps, const struct prog_type *c,
    const struct prog_type *t)
{
	bool each = c->kind == PROG_VECTOR && t->kind == PROG_VECTOR &&
	    c->count == t->count;

	if (prog_lane(c)->kind != PROG_INT || c->bits != 1 ||
	    (c->kind == PROG_VECTOR && !each))
		parse_fail(ps, "a choice by no condition");
}

bool
parse_is_way_out(enum prog_op op)
{
	return op == PROG_JUMP || op == PROG_BRANCH || op == PROG_SWITCH ||
	    op == PROG_RETURN || op == PROG_UNREACHABLE;
}
