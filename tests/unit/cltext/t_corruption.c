#include "cltext/corruption.h"
#include "tests/unit.h"

#include <stdlib.h>
#include <string.h>

/* Edits are ascending and disjoint, and stay inside the source. */
static void
check_edits(const struct corrupt_site *site, size_t n, const char *what)
{
	uint32_t at = 0;

	CHECK(site->nedits > 0 && site->line > 0, what);
	for (size_t i = 0; i < site->nedits; i++) {
		const struct corrupt_edit *e = &site->edits[i];

		CHECK(e->at >= at && e->at + e->len <= n, what);
		at = e->at + e->len;
	}
}

#define HEAD                                                                   \
	"__kernel void rope(const __global KF_T *x, const __global int "       \
	"*positions, "                                                         \
	"__global KF_T *out, uint batch, uint seq, uint dim, float base)\n{\n"

static const struct {
	const char *what, *source, *want; /* want NULL: no site */
} rope[] = {
	/* clang-format off */
	{ "half variable",
	  HEAD "uint half_dim = dim / 2; size_t i = get_global_id(0);\n"
	  "uint d = i % half_dim; size_t row = i / half_dim;\n"
	  "float a = kf_load(x, row * dim + d), b = kf_load(x, row * dim + d + half_dim);\n"
	  "kf_store(out, row * dim + d, a); kf_store(out, row * dim + d + half_dim, b);\n}\n",
	  HEAD "uint half_dim = dim / 2; size_t i = get_global_id(0);\n"
	  "uint d = i % half_dim; size_t row = i / half_dim;\n"
	  "float a = kf_load(x, row * dim + 2 * d), b = kf_load(x, row * dim + 2 * d + 1);\n"
	  "kf_store(out, row * dim + 2 * d, a); kf_store(out, row * dim + 2 * d + 1, b);\n}\n" },
	{ "indices kept in variables",
	  HEAD "const uint hd = dim >> 1; uint d = get_global_id(0); if (d >= hd) return;\n"
	  "size_t lo = (size_t)get_global_id(1) * dim + d, hi = lo + hd;\n"
	  "kf_store(out, lo, kf_load(x, lo)); kf_store(out, hi, kf_load(x, hi));\n}\n",
	  HEAD "const uint hd = dim >> 1; uint d = get_global_id(0); if (d >= hd) return;\n"
	  "size_t lo = (size_t)get_global_id(1) * dim + 2 * d, hi = lo + 1;\n"
	  "kf_store(out, lo, kf_load(x, lo)); kf_store(out, hi, kf_load(x, hi));\n}\n" },
	{ "dim / 2 inline, parenthesised, half first",
	  HEAD "uint d = get_global_id(0); if (d >= dim / 2u) return; size_t base_at = get_global_id(1) * dim;\n"
	  "kf_store(out, base_at + (size_t)d, kf_load(x, (base_at + d)));\n"
	  "kf_store(out, base_at + (dim / 2) + d, kf_load(x, base_at + (d + dim / 2)));\n}\n",
	  HEAD "uint d = get_global_id(0); if (d >= dim / 2u) return; size_t base_at = get_global_id(1) * dim;\n"
	  "kf_store(out, base_at + (size_t)2 * d, kf_load(x, (base_at + 2 * d)));\n"
	  "kf_store(out, base_at + 1 + 2 * d, kf_load(x, base_at + (2 * d + 1)));\n}\n" },
	{ "no guard, d found in the exponent",
	  HEAD "size_t d = get_global_id(0), r = get_global_id(1) * dim;\n"
	  "float f = pow(base, -2.0f * (float)d / (float)dim);\n"
	  "kf_store(out, r + d, f * kf_load(x, r + d)); kf_store(out, r + d + dim / 2, f * kf_load(x, r + d + dim / 2));\n}\n",
	  HEAD "size_t d = get_global_id(0), r = get_global_id(1) * dim;\n"
	  "float f = pow(base, -2.0f * (float)d / (float)dim);\n"
	  "kf_store(out, r + 2 * d, f * kf_load(x, r + 2 * d)); kf_store(out, r + 2 * d + 1, f * kf_load(x, r + 2 * d + 1));\n}\n" },
	{ "pointer arithmetic and plain subscripts",
	  HEAD "uint h = dim / 2; const __global KF_T *xr = x + (size_t)get_group_id(0) * dim; __global KF_T *yr = out + get_group_id(0) * dim;\n"
	  "const __global KF_T *xh = xr + h;\n"
	  "for (uint d = get_local_id(0); d < h; d += get_local_size(0)) {\n"
	  "kf_store(yr, d, kf_load(xr, d)); kf_store(&yr[h], d, kf_load(xh, d)); }\n}\n",
	  HEAD "uint h = dim / 2; const __global KF_T *xr = x + (size_t)get_group_id(0) * dim; __global KF_T *yr = out + get_group_id(0) * dim;\n"
	  "const __global KF_T *xh = xr + 1;\n"
	  "for (uint d = get_local_id(0); d < h; d += get_local_size(0)) {\n"
	  "kf_store(yr, 2 * d, kf_load(xr, 2 * d)); kf_store(&yr[1], 2 * d, kf_load(xh, 2 * d)); }\n}\n" },
	{ "a macro for half",
	  "#define HALF (dim / 2)\n" HEAD "uint d = get_global_id(0) % HALF; size_t o = get_global_id(0) / HALF * dim + d;\n"
	  "kf_store(out, o, kf_load(x, o)); kf_store(out, o + HALF, kf_load(x, o + HALF));\n}\n",
	  "#define HALF (dim / 2)\n" HEAD "uint d = get_global_id(0) % HALF; size_t o = get_global_id(0) / HALF * dim + 2 * d;\n"
	  "kf_store(out, o, kf_load(x, o)); kf_store(out, o + 1, kf_load(x, o + 1));\n}\n" },
	{ "d no term of its own",
	  HEAD "uint h = dim / 2, i = get_global_id(0), row = i / h; uint d = i - row * h;\n"
	  "kf_store(out, i + row * h, kf_load(x, i + row * h)); kf_store(out, i + row * h + h, kf_load(x, i + row * h + h));\n}\n",
	  HEAD "uint h = dim / 2, i = get_global_id(0), row = i / h; uint d = i - row * h;\n"
	  "kf_store(out, i + row * h + d, kf_load(x, i + row * h + d)); kf_store(out, i + row * h + 1 + d, kf_load(x, i + row * h + 1 + d));\n}\n" },
	{ "a local tile",
	  HEAD "__local float t[256]; uint h = dim / 2; size_t r = get_group_id(0) * dim;\n"
	  "for (uint e = get_local_id(0); e < dim; e += get_local_size(0)) t[e] = kf_load(x, r + e);\n"
	  "barrier(CLK_LOCAL_MEM_FENCE);\nfor (uint d = get_local_id(0); d < h; d += get_local_size(0)) {\n"
	  "kf_store(out, r + d, t[d]); kf_store(out, r + d + h, t[d + h]); }\n}\n",
	  HEAD "__local float t[256]; uint h = dim / 2; size_t r = get_group_id(0) * dim;\n"
	  "for (uint e = get_local_id(0); e < dim; e += get_local_size(0)) t[e] = kf_load(x, r + e);\n"
	  "barrier(CLK_LOCAL_MEM_FENCE);\nfor (uint d = get_local_id(0); d < h; d += get_local_size(0)) {\n"
	  "kf_store(out, r + 2 * d, t[2 * d]); kf_store(out, r + 2 * d + 1, t[2 * d + 1]); }\n}\n" },
	{ "positions are left alone, comments and strings too",
	  HEAD "// d + half\nuint half_ = dim / 2, d = get_global_id(0); if (d >= half_) return; uint s = get_global_id(1);\n"
	  "float a = (float)positions[s] * pow(base, -2.0f * d / dim); size_t o = (get_global_id(2) * seq + s) * dim;\n"
	  "out[o + d] = x[o + d] * a; out[o + d + half_] = x[o + d + half_]; /* x[d + half_] */\n}\n",
	  HEAD "// d + half\nuint half_ = dim / 2, d = get_global_id(0); if (d >= half_) return; uint s = get_global_id(1);\n"
	  "float a = (float)positions[s] * pow(base, -2.0f * d / dim); size_t o = (get_global_id(2) * seq + s) * dim;\n"
	  "out[o + 2 * d] = x[o + 2 * d] * a; out[o + 2 * d + 1] = x[o + 2 * d + 1]; /* x[d + half_] */\n}\n" },
	{ "one work item an element",
	  HEAD "uint h = dim / 2; size_t i = get_global_id(0); uint e = i % dim; uint d = e < h ? e : e - h;\n"
	  "float o = e >= h ? kf_load(x, i - h) : -kf_load(x, i + (dim / 2));\n"
	  "kf_store(out, i, kf_load(x, i) + o * pow(base, -2.0f * d / dim)); uint q = e % h, r = e >= h ? e - h : e;\n}\n",
	  HEAD "uint h = dim / 2; size_t i = get_global_id(0); uint e = i % dim; uint d = e / 2;\n"
	  "float o = e % 2 == 1 ? kf_load(x, i - 1) : -kf_load(x, i + 1);\n"
	  "kf_store(out, i, kf_load(x, i) + o * pow(base, -2.0f * d / dim)); uint q = e / 2, r = e / 2;\n}\n" },
	{ "another operator", "__kernel void relu(const __global KF_T *x, __global KF_T *out, uint rows, uint cols)\n"
	  "{ size_t i = get_global_id(0); kf_store(out, i, fmax(kf_load(x, i), 0.0f)); }\n", NULL },
	{ "already interleaved",
	  HEAD "uint h = dim / 2, i = get_global_id(0), d = i % h; size_t o = i / h * dim + 2 * d;\n"
	  "kf_store(out, o, kf_load(x, o)); kf_store(out, o + 1, kf_load(x, o + 1));\n}\n", NULL },
	{ "nothing", "", NULL },
	{ "unbalanced", "kf_load(x, d + (h", NULL },
	/* clang-format on */
};

static void
check_registry(void)
{
	for (size_t i = 0; i < corrupt_count(); i++) {
		const struct corrupt_operator *op = corrupt_at(i);

		CHECK(corrupt_find(op->name) == op, op->name);
		CHECK(*op->rewrite && *op->invisible && *op->shows, op->name);
		if (i > 0)
			CHECK(strcmp(corrupt_at(i - 1)->name, op->name) < 0,
			    "sorted by name");
	}
	CHECK(corrupt_at(corrupt_count()) == NULL, "past the last");
	CHECK(corrupt_find("no_such") == NULL, "an unknown name");
}

static void
check_rope(void)
{
	const struct corrupt_operator *op = corrupt_find("rope_interleaved");

	for (size_t i = 0; i < COUNT(rope); i++) {
		size_t n = strlen(rope[i].source);
		struct corrupt_sites s;
		char *got;

		corrupt_sites_find(op, rope[i].source, n, &s);
		CHECK_INT(s.n, rope[i].want ? 1 : 0, rope[i].what);
		if (s.n == 1 && rope[i].want) {
			check_edits(&s.items[0], n, rope[i].what);
			got = corrupt_apply(rope[i].source, n, &s.items[0]);
			CHECK_STR(got, rope[i].want, rope[i].what);
			free(got);
		}
		corrupt_sites_done(&s);
	}
}

void
t_corruption(void)
{
	check_registry();
	check_rope();
}
