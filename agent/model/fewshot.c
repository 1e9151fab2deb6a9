/*
 * One row a category.  What is said to be wrong is what holdouts of that
 * category are about in general: strides, odd sizes, long rows, NaN.
 */
#include "agent/model/fewshot.h"

#include "base/units.h"
#include <stddef.h>
#include <string.h>

/* Every kernel of two tensors, a row stride each, one work item an element. */
#define MAP(name, body)                                                        \
	"{\"source\": \"__kernel void " name                                   \
	"(const __global KF_T *x, __global KF_T *out, uint rows, uint cols, "  \
	"uint x_stride, uint out_stride) { const size_t i = "                  \
	"get_global_id(0); if (i >= (size_t)rows * cols) return; const "       \
	"size_t r = i / cols, c = i % cols; const float v = kf_load(x, r * "   \
	"x_stride + c); kf_store(out, r * out_stride + c, " body ");"          \
	" }\", \"entry\": \"" name                                             \
	"\", \"global_size\": [\"round_up(rows * cols, 64)\"], "               \
	"\"local_size\": [\"64\"]}"

static const struct fewshot fewshots[] = {
	{ "activation", MAP("softsign", "v / (1.0f + fabs(v))"),
	    "kf_store(out, r * cols + c, v / (1.0f + fabs(v)));",
	    "rows of out are out_stride apart, not cols: with a wider stride "
	    "this writes where it must not" },
	{ "elementwise", MAP("square", "v * v"), "float y = fmax(v * v, 0.0f);",
	    "fmax drops NaN, and NaN must propagate" },
	{ "matrix",
	    "{\"source\": \"__kernel void outer(const __global KF_T *a, const "
	    "__global KF_T *b, __global KF_T *out, uint m, uint n, uint "
	    "out_stride) { const size_t i = get_global_id(0); if (i >= "
	    "(size_t)m * n) return; const size_t r = i / n, c = i % n; "
	    "kf_store(out, r * out_stride + c, kf_load(a, r) * kf_load(b, c)); "
	    "}\", \"entry\": \"outer\", \"global_size\": [\"round_up(m * n, "
	    "64)\"], \"local_size\": [\"64\"]}",
	    "const ushort i = get_global_id(0);",
	    "an index in 16 bits wraps on large tensors; indices are size_t" },
	{ "normalisation",
	    "{\"source\": \"__kernel void center(const __global KF_T *x, "
	    "__global KF_T *out, uint rows, uint cols, uint x_stride, uint "
	    "out_stride) { const size_t r = get_global_id(0); if (r >= rows) "
	    "return; float sum = 0.0f; for (uint c = 0; c < cols; c++) sum += "
	    "kf_load(x, r * x_stride + c); const float mean = sum / "
	    "(float)cols; for (uint c = 0; c < cols; c++) kf_store(out, r * "
	    "out_stride + c, kf_load(x, r * x_stride + c) - mean); }\", "
	    "\"entry\": \"center\", \"global_size\": [\"rows\"], "
	    "\"local_size\": [\"1\"]}",
	    "float var = sum_of_squares / cols - mean * mean;",
	    "this cancels where the mean is large beside the spread: sum the "
	    "squared differences from the mean in a second pass" },
	{ "position",
	    "{\"source\": \"__kernel void shift(const __global KF_T *x, const "
	    "__global int *positions, __global KF_T *out, uint batch, uint "
	    "seq, uint dim) { const size_t i = get_global_id(0); if (i >= "
	    "(size_t)batch * seq * dim) return; const size_t s = i / dim % "
	    "seq; kf_store(out, i, kf_load(x, i) + (float)positions[s]); }\", "
	    "\"entry\": \"shift\", \"global_size\": [\"round_up(batch * seq * "
	    "dim, 64)\"], \"local_size\": [\"64\"]}",
	    "const float position = (float)s;",
	    "the place in the sequence is not its position: positions[s] is, "
	    "and it is neither sorted nor small" },
	{ "reduction",
	    "{\"source\": \"__kernel void count_last(const __global KF_T *x, "
	    "__global KF_T *out, uint rows, uint cols, uint x_stride) { const "
	    "size_t r = get_global_id(0); if (r >= rows) return; float n = "
	    "0.0f; for (uint c = 0; c < cols; c++) n += kf_load(x, r * "
	    "x_stride + c) != 0.0f; kf_store(out, r, n); }\", \"entry\": "
	    "\"count_last\", \"global_size\": [\"rows\"], \"local_size\": "
	    "[\"1\"]}",
	    "for (uint c = 0; c + 4 <= cols; c += 4) sum += four(c);",
	    "the last cols % 4 elements are left out: a loop over blocks needs "
	    "its tail" },
};

const struct fewshot *
fewshot_find(const char *category)
{
	for (size_t i = 0; i < COUNT(fewshots); i++)
		if (strcmp(fewshots[i].category, category) == 0)
			return &fewshots[i];
	return NULL;
}
