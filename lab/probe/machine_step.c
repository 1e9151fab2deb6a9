/*
 * One work item, instruction by instruction, up to its next barrier or its
 * end.  Whole numbers are held zero-extended, floats by their bits.
 */
#include "lab/probe/arithmetic.h"
#include "lab/probe/builtin.h"
#include "lab/probe/machine_loops.h"
#include "lab/probe/program_combine.h"

#include <math.h>
#include <string.h>

/* Where an operand's first slot is. */
static inline const uint64_t *
operand(const struct machine *m, const uint64_t *slots, int32_t v)
{
	return prog_is_constant(v) ? &m->p->constants[-v - 1] : &slots[v];
}

/* ---- memory */

static void
load(struct machine *m, const struct prog_type *t, uint64_t from, uint64_t *out)
{
	if (t->kind == PROG_STRUCT) {
		for (uint32_t i = 0; i < t->count && !m->stop; i++) {
			load(m, t->fields[i], from + t->offsets[i], out);
			out += t->fields[i]->slots;
		}
	} else if (t->kind == PROG_ARRAY || t->kind == PROG_VECTOR) {
		for (uint32_t i = 0; i < t->count && !m->stop; i++)
			load(m, t->of, from + (uint64_t)i * t->of->bytes,
			    out + (size_t)i * t->of->slots);
	} else {
		*out = 0;
		machine_load(m, from, out, t->bytes);
		*out &= arith_mask(t->bits);
	}
}

static void
store(struct machine *m, const struct prog_type *t, const uint64_t *v,
    uint64_t to)
{
	if (t->kind == PROG_STRUCT) {
		for (uint32_t i = 0; i < t->count && !m->stop; i++) {
			store(m, t->fields[i], v, to + t->offsets[i]);
			v += t->fields[i]->slots;
		}
	} else if (t->kind == PROG_ARRAY || t->kind == PROG_VECTOR) {
		for (uint32_t i = 0; i < t->count && !m->stop; i++)
			store(m, t->of, v + (size_t)i * t->of->slots,
			    to + (uint64_t)i * t->of->bytes);
	} else {
		machine_store(m, to, v, t->bytes);
	}
}

/* Buffers, local and private memory all begin where any type may lie, so that
 * an offset tells.  Here any address does; a device may fault, or read what
 * lies below. */
static uint64_t
aligned(struct machine *m, const struct prog_instr *i, uint64_t pointer)
{
	if (i->aux > 1 && (pointer & (i->aux - 1)) != 0)
		machine_find(m, "misaligned",
		    i->op == PROG_STORE
		        ? "a write at an address that is no multiple of its "
		          "type's alignment"
		        : "a read at an address that is no multiple of its "
		          "type's alignment");
	return pointer;
}

static uint64_t
address(const struct machine *m, const struct prog_instr *i,
    const uint64_t *slots)
{
	const struct prog_gep *g = &m->p->geps[i->aux];
	uint64_t p = *operand(m, slots, i->a) + g->offset;

	for (uint32_t k = 0; k < g->n; k++)
		p += (uint64_t)arith_extend(*operand(m, slots, g->index[k]),
		         g->bits[k]) *
		    g->stride[k];
	return p;
}

/* ---- comparisons */

static void
compare(struct machine *m, const struct prog_instr *i, uint64_t *slots)
{
	const uint64_t *a = operand(m, slots, i->a);
	const uint64_t *b = operand(m, slots, i->b);

	for (uint32_t k = 0; k < i->lanes; k++) {
		bool is = i->op == PROG_ICMP
		    ? arith_compare_whole(i->aux, a[k], b[k], i->from_bits)
		    : arith_compare_real(i->aux, a[k], b[k], i->from_bits);

		is = machine_decide(m, i->point, is) != 0;
		slots[i->dst + (int32_t)k] = is;
		machine_count(m, i->point, is);
	}
	if (m->item->nleaps > 0 && i->op == PROG_ICMP && i->lanes == 1)
		machine_loops_compare(m, i, i->from_bits, i->aux, *a, *b);
}

/* ---- casts */

/* The same bytes under another type, for lanes of other widths. */
static void
bitcast(struct machine *m, const struct prog_instr *i, uint64_t *slots)
{
	const uint64_t *a = operand(m, slots, i->a);
	unsigned char bytes[PROG_LANES_MAX * 16] = { 0 };
	uint32_t from = i->from_bits / 8, to = i->bits / 8;

	if (from == 0 || to == 0) { /* single bits stay what they are */
		slots[i->dst] = *a;
		return;
	}
	for (uint32_t k = 0; k < i->from->slots; k++)
		memcpy(bytes + (size_t)k * from, &a[k], from);
	for (uint32_t k = 0; k < i->lanes; k++) {
		slots[i->dst + (int32_t)k] = 0;
		memcpy(&slots[i->dst + (int32_t)k], bytes + (size_t)k * to, to);
	}
}

/* ---- lanes */

static void
pick(struct machine *m, const struct prog_instr *i, uint64_t *slots)
{
	const uint64_t *a = operand(m, slots, i->a);
	const uint64_t *b = operand(m, slots, i->b);
	const uint64_t *c = operand(m, slots, i->c);

	if (i->op == PROG_EXTRACT) {
		/* A lane that is not there is nobody's to know (LLVM calls it
		 * poison): any of them will do, as long as it is one. */
		slots[i->dst] = a[*b % i->from->slots];
	} else if (i->op == PROG_INSERT) {
		uint64_t v = *b;
		uint64_t at = *c % i->lanes;

		memmove(&slots[i->dst], a, i->lanes * sizeof *a);
		slots[(uint64_t)i->dst + at] = v;
	} else if (i->op == PROG_SELECT) {
		for (uint32_t k = 0; k < i->lanes; k++) {
			bool is = (c[i->from_bits > 1 ? k : 0] & 1) != 0;

			/* Where both sides are equal the choice shows nowhere,
			 * and no input could be asked for that takes the
			 * other. */
			is = machine_decide(m, i->point, is) != 0;
			if (arith_differ(a[k], b[k]))
				machine_count(m, i->point, is);
			slots[i->dst + (int32_t)k] = is ? a[k] : b[k];
		}
	} else {
		uint32_t n = i->from->slots;

		for (uint32_t k = 0; k < i->lanes; k++)
			slots[i->dst + (int32_t)k] = c[k] < n ? a[c[k]]
			    : c[k] < 2 * (uint64_t)n          ? b[c[k] - n]
			                                      : 0;
	}
}

/* ---- ways */

/* No phi here takes another one's new value: their sources are read before,
 * where there are several. */
static void
move(struct machine *m, const struct prog_function *f,
    const struct prog_edge *edge, uint64_t *slots)
{
	const struct prog_move *moves = f->moves;
	uint64_t held[PROG_LANES_MAX];
	uint32_t at = 0;

	if (edge->n == 0)
		return;
	moves += edge->first;
	if (edge->n == 1) {
		memmove(&slots[moves->dst], operand(m, slots, moves->src),
		    moves->slots * sizeof *slots);
		return;
	}
	for (uint32_t k = 0; k < edge->n; at += moves[k++].slots) {
		if (at + moves[k].slots > PROG_LANES_MAX) {
			m->stop = true;
			return;
		}
		memcpy(&held[at], operand(m, slots, moves[k].src),
		    moves[k].slots * sizeof *slots);
	}
	at = 0;
	for (uint32_t k = 0; k < edge->n; at += moves[k++].slots)
		memcpy(&slots[moves[k].dst], &held[at],
		    moves[k].slots * sizeof *slots);
}

static void
walk(struct machine *m, uint32_t e, uint64_t *slots)
{
	struct machine_frame *fr = &m->item->frames[m->item->depth - 1];
	const struct prog_function *f = fr->f;
	const struct prog_edge *edge = &f->edges[e];
	int32_t again = -1;

	for (uint32_t k = 0; k < edge->nsteps; k++) {
		const struct prog_step *s = &f->steps[edge->first_step + k];
		uint64_t *n = &slots[s->slot];

		if (s->kind == PROG_LOOP_ENTERED)
			*n = 0;
		else if (s->kind == PROG_LOOP_AGAIN && ++*n == 2)
			machine_count(m, s->point, 2);
		else if (s->kind == PROG_LOOP_LEFT_BEFORE && *n < 2)
			machine_count(m, s->point, (uint32_t)*n);
		else if (s->kind == PROG_LOOP_LEFT && *n < 2)
			machine_count(m, s->point, (uint32_t)*n + 1);
		if (s->kind == PROG_LOOP_AGAIN)
			again = s->slot;
		else if (m->leaps && s->kind != PROG_LOOP_ENTERED)
			machine_loops_left(m, s->slot);
	}
	move(m, f, edge, slots);
	if (m->stop)
		return;
	fr->pc = f->blocks[edge->to].first;
	if (m->leaps && again >= 0 && slots[again] >= 2)
		machine_loops_again(m, again, slots[again], slots);
}

static void
choose(struct machine *m, const struct prog_instr *i, uint64_t *slots)
{
	uint64_t v = *operand(m, slots, i->a);
	const struct prog_switch *s;
	uint32_t k = 0;

	if (i->op == PROG_BRANCH) {
		bool is = machine_decide(m, i->point, v & 1) != 0;

		machine_count(m, i->point, is);
		walk(m, i->aux + !is, slots);
		return;
	}
	s = &m->p->switches[i->aux];
	while (k < s->n && s->values[k] != v)
		k++;
	k = machine_decide(m, i->point, k);
	machine_count(m, i->point, k);
	walk(m, s->edges[k], slots);
}

/* A structure by value: the callee works on a copy. */
static uint64_t
copy(struct machine *m, const struct machine_frame *caller,
    const struct prog_call *c, uint32_t arg, uint64_t from)
{
	uint64_t to =
	    prog_pointer(PROG_PRIVATE, caller->bytes_at + c->copy_at[arg]);
	unsigned char b;

	for (uint64_t i = 0; i < c->copied[arg] && !m->stop; i++)
		if (machine_load(m, from + i, &b, 1))
			machine_store(m, to + i, &b, 1);
	return to;
}

static void
call(struct machine *m, const struct prog_instr *i, uint64_t *slots)
{
	struct machine_item *it = m->item;
	const struct prog_call *c = &m->p->calls[i->aux];
	const struct prog_function *f = &m->p->functions[c->callee];
	const struct machine_frame *caller = &it->frames[it->depth - 1];
	struct machine_frame *fr;
	uint64_t *to;

	if (it->depth == MACHINE_DEPTH_MAX) {
		m->stop = true;
		return;
	}
	fr = &it->frames[it->depth++];
	*fr = (struct machine_frame){ .f = f,
		.slots_at = caller->slots_at + caller->f->slots,
		.bytes_at = caller->bytes_at + caller->f->private_bytes,
		.dst = i->dst,
		.lanes = i->lanes };
	to = it->slots + fr->slots_at;
	for (uint32_t k = 0; k < c->nargs; k++) {
		memcpy(&to[f->params[k]], operand(m, slots, c->args[k]),
		    c->types[k]->slots * sizeof *to);
		if (c->copied[k] > 0)
			to[f->params[k]] =
			    copy(m, caller, c, k, to[f->params[k]]);
	}
}

static void
give_back(struct machine *m, const struct prog_instr *i, const uint64_t *slots)
{
	struct machine_item *it = m->item;
	const struct machine_frame *fr = &it->frames[--it->depth];

	if (it->depth == 0) {
		it->state = ITEM_ENDED;
		return;
	}
	if (fr->lanes > 0 && i->lanes >= fr->lanes)
		memcpy(it->slots + it->frames[it->depth - 1].slots_at + fr->dst,
		    operand(m, slots, i->a), fr->lanes * sizeof *slots);
}

/* Does the item let others go first, once before an atomic? */
static bool
pauses(struct machine *m, uint64_t pointer)
{
	bool local = pointer >> PROG_REGION_SHIFT == PROG_LOCAL;

	if (m->l->order == MACHINE_IN_ORDER || m->item->has_paused ||
	    machine_dice(m) % 2 == 0) {
		m->item->has_paused = false;
		return false;
	}
	m->item->has_paused = true;
	/* Back to the atomic itself, which the item meets again when its turn
	 * comes. */
	m->item->frames[m->item->depth - 1].pc--;
	m->pause = local ? PAUSE_LOCAL : PAUSE_GLOBAL;
	return true;
}

static void
call_builtin(struct machine *m, const struct prog_instr *i, uint64_t *slots)
{
	const struct prog_call *c = &m->p->calls[i->aux];
	uint64_t out[PROG_LANES_MAX] = { 0 };
	struct builtin_call k = { .m = m,
		.c = c,
		.out = out,
		.lanes = c->result->slots,
		.point = i->point };

	for (uint32_t a = 0; a < c->nargs; a++)
		k.args[a] = operand(m, slots, c->args[a]);
	if (c->known->is_atomic && k.args[0] && pauses(m, *k.args[0]))
		return;
	m->instr = i;
	builtin_call(c->known, &k);
	if (m->item->nleaps > 0 && c->known->is_atomic && !m->stop)
		machine_loops_ticket(m, i, *k.args[0], out[0],
		    c->nargs > 1 ? *k.args[1] : 1);
	if (m->item->nleaps > 0 && c->nargs == 2 && c->result->slots == 1 &&
	    c->result->kind == PROG_INT &&
	    (slice_is(c->plain, "min") || slice_is(c->plain, "max")))
		machine_loops_compare(m, i, c->result->bits,
		    c->is_signed ? PROG_SLE : PROG_ULE, *k.args[0], *k.args[1]);
	if (i->lanes > 0)
		memcpy(&slots[i->dst], out, i->lanes * sizeof *out);
	if (!k.waits)
		return;
	m->item->state = ITEM_WAITS;
	m->item->barriers++;
	m->item->barrier = i->line;
	m->item->fences = k.fences;
}

/* What each lane is made of by itself. */
static void
lanes(struct machine *m, const struct prog_instr *i, uint64_t *slots)
{
	const uint64_t *a = operand(m, slots, i->a);
	const uint64_t *b = operand(m, slots, i->b);
	uint64_t mask = arith_mask(i->bits);

	for (uint32_t k = 0; k < i->lanes; k++) {
		uint64_t v;

		if (i->op >= PROG_ADD && i->op <= PROG_XOR)
			v = arith_whole(i->op, a[k], b[k], i->bits);
		else if (i->op >= PROG_FADD && i->op <= PROG_FREM)
			v = arith_real(m, i->op, a[k], b[k], i->bits);
		else if (i->op == PROG_FNEG)
			v = a[k] ^ (uint64_t)1 << (i->bits - 1);
		else
			v = arith_cast(i, a[k]);
		slots[i->dst + (int32_t)k] = v & mask;
	}
}

static void
make_variable(struct machine *m, const struct prog_instr *i, uint64_t *slots)
{
	const struct machine_frame *fr = &m->item->frames[m->item->depth - 1];
	uint64_t poison = (uint64_t)m->l->fill << 32 | m->l->fill;

	if (!i->b) { /* its address is taken: it lies in private memory */
		slots[i->dst] =
		    prog_pointer(PROG_PRIVATE, fr->bytes_at + i->aux);
		return;
	}
	for (uint32_t k = 0; k < i->lanes; k++)
		slots[i->dst + (int32_t)k] = poison & arith_mask(i->bits);
}

/* Nothing, or one of few values, in the place of what it is. */
static void
give_combined(const struct machine *m, const struct prog_instr *i, uint64_t *v)
{
	const struct prog_combined *c = &m->p->combined[i->combined - 1];
	uint32_t given = machine_decide(m, c->point, UINT32_MAX);

	if (given < c->n)
		*v = c->v[given];
	else if (c->n == 0 && given == 0)
		*v = 0;
}

/* What several decisions made together. */
static void
count_combined(struct machine *m, const struct prog_instr *i, uint64_t *slots)
{
	bool fused = m->p->combined[i->combined - 1].is_fused;

	for (uint32_t k = 0; k < i->lanes; k++) {
		uint64_t v = slots[i->dst + (int32_t)k];
		int outcome;

		if (fused) {
			const int32_t *args = m->p->calls[i->aux].args;
			uint64_t sign = (uint64_t)1 << (i->bits - 1);

			/* Without their signs, for a zero of either sign takes
			 * the product away. */
			v = (operand(m, slots, args[0])[k] & ~sign) != 0 &&
			    (operand(m, slots, args[1])[k] & ~sign) != 0;
		}
		outcome = prog_combined_outcome(m->p, i, v);
		if (outcome >= 0)
			machine_count(m, m->p->combined[i->combined - 1].point,
			    (uint32_t)outcome);
		if (!fused)
			give_combined(m, i, &slots[i->dst + (int32_t)k]);
	}
}

static void
execute(struct machine *m, const struct prog_instr *i, uint64_t *slots)
{
	switch ((int)i->op) {
	case PROG_MOVE:
		if (i->lanes == 1)
			slots[i->dst] = *operand(m, slots, i->a);
		else
			memmove(&slots[i->dst], operand(m, slots, i->a),
			    i->lanes * sizeof *slots);
		break;
	case PROG_ALLOCA:
		make_variable(m, i, slots);
		break;
	case PROG_LOAD:
		load(m, i->type, aligned(m, i, *operand(m, slots, i->a)),
		    &slots[i->dst]);
		break;
	case PROG_STORE:
		store(m, i->type, operand(m, slots, i->a),
		    aligned(m, i, *operand(m, slots, i->b)));
		if (m->item->nleaps > 0)
			machine_loops_store(m, i, *operand(m, slots, i->b));
		break;
	case PROG_GEP:
		slots[i->dst] = address(m, i, slots);
		break;
	case PROG_ICMP:
	case PROG_FCMP:
		compare(m, i, slots);
		break;
	case PROG_BITCAST:
		bitcast(m, i, slots);
		break;
	case PROG_SELECT:
	case PROG_EXTRACT:
	case PROG_INSERT:
	case PROG_SHUFFLE:
		pick(m, i, slots);
		break;
	case PROG_JUMP:
		walk(m, i->aux, slots);
		break;
	case PROG_BRANCH:
	case PROG_SWITCH:
		choose(m, i, slots);
		break;
	case PROG_RETURN:
		give_back(m, i, slots);
		break;
	case PROG_CALL:
		call(m, i, slots);
		break;
	case PROG_BUILTIN:
		call_builtin(m, i, slots);
		break;
	case PROG_UNREACHABLE:
		machine_find(m, "crash", "a place that must not be reached");
		break;
	default:
		lanes(m, i, slots);
		break;
	}
}

void
machine_step(struct machine *m)
{
	struct machine_item *it = m->item;

	m->pause = PAUSE_NONE;
	while (it->state == ITEM_RUNS && !m->stop && m->pause == PAUSE_NONE) {
		struct machine_frame *fr = &it->frames[it->depth - 1];
		const struct prog_instr *i = &fr->f->code[fr->pc++];

		if (m->left-- == 0) {
			m->left = 0;
			m->stop = true;
			return;
		}
		m->line = i->line ? i->line : m->line;
		execute(m, i, it->slots + fr->slots_at);
		if (i->combined)
			count_combined(m, i, it->slots + fr->slots_at);
	}
}
