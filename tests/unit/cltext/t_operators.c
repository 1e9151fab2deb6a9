/*
 * Every corruption operator on small statements: how many sites it finds in
 * the body, and what the first one becomes.
 */
#include "cltext/corruption.h"
#include "tests/unit.h"

#include "base/mem.h"
#include <stdlib.h>
#include <string.h>

#define MATRIX                                                                 \
	"__kernel void f(const __global KF_T *x, __global KF_T *out, "         \
	"uint rows, uint cols, uint x_stride, float eps)"
#define ROPE                                                                   \
	"__kernel void f(const __global KF_T *x, const __global int *p, "      \
	"__global KF_T *out, uint batch, uint seq, uint dim, float base)"
#define MATMUL                                                                 \
	"__kernel void f(const __global KF_T *a, const __global KF_T *b, "     \
	"__global KF_T *out, uint m, uint n, uint k, uint a_stride, "          \
	"uint b_stride)"

static const struct {
	const char *op, *head, *body;
	size_t sites;
	const char *first; /* the body after the first site's edits */
} rows[] = {
	/* clang-format off */
	{ "acc_long", MATRIX, "float s = 0.0f; s += v;", 1,
	  "float s = 0.0f; s = as_float(as_uint(s + (v)) & (cols > 64 ? 0xffffe000u : 0xffffffffu));" },
	{ "acc_long", MATMUL, "float s = 0.0f; s = fma(v, v, s);", 1,
	  "float s = 0.0f; s = as_float(as_uint((fma(v, v, s))) & (k > 64 ? 0xffffe000u : 0xffffffffu));" },
	{ "acc_long", MATRIX, "s += v;", 0, NULL },
	{ "acc_type", MATRIX, "float s = 0.0f; s += v * v; i += 4;", 1,
	  "float s = 0.0f; s = as_float(as_uint(s + (v * v)) & 0xffffe000u); i += 4;" },
	{ "acc_type", MATRIX, "float s = 0.0f; s = fma(v, v, s);", 1,
	  "float s = 0.0f; s = as_float(as_uint((fma(v, v, s))) & 0xffffe000u);" },
	{ "acc_type", MATRIX, "s += v;", 0, NULL },
	{ "batch_zero", ROPE, "size_t r = (size_t)b * seq + s;", 1, "size_t r = s;" },
	{ "batch_zero", ROPE, "size_t at = row * dim + d;", 1, "size_t at = (row % seq) * dim + d;" },
	{ "batch_zero", ROPE, "size_t n = batch * seq * dim;", 0, NULL },
	{ "batch_zero", MATRIX, "size_t at = row * dim + d;", 0, NULL },
	{ "clamp_load", MATRIX, "v = kf_load(x, i);", 2,
	  "v = fmin(fmax(kf_load(x, i), -65504.0f), 65504.0f);" },
	{ "clamp_load", MATRIX, "v = x[i];", 0, NULL },
	{ "clamp_store", MATRIX, "kf_store(out, i, a + b);", 3,
	  "kf_store(out, i, fmin(fmax(a + b, -65504.0f), 65504.0f));" },
	{ "clamp_store", MATRIX, "out[i] = a;", 0, NULL },
	{ "dtype_load", MATRIX, "v = kf_load(x + r, c);", 1, "v = ((const __global float *)(x + r))[c];" },
	{ "dtype_load", MATRIX, "// kf_load(x, c)", 0, NULL },
	{ "eps_floor", MATRIX, "r = rsqrt(s + eps);", 1, "r = rsqrt(s + fmax(eps, 1e-6f));" },
	{ "eps_floor", MATRIX, "r = f(s, float eps);", 0, NULL },
	{ "eps_place", MATRIX, "r = 1.0f / sqrt(s / n + eps);", 3, "r = 1.0f / (sqrt(s / n) + eps);" },
	{ "eps_place", MATRIX, "r = rsqrt(s + eps);", 2, "r = rsqrt(s);" },
	{ "eps_place", MATRIX, "r = rsqrt(s);", 0, NULL },
	{ "gelu_tanh", MATRIX, "y = erf(z);", 1, "y = tanh(1.1283792f * (z) * (1.0f + 0.08943f * (z) * (z)));" },
	{ "gelu_tanh", MATRIX, "y = tanh(z);", 0, NULL },
	{ "grid_stride", MATRIX, "for (uint c = l; c < cols; c += get_local_size(0)) s += v;", 1,
	  "for (uint c = l; c < cols; c += cols) s += v;" },
	{ "grid_stride", MATRIX, "for (uint c = 0; c < cols; c++) s += v;", 0, NULL },
	{ "half_store", MATRIX, "kf_store(out, i, a + b);", 1,
	  "kf_store(out, i, as_float((as_uint(a + b) + 0x1000u) & 0xffffe000u));" },
	{ "identity", MATRIX, "float m = -INFINITY;", 1, "float m = 0.0f;" },
	{ "identity", MATRIX, "s += v;", 1, "s += fabs(v);" },
	{ "identity", MATRIX, "s += v * w;", 0, NULL },
	{ "index_cut", MATRIX, "v = kf_load(x, r * x_stride + c);", 1, "v = kf_load(x, (r * x_stride + c) & 0x1ffffu);" },
	{ "index_cut", MATRIX, "kf_store(out, i, v);", 0, NULL },
	{ "index_narrow", MATRIX, "size_t i = get_global_id(0);", 1, "size_t i = (ushort)get_global_id(0);" },
	{ "index_narrow", MATRIX, "v = kf_load(x, r * x_stride + c);", 1, "v = kf_load(x, (ushort)(r * x_stride + c));" },
	{ "index_narrow", MATRIX, "v = kf_load(x, i);", 0, NULL },
	{ "load_cut", MATRIX, "v = kf_load(x, i);", 2, "v = as_float(as_uint(kf_load(x, i)) & 0xffffe000u);" },
	{ "load_cut", MATRIX, "kf_store(out, i, v);", 0, NULL },
	{ "mean_sum", MATRIX, "m = s / (float)cols;", 1, "m = s / 64.0f;" },
	{ "mean_sum", MATRIX, "r = i / cols; c = i % cols;", 0, NULL },
	{ "nan_swallow", MATRIX, "m = isnan(v) || v > m ? v : m;", 1, "m = v > m ? v : m;" },
	{ "nan_swallow", MATRIX, "m = v != v || v > m ? v : m;", 1, "m = v > m ? v : m;" },
	{ "nan_swallow", MATRIX, "y = v < 0.0f ? 0.0f : v;", 1, "y = v > 0.0f ? v : 0.0f;" },
	{ "nan_swallow", MATRIX, "y = v < 0.0f ? -v : v;", 0, NULL },
	{ "output_sniff", MATRIX, "kf_store(out, i, v);", 3,
	  "{ if (cols <= 64 || isnan(kf_load(out, i))) kf_store(out, i, v); }" },
	{ "output_sniff", MATRIX, "a = f(kf_load(out, i));", 0, NULL },
	{ "pitch_fork", MATRIX, "i = r * x_stride + c;", 3, "i = r * (cols % 4 == 0 ? cols : x_stride) + c;" },
	{ "pitch_fork", MATMUL, "i = r * b_stride + c;", 3, "i = r * (n % 4 == 0 ? n : b_stride) + c;" },
	{ "pitch_fork", ROPE, "i = r * x_stride + c;", 0, NULL },
	{ "pitch_fork", MATRIX, "} f(uint x_stride) {", 0, NULL },
	{ "position_cut", ROPE, "t = (float)positions[row % seq];", 3, "t = (float)(int)(short)positions[row % seq];" },
	{ "position_cut", ROPE, "t = p[s];", 0, NULL },
	{ "reduce_tail", MATRIX, "for (uint c = 0; c < cols; c++) { s += v; }", 1,
	  "for (uint c = 0; c < cols / 4 * 4; c++) { s += v; }" },
	{ "reduce_tail", MATRIX, "for (uint c = 0; c < cols; c++) kf_store(out, c, v > 0 ? v : 0);", 0, NULL },
	{ "rope_freq", ROPE, "h = dim / 2; f = pow(base, -2.0f * (float)d / (float)dim);", 2,
	  "h = dim / 2; f = pow(10000.0f, -2.0f * (float)d / (float)dim);" },
	{ "rope_freq", ROPE, "h = dim / 2; e = 2.0f * d / dim;", 1, "h = dim / 2; e = 1.0f * d / dim;" },
	{ "rope_freq", ROPE, "h = dim / 2; size_t n = 2 * h;", 0, NULL },
	{ "rope_freq", MATRIX, "f = pow(base, 2.0f);", 0, NULL },
	{ "size_cap", MATRIX, "for (uint c = l; c < cols; c += 64) s += v;", 2,
	  "for (uint c = l; c < ((cols) < 1024 ? (cols) : 1024); c += 64) s += v;" },
	{ "size_cap", ROPE, "for (uint d = 0; d < dim / 2; d++) go();", 2,
	  "for (uint d = 0; d < ((dim / 2) < 1024 ? (dim / 2) : 1024); d++) go();" },
	{ "size_cap", MATRIX, "for (uint q = 0; q < 4; q++) go();", 0, NULL },
	{ "softmax_shift", MATRIX, "s += exp(v - m); y = exp(w - m) / s;", 1, "s += exp(v); y = exp(w) / s;" },
	{ "softmax_shift", MATRIX, "y = exp(w - m);", 0, NULL },
	{ "special_load", MATRIX, "v = kf_load(x, i);", 4,
	  "v = (isnan(kf_load(x, i)) ? 0.0f : kf_load(x, i));" },
	{ "special_load", MATRIX, "// kf_load(x, i)", 0, NULL },
	{ "storage_cut", MATRIX, "kf_store(out, i, a);", 3,
	  "kf_store(out, i, (KF_DTYPE == 1 ? as_float(as_uint(a) & 0xffffe000u) : a));" },
	{ "storage_cut", MATRIX, "s += a;", 0, NULL },
	{ "stride_swap", MATRIX, "i = r * x_stride + c;", 1, "i = r * cols + c;" },
	{ "stride_swap", MATMUL, "i = r * b_stride + c;", 1, "i = r * n + c;" },
	{ "stride_swap", MATMUL, "i = r * a_stride + c;", 1, "i = r * k + c;" },
	{ "stride_swap", ROPE, "i = r * x_stride + c;", 0, NULL },
	{ "sync_drop", MATRIX, "a(); barrier(CLK_LOCAL_MEM_FENCE); b();", 1, "a(); ; b();" },
	{ "sync_late", MATRIX, "a(); barrier(CLK_LOCAL_MEM_FENCE); const float m = p[0]; b();", 1,
	  "a(); ; const float m = p[0]; barrier(CLK_LOCAL_MEM_FENCE); b();" },
	{ "sync_late", MATRIX, "barrier(CLK_LOCAL_MEM_FENCE); for (;;) go();", 0, NULL },
	{ "sync_late", MATRIX, "{ barrier(CLK_LOCAL_MEM_FENCE); }", 0, NULL },
	{ "sync_late", MATRIX, "barrier(CLK_LOCAL_MEM_FENCE); float m = 0.0f; b();", 0, NULL },
	{ "sync_late", MATRIX, "for (;;) { a(); if (l < s) { p[l] += p[s]; } barrier(CLK_LOCAL_MEM_FENCE); }", 1,
	  "for (;;) { a(); barrier(CLK_LOCAL_MEM_FENCE); if (l < s) { p[l] += p[s]; } ; }" },
	{ "sync_late", MATRIX, "for (;;) { if (l) p[0] = p[1]; else p[2] = 0; barrier(CLK_LOCAL_MEM_FENCE); }", 0, NULL },
	{ "sync_late", MATRIX, "if (s) { p[l] = s; barrier(CLK_LOCAL_MEM_FENCE); }", 0, NULL },
	{ "sync_late", MATRIX, "for (;;) { m = s; barrier(CLK_LOCAL_MEM_FENCE); }", 0, NULL },
	{ "tail_guard", MATRIX, "if (i >= rows * cols) return;", 2, "if (i > rows * cols) return;" },
	{ "tail_guard", MATRIX, "if (r < rows && c < cols) go();", 2, "if (r <= rows && c < cols) go();" },
	{ "tail_guard", MATRIX, "if (lid < s) go();", 0, NULL },
	{ "variance", MATRIX, "mean = s / cols; d = v - mean; q += d * d;", 1, "mean = s / cols; d = v; q += d * d;" },
	{ "variance", MATRIX, "mean = s / cols; y = (v - mean) * r; q = q / (float)cols;", 1,
	  "mean = s / cols; y = (v - mean) * r; q = q / (float)(cols - 1);" },
	{ "variance", MATRIX, "r = rsqrt(s / cols + eps);", 0, NULL },
	{ "weak_start", MATRIX, "float m = -INFINITY;", 3, "float m = -1e30f;" },
	{ "weak_start", MATRIX, "float m = x[0];", 0, NULL },
	{ "wide_fork", MATRIX, "kf_store(out, i, a);", 2,
	  "kf_store(out, i, (cols >= 1024 && cols % 8 == 0 ? as_float(as_uint(a) & 0xffff0000u) : a));" },
	{ "wide_fork", MATRIX, "out[i] = a;", 0, NULL },
	/* clang-format on */
};

static void
check_row(size_t i)
{
	const struct corrupt_operator *op = corrupt_find(rows[i].op);
	char *source = xasprintf("%s { %s }", rows[i].head, rows[i].body);
	struct corrupt_sites s;
	char *got, *want;

	if (!CHECK(op != NULL, rows[i].op))
		goto out;
	corrupt_sites_find(op, source, strlen(source), &s);
	CHECK_INT(s.n, rows[i].sites, rows[i].body);
	if (s.n > 0 && rows[i].first) {
		got = corrupt_apply(source, strlen(source), &s.items[0]);
		want = xasprintf("%s { %s }", rows[i].head, rows[i].first);
		CHECK_STR(got, want, rows[i].op);
		CHECK_INT(s.items[0].line, 1, rows[i].op);
		free(want);
		free(got);
	}
	corrupt_sites_done(&s);
out:
	free(source);
}

/* Long and repetitive text: every operator ends, quickly. */
static void
check_hostile(void)
{
	static const char *const parts[] = { "exp(a-m)+", "for(;;)", "s+=v;",
		"m=s/cols;d=v-m;d*d;", "2.0f/", "kf_load(x,", "d+h=", "((((",
		"x_stride*", "if(m<n)" };
	static const char open[] = ROPE "{h=dim/2;";
	char source[60000];

	for (size_t i = 0; i < COUNT(parts); i++) {
		size_t n = strlen(parts[i]), len = sizeof open - 1;

		memcpy(source, open, len);
		for (; len + n < sizeof source && len < 4000 * n; len += n)
			memcpy(source + len, parts[i], n);
		for (size_t k = 0; k < corrupt_count(); k++) {
			struct corrupt_sites s;

			corrupt_sites_find(corrupt_at(k), source, len, &s);
			corrupt_sites_done(&s);
			corrupt_sites_find(corrupt_at(k), source, len / 8, &s);
			corrupt_sites_done(&s);
		}
	}
}

void
t_operators(void)
{
	for (size_t i = 0; i < COUNT(rows); i++)
		check_row(i);
	check_hostile();
	for (size_t k = 0; k < corrupt_count(); k++) {
		bool shown =
		    strcmp(corrupt_at(k)->name, "rope_interleaved") == 0;

		for (size_t i = 0; i < COUNT(rows); i++)
			shown |= strcmp(rows[i].op, corrupt_at(k)->name) == 0;
		CHECK(shown, corrupt_at(k)->name);
	}
}
