/*
 * Instructions that work out an address or take a value apart. Types are laid
 * out by the time they are met, so every constant index becomes an offset here
 * and costs the machine nothing.
 */
#include "lab/probe/parse.h"

#include "base/mem.h"
#include <string.h>

/* A field of a structure: its offset is known at once. */
static bool
add_field(struct parse *ps, struct prog_gep *g, int32_t v,
    const struct prog_type **t)
{
	uint64_t k =
	    prog_is_constant(v) ? ps->prog->constants[-v - 1] : (*t)->count;

	if (k >= (*t)->count) {
		parse_fail(ps, "a field that is not there");
		return false;
	}
	g->offset += (*t)->offsets[k];
	*t = (*t)->fields[k];
	return true;
}

static bool
add_index(struct parse *ps, struct prog_gep *g, int32_t v,
    const struct prog_type *it, const struct prog_type *t)
{
	parse_check_whole(ps, it);
	if (ps->bad || g->n == 8) {
		parse_limit(ps, "an address of too many parts");
		return false;
	}
	g->index[g->n] = v;
	g->bits[g->n] = it->bits;
	g->stride[g->n++] = t->bytes;
	return true;
}

/* Constant indexes are added up at once. */
void
parse_gep(struct parse *ps, struct prog_instr *i, struct slice result)
{
	struct program *p = ps->prog;
	struct prog_gep g = { 0 };
	const struct prog_type *t, *it;
	bool is_first = true, is_good = true;

	parse_skip_to_type(ps);
	t = parse_type(ps);
	parse_expect(ps, ',');
	i->a = parse_typed(ps, &it);
	parse_check_address(ps, it);
	for (; is_good && !ps->bad && parse_char(ps, ','); is_first = false) {
		int32_t v = parse_typed(ps, &it);

		if (ps->bad)
			return;
		if (!is_first && t->kind == PROG_STRUCT) {
			is_good = add_field(ps, &g, v, &t);
			continue;
		}
		if (!is_first && !t->of) {
			parse_fail(ps, "an address in no array");
			return;
		}
		t = is_first ? t : t->of;
		is_good = add_index(ps, &g, v, it, t);
	}
	if (!is_good)
		return;
	parse_set_result(ps, i, result, &parse_ptr);
	if (p->ngeps % 64 == 0)
		p->geps = xreallocarray(p->geps, p->ngeps + 64, sizeof g);
	i->aux = (uint32_t)p->ngeps;
	p->geps[p->ngeps++] = g;
	parse_append(ps, i);
}

/* b: the index; of a structure its slot, as a constant. */
void
parse_extract(struct parse *ps, struct prog_instr *i, struct slice result)
{
	const struct prog_type *t, *it;
	uint64_t k = 0;

	i->a = parse_typed(ps, &i->from);
	parse_expect(ps, ',');
	t = i->from;
	if (t->kind == PROG_VECTOR) {
		i->b = parse_typed(ps, &it);
		parse_check_whole(ps, it);
		parse_set_result(ps, i, result, t->of);
		parse_append(ps, i);
		return;
	}
	do {
		uint64_t n = parse_number(ps);

		if (t->kind == PROG_STRUCT && n < t->count) {
			for (uint64_t j = 0; j < n; j++)
				k += t->fields[j]->slots;
			t = t->fields[n];
		} else if (t->kind == PROG_ARRAY && n < t->count) {
			k += n * t->of->slots;
			t = t->of;
		} else {
			parse_fail(ps, "a part that is not there");
		}
	} while (!ps->bad && parse_char(ps, ','));
	parse_set_result(ps, i, result, t);
	i->op = PROG_MOVE;
	i->a = prog_is_constant(i->a) ? i->a - (int32_t)k : i->a + (int32_t)k;
	parse_append(ps, i);
}

void
parse_insert(struct parse *ps, struct prog_instr *i, struct slice result)
{
	const struct prog_type *t, *vt, *it;

	i->a = parse_typed(ps, &t);
	parse_expect(ps, ',');
	i->b = parse_typed(ps, &vt);
	parse_expect(ps, ',');
	if (t->kind != PROG_VECTOR) {
		parse_fail(ps, "insertvalue");
		return;
	}
	i->c = parse_typed(ps, &it);
	parse_check_same(ps, vt, t->of);
	parse_check_whole(ps, it);
	parse_set_result(ps, i, result, t);
	parse_append(ps, i);
}

void
parse_shuffle(struct parse *ps, struct prog_instr *i, struct slice result)
{
	const struct prog_type *t, *m;

	i->a = parse_typed(ps, &i->from);
	parse_expect(ps, ',');
	i->b = parse_typed(ps, &t);
	parse_expect(ps, ',');
	i->c = parse_typed(ps, &m);
	parse_check_same(ps, i->from, t);
	if (ps->bad || t->kind != PROG_VECTOR || m->kind != PROG_VECTOR ||
	    !prog_is_constant(i->c)) {
		parse_fail(ps, "a shuffle of an odd form");
		return;
	}
	parse_set_result(ps, i, result, parse_vector_of(ps, m->count, t->of));
	parse_append(ps, i);
}
