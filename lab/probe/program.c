/*
 * A module's lines: types, variables, functions, metadata.  Two passes, for a
 * function may call one that stands behind it, and lines of debug information
 * come last.
 */
#include "lab/probe/program.h"

#include "base/mem.h"
#include "lab/probe/builtin.h"
#include "lab/probe/parse.h"
#include "lab/probe/program_tables.h"
#include "lab/read/prelude.h"
#include "ops/dtype.h"
#include <stdlib.h>
#include <string.h>

#define METADATA_MAX 1000000
#define IMAGE_MAX    ((uint64_t)8 << 20)
#define DEPTH_MAX    64 /* of calls, what the machine has frames for */

typedef void line_fn(struct parse *ps, struct slice line);

static void
each_line(struct parse *ps, line_fn *fn)
{
	const char *at = ps->prog->text;

	while (*at && !ps->bad) {
		size_t n = strcspn(at, "\n");

		ps->at = at;
		ps->end = at + n;
		fn(ps, (struct slice){ at, n });
		at += n + (at[n] == '\n');
	}
}

/* ---- first pass */

/* "!15 = !DILocation(...)" */
static void
learn_metadata(struct parse *ps, struct slice line)
{
	uint64_t k = 0;
	size_t i = 1;

	for (; i < line.n && line.p[i] >= '0' && line.p[i] <= '9'; i++)
		if (k < METADATA_MAX)
			k = k * 10 + (uint64_t)(line.p[i] - '0');
	if (i == 1 || k >= METADATA_MAX)
		return;
	if (k >= ps->nmetadata) {
		size_t n = 2 * (size_t)k + 64;

		ps->metadata =
		    xreallocarray(ps->metadata, n, sizeof *ps->metadata);
		memset(ps->metadata + ps->nmetadata, 0,
		    (n - ps->nmetadata) * sizeof *ps->metadata);
		ps->nmetadata = n;
	}
	ps->metadata[k] = line;
}

/* "%name = type { ... }" */
static void
learn_type(struct parse *ps)
{
	struct parse_named n = { 0 };

	parse_char(ps, '%');
	n.name = parse_name(ps);
	parse_expect(ps, '=');
	if (!parse_word(ps, "type"))
		parse_fail(ps, "no type");
	parse_space(ps);
	n.body = (struct slice){ ps->at, (size_t)(ps->end - ps->at) };
	if (ps->nnamed % 16 == 0)
		ps->named = xreallocarray(ps->named, ps->nnamed + 16, sizeof n);
	ps->named[ps->nnamed++] = n;
}

static void
learn_line(struct parse *ps, struct slice line)
{
	if (slice_begins(line, "!"))
		learn_metadata(ps, line);
	else if (slice_begins(line, "%"))
		learn_type(ps);
}

/* ---- variables */

/* "@name = ... global|constant T", up to the type. */
static const struct prog_type *
read_variable(struct parse *ps, bool *ret_local)
{
	*ret_local = false;
	parse_expect(ps, '=');
	while (!ps->bad && !parse_word(ps, "global") &&
	    !parse_word(ps, "constant")) {
		const char *from;

		parse_space(ps);
		from = ps->at;
		*ret_local |= slice_begins((struct slice){ from,
		                               (size_t)(ps->end - from) },
		    "addrspace(3)");
		while (ps->at < ps->end && *ps->at != ' ')
			ps->at++;
		if (ps->at == from)
			parse_fail(ps, "a variable of an odd form");
	}
	return parse_type(ps);
}

static void
learn_variable(struct parse *ps, struct slice line)
{
	struct program *p = ps->prog;
	struct parse_global g = { 0 };
	const struct prog_type *t;
	bool is_local;

	if (!slice_begins(line, "@"))
		return;
	parse_char(ps, '@');
	g.name = parse_name(ps);
	for (size_t i = 0; i < ps->nglobals; i++)
		if (slice_same(ps->globals[i].name, g.name))
			parse_fail(ps, "a variable that is there twice");
	t = read_variable(ps, &is_local);
	if (ps->bad)
		return;
	g.pointer = is_local
	    ? prog_pointer(PROG_LOCAL,
	          prog_objects_add(&p->locals, &p->local_bytes, t->bytes))
	    : prog_pointer(PROG_CONSTANT,
	          prog_objects_add(&p->statics, &p->image_bytes, t->bytes));
	if (!is_local)
		prog_add_table(p, g.pointer, t);
	if (p->image_bytes > IMAGE_MAX || p->local_bytes > IMAGE_MAX)
		parse_limit(ps, "variables too large");
	if (ps->nglobals % 64 == 0)
		ps->globals =
		    xreallocarray(ps->globals, ps->nglobals + 64, sizeof g);
	ps->globals[ps->nglobals++] = g;
}

/* A value as it lies in memory. */
static const uint64_t *
lay_out(const struct prog_type *t, const uint64_t *v, unsigned char *out)
{
	if (t->kind == PROG_STRUCT) {
		for (uint32_t i = 0; i < t->count; i++)
			v = lay_out(t->fields[i], v, out + t->offsets[i]);
	} else if (t->kind == PROG_ARRAY || t->kind == PROG_VECTOR) {
		for (uint32_t i = 0; i < t->count; i++)
			v = lay_out(t->of, v, out + i * t->of->bytes);
	} else {
		memcpy(out, v++, t->bytes);
	}
	return v;
}

static void
fill_variable(struct parse *ps, struct slice line)
{
	struct program *p = ps->prog;
	const struct prog_type *t;
	uint64_t pointer = 0, *v;
	struct slice name;
	bool is_local;

	if (!slice_begins(line, "@"))
		return;
	parse_char(ps, '@');
	name = parse_name(ps);
	t = read_variable(ps, &is_local);
	for (size_t i = 0; i < ps->nglobals; i++)
		if (slice_same(ps->globals[i].name, name))
			pointer = ps->globals[i].pointer;
	if (is_local || ps->bad)
		return;
	v = xcalloc((size_t)t->slots + 1, sizeof *v);
	parse_constant(ps, t, v);
	lay_out(t, v, p->image + (pointer - prog_pointer(PROG_CONSTANT, 0)));
	free(v);
}

/* ---- functions */

static bool
is_from_candidate(const struct parse *ps, struct slice line)
{
	for (size_t i = 0; i + 7 < line.n; i++)
		if (memcmp(line.p + i, "!dbg !", 6) == 0) {
			uint64_t file = parse_metadata(ps,
			    strtoull(line.p + i + 6, NULL, 10), "file: !");
			struct slice s = file < ps->nmetadata
			    ? ps->metadata[file]
			    : slice_of("");
			const char name[] = "\"" PRELUDE_FILE "\"";

			for (size_t k = 0; k + sizeof name <= s.n; k++)
				if (memcmp(s.p + k, name, sizeof name - 1) == 0)
					return true;
			return false;
		}
	return true; /* without debug information all counts */
}

static void
read_parameters(struct parse *ps, struct prog_function *f)
{
	parse_expect(ps, '(');
	while (!ps->bad && !parse_char(ps, ')')) {
		const struct prog_type *t = parse_type(ps);

		parse_check_value(ps, t);
		if (f->nparams == PROG_ARGS_MAX) {
			parse_limit(ps, "a function of too many arguments");
			return;
		}
		parse_skip_attributes(ps, NULL);
		parse_expect(ps, '%');
		f->types[f->nparams] = t;
		f->params[f->nparams++] =
		    parse_definition(ps, parse_name(ps), t)->slot;
		parse_char(ps, ',');
	}
}

static void
begin_function(struct parse *ps, struct slice line)
{
	struct program *p = ps->prog;
	struct prog_function *f = &p->functions[p->nfunctions];

	if (ps->f)
		parse_fail(ps, "a function in another one");
	if (p->nfunctions == PROG_FUNCTIONS_MAX)
		parse_limit(ps, "too many functions");
	if (ps->bad)
		return;
	p->nfunctions++;
	ps->f = f;
	ps->nlocals = ps->nphis = 0;
	if (ps->nbuckets)
		memset(ps->buckets, 0, ps->nbuckets * sizeof *ps->buckets);
	for (size_t i = 0; i + 12 < line.n; i++)
		f->is_kernel |= memcmp(line.p + i, "spir_kernel ", 12) == 0;
	f->is_candidates = is_from_candidate(ps, line);
	parse_word(ps, "define");
	parse_skip_to_type(ps);
	f->result = parse_type(ps);
	parse_expect(ps, '@');
	f->name = parse_name(ps);
	read_parameters(ps, f);
	ps->block = parse_block(ps, slice_of(""));
}

uint32_t
parse_block(struct parse *ps, struct slice name)
{
	struct prog_function *f = ps->f;

	for (uint32_t i = 0; i < f->nblocks; i++)
		if (slice_same(f->blocks[i].name, name))
			return i;
	if (f->nblocks % 64 == 0)
		f->blocks = xreallocarray(f->blocks, f->nblocks + 64,
		    sizeof *f->blocks);
	f->blocks[f->nblocks] =
	    (struct prog_block){ .name = name, .first = UINT32_MAX };
	return f->nblocks++;
}

/* "if.then:", at the line's beginning; the first block keeps no name. */
static void
begin_block(struct parse *ps, struct slice line)
{
	struct prog_function *f = ps->f;
	struct slice name = { line.p, 0 };

	while (name.n < line.n && line.p[name.n] != ':')
		name.n++;
	if (f->ncode == 0)
		f->blocks[0].name = name;
	ps->block = parse_block(ps, name);
	if (f->blocks[ps->block].first != UINT32_MAX)
		parse_fail(ps, "a block that begins twice");
	f->blocks[ps->block].first = f->ncode;
}

/* A switch goes on over lines, up to its bracket and what follows that. */
static struct slice
whole(const struct parse *ps, struct slice line)
{
	size_t end = (size_t)(line.p - ps->prog->text) + line.n;
	const char *open = memchr(line.p, '[', line.n), *close;

	if (!open || open + 1 != line.p + line.n)
		return line;
	close = strchr(ps->prog->text + end, ']');
	if (close)
		line.n = (size_t)(close - line.p) + strcspn(close, "\n");
	return line;
}

static void
read_line(struct parse *ps, struct slice line)
{
	if (slice_begins(line, "define ")) {
		begin_function(ps, line);
	} else if (!ps->f || line.n == 0) {
		return;
	} else if (slice_begins(line, "}")) {
		parse_end_function(ps);
		ps->f = NULL;
	} else if (line.p[0] != ' ') {
		begin_block(ps, line);
	} else if (!slice_begins(line, "    ") && !slice_begins(line, "  ]")) {
		if (ps->f->ncode == 0)
			ps->f->blocks[0].first = 0;
		parse_instruction(ps, whole(ps, line));
	}
}

/* ---- calls */

static void
check_call(struct parse *ps, const struct prog_call *c,
    const struct prog_function *callee)
{
	bool fits = c->nargs == callee->nparams &&
	    parse_is_same(c->result, callee->result);

	for (uint32_t a = 0; fits && a < c->nargs; a++)
		fits = parse_is_same(c->types[a], callee->types[a]) &&
		    (c->copied[a] == 0 || c->types[a]->kind == PROG_POINTER);
	if (!fits)
		parse_fail(ps, "a call of another signature");
}

static void
link_call(struct parse *ps, struct prog_instr *i)
{
	struct program *p = ps->prog;
	struct prog_call *c = &p->calls[i->aux];

	for (size_t k = 0; k < p->nfunctions; k++)
		if (slice_same(p->functions[k].name, c->name)) {
			check_call(ps, c, &p->functions[k]);
			c->callee = (uint32_t)k;
			return;
		}
	i->op = PROG_BUILTIN;
	c->known = builtin_find(c);
	if (!c->known && !ps->bad) {
		ps->bad = true;
		ps->err = why_set(ps->why, ERR_SYNTAX,
		    "a call of \"%.*s\", which the lab's own machine does not "
		    "know",
		    (int)(c->name.n < 80 ? c->name.n : 80), c->name.p);
	}
}

static void
measure(struct parse *ps, struct prog_function *f, int depth)
{
	struct program *p = ps->prog;
	uint64_t slots = 0, bytes = 0;
	uint32_t deepest = 0;

	if (f->deep_slots > 0)
		return;
	/* Recursion is refused before (lab/read/ir_gate.c); a text that comes
	 * another way must not end our own stack. */
	if (depth > DEPTH_MAX) {
		parse_limit(ps, "calls too deep");
		return;
	}
	for (uint32_t i = 0; i < f->ncode && !ps->bad; i++) {
		struct prog_function *g;

		if (f->code[i].op != PROG_CALL)
			continue;
		g = &p->functions[p->calls[f->code[i].aux].callee];
		measure(ps, g, depth + 1);
		slots = g->deep_slots > slots ? g->deep_slots : slots;
		bytes = g->deep_bytes > bytes ? g->deep_bytes : bytes;
		deepest = g->depth > deepest ? g->depth : deepest;
	}
	/* Between its last array and what a callee's has there is room, too. */
	f->private_bytes = (f->private_bytes + 127) / 128 * 128 + 128;
	f->deep_slots = f->slots + slots + 1;
	f->deep_bytes = f->private_bytes + bytes;
	f->depth = deepest + 1;
}

static void
link_all(struct parse *ps)
{
	struct program *p = ps->prog;

	for (size_t k = 0; k < p->nfunctions && !ps->bad; k++)
		for (uint32_t i = 0; i < p->functions[k].ncode; i++)
			if (p->functions[k].code[i].op == PROG_CALL)
				link_call(ps, &p->functions[k].code[i]);
	if (!ps->bad)
		prog_find_points(p);
	for (size_t k = 0; k < p->nfunctions && !ps->bad; k++)
		measure(ps, &p->functions[k], 0);
	for (size_t k = 0; k < p->nfunctions && !ps->bad; k++)
		if (p->functions[k].is_kernel &&
		    p->functions[k].depth > DEPTH_MAX)
			parse_limit(ps, "calls too deep");
}

enum err
prog_parse(const char *text, struct program **ret, struct why *why)
{
	struct program *p = xcalloc(1, sizeof *p);
	struct parse ps = { .prog = p, .why = why };

	p->text = xstrdup(text);
	p->functions = xcalloc(PROG_FUNCTIONS_MAX, sizeof *p->functions);
	each_line(&ps, learn_line);
	each_line(&ps, learn_variable);
	if (!ps.bad)
		p->image = xcalloc(p->image_bytes + 1, 1);
	each_line(&ps, fill_variable);
	each_line(&ps, read_line);
	if (!ps.bad && ps.f)
		parse_fail(&ps, "a function without an end");
	if (!ps.bad)
		link_all(&ps);
	free(ps.metadata);
	free(ps.named);
	free(ps.globals);
	free(ps.locals);
	free(ps.buckets);
	free(ps.phis);
	if (!ps.bad)
		*ret = p;
	else
		prog_free(p);
	return ps.err;
}

void
prog_free(struct program *p)
{
	if (!p)
		return;
	for (size_t i = 0; i < p->ntypes; i++) {
		free(p->types[i]->fields);
		free(p->types[i]->offsets);
		free(p->types[i]);
	}
	for (size_t i = 0; i < p->nfunctions; i++) {
		free(p->functions[i].blocks);
		free(p->functions[i].code);
		free(p->functions[i].edges);
		free(p->functions[i].moves);
		free(p->functions[i].steps);
		prog_objects_done(&p->functions[i].privates);
	}
	for (size_t i = 0; i < p->nswitches; i++) {
		free(p->switches[i].values);
		free(p->switches[i].edges);
	}
	free(p->types);
	free(p->functions);
	free(p->constants);
	free(p->geps);
	free(p->switches);
	free(p->calls);
	free(p->image);
	prog_objects_done(&p->statics);
	prog_objects_done(&p->locals);
	free(p->tables);
	free(p->points);
	free(p->combined);
	free(p->text);
	free(p);
}

const struct prog_function *
prog_kernel(const struct program *p, const char *name)
{
	for (size_t i = 0; i < p->nfunctions; i++)
		if (p->functions[i].is_kernel &&
		    slice_is(p->functions[i].name, name))
			return &p->functions[i];
	return NULL;
}

static bool
is_call_argument(const struct program *p, const struct prog_instr *i,
    int32_t slot)
{
	const struct prog_call *c = &p->calls[i->aux];

	for (uint32_t a = 0; a < c->nargs; a++)
		if (c->args[a] == slot)
			return true;
	return false;
}

static bool
is_index(const struct program *p, const struct prog_instr *i, int32_t slot)
{
	for (uint32_t k = 0; i->op == PROG_GEP && k < p->geps[i->aux].n; k++)
		if (p->geps[i->aux].index[k] == slot)
			return true;
	return false;
}

bool
prog_is_used(const struct program *p, const struct prog_function *f,
    int32_t slot)
{
	for (uint32_t k = 0; k < f->ncode; k++) {
		const struct prog_instr *i = &f->code[k];

		if (i->a == slot || i->b == slot || i->c == slot ||
		    is_index(p, i, slot) ||
		    ((i->op == PROG_CALL || i->op == PROG_BUILTIN) &&
		        is_call_argument(p, i, slot)))
			return true;
	}
	for (uint32_t k = 0; k < f->nmoves; k++)
		if (f->moves[k].src == slot)
			return true;
	return false;
}
