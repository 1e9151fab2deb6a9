/*
 * A greedy covering array, a storage type after the other.
 *
 * A pair of classes that is not yet met starts a case; every other factor
 * then takes the class that meets the most pairs with what is fixed so far,
 * the cheaper one among equals.  Values come last, a slot (a row, a column, an
 * element) after the other.  A pair is met by a case, not by its place in a
 * table: whatever a case happens to hold is counted.
 */
#include "ops/covering_array.h"

#include "base/mem.h"
#include "ops/case_factors.h"
#include "ops/value_classes.h"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Work items: a launch of more is a long one, of which there may be one, and as
 * many more as do not sum up to too much. */
#define ITEMS_SHORT ((uint64_t)1 << 20)
#define ITEMS_LONG  ((uint64_t)1 << 23)

/* Of a row this long more than so many work items each look at all of it. */
#define ROW_GIANT ((uint32_t)1 << 20)
#define ROW_ITEMS ((uint64_t)1 << 16)

/* Of a pair, in `pairs`: met with storage type t is bit t. */
#define PAIR_WANTED 8
#define PAIR_HEAVY  16 /* in any type is enough */
#define PAIR_MET    7

/* Of a launch, in elements. */
#define LAUNCH_COST 4096

enum { TRIPLE_WANTED = 1, TRIPLE_MET = 2 };

struct maker {
	struct factors f;
	struct draw d;
	struct array *a;
	array_items_fn *items;
	void *arg;
	uint8_t *pairs; /* owned: nclasses x nclasses, symmetrical; a class with
	                 * itself stands for the class */
	enum dtype t;
	uint64_t long_items; /* of all long launches so far */
};

static uint8_t *
pair(struct maker *m, size_t a, size_t b)
{
	return &m->pairs[a * m->f.nclasses + b];
}

static size_t
class_number(const struct maker *m, size_t factor, size_t class)
{
	return m->f.items[factor].first + class;
}

static bool
is_open(struct maker *m, size_t a, size_t b)
{
	uint8_t p = *pair(m, a, b);

	if (!(p & PAIR_WANTED))
		return false;
	/* A heavy class is met in each storage type, its pairs once in any. */
	return (p & (p & PAIR_HEAVY && a != b ? PAIR_MET : 1 << m->t)) == 0;
}

static void
meet(struct maker *m, size_t a, size_t b)
{
	*pair(m, a, b) |= (uint8_t)(1 << m->t);
	*pair(m, b, a) |= (uint8_t)(1 << m->t);
}

static struct choice
unset(void)
{
	struct choice c;

	memset(c.class, FACTOR_UNSET, sizeof c.class);
	return c;
}

static void
want_pair(struct maker *m, size_t i, size_t x, size_t j, size_t y)
{
	const struct factor *f = &m->f.items[i], *g = &m->f.items[j];
	struct choice c = unset();
	uint8_t p = PAIR_WANTED;

	/* Two classes of one factor are never in one case. */
	if (i == j && x != y)
		return;
	c.class[i] = (uint8_t)x;
	c.class[j] = (uint8_t)y;
	if (factor_is_giant(f, x) || factor_is_giant(g, y))
		return;
	if ((factor_has_shape(f) || factor_has_shape(g)) &&
	    !factors_allow(&m->f, &c))
		return;
	if (factor_is_heavy(f, x) || factor_is_heavy(g, y))
		p |= PAIR_HEAVY;
	*pair(m, class_number(m, i, x), class_number(m, j, y)) = p;
	*pair(m, class_number(m, j, y), class_number(m, i, x)) = p;
}

static void
want_all(struct maker *m)
{
	for (size_t i = 0; i < m->f.n; i++)
		for (size_t j = 0; j <= i; j++)
			for (size_t x = 0; x < m->f.items[i].nclasses; x++)
				for (size_t y = 0; y < m->f.items[j].nclasses;
				     y++)
					want_pair(m, i, x, j, y);
}

/* Open pairs of what is chosen with a factor's class, as far as the case would
 * show them. */
static unsigned
gain(struct maker *m, const struct choice *c, const struct telling *t,
    size_t factor)
{
	unsigned n = 0;

	for (size_t i = 0; i < m->f.n; i++)
		if (c->class[i] != FACTOR_UNSET && factors_show(t, i, factor))
			n += is_open(m,
			    class_number(m, factor, c->class[factor]),
			    class_number(m, i, c->class[i]));
	return n;
}

/* What a class that has to do with the shape gains: it may hide what other
 * factors would show. */
static unsigned
gain_of_shape(struct maker *m, const struct choice *c)
{
	struct telling t = factors_telling(&m->f, c);
	unsigned n = 0;

	for (size_t i = 0; i < m->f.n; i++)
		if (c->class[i] != FACTOR_UNSET)
			n += gain(m, c, &t, i);
	return n;
}

/* Is a pair of the class with anything chosen open? */
static bool
is_open_with(struct maker *m, const struct choice *c, size_t number)
{
	for (size_t i = 0; i < m->f.n; i++)
		if (c->class[i] != FACTOR_UNSET &&
		    is_open(m, number, class_number(m, i, c->class[i])))
			return true;
	return false;
}

/* How many classes of values are still to be met with a choice, by the room
 * that a case of it has for them; and one. */
static uint64_t
values_met(struct maker *m, const struct choice *c, const struct op_shape *s)
{
	uint64_t n = 1;

	for (size_t i = 0; i < m->f.n; i++) {
		const struct factor *x = &m->f.items[i];
		size_t slots, open = 0;

		if (x->kind != FACTOR_VALUES)
			continue;
		slots = factors_slots(m->f.op, s, x->arg);
		slots = slots < OP_MIX_MAX ? slots : OP_MIX_MAX;
		for (size_t v = 0; v < x->nclasses && open < slots; v++)
			open += is_open_with(m, c, class_number(m, i, v));
		n += open;
	}
	return n;
}

/* What a choice with a class that has to do with the shape costs, by the values
 * that it has room for; false: too much, or nothing that means anything.
 * Nothing at all is where a case starts from, or not. */
static bool
price(struct maker *m, const struct choice *c, size_t factor, uint64_t *ret)
{
	const struct factor *f = &m->f.items[factor];
	struct op_shape s;

	if (factor_is_giant(f, c->class[factor]) ||
	    factor_is_empty(f, c->class[factor]) || !factors_allow(&m->f, c))
		return false;
	s = factors_shape(&m->f, c);
	*ret = (LAUNCH_COST + factors_cost(m->f.op, &s)) / values_met(m, c, &s);
	return true;
}

/* The class of a factor that meets the most, the cheapest of those. */
static void
choose_class(struct maker *m, struct choice *c, size_t factor)
{
	const struct factor *f = &m->f.items[factor];
	struct telling t = factors_telling(&m->f, c);
	/* From a drawn place, or ties would all go to the first class. */
	size_t start = draw_range(&m->d, 0, (uint32_t)f->nclasses - 1);
	struct choice with = *c;
	uint64_t best_cost = 0;
	unsigned best = 0;

	t.shown |= 1U << factor;
	for (size_t k = 0; k < f->nclasses; k++) {
		uint64_t cost = 0;
		unsigned met;

		with.class[factor] = (uint8_t)((start + k) % f->nclasses);
		if (factor_has_shape(f) && !price(m, &with, factor, &cost))
			continue;
		met = factor_has_shape(f) ? gain_of_shape(m, &with)
		                          : gain(m, &with, &t, factor);
		if (c->class[factor] != FACTOR_UNSET &&
		    (met < best || (met == best && cost >= best_cost)))
			continue;
		*c = with;
		best = met;
		best_cost = cost;
	}
}

/* All factors but the values of slots, in a drawn order. */
static bool
complete(struct maker *m, struct choice *c)
{
	size_t start = draw_range(&m->d, 0, (uint32_t)m->f.n - 1);

	for (size_t k = 0; k < m->f.n; k++) {
		size_t i = (start + k) % m->f.n;

		if (c->class[i] != FACTOR_UNSET ||
		    m->f.items[i].kind == FACTOR_VALUES)
			continue;
		choose_class(m, c, i);
		if (c->class[i] == FACTOR_UNSET)
			return false;
	}
	return true;
}

static void
meet_choice(struct maker *m, const struct choice *c)
{
	struct telling t = factors_telling(&m->f, c);

	for (size_t i = 0; i < m->f.n; i++)
		for (size_t j = i; j < m->f.n; j++)
			if (c->class[i] != FACTOR_UNSET &&
			    c->class[j] != FACTOR_UNSET &&
			    factors_show(&t, i, j))
				meet(m, class_number(m, i, c->class[i]),
				    class_number(m, j, c->class[j]));
}

/* Rows of one input meet all columns of another. */
static void
meet_across(struct maker *m, const struct op_mix *mix)
{
	for (size_t i = 0; i < m->f.n; i++)
		for (size_t j = 0; j < i; j++) {
			size_t a = m->f.items[i].arg, b = m->f.items[j].arg;

			if (m->f.items[i].kind != FACTOR_VALUES ||
			    m->f.items[j].kind != FACTOR_VALUES ||
			    draw_mixes(m->f.op, a) == draw_mixes(m->f.op, b))
				continue;
			for (size_t x = 0; x < mix->nslots[a]; x++)
				for (size_t y = 0; y < mix->nslots[b]; y++)
					meet(m,
					    class_number(m, i,
					        mix->values[a][x]),
					    class_number(m, j,
					        mix->values[b][y]));
		}
}

/* The values of one slot of each input that has so many; c: what is fixed, the
 * values of the first slot too where they must be such. */
static void
choose_slot(struct maker *m, struct choice c, struct op_mix *mix, size_t slot)
{
	for (size_t i = 0; i < m->f.n; i++) {
		const struct factor *x = &m->f.items[i];

		if (x->kind != FACTOR_VALUES || slot >= mix->nslots[x->arg])
			continue;
		if (c.class[i] == FACTOR_UNSET)
			choose_class(m, &c, i);
		mix->values[x->arg][slot] = c.class[i];
	}
	meet_choice(m, &c);
}

static void
choose_values(struct maker *m, const struct choice *c,
    const struct choice *forced, const struct op_shape *s, struct op_mix *mix)
{
	struct choice first = *c;
	bool empty = false;

	for (size_t i = 0; i < m->f.n; i++) {
		const struct factor *x = &m->f.items[i];
		size_t slots;

		if (x->kind != FACTOR_VALUES)
			continue;
		slots = factors_slots(m->f.op, s, x->arg);
		empty |= slots == 0;
		slots = slots < OP_MIX_MAX ? slots : OP_MIX_MAX;
		mix->nslots[x->arg] = (uint8_t)(slots > 0 ? slots : 1);
		first.class[i] = forced->class[i];
	}
	/* Nothing to give values to; the sizes count as met all the same. */
	if (empty) {
		meet_choice(m, c);
		return;
	}
	choose_slot(m, first, mix, 0);
	for (size_t slot = 1; slot < OP_MIX_MAX; slot++)
		choose_slot(m, *c, mix, slot);
	meet_across(m, mix);
}

static bool
is_too_long(struct maker *m, const struct op_shape *s)
{
	uint64_t items = m->items ? m->items(s, m->arg) : 0;

	if (s->cols > ROW_GIANT && !m->f.op->is_elementwise &&
	    items > ROW_ITEMS)
		return true;
	if (items <= ITEMS_SHORT)
		return false;
	if (m->long_items + items > ITEMS_LONG)
		return true;
	m->long_items += items;
	return false;
}

/* Names outlive their array: the report of a verdict keeps them. */
static char array_names[ARRAY_CASES_MAX][24];

static void
make_names(void)
{
	for (size_t i = 0; i < COUNT(array_names); i++)
		snprintf(array_names[i], sizeof array_names[i],
		    "undisclosed %zu", i + 1);
}

static bool
has_giant_pitch(const struct maker *m, const struct choice *c)
{
	for (size_t i = 0; i < m->f.n; i++)
		if (m->f.items[i].kind == FACTOR_PITCH &&
		    factor_is_giant(&m->f.items[i], c->class[i]))
			return true;
	return false;
}

/* The case of a choice; forced: values that its first slots must have. */
static void
add_case(struct maker *m, const struct choice *c, const struct choice *forced)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	struct array *a = m->a;
	size_t i = a->ncases;
	struct op_case *oc = &a->cases[i];

	if (i == ARRAY_CASES_MAX) {
		a->account.too_long++;
		return;
	}
	*oc = *m->f.op->smoke;
	oc->dtype = m->t;
	(void)pthread_once(&once, make_names);
	oc->name = array_names[i];
	factors_case(&m->f, c, &m->d, oc, &a->mixes[i]);
	if (has_giant_pitch(m, c))
		factors_lessen(&m->f, &oc->shape);
	if (is_too_long(m, &oc->shape)) {
		a->account.too_long++;
		return;
	}
	choose_values(m, c, forced, &oc->shape, &a->mixes[i]);
	a->ncases++;
}

/* Starts from an open pair; one that cannot be met is wanted no more. */
static void
cover(struct maker *m, size_t i, size_t x, size_t j, size_t y)
{
	struct choice c = unset(), forced = unset();
	size_t a = class_number(m, i, x), b = class_number(m, j, y);

	if (m->f.items[i].kind == FACTOR_VALUES)
		forced.class[i] = (uint8_t)x;
	else
		c.class[i] = (uint8_t)x;
	if (m->f.items[j].kind == FACTOR_VALUES)
		forced.class[j] = (uint8_t)y;
	else
		c.class[j] = (uint8_t)y;
	if (complete(m, &c))
		add_case(m, &c, &forced);
	if (is_open(m, a, b))
		*pair(m, a, b) = *pair(m, b, a) = 0;
}

static void
cover_factors(struct maker *m, size_t i, size_t j)
{
	for (size_t x = 0; x < m->f.items[i].nclasses; x++)
		for (size_t y = 0; y < m->f.items[j].nclasses; y++)
			if (is_open(m, class_number(m, i, x),
			        class_number(m, j, y)))
				cover(m, i, x, j, y);
}

/* Sizes first: what they leave open of the rest is little. */
static void
cover_type(struct maker *m)
{
	for (size_t i = 0; i < m->f.n; i++)
		for (size_t j = 0; j < i; j++)
			cover_factors(m, i, j);
	for (size_t i = 0; i < m->f.n; i++)
		cover_factors(m, i, i);
}

/* Each class of giants in one case, in a drawn storage type. */
static void
cover_giants(struct maker *m)
{
	for (size_t i = 0; i < m->f.n; i++)
		for (size_t x = 0; x < m->f.items[i].nclasses; x++) {
			struct choice c, forced;

			if (!factors_giant(&m->f, i, x, &c, &forced))
				continue;
			m->t =
			    (enum dtype)draw_range(&m->d, 0, DTYPE_NDTYPES - 1);
			add_case(m, &c, &forced);
		}
}

static void
count_met(struct maker *m)
{
	struct array_account *n = &m->a->account;
	size_t total = m->f.nclasses;

	m->a->ntriples = DTYPE_NDTYPES * total * total;
	m->a->triples = xcalloc(m->a->ntriples, 1);
	for (size_t a = 0; a < total; a++)
		for (size_t b = 0; b < a; b++) {
			uint8_t p = *pair(m, a, b);

			if (!(p & PAIR_WANTED))
				continue;
			n->pairs++;
			n->pairs_met += (p & PAIR_MET) != 0;
			for (size_t t = 0; t < DTYPE_NDTYPES; t++) {
				size_t i = (t * total + a) * total + b;

				n->triples++;
				n->triples_met += p >> t & 1;
				m->a->triples[i] =
				    p >> t & 1 ? TRIPLE_MET : TRIPLE_WANTED;
			}
		}
	n->cases = (uint32_t)m->a->ncases;
}

void
array_merge(struct array *into, const struct array *from)
{
	struct array_account *n = &into->account;

	n->triples = n->triples_met = 0;
	for (size_t i = 0; i < into->ntriples; i++) {
		if (from->triples[i] > into->triples[i])
			into->triples[i] = from->triples[i];
		n->triples += into->triples[i] != 0;
		n->triples_met += into->triples[i] == TRIPLE_MET;
	}
}

struct array *
array_new(const struct op *op, const uint8_t seed[32], array_items_fn *items,
    void *arg)
{
	struct maker m = { .items = items, .arg = arg };

	m.a = xcalloc(1, sizeof *m.a);
	m.a->cases = xcalloc(ARRAY_CASES_MAX, sizeof *m.a->cases);
	m.a->mixes = xcalloc(ARRAY_CASES_MAX, sizeof *m.a->mixes);
	draw_init(&m.d, seed, "array");
	factors_init(&m.f, op);
	factors_draw(&m.f, &m.d);
	m.pairs = xcalloc(m.f.nclasses * m.f.nclasses, 1);
	want_all(&m);
	for (uint32_t k = 0, t = draw_range(&m.d, 0, DTYPE_NDTYPES - 1);
	     k < DTYPE_NDTYPES; k++) {
		m.t = (enum dtype)((t + k) % DTYPE_NDTYPES);
		cover_type(&m);
	}
	cover_giants(&m);
	count_met(&m);
	free(m.pairs);
	return m.a;
}

void
array_free(struct array *a)
{
	if (!a)
		return;
	free(a->cases);
	free(a->mixes);
	free(a->triples);
	free(a);
}

size_t
array_factors(const struct op *op, struct array_factor *ret)
{
	struct factors f;

	factors_init(&f, op);
	ret[0] = (struct array_factor){ .name = "storage",
		.nclasses = DTYPE_NDTYPES };
	for (size_t t = 0; t < DTYPE_NDTYPES; t++)
		ret[0].classes[t] = dtype_name((enum dtype)t);
	for (size_t i = 0; i < f.n; i++) {
		struct array_factor *x = &ret[i + 1];

		factor_name(op, &f.items[i], x->name, sizeof x->name);
		x->nclasses = f.items[i].nclasses;
		for (size_t c = 0; c < x->nclasses; c++)
			x->classes[c] = factor_class_name(&f.items[i], c);
	}
	return f.n + 1;
}
