/*
 * "T[cols & 63]" of a table that is one but for a single entry is a comparison
 * written as data.  A table of many values is a function, and none of it is a
 * way of its own.
 */
#include "lab/probe/program_tables.h"

#include "base/mem.h"
#include <string.h>

#define ENTRIES_MIN 8

void
prog_add_table(struct program *p, uint64_t pointer, const struct prog_type *t)
{
	uint64_t bytes = t->bytes;

	while (t->kind == PROG_ARRAY)
		t = t->of;
	if ((t->kind != PROG_INT && t->kind != PROG_FLOAT) || t->bytes == 0 ||
	    t->bytes > sizeof(uint64_t) || bytes / t->bytes < ENTRIES_MIN)
		return;
	p->tables = xreallocarray(p->tables, p->ntables + 1, sizeof *p->tables);
	p->tables[p->ntables++] =
	    (struct prog_table){ .at = pointer - prog_pointer(PROG_CONSTANT, 0),
		    .bytes = bytes,
		    .each = t->bytes };
}

static uint32_t
count_values(const struct program *p, const struct prog_table *t,
    uint64_t ret[PROG_TABLE_VALUES_MAX])
{
	uint32_t n = 0;

	for (uint64_t i = 0; i < t->bytes / t->each; i++) {
		uint64_t v = 0;
		uint32_t k = 0;

		memcpy(&v, p->image + t->at + i * t->each, t->each);
		while (k < n && ret[k] != v)
			k++;
		if (k == n && n == PROG_TABLE_VALUES_MAX)
			return 0;
		if (k == n)
			ret[n++] = v;
	}
	return n;
}

/* What makes a load's address, right before it. */
static const struct prog_instr *
find_address(const struct prog_function *f, const struct prog_instr *load)
{
	for (const struct prog_instr *i = load; i-- > f->code;)
		if (i->op == PROG_GEP && i->dst == load->a)
			return i;
	return NULL;
}

static bool
is_fixed(const struct program *p, const struct prog_instr *gep)
{
	const struct prog_gep *g = &p->geps[gep->aux];

	for (uint32_t k = 0; k < g->n; k++)
		if (!prog_is_constant(g->index[k]))
			return false;
	return true;
}

uint32_t
prog_table_values(const struct program *p, const struct prog_function *f,
    const struct prog_instr *load, uint64_t ret[PROG_TABLE_VALUES_MAX])
{
	const struct prog_instr *gep;
	uint64_t at;
	uint32_t n;

	if (load->op != PROG_LOAD || load->lanes != 1 ||
	    prog_is_constant(load->a) || p->ntables == 0)
		return 0;
	gep = find_address(f, load);
	if (!gep || !prog_is_constant(gep->a) || is_fixed(p, gep))
		return 0;
	at = p->constants[-gep->a - 1] - prog_pointer(PROG_CONSTANT, 0);
	for (size_t k = 0; k < p->ntables; k++) {
		const struct prog_table *t = &p->tables[k];

		if (at - t->at >= t->bytes || load->bits != t->each * 8)
			continue;
		n = count_values(p, t, ret);
		return n > 1 ? n : 0;
	}
	return 0;
}
