/*
 * The causes that may befall any operator, the more specific ones first.
 *
 * Rows with one text are the forms that one mistake takes: an index of 16 bits
 * may count elements, rows or columns.
 */
#include "ops/args.h"
#include "ops/suspect_cause.h"

static struct op_extent
first(const struct op_instance *in)
{
	return in->op->extent(&in->shape, 0);
}

static enum cause_foresight
fails_if(bool yes)
{
	return yes ? CAUSE_FAILS : CAUSE_SPARES;
}

bool
cause_is_float32(const struct cause_case *c)
{
	return c->in->c->dtype == DTYPE_F32;
}

bool
cause_is_value(const struct cause_case *c)
{
	return c->sign <= CAUSE_NOT_FINITE;
}

bool
cause_is_far_off(const struct cause_case *c)
{
	return c->sign >= CAUSE_OFF && c->sign <= CAUSE_NOT_FINITE;
}

uint32_t
cause_length(const struct op_instance *in)
{
	return first(in).cols;
}

static enum cause_foresight
storage(const struct cause_case *c)
{
	return fails_if(!cause_is_float32(c));
}

static enum cause_foresight
special(const struct cause_case *c)
{
	return fails_if(c->in->c->data == OP_DATA_SPECIAL && cause_is_value(c));
}

static enum cause_foresight
tiny(const struct cause_case *c)
{
	return fails_if(c->in->c->data == OP_DATA_TINY && cause_is_value(c));
}

static enum cause_foresight
large(const struct cause_case *c)
{
	enum op_data data = c->in->c->data;

	if (data == OP_DATA_WIDE && cause_is_value(c))
		return CAUSE_MAY_FAIL;
	return fails_if(data == OP_DATA_LARGE && cause_is_value(c));
}

static enum cause_foresight
outlier(const struct cause_case *c)
{
	return fails_if(c->in->c->data == OP_DATA_OUTLIER && cause_is_value(c));
}

/* A NaN does not stay in its row. */
static enum cause_foresight
rows(const struct cause_case *c)
{
	enum op_data data = c->in->c->data;

	if (data == OP_DATA_SPECIAL && cause_is_value(c))
		return CAUSE_MAY_FAIL;
	return fails_if(data == OP_DATA_RAGGED_SCALE && cause_is_value(c));
}

static bool
is_strided(const struct op_instance *in, enum op_arg_kind kind)
{
	for (size_t i = 0; i < in->op->nargs; i++) {
		struct op_extent e;

		if (in->op->args[i].kind != kind)
			continue;
		e = in->op->extent(&in->shape, i);
		if (e.rows > 1 && e.stride > e.cols)
			return true;
	}
	return false;
}

/* Reads the pads, or the values of other rows. */
static enum cause_foresight
stride_in(const struct cause_case *c)
{
	return fails_if(is_strided(c->in, OP_IN) && cause_is_value(c));
}

/* Writes into the pads. */
static enum cause_foresight
stride_out(const struct cause_case *c)
{
	bool may = c->sign == CAUSE_PASSED || c->sign == CAUSE_OUTSIDE ||
	    c->sign == CAUSE_UNWRITTEN;

	return fails_if(is_strided(c->in, OP_OUT) && may);
}

static bool
is_of_integers(enum op_data data)
{
	return data == OP_DATA_INTEGER || data == OP_DATA_INTEGER_ROWS;
}

static enum cause_foresight
stride_any(const struct cause_case *c)
{
	if (!is_strided(c->in, OP_IN) && !is_strided(c->in, OP_OUT))
		return CAUSE_SPARES;
	/* One exact case is too little to tell it from its like above. */
	return is_of_integers(c->in->c->data) ? CAUSE_MAY_FAIL : CAUSE_FAILS;
}

static uint64_t
elements(const struct op_instance *in)
{
	struct op_extent e = first(in);
	uint64_t a = (uint64_t)e.rows * e.cols;
	uint64_t b = (uint64_t)in->out.rows * in->out.cols;

	return a > b ? a : b;
}

static enum cause_foresight
index_of_elements(const struct cause_case *c)
{
	return fails_if(elements(c->in) > UINT16_MAX);
}

static enum cause_foresight
index_of_rows(const struct cause_case *c)
{
	return fails_if(first(c->in).rows > UINT16_MAX);
}

static enum cause_foresight
index_of_columns(const struct cause_case *c)
{
	return fails_if(
	    first(c->in).cols > UINT16_MAX || c->in->out.cols > UINT16_MAX);
}

static enum cause_foresight
index_of_some(const struct cause_case *c)
{
	return elements(c->in) > UINT16_MAX ? CAUSE_MAY_FAIL : CAUSE_SPARES;
}

static enum cause_foresight
batches(const struct cause_case *c)
{
	return fails_if(c->in->shape.batch > 1);
}

/* Reads or writes behind the last group's items. */
static enum cause_foresight
bounds(const struct cause_case *c)
{
	if (c->sign != CAUSE_PASSED && c->sign != CAUSE_OUTSIDE)
		return CAUSE_SPARES;
	if (cause_length(c->in) % 64 != 0 || c->in->out.cols % 64 > 1)
		return CAUSE_FAILS;
	return c->in->out.rows % 64 != 0 ? CAUSE_MAY_FAIL : CAUSE_SPARES;
}

static enum cause_foresight
tail_of_4(const struct cause_case *c)
{
	return fails_if(cause_length(c->in) % 4 != 0 && cause_is_value(c));
}

static enum cause_foresight
tail_of_64(const struct cause_case *c)
{
	return fails_if(cause_length(c->in) % 64 != 0 && cause_is_value(c));
}

/* A maximum often lies elsewhere, and so does the end of a tile. */
static enum cause_foresight
tail_of_some(const struct cause_case *c)
{
	if (cause_length(c->in) % 4 == 0 || !cause_is_value(c))
		return CAUSE_SPARES;
	return cause_length(c->in) < 4 ? CAUSE_FAILS : CAUSE_MAY_FAIL;
}

/* Whole numbers and constants are exact in few bits; what is stored in few
 * bits hides it, and so does a wide bound where large values cancel. */
static enum cause_foresight
half(const struct cause_case *c)
{
	enum op_data data = c->in->c->data;

	if (c->sign != CAUSE_PASSED && c->sign != CAUSE_SLIGHT)
		return CAUSE_SPARES;
	if (!cause_is_float32(c) || is_of_integers(data) ||
	    data == OP_DATA_CONSTANT || data == OP_DATA_OFFSET)
		return CAUSE_MAY_FAIL;
	return CAUSE_FAILS;
}

static uint32_t
smoke_length(const struct op *op)
{
	return op->extent(&op->smoke->shape, 0).cols;
}

enum cause_foresight
cause_fixed_count(const struct cause_case *c)
{
	uint32_t count = smoke_length(c->in->op), n = cause_length(c->in);
	bool is_plain = cause_is_float32(c) &&
	    c->in->c->data != OP_DATA_OFFSET && n <= 8 * count;

	if (n == count || !cause_is_value(c))
		return CAUSE_SPARES;
	/* Another count than the row's is far off, unless it is close. */
	if (c->sign == CAUSE_SLIGHT && is_plain &&
	    (n < count * 3 / 4 || n > count * 5 / 4))
		return CAUSE_SPARES;
	return c->in->c->data == OP_DATA_CONSTANT ? CAUSE_MAY_FAIL
	                                          : CAUSE_FAILS;
}

enum cause_foresight
cause_eps(const struct cause_case *c)
{
	const struct op_instance *in = c->in;

	if (!cause_is_value(c))
		return CAUSE_SPARES;
	if (in->c->data == OP_DATA_TINY ||
	    in->shape.eps > in->op->smoke->shape.eps)
		return c->sign == CAUSE_PASSED || cause_is_far_off(c)
		    ? CAUSE_FAILS
		    : CAUSE_SPARES;
	return CAUSE_MAY_FAIL;
}

static enum cause_foresight
unwritten(const struct cause_case *c)
{
	return fails_if(c->sign == CAUSE_PASSED || c->sign == CAUSE_UNWRITTEN);
}

static enum cause_foresight
value(const struct cause_case *c)
{
	return fails_if(cause_is_value(c));
}

/* 4,096 and 4,097 are equally long. */
static uint64_t
length(const struct op_instance *in)
{
	uint32_t n = cause_length(in);

	return n > 1024 ? n / 64 * 64 : n;
}

/* Past 16 bits all are alike: another cause. */
static uint64_t
elements_to_16_bits(const struct op_instance *in)
{
	uint64_t n = elements(in);

	return n < UINT16_MAX ? n : UINT16_MAX;
}

#define INDEX "an index in 16 bits?"
#define TAIL                                                                   \
	"the last part of a row wrong or left out, where its length is no "    \
	"multiple of a block?"

/* clang-format off */
const struct op_cause causes_shared[] = {
	{ "storage read or written as float, without kf_load and kf_store?", storage, NULL },
	{ "NaN or infinity lost, by a comparison?", special, NULL },
	{ "small magnitudes lost, or a constant that only they show?", tiny, NULL },
	{ "overflows, or loses its accuracy, at large magnitudes?", large, NULL },
	{ "one large value drowns the others in too few bits?", outlier, NULL },
	{ "values of one row in another's answer?", rows, NULL },
	{ "an input's row stride ignored?", stride_in, NULL },
	{ "writes into the gaps between rows: out_stride ignored?", stride_out, NULL },
	{ "a row stride ignored, or taken for another?", stride_any, NULL },
	{ "only the first batch computed, or taken for the others?", batches, NULL },
	{ INDEX, index_of_elements, NULL },
	{ INDEX, index_of_rows, NULL },
	{ INDEX, index_of_columns, NULL },
	{ INDEX, index_of_some, NULL },
	{ "a missing bounds check where a size is no multiple of the work group?", bounds, NULL },
	{ TAIL, tail_of_4, NULL },
	{ TAIL, tail_of_64, NULL },
	{ TAIL, tail_of_some, NULL },
	{ "an approximation, or values or sums rounded to a half on the way?", half, NULL },
	{ "the end of long rows is never written?", unwritten, length },
	{ "the end of long rows left out, or long sums in too few bits?", value, length },
	{ "a loop or a grid that ends before the last element?", unwritten, elements_to_16_bits },
};
/* clang-format on */

const size_t ncauses_shared = COUNT(causes_shared);
