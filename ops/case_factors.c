/*
 * A class is a name here and a line in one of the tables below: how a size,
 * a pitch, an eps of that class is drawn.  A size is drawn once a verdict, so
 * that a kernel whose work groups follow its shape is compiled for a dozen of
 * them and not for hundreds.
 */
#include "ops/case_factors.h"

#include "ops/args.h"
#include "ops/value_classes.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

#define LIGHT_MAX ((uint64_t)70000) /* elements of a case, or so */
#define HEAVY_MAX ((uint64_t)340000)
#define HEAVY_PRODUCT                                                          \
	((uint64_t)470000) /* seven rows or columns of its other */
#define FAR_ROWS_MAX 5     /* with a pitch over 65,536: "few" */
#define RUN_FROM     70000 /* a run of positions does not begin later */

/* clang-format off */
/* A size: unit times low..high, or two to that, and then a step. */
struct size_class {
	const char *name;
	uint32_t unit, low, high;
	int step;
	bool is_power, is_heavy;
};

static const struct size_class columns[] = {
	{ "1",                      1,     1,   1,  0, false, false },
	{ "2 to 7",                 1,     2,   7,  0, false, false },
	{ "odd",                    2,     5,  60,  1, false, false },
	{ "a multiple of 32",      32,     3,   9,  0, false, false },
	{ "a multiple of 64",      64,     3,   7,  0, false, false },
	{ "2^k",                    1,     4,   9,  0, true,  false },
	{ "2^k - 1",                1,     4,  10, -1, true,  false },
	{ "2^k + 1",                1,     3,  10,  1, true,  false },
	{ "1,024 and more, aligned", 64,  16,  24,  0, false, false },
	{ "4,096",               4096,     1,   1,  0, false, false },
	{ "over 8,192",             1,  8193, 8800, 0, false, false },
	{ "over 65,536",            1, 65537, 66000, 0, false, true },
	{ "over 2^20",              1, (1 << 20) + 1, (1 << 20) + 64, 0, false, true },
};
#define COLUMNS_GIANT 12

static const struct size_class rows[] = {
	{ "0",                      1,     0,   0,  0, false, false },
	{ "1",                      1,     1,   1,  0, false, false },
	{ "few",                    1,     2,   5,  0, false, false },
	{ "a multiple of 64",      64,     1,   2,  0, false, false },
	{ "more than groups",       2,    33,  64,  1, false, false },
	{ "over 65,536",            1, 65537, 65700, 0, false, true },
	{ "over 2^20",              1, (2 << 20) + 1, (2 << 20) + 64, 0, false, true },
};
#define ROWS_GIANT 6

static const struct size_class batches[] = {
	{ "0",                      1,     0,   0,  0, false, false },
	{ "1",                      1,     1,   1,  0, false, false },
	{ "few",                    1,     2,   5,  0, false, false },
	{ "over 65,536",            1, 65537, 65700, 0, false, true },
};

static const struct {
	const char *name;
	uint32_t unit; /* the stride is a multiple of it */
	uint32_t pad_min, pad_max;
	uint32_t odd;
	bool is_heavy;
} pitches[] = {
	{ "close",       1,     0,     0, 0, false },
	{ "aligned",    16,     1,    16, 0, false },
	{ "odd",         1,     1,    30, 1, false },
	{ "other",       1,     1,    40, 0, false },
	{ "over 65,536", 1, 65536, 65700, 0, true },
	{ "over 2^20",   1, 1 << 20, (1 << 20) + 60, 0, true },
};
#define PITCH_CLOSE 0
#define PITCH_GIANT 5

static const char *const places[] = {
	[OP_PLACE_END] = "end of a page",
	[OP_PLACE_FRONT] = "front of a page",
	[OP_PLACE_MIDDLE] = "between",
};

/* A real: 10^(low..high), or exactly 10^low. */
struct real_class {
	const char *name;
	double low, high;
};
static const struct real_class epsilons[] = {
	{ "1e-12",           -12,  -12 },
	{ "1e-11 to 1e-7",   -11,   -7 },
	{ "1e-5",             -5,   -5 },
	{ "1e-4 to 0.3",      -4, -0.5 },
	{ "1",                 0,    0 },
	{ "10^36 to 10^37",   36,   37 }, /* times the columns it is infinite */
};
static const struct real_class bases[] = {
	{ "10000",             4,    4 },
	{ "about 10000",   3.996, 4.004 },
	{ "500000",     5.698970004336019, 5.698970004336019 },
	{ "1.5 to 10",     0.176,    1 },
	{ "100 to 10^7",       2,    7 },
	{ "10^20 to 10^37",   20,   37 }, /* its square is infinite */
};

static const struct {
	const char *name;
	int32_t min;
	uint32_t span;
	bool sorted, repeated;
} positions[] = {
	{ "all 0",                0,      0, false, false },
	{ "small",                1,    300, false, false },
	{ "negative",        -70000,  69999, false, false },
	{ "beyond 32,767",    32768,  20000, false, false },
	{ "beyond 65,535",    65536, 100000, false, false },
	/* From 8 million on a device's sines of vectors may be wrong. */
	{ "beyond 500,000",  500000, 5000000, false, false },
	{ "repeated",             0,   5000, false, true  },
	{ "sorted",               0,   8000, true,  false },
};
/* clang-format on */

static const struct {
	const char *name;
	enum factor_kind kind;
} scalars[] = {
	{ "cols", FACTOR_COLUMNS },
	{ "n", FACTOR_COLUMNS },
	{ "k", FACTOR_COLUMNS },
	{ "dim", FACTOR_COLUMNS },
	{ "rows", FACTOR_ROWS },
	{ "m", FACTOR_ROWS },
	{ "seq", FACTOR_ROWS },
	{ "batch", FACTOR_BATCH },
	{ "eps", FACTOR_EPS },
	{ "base", FACTOR_BASE },
};

static const size_t class_counts[FACTOR_NKINDS] = {
	[FACTOR_COLUMNS] = COUNT(columns),
	[FACTOR_ROWS] = COUNT(rows),
	[FACTOR_BATCH] = COUNT(batches),
	[FACTOR_PITCH] = COUNT(pitches),
	[FACTOR_PLACE] = COUNT(places),
	[FACTOR_EPS] = COUNT(epsilons),
	[FACTOR_BASE] = COUNT(bases),
	[FACTOR_POSITIONS] = COUNT(positions),
	[FACTOR_VALUES] = VALUES_NCLASSES,
};

static void
add(struct factors *f, enum factor_kind kind, size_t arg, size_t scalar)
{
	struct factor *x = &f->items[f->n++];

	*x = (struct factor){ .kind = kind,
		.arg = arg,
		.scalar = scalar,
		.first = f->nclasses,
		.nclasses = class_counts[kind] };
	f->nclasses += x->nclasses;
}

/* The tensor that argument NAME_stride is of, or nargs. */
static size_t
strided_tensor(const struct op *op, size_t scalar)
{
	const char *name = op->args[scalar].name,
	           *tail = strstr(name, "_stride");

	for (size_t i = 0; i < op->nargs && tail; i++)
		if (strlen(op->args[i].name) == (size_t)(tail - name) &&
		    strncmp(op->args[i].name, name, (size_t)(tail - name)) == 0)
			return i;
	return op->nargs;
}

void
factors_init(struct factors *f, const struct op *op)
{
	*f = (struct factors){ .op = op };
	for (size_t i = 0; i < op->nargs; i++) {
		size_t tensor = strided_tensor(op, i);

		for (size_t k = 0; k < COUNT(scalars); k++)
			if (strcmp(op->args[i].name, scalars[k].name) == 0)
				add(f, scalars[k].kind, 0, i);
		if (tensor < op->nargs)
			add(f, FACTOR_PITCH, tensor, i);
	}
	add(f, FACTOR_PLACE, 0, 0);
	for (size_t i = 0; i < op->nargs; i++) {
		if (op->args[i].kind == OP_POSITIONS)
			add(f, FACTOR_POSITIONS, i, 0);
		if (op->args[i].kind != OP_IN)
			continue;
		add(f, FACTOR_VALUES, i, 0);
	}
}

static uint32_t
draw_size(const struct size_class *c, struct draw *d)
{
	uint32_t v = draw_range(d, c->low, c->high);

	if (c->is_power)
		v = 1u << v;
	else if (c->high - c->low > 300 && draw_range(d, 0, 1) == 0)
		v = (v + 63) / 64 *
		    64; /* a long row, aligned as often as not */
	return (uint32_t)((int)(c->unit * v) + c->step);
}

static const struct size_class *
size_classes(enum factor_kind k)
{
	if (k == FACTOR_COLUMNS)
		return columns;
	return k == FACTOR_ROWS ? rows : batches;
}

static bool
is_size(const struct factor *f)
{
	return f->kind == FACTOR_COLUMNS || f->kind == FACTOR_ROWS ||
	    f->kind == FACTOR_BATCH;
}

static bool
is_dim(const struct factors *f, const struct factor *x)
{
	return f->op->args[x->scalar].offset == offsetof(struct op_shape, dim);
}

void
factors_draw(struct factors *f, struct draw *d)
{
	for (size_t i = 0; i < f->n; i++) {
		struct factor *x = &f->items[i];

		for (size_t c = 0; c < x->nclasses && is_size(x); c++) {
			x->sizes[c] = draw_size(&size_classes(x->kind)[c], d);
			/* A row of a rope has two elements, and one of a
			 * product is as dear where it is worked on in blocks. */
			if (x->kind == FACTOR_ROWS && c == ROWS_GIANT &&
			    (f->op->smoke->shape.dim > 0 ||
			        f->op->smoke->shape.k > 0))
				x->sizes[c] -= 1 << 20;
			/* dim is even: its pairs are of the class. */
			if (is_dim(f, x))
				x->sizes[c] *= x->sizes[c] > 60000 ? 1 : 2;
			if (is_dim(f, x))
				x->sizes[c] += x->sizes[c] % 2;
		}
	}
}

const char *
factor_class_name(const struct factor *f, size_t class)
{
	switch (f->kind) {
	case FACTOR_COLUMNS:
	case FACTOR_ROWS:
	case FACTOR_BATCH:
		return size_classes(f->kind)[class].name;
	case FACTOR_PITCH:
		return pitches[class].name;
	case FACTOR_PLACE:
		return places[class];
	case FACTOR_EPS:
		return epsilons[class].name;
	case FACTOR_BASE:
		return bases[class].name;
	case FACTOR_POSITIONS:
		return positions[class].name;
	case FACTOR_VALUES:
	case FACTOR_NKINDS:
	default:
		return values_name((enum values_class) class);
	}
}

void
factor_name(const struct op *op, const struct factor *f, char *out, size_t size)
{
	static const char *const prefix[FACTOR_NKINDS] = {
		[FACTOR_PITCH] = "pitch of ",
		[FACTOR_VALUES] = "values of ",
	};
	const char *before = prefix[f->kind] ? prefix[f->kind] : "";
	const char *name = op->args[f->arg].name;

	if (f->kind == FACTOR_PLACE)
		name = "place of the buffers";
	else if (is_size(f) || f->kind == FACTOR_EPS || f->kind == FACTOR_BASE)
		name = op->args[f->scalar].name;
	snprintf(out, size, "%s%s", before, name);
}

bool
factor_is_heavy(const struct factor *f, size_t class)
{
	if (f->kind == FACTOR_PITCH)
		return pitches[class].is_heavy;
	return is_size(f) && size_classes(f->kind)[class].is_heavy;
}

bool
factor_is_giant(const struct factor *f, size_t class)
{
	return (f->kind == FACTOR_COLUMNS && class == COLUMNS_GIANT) ||
	    (f->kind == FACTOR_ROWS && class == ROWS_GIANT) ||
	    (f->kind == FACTOR_PITCH && class == PITCH_GIANT);
}

/* All others as small as they can be and still tell: of an array of which one
 * size or all pitches are giants.  A row of one column is one that a softmax
 * does not look at. */
static uint8_t
beside_giant(const struct factor *f, enum factor_kind giant)
{
	static const uint8_t pitch[FACTOR_NKINDS] = { [FACTOR_COLUMNS] = 1,
		[FACTOR_ROWS] = 2,
		[FACTOR_BATCH] = 1,
		[FACTOR_PITCH] = PITCH_GIANT };
	static const uint8_t size[FACTOR_NKINDS] = { [FACTOR_ROWS] = 1,
		[FACTOR_BATCH] = 1,
		[FACTOR_POSITIONS] = 1 };

	return giant == FACTOR_PITCH ? pitch[f->kind] : size[f->kind];
}

bool
factors_giant(const struct factors *f, size_t i, size_t class,
    struct choice *ret, struct choice *forced)
{
	enum factor_kind kind = f->items[i].kind;

	if (!factor_is_giant(&f->items[i], class))
		return false;
	for (size_t k = 0; k < f->n; k++) {
		const struct factor *x = &f->items[k];
		bool values = x->kind == FACTOR_VALUES;

		/* The first pitch stands for all. */
		if (x->kind == FACTOR_PITCH && kind == FACTOR_PITCH && k < i)
			return false;
		ret->class[k] = values ? FACTOR_UNSET : beside_giant(x, kind);
		forced->class[k] = FACTOR_UNSET;
		if (values && kind == FACTOR_PITCH)
			forced->class[k] = VALUES_NORMAL;
		else if (values && kind == FACTOR_COLUMNS &&
		    draw_mixes(f->op, x->arg) != DRAW_MIXES_ELEMENTS)
			forced->class[k] = VALUES_OUTLIER;
	}
	ret->class[i] = (uint8_t) class;
	return true;
}

static uint32_t *
scalar_at(const struct factors *f, const struct factor *x, struct op_shape *s)
{
	return (uint32_t *)(void *)((char *)s + f->op->args[x->scalar].offset);
}

/* The least stride of a class. */
static uint32_t
least_stride(uint32_t cols, uint8_t class)
{
	uint32_t v = cols + pitches[class].pad_min;

	v += pitches[class].odd && v % 2 == 0;
	return (v + pitches[class].unit - 1) / pitches[class].unit *
	    pitches[class].unit;
}

/* unset: of sizes that are not chosen; dim is twice that. */
static struct op_shape
shape_with(const struct factors *f, const struct choice *c, uint32_t unset)
{
	struct op_shape s = f->op->smoke->shape;

	for (size_t i = 0; i < f->n; i++) {
		const struct factor *x = &f->items[i];

		if (!is_size(x))
			continue;
		*scalar_at(f, x, &s) = c->class[i] != FACTOR_UNSET
		    ? x->sizes[c->class[i]]
		    : is_dim(f, x) ? 2 * unset
		                   : unset;
	}
	op_close_strides(f->op, &s);
	for (size_t i = 0; i < f->n; i++) {
		const struct factor *x = &f->items[i];

		if (x->kind == FACTOR_PITCH && c->class[i] != FACTOR_UNSET)
			*scalar_at(f, x, &s) =
			    least_stride(f->op->extent(&s, x->arg).cols,
			        c->class[i]);
	}
	return s;
}

struct op_shape
factors_shape(const struct factors *f, const struct choice *c)
{
	return shape_with(f, c, 1);
}

static float
draw_real(const struct real_class *c, struct draw *d)
{
	double at = (double)draw_range(d, 0, 1 << 20) * 0x1p-20;

	return (float)pow(10.0, c->low + at * (c->high - c->low));
}

void
factors_case(const struct factors *f, const struct choice *c, struct draw *d,
    struct op_case *ret, struct op_mix *mix)
{
	ret->shape = factors_shape(f, c);
	ret->mix = mix;
	for (size_t i = 0; i < f->n; i++) {
		const struct factor *x = &f->items[i];
		uint8_t class = c->class[i];
		uint32_t pad;

		if (x->kind == FACTOR_PITCH) {
			pad = draw_range(d, 0,
			    pitches[class].pad_max - pitches[class].pad_min);
			pad -= pad % (pitches[class].odd + 1);
			*scalar_at(f, x, &ret->shape) +=
			    pad / pitches[class].unit * pitches[class].unit;
		} else if (x->kind == FACTOR_PLACE) {
			mix->place = (enum op_place) class;
		} else if (x->kind == FACTOR_EPS) {
			ret->shape.eps = draw_real(&epsilons[class], d);
		} else if (x->kind == FACTOR_BASE) {
			ret->shape.base = draw_real(&bases[class], d);
		} else if (x->kind == FACTOR_POSITIONS) {
			mix->position_min = positions[class].min;
			if (positions[class].sorted && draw_range(d, 0, 1))
				mix->position_min =
				    (int32_t)draw_range(d, 0, RUN_FROM);
			mix->sorted = positions[class].sorted;
			mix->repeated = positions[class].repeated;
			ret->position_max = positions[class].span;
		}
	}
}

void
factors_lessen(const struct factors *f, struct op_shape *s)
{
	for (size_t i = 0; i < f->n; i++)
		if (is_size(&f->items[i]) && *scalar_at(f, &f->items[i], s) > 2)
			*scalar_at(f, &f->items[i], s) = 2;
}

size_t
factors_slots(const struct op *op, const struct op_shape *s, size_t arg)
{
	struct op_extent e = op->extent(s, arg);

	switch (draw_mixes(op, arg)) {
	case DRAW_MIXES_ELEMENTS:
		return (size_t)e.rows * e.cols;
	case DRAW_MIXES_COLUMNS:
		return e.cols;
	case DRAW_MIXES_ROWS:
	default:
		return e.rows;
	}
}

static uint64_t
block(uint32_t n)
{
	return ((uint64_t)n + 15) / 16 * 16;
}

uint64_t
factors_cost(const struct op *op, const struct op_shape *s)
{
	uint64_t most = 0, products = (uint64_t)s->m * s->n * s->k / 8;
	/* Who works on blocks of 16 by 16 does so where there is one row, too. */
	uint64_t blocks = block(s->m) * block(s->n) * block(s->k) / 64;

	for (size_t i = 0; i < op->nargs; i++) {
		struct op_extent e;
		uint64_t n;

		if (op->args[i].kind != OP_IN && op->args[i].kind != OP_OUT)
			continue;
		e = op->extent(s, i);
		/* What a pitch skips is only filled. */
		n = (uint64_t)e.rows * e.cols +
		    (uint64_t)e.rows * (e.stride - e.cols) / 8;
		most = n > most ? n : most;
	}
	if (op->smoke->shape.k == 0)
		return most;
	products = products > blocks ? products : blocks;
	return products > most ? products : most;
}

/* A pitch is one only from one row to the next. */
static bool
is_pitch_idle(const struct factors *f, const struct factor *x,
    const struct op_shape *s, uint8_t class)
{
	return pitches[class].is_heavy &&
	    f->op->extent(s, x->arg).rows > FAR_ROWS_MAX;
}

bool
factor_has_shape(const struct factor *f)
{
	return is_size(f) || f->kind == FACTOR_PITCH;
}

bool
factor_is_empty(const struct factor *f, size_t class)
{
	return is_size(f) && f->sizes[class] == 0;
}

struct telling
factors_telling(const struct factors *f, const struct choice *c)
{
	struct op_shape s = shape_with(f, c, 2);
	struct telling t = { 0, 0 };

	for (size_t i = 0; i < f->n; i++) {
		const struct factor *x = &f->items[i];

		if (c->class[i] == FACTOR_UNSET)
			continue;
		if (factor_is_empty(x, c->class[i]))
			t.empty |= 1U << i;
		if (x->kind != FACTOR_PITCH || c->class[i] == PITCH_CLOSE ||
		    f->op->extent(&s, x->arg).rows > 1)
			t.shown |= 1U << i;
	}
	return t;
}

bool
factors_show(const struct telling *t, size_t i, size_t j)
{
	uint32_t both = 1U << i | 1U << j;

	return t->empty ? (t->empty & both) != 0 : (t->shown & both) == both;
}

bool
factors_allow(const struct factors *f, const struct choice *c)
{
	struct op_shape s = factors_shape(f, c);
	bool heavy = false, empty = false, valued = false;

	for (size_t i = 0; i < f->n; i++) {
		const struct factor *x = &f->items[i];

		if (c->class[i] == FACTOR_UNSET)
			continue;
		heavy |= factor_is_heavy(x, c->class[i]);
		empty |= factor_is_empty(x, c->class[i]);
		valued |=
		    x->kind == FACTOR_VALUES || x->kind == FACTOR_POSITIONS;
		if (x->kind == FACTOR_PITCH &&
		    is_pitch_idle(f, x, &s, c->class[i]))
			return false;
	}
	if (empty && (valued || heavy))
		return false;
	if (heavy)
		return factors_cost(f->op, &s) <=
		    (f->op->smoke->shape.k > 0 ? HEAVY_PRODUCT : HEAVY_MAX);
	return factors_cost(f->op, &s) <= LIGHT_MAX;
}
