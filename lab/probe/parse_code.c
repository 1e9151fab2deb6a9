/*
 * A function's instructions.  A row a word of LLVM's; the reader of a form
 * takes what follows the word.
 */
#include "lab/probe/parse.h"

#include "base/mem.h"
#include "lab/probe/builtin.h"
#include <stdlib.h>
#include <string.h>

#define CODE_MAX 400000

static form_fn read_alloca, read_load, read_store, read_binary, read_compare,
    read_select, read_cast, read_phi, read_branch, read_switch, read_return,
    read_call, read_unary, read_unreachable;

/* clang-format off */
static const struct {
	const char *word;
	enum prog_op op;
	form_fn *read;
} forms[] = {
	{ "load",           PROG_LOAD,        read_load },
	{ "store",          PROG_STORE,       read_store },
	{ "br",             PROG_BRANCH,      read_branch },
	{ "getelementptr",  PROG_GEP,         parse_gep },
	{ "call",           PROG_CALL,        read_call },
	{ "alloca",         PROG_ALLOCA,      read_alloca },
	{ "add",            PROG_ADD,         read_binary },
	{ "sub",            PROG_SUB,         read_binary },
	{ "mul",            PROG_MUL,         read_binary },
	{ "udiv",           PROG_UDIV,        read_binary },
	{ "sdiv",           PROG_SDIV,        read_binary },
	{ "urem",           PROG_UREM,        read_binary },
	{ "srem",           PROG_SREM,        read_binary },
	{ "shl",            PROG_SHL,         read_binary },
	{ "lshr",           PROG_LSHR,        read_binary },
	{ "ashr",           PROG_ASHR,        read_binary },
	{ "and",            PROG_AND,         read_binary },
	{ "or",             PROG_OR,          read_binary },
	{ "xor",            PROG_XOR,         read_binary },
	{ "fadd",           PROG_FADD,        read_binary },
	{ "fsub",           PROG_FSUB,        read_binary },
	{ "fmul",           PROG_FMUL,        read_binary },
	{ "fdiv",           PROG_FDIV,        read_binary },
	{ "frem",           PROG_FREM,        read_binary },
	{ "fneg",           PROG_FNEG,        read_unary },
	{ "freeze",         PROG_MOVE,        read_unary },
	{ "icmp",           PROG_ICMP,        read_compare },
	{ "fcmp",           PROG_FCMP,        read_compare },
	{ "select",         PROG_SELECT,      read_select },
	{ "trunc",          PROG_TRUNC,       read_cast },
	{ "zext",           PROG_ZEXT,        read_cast },
	{ "sext",           PROG_SEXT,        read_cast },
	{ "fptrunc",        PROG_FPTRUNC,     read_cast },
	{ "fpext",          PROG_FPEXT,       read_cast },
	{ "fptoui",         PROG_FPTOUI,      read_cast },
	{ "fptosi",         PROG_FPTOSI,      read_cast },
	{ "uitofp",         PROG_UITOFP,      read_cast },
	{ "sitofp",         PROG_SITOFP,      read_cast },
	{ "bitcast",        PROG_BITCAST,     read_cast },
	{ "addrspacecast",  PROG_MOVE,        read_cast },
	{ "ptrtoint",       PROG_MOVE,        read_cast },
	{ "phi",            PROG_MOVE,        read_phi },
	{ "switch",         PROG_SWITCH,      read_switch },
	{ "ret",            PROG_RETURN,      read_return },
	{ "extractelement", PROG_EXTRACT,     parse_extract },
	{ "extractvalue",   PROG_EXTRACT,     parse_extract },
	{ "insertelement",  PROG_INSERT,      parse_insert },
	{ "insertvalue",    PROG_INSERT,      parse_insert },
	{ "shufflevector",  PROG_SHUFFLE,     parse_shuffle },
	{ "unreachable",    PROG_UNREACHABLE, read_unreachable },
};

static const char *const predicates[] = {
	[PROG_EQ] = "eq", [PROG_NE] = "ne", [PROG_UGT] = "ugt",
	[PROG_UGE] = "uge", [PROG_ULT] = "ult", [PROG_ULE] = "ule",
	[PROG_SGT] = "sgt", [PROG_SGE] = "sge", [PROG_SLT] = "slt",
	[PROG_SLE] = "sle", [PROG_FALSE] = "false", [PROG_OEQ] = "oeq",
	[PROG_OGT] = "ogt", [PROG_OGE] = "oge", [PROG_OLT] = "olt",
	[PROG_OLE] = "ole", [PROG_ONE] = "one", [PROG_ORD] = "ord",
	[PROG_UNO] = "uno", [PROG_UEQ] = "ueq", [PROG_FUGT] = "ugt",
	[PROG_FUGE] = "uge", [PROG_FULT] = "ult", [PROG_FULE] = "ule",
	[PROG_UNE] = "une", [PROG_TRUE] = "true",
};
/* clang-format on */

struct prog_instr *
parse_append(struct parse *ps, const struct prog_instr *i)
{
	struct prog_function *f = ps->f;

	if (f->ncode % 64 == 0)
		f->code =
		    xreallocarray(f->code, f->ncode + 64, sizeof *f->code);
	if (f->ncode >= CODE_MAX)
		parse_limit(ps, "a function too long");
	if (f->blocks[ps->block].n > 0 &&
	    parse_is_way_out(f->code[f->ncode - 1].op))
		parse_fail(ps, "code behind a block's end");
	f->code[f->ncode] = *i;
	f->blocks[ps->block].n++;
	return &f->code[f->ncode++];
}

void
parse_set_result(struct parse *ps, struct prog_instr *i, struct slice name,
    const struct prog_type *t)
{
	i->lanes = t->slots;
	i->bits = t->bits;
	i->type = t;
	parse_check_value(ps, t);
	if (name.n == 0)
		parse_fail(ps, "a result without a name");
	else
		i->dst = parse_definition(ps, name, t)->slot;
}

/* "T v" */
int32_t
parse_typed(struct parse *ps, const struct prog_type **ret)
{
	const struct prog_type *t = parse_type(ps);

	if (ret)
		*ret = t;
	return parse_value(ps, t);
}

static bool
is_alike(const struct prog_type *a, const struct prog_type *b)
{
	bool a_is_float = (a->of ? a->of : a)->kind == PROG_FLOAT;
	bool b_is_float = (b->of ? b->of : b)->kind == PROG_FLOAT;

	return a->kind <= PROG_VECTOR && b->kind <= PROG_VECTOR &&
	    a->slots == b->slots && a->bits == b->bits &&
	    a_is_float == b_is_float;
}

/* The address of a load or a store: a variable's name is a plain use of it. */
static int32_t
address(struct parse *ps, const struct prog_type *accessed)
{
	const struct prog_type *t = parse_type(ps);
	struct parse_local *l;
	const char *from;

	parse_check_address(ps, t);
	parse_space(ps);
	from = ps->at;
	if (parse_char(ps, '%')) {
		l = parse_local(ps, parse_name(ps), t);
		l->plain_uses++;
		l->odd |= !l->variable || !is_alike(l->variable, accessed);
		ps->at = from;
	}
	return parse_value(ps, t);
}

/* Room in a function's private memory; where. */
static uint64_t
reserve(struct parse *ps, uint64_t bytes)
{
	struct prog_function *f = ps->f;
	uint64_t at = prog_objects_add(&f->privates, &f->private_bytes, bytes);

	if (f->private_bytes > 1U << 26)
		parse_limit(ps, "more private bytes than are looked at");
	return at;
}

static void
read_alloca(struct parse *ps, struct prog_instr *i, struct slice result)
{
	const struct prog_type *t = parse_type(ps);

	parse_set_result(ps, i, result, &parse_ptr);
	i->type = t;
	if (t->slots == 0)
		parse_refuse(ps, "a variable that holds no value");
	if (!ps->bad)
		parse_local(ps, result, &parse_ptr)->variable = t;
	i->aux = (uint32_t)reserve(ps, t->bytes);
	parse_append(ps, i);
}

/* ", align 4", or nothing: any address will do. */
static uint32_t
alignment(struct parse *ps)
{
	uint64_t n;

	if (!parse_char(ps, ',') || !parse_word(ps, "align"))
		return 1;
	n = parse_number(ps);
	return n > 0 && n <= 128 && (n & (n - 1)) == 0 ? (uint32_t)n : 1;
}

static void
read_load(struct parse *ps, struct prog_instr *i, struct slice result)
{
	const struct prog_type *t;

	parse_word(ps, "volatile");
	t = parse_type(ps);
	parse_expect(ps, ',');
	i->a = address(ps, t);
	i->aux = alignment(ps);
	parse_set_result(ps, i, result, t);
	parse_append(ps, i);
}

static void
read_store(struct parse *ps, struct prog_instr *i, struct slice result)
{
	(void)result;
	parse_word(ps, "volatile");
	i->a = parse_typed(ps, &i->type);
	i->lanes = i->type->slots;
	i->bits = i->type->bits;
	parse_expect(ps, ',');
	i->b = address(ps, i->type);
	i->aux = alignment(ps);
	parse_append(ps, i);
}

static void
read_binary(struct parse *ps, struct prog_instr *i, struct slice result)
{
	const struct prog_type *t;

	parse_skip_to_type(ps);
	t = parse_type(ps);
	i->a = parse_value(ps, t);
	parse_expect(ps, ',');
	i->b = parse_value(ps, t);
	parse_check_form(ps, i->op, t, t);
	parse_set_result(ps, i, result, t);
	parse_append(ps, i);
}

static void
read_unary(struct parse *ps, struct prog_instr *i, struct slice result)
{
	const struct prog_type *t;

	parse_skip_to_type(ps);
	i->a = parse_typed(ps, &t);
	if (i->op == PROG_FNEG)
		parse_check_form(ps, i->op, t, t);
	parse_set_result(ps, i, result, t);
	parse_append(ps, i);
}

/* The predicate, behind words like "fast" and "nnan" that the machine does not
 * heed. */
static uint32_t
predicate(struct parse *ps, enum prog_op op)
{
	uint32_t first = op == PROG_FCMP ? PROG_FALSE : PROG_EQ;
	uint32_t end = op == PROG_FCMP ? PROG_TRUE : PROG_SLE;
	struct slice word;

	do {
		parse_space(ps);
		word = parse_name(ps);
		for (uint32_t k = first; k <= end; k++)
			if (slice_is(word, predicates[k]))
				return k;
	} while (word.n > 0);
	parse_fail(ps, "no predicate");
	return first;
}

static void
read_compare(struct parse *ps, struct prog_instr *i, struct slice result)
{
	const struct prog_type *t = &parse_i1;

	i->aux = predicate(ps, i->op);
	i->a = parse_typed(ps, &i->from);
	parse_expect(ps, ',');
	i->b = parse_value(ps, i->from);
	i->from_bits = i->from->bits;
	if (i->from->kind == PROG_VECTOR)
		t = parse_vector_of(ps, i->from->count, &parse_i1);
	parse_check_form(ps, i->op, i->from, t);
	parse_set_result(ps, i, result, t);
	parse_append(ps, i);
}

static void
read_select(struct parse *ps, struct prog_instr *i, struct slice result)
{
	const struct prog_type *t, *other, *ct;

	parse_skip_to_type(ps);
	i->c = parse_typed(ps, &ct);
	parse_expect(ps, ',');
	i->a = parse_typed(ps, &t);
	parse_expect(ps, ',');
	i->b = parse_typed(ps, &other);
	parse_check_same(ps, t, other);
	parse_check_choice(ps, ct, t);
	i->from_bits = ct->slots; /* one condition for all lanes, or each */
	parse_set_result(ps, i, result, t);
	parse_append(ps, i);
}

/* An address under another type, or as a number: it stays what it is. */
static void
cast_address(struct parse *ps, struct prog_instr *i, const struct prog_type *t)
{
	parse_check_address(ps, i->from);
	if (t->kind != PROG_POINTER)
		parse_check_whole(ps, t);
	i->op = t->kind == PROG_INT && t->bits < 64 ? PROG_TRUNC : PROG_MOVE;
}

static void
read_cast(struct parse *ps, struct prog_instr *i, struct slice result)
{
	const struct prog_type *t;

	parse_skip_to_type(ps);
	i->a = parse_typed(ps, &i->from);
	if (!parse_word(ps, "to"))
		parse_fail(ps, "no to");
	t = parse_type(ps);
	i->from_bits = i->from->bits;
	if (i->op == PROG_MOVE || i->from->kind == PROG_POINTER)
		cast_address(ps, i, t);
	else
		parse_check_form(ps, i->op, i->from, t);
	parse_set_result(ps, i, result, t);
	parse_append(ps, i);
}

static struct slice
label(struct parse *ps)
{
	parse_expect(ps, '%');
	return parse_name(ps);
}

static void
read_phi(struct parse *ps, struct prog_instr *i, struct slice result)
{
	const struct prog_type *t;

	parse_skip_to_type(ps);
	t = parse_type(ps);
	parse_set_result(ps, i, result, t);
	do {
		struct parse_phi phi = { .block = ps->block,
			.dst = i->dst,
			.slots = t->slots };

		parse_expect(ps, '[');
		phi.value = parse_value(ps, t);
		parse_expect(ps, ',');
		phi.from = label(ps);
		parse_expect(ps, ']');
		ps->phis = parse_grow(ps->phis, ps->nphis, &ps->phis_size,
		    sizeof *ps->phis);
		ps->phis[ps->nphis++] = phi;
	} while (!ps->bad && parse_char(ps, ','));
}

static uint32_t
edge_to(struct parse *ps, struct slice to)
{
	struct prog_function *f = ps->f;

	if (f->nedges % 64 == 0)
		f->edges =
		    xreallocarray(f->edges, f->nedges + 64, sizeof *f->edges);
	f->edges[f->nedges] =
	    (struct prog_edge){ .from = ps->block, .to = parse_block(ps, to) };
	return f->nedges++;
}

static uint32_t
parse_edge(struct parse *ps)
{
	if (!parse_word(ps, "label"))
		parse_fail(ps, "no label");
	return edge_to(ps, label(ps));
}

/* To aux if the condition holds, else to aux + 1. */
static void
read_branch(struct parse *ps, struct prog_instr *i, struct slice result)
{
	(void)result;
	if (parse_word(ps, "i1")) {
		i->a = parse_value(ps, &parse_i1);
		parse_expect(ps, ',');
		i->aux = parse_edge(ps);
		parse_expect(ps, ',');
		parse_edge(ps);
	} else {
		i->op = PROG_JUMP;
		i->aux = parse_edge(ps);
	}
	parse_append(ps, i);
}

static void
read_switch(struct parse *ps, struct prog_instr *i, struct slice result)
{
	struct program *p = ps->prog;
	struct prog_switch s = { 0 };
	const struct prog_type *t;
	size_t nvalues = 0, nedges = 0;
	uint32_t other;

	(void)result;
	i->a = parse_typed(ps, &t);
	parse_check_whole(ps, t);
	i->bits = t->bits;
	parse_expect(ps, ',');
	other = parse_edge(ps);
	parse_expect(ps, '[');
	while (!ps->bad && !parse_char(ps, ']')) {
		s.values =
		    parse_grow(s.values, s.n, &nvalues, sizeof *s.values);
		s.edges = parse_grow(s.edges, s.n, &nedges, sizeof *s.edges);
		parse_check_same(ps, t, parse_type(ps));
		if (!ps->bad)
			parse_constant(ps, t, &s.values[s.n]);
		parse_expect(ps, ',');
		s.edges[s.n++] = parse_edge(ps);
	}
	s.edges = parse_grow(s.edges, s.n, &nedges, sizeof *s.edges);
	s.edges[s.n] = other;
	if (p->nswitches % 16 == 0)
		p->switches =
		    xreallocarray(p->switches, p->nswitches + 16, sizeof s);
	i->aux = (uint32_t)p->nswitches;
	p->switches[p->nswitches++] = s;
	parse_append(ps, i);
}

static void
read_return(struct parse *ps, struct prog_instr *i, struct slice result)
{
	(void)result;
	i->lanes = 0;
	i->type = &parse_void;
	if (!parse_word(ps, "void")) {
		i->a = parse_typed(ps, &i->type);
		i->lanes = i->type->slots;
	}
	parse_check_same(ps, i->type, ps->f->result);
	parse_append(ps, i);
}

static void
read_arguments(struct parse *ps, struct prog_call *c)
{
	parse_expect(ps, '(');
	while (!ps->bad && !parse_char(ps, ')')) {
		uint32_t n = c->nargs;

		if (n == PROG_ARGS_MAX) {
			parse_limit(ps, "a call of too many arguments");
			return;
		}
		c->types[n] = parse_type(ps);
		parse_skip_attributes(ps, &c->copied[n]);
		parse_check_value(ps, c->types[n]);
		c->args[n] = parse_value(ps, c->types[n]);
		if (c->copied[n] > 0)
			c->copy_at[n] = reserve(ps, c->copied[n]);
		c->nargs++;
		parse_char(ps, ',');
	}
}

/* The callee is looked up when all functions are known. */
static void
read_call(struct parse *ps, struct prog_instr *i, struct slice result)
{
	struct program *p = ps->prog;
	struct prog_call c = { 0 };
	struct prog_instr *added;

	parse_skip_to_type(ps);
	c.result = parse_type(ps);
	parse_expect(ps, '@');
	c.name = parse_name(ps);
	read_arguments(ps, &c);
	i->lanes = 0;
	if (result.n > 0)
		parse_set_result(ps, i, result, c.result);
	if (p->ncalls % 64 == 0)
		p->calls = xreallocarray(p->calls, p->ncalls + 64, sizeof c);
	i->aux = (uint32_t)p->ncalls;
	p->calls[p->ncalls++] = c;
	added = parse_append(ps, i);
	added->type = c.result;
}

static void
read_unreachable(struct parse *ps, struct prog_instr *i, struct slice result)
{
	(void)result;
	parse_append(ps, i);
}

static uint32_t
line_of(const struct parse *ps, struct slice text)
{
	for (size_t i = 0; i + 7 < text.n; i++)
		if (memcmp(text.p + i, "!dbg !", 6) == 0)
			return (uint32_t)parse_metadata(ps,
			    strtoull(text.p + i + 6, NULL, 10), "line: ");
	return 0;
}

/* Where the metadata begins: ", !" ends an instruction's own text. */
static const char *
end_of(struct slice line)
{
	for (size_t i = 0; i + 3 < line.n; i++)
		if (memcmp(line.p + i, ", !", 3) == 0)
			return line.p + i;
	return line.p + line.n;
}

void
parse_instruction(struct parse *ps, struct slice line)
{
	struct prog_instr i = { .point = PROG_NO_POINT,
		.line = line_of(ps, line) };
	struct slice result = slice_of(""), word;

	ps->at = line.p;
	ps->end = end_of(line);
	if (parse_char(ps, '%')) {
		result = parse_name(ps);
		parse_expect(ps, '=');
	}
	parse_space(ps);
	word = parse_name(ps);
	if (slice_is(word, "tail") || slice_is(word, "notail") ||
	    slice_is(word, "musttail")) {
		parse_space(ps);
		word = parse_name(ps);
	}
	for (size_t k = 0; k < COUNT(forms); k++)
		if (slice_is(word, forms[k].word)) {
			i.op = forms[k].op;
			forms[k].read(ps, &i, result);
			return;
		}
	parse_fail(ps, "an unknown instruction");
}
