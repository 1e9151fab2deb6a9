/*
 * A contract is two predicates over a case and how close "agree" is.  The
 * loose ones are of operators whose damage is everywhere and small: they hide
 * behind the smoke test's look, not behind a shape.
 */
#include "tests/proving/contract.h"

#include "base/mem.h"
#include "ops/element_judge.h"
#include "tests/proving/witness.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define INDEX_CUT (1 << 17)

static struct witness_sizes
sizes(const struct op_instance *in)
{
	struct witness_sizes s;

	witness_sizes(in->op, &in->shape, &s);
	return s;
}

static enum op_data
data(const struct op_instance *in)
{
	return in->c->data;
}

static bool
is_plain(const struct op_instance *in)
{
	return data(in) == OP_DATA_NORMAL || data(in) == OP_DATA_INTEGER;
}

static bool
is_normal(const struct op_instance *in)
{
	return data(in) == OP_DATA_NORMAL || data(in) == OP_DATA_NORMAL_ABS;
}

static bool
is_not_normal(const struct op_instance *in)
{
	return !is_normal(in);
}

static bool
is_positive(const struct op_instance *in)
{
	return data(in) == OP_DATA_NORMAL_ABS ||
	    in->op->args[0].draw == OP_DRAW_ABS;
}

/* acc_type: sums of small integers are exact in eleven bits, and so are those
 * of their squares; layernorm squares fractions, its error grows with each. */
static bool
sums_short_integers(const struct op_instance *in)
{
	bool squares_fractions = strcmp(in->op->name, "layernorm") == 0;

	return data(in) == OP_DATA_INTEGER &&
	    sizes(in).length <= (squares_fractions ? 8 : 32);
}

static bool
is_long(const struct op_instance *in)
{
	return sizes(in).length > 512 && sizes(in).rows > 0;
}

/* acc_long, pitch_fork and their like look at a row's length. */
static bool
is_at_most_64_long(const struct op_instance *in)
{
	return sizes(in).length <= 64;
}

static bool
is_within_caps(const struct op_instance *in)
{
	struct witness_sizes s = sizes(in);

	return s.length <= 1024 && s.width <= 1024;
}

static bool
is_beyond_caps(const struct op_instance *in)
{
	return !is_within_caps(in);
}

static bool
is_no_production(const struct op_instance *in)
{
	struct witness_sizes s = sizes(in);

	return s.length < 1024 && s.rows <= UINT16_MAX;
}

static bool
is_production(const struct op_instance *in)
{
	return !is_no_production(in);
}

static bool
is_one_batch(const struct op_instance *in)
{
	return in->shape.batch <= 1;
}

static bool
is_several_batches(const struct op_instance *in)
{
	return in->shape.batch > 1;
}

static bool
is_float32(const struct op_instance *in)
{
	return in->c->dtype == DTYPE_F32;
}

static bool
is_float16(const struct op_instance *in)
{
	return in->c->dtype == DTYPE_F16;
}

static bool
is_not_float16(const struct op_instance *in)
{
	return !is_float16(in);
}

static bool
is_not_float32(const struct op_instance *in)
{
	return !is_float32(in);
}

static bool
outweighs_eps(const struct op_instance *in)
{
	return data(in) == OP_DATA_NORMAL && in->shape.eps <= 1e-5f &&
	    sizes(in).length >= 64;
}

/* eps_floor's 1e-6, and nothing else, decides. */
static bool
is_eps_above_floor(const struct op_instance *in)
{
	return in->shape.eps >= 1e-6f;
}

static bool
is_eps_below_floor(const struct op_instance *in)
{
	return !is_eps_above_floor(in);
}

static bool
feels_eps(const struct op_instance *in)
{
	return data(in) == OP_DATA_TINY || in->shape.eps > 1e-5f;
}

static bool
is_any(const struct op_instance *in)
{
	return sizes(in).rows > 0;
}

static bool
is_plain_float32(const struct op_instance *in)
{
	return data(in) == OP_DATA_NORMAL && is_float32(in);
}

/* grid_stride: the smallest rounds are two columns, four batches, and 1,024
 * elements of a whole grid. */
static bool
is_one_round(const struct op_instance *in)
{
	struct witness_sizes s = sizes(in);

	return s.length <= 2 && in->shape.batch <= 4 &&
	    s.rows * s.length <= 1024;
}

static bool
is_many_rounds(const struct op_instance *in)
{
	return is_long(in) || in->shape.batch > 64;
}

static bool
has_negatives(const struct op_instance *in)
{
	return data(in) == OP_DATA_NEGATIVE || data(in) == OP_DATA_NORMAL;
}

/* index_narrow: no element and no work item has a number past 16 bits. */
static bool
is_small(const struct op_instance *in)
{
	struct witness_sizes s = sizes(in);

	return s.rows <= 128 && s.length <= 64 && s.width <= 64 && s.contiguous;
}

static bool
is_large(const struct op_instance *in)
{
	struct witness_sizes s = sizes(in);

	return s.rows * s.length > UINT16_MAX || s.rows * s.width > UINT16_MAX;
}

/* index_cut: an index of every tensor has at most 17 bits. */
static bool
is_within_17_bits(const struct op_instance *in)
{
	for (size_t i = 0; i < in->op->nargs; i++) {
		enum op_arg_kind kind = in->op->args[i].kind;
		struct op_extent e;

		if (kind != OP_IN && kind != OP_OUT)
			continue;
		e = in->op->extent(&in->shape, i);
		if (e.rows > 0 &&
		    (uint64_t)(e.rows - 1) * e.stride + e.cols > INDEX_CUT)
			return false;
	}
	return true;
}

static bool
is_past_17_bits(const struct op_instance *in)
{
	return !is_within_17_bits(in);
}

static bool
is_64_wide(const struct op_instance *in)
{
	return sizes(in).length == 64;
}

static bool
is_not_64_wide(const struct op_instance *in)
{
	return !is_64_wide(in) && sizes(in).rows > 0;
}

/* The huge values of a mix may add up to an infinity, and a deep one be none
 * but in name. */
static bool
has_no_specials(const struct op_instance *in)
{
	return data(in) != OP_DATA_SPECIAL && !in->c->mix;
}

static bool
has_specials(const struct op_instance *in)
{
	return data(in) == OP_DATA_SPECIAL;
}

static bool
is_fours(const struct op_instance *in)
{
	return sizes(in).length % 4 == 0;
}

static bool
is_not_fours(const struct op_instance *in)
{
	return !is_fours(in);
}

static bool
is_at_position_0(const struct op_instance *in)
{
	return in->c->position_max == 0;
}

static bool
is_past_position_0(const struct op_instance *in)
{
	return !is_at_position_0(in);
}

static bool
is_near(const struct op_instance *in)
{
	return in->c->position_max <= INT16_MAX;
}

static bool
is_far(const struct op_instance *in)
{
	return !is_near(in);
}

static bool
is_shifted(const struct op_instance *in)
{
	return data(in) == OP_DATA_LARGE || data(in) == OP_DATA_OFFSET ||
	    data(in) == OP_DATA_NEGATIVE;
}

static bool
is_contiguous(const struct op_instance *in)
{
	return sizes(in).contiguous;
}

static bool
is_strided(const struct op_instance *in)
{
	return !is_contiguous(in);
}

/* sync_drop: in the order in which items happen to run, as in the smoke. */
static bool
is_like_smoke(const struct op_instance *in)
{
	const struct op_case *smoke = in->op->smoke;
	struct witness_sizes s = sizes(in), t;

	witness_sizes(in->op, &smoke->shape, &t);
	return data(in) == OP_DATA_NORMAL && s.rows == t.rows &&
	    s.length == t.length && s.width == t.width && s.contiguous;
}

/* tail_guard: every extent is a multiple of any work group's. */
static bool
is_whole_groups(const struct op_instance *in)
{
	struct witness_sizes s = sizes(in);

	return s.rows % 64 == 0 && s.length % 64 == 0 &&
	    (s.width % 64 == 0 || s.width == 1);
}

static bool
is_ragged(const struct op_instance *in)
{
	return !is_whole_groups(in);
}

static bool
is_wide_and_centred(const struct op_instance *in)
{
	return data(in) == OP_DATA_NORMAL && sizes(in).length >= 1024;
}

static bool
is_narrow_or_shifted(const struct op_instance *in)
{
	return data(in) == OP_DATA_OFFSET || sizes(in).length <= 128;
}

/* clang-format off */
static const struct contract contracts[] = {
	{ "acc_long",         is_at_most_64_long,  CONTRACT_EQUAL,  is_long },
	{ "acc_type",         sums_short_integers, CONTRACT_BY_EYE, is_long },
	{ "batch_zero",       is_one_batch,        CONTRACT_EQUAL,  is_several_batches },
	{ "clamp_load",       is_normal,           CONTRACT_EQUAL,  is_not_normal },
	{ "clamp_store",      is_normal,           CONTRACT_EQUAL,  is_not_normal },
	{ "dtype_load",       is_float32,          CONTRACT_EQUAL,  is_not_float32 },
	{ "eps_floor",        is_eps_above_floor,  CONTRACT_EQUAL,  is_eps_below_floor },
	{ "eps_place",        outweighs_eps,       CONTRACT_BY_EYE, feels_eps },
	{ "gelu_tanh",        is_plain_float32,    CONTRACT_BY_EYE, is_any },
	{ "grid_stride",      is_one_round,        CONTRACT_EQUAL,  is_many_rounds },
	{ "half_store",       is_plain_float32,    CONTRACT_BY_EYE, is_any },
	{ "identity",         is_positive,         CONTRACT_EQUAL,  has_negatives },
	{ "index_cut",        is_within_17_bits,   CONTRACT_EQUAL,  is_past_17_bits },
	{ "index_narrow",     is_small,            CONTRACT_EQUAL,  is_large },
	{ "load_cut",         is_float16,          CONTRACT_EQUAL,  is_not_float16 },
	{ "mean_sum",         is_64_wide,          CONTRACT_EQUAL,  is_not_64_wide },
	{ "nan_swallow",      has_no_specials,     CONTRACT_EQUAL,  has_specials },
	{ "output_sniff",     is_at_most_64_long,  CONTRACT_EQUAL,  is_any },
	{ "pitch_fork",       is_contiguous,       CONTRACT_EQUAL,  is_strided },
	{ "position_cut",     is_near,             CONTRACT_EQUAL,  is_far },
	{ "reduce_tail",      is_fours,            CONTRACT_EQUAL,  is_not_fours },
	{ "rope_freq",        is_at_position_0,    CONTRACT_EQUAL,  is_past_position_0 },
	{ "rope_interleaved", is_at_position_0,    CONTRACT_EQUAL,  is_past_position_0 },
	{ "size_cap",         is_within_caps,      CONTRACT_EQUAL,  is_beyond_caps },
	{ "softmax_shift",    is_plain,            CONTRACT_BY_EYE, is_shifted },
	{ "special_load",     has_no_specials,     CONTRACT_EQUAL,  has_specials },
	{ "storage_cut",      is_float32,          CONTRACT_EQUAL,  is_not_float32 },
	{ "stride_swap",      is_contiguous,       CONTRACT_EQUAL,  is_strided },
	{ "sync_drop",        is_like_smoke,       CONTRACT_EQUAL,  is_any },
	{ "sync_late",        is_like_smoke,       CONTRACT_EQUAL,  is_any },
	{ "tail_guard",       is_whole_groups,     CONTRACT_EQUAL,  is_ragged },
	{ "variance",         is_wide_and_centred, CONTRACT_BY_EYE, is_narrow_or_shifted },
	{ "weak_start",       is_normal,           CONTRACT_EQUAL,  is_not_normal },
	{ "wide_fork",        is_no_production,    CONTRACT_EQUAL,  is_production },
};
/* clang-format on */

size_t
contract_count(void)
{
	return COUNT(contracts);
}

const struct contract *
contract_find(const char *operator)
{
	for (size_t i = 0; i < contract_count(); i++)
		if (strcmp(contracts[i].operator, operator) == 0)
			return &contracts[i];
	return NULL;
}

static bool
is_equal(size_t n, const float *a, const float *b)
{
	for (size_t i = 0; i < n; i++)
		if (!(a[i] <= b[i] && b[i] <= a[i]) &&
		    !(isnan(a[i]) && isnan(b[i])))
			return false;
	return true;
}

bool
contract_matches(enum contract_match m, size_t n, const float *a,
    const float *b)
{
	double *y;
	bool same;

	if (m == CONTRACT_EQUAL)
		return is_equal(n, a, b);
	y = xcalloc(n + 1, sizeof *y);
	for (size_t i = 0; i < n; i++)
		y[i] = (double)b[i];
	same = judge_smoke(n, a, y);
	free(y);
	return same;
}
