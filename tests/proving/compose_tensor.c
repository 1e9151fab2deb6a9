/*
 * matmul and rope, each with several ways to cut the work.
 */
#include "base/mem.h"
#include "tests/proving/composing.h"
#include <stdio.h>
#include <stdlib.h>

static const char *
multiply_add(struct composing *c)
{
	return COMPOSE_OF(c, "acc = fma(p, q, acc);", "acc += p * q;",
	    "acc = p * q + acc;");
}

static void
matmul_element(struct composing *c)
{
	uint32_t lx = 1U << compose_below(c, 5), ly = 1U << compose_below(c, 4);
	uint32_t unroll = 1 + compose_below(c, 4);

	snprintf(c->global[0], sizeof c->global[0], "round_up(n, %u)", lx);
	snprintf(c->global[1], sizeof c->global[1], "round_up(m, %u)", ly);
	c->local[0] = lx;
	c->local[1] = ly;
	buf_addf(&c->body,
	    "\tconst uint j = get_global_id(0), i = get_global_id(1);\n"
	    "\tif (i >= m || j >= n)\n\t\treturn;\n"
	    "\tfloat acc = 0.0f;\n\tuint t = 0;\n"
	    "\tfor (; t + %u <= k; t += %u)\n"
	    "\t\tfor (uint u = 0; u < %u; u++) {\n",
	    unroll, unroll, unroll);
	buf_addf(&c->body,
	    "\t\t\tconst float p = kf_load(a, (%s)i * a_stride + t + u);\n"
	    "\t\t\tconst float q = kf_load(b, (%s)(t + u) * b_stride + j);\n"
	    "\t\t\t%s\n\t\t}\n",
	    c->index_t, c->index_t, multiply_add(c));
	buf_addf(&c->body,
	    "\tfor (; t < k; t++)\n"
	    "\t\tacc += kf_load(a, (%s)i * a_stride + t) * kf_load(b, (%s)t * "
	    "b_stride + j);\n"
	    "\tkf_store(out, (%s)i * out_stride + j, acc);\n",
	    c->index_t, c->index_t, c->index_t);
}

static void
matmul_tile(struct composing *c)
{
	uint32_t n = 2U << compose_below(c, 4);
	bool padded = compose_below(c, 2);

	snprintf(c->global[0], sizeof c->global[0], "round_up(n, %u)", n);
	snprintf(c->global[1], sizeof c->global[1], "round_up(m, %u)", n);
	c->local[0] = c->local[1] = n;
	buf_addf(&c->head, "#define TILE %u\n", n);
	buf_addf(&c->body,
	    "\t%s float left[TILE][TILE%s], right[TILE][TILE%s];\n"
	    "\tconst uint lx = get_local_id(0), ly = get_local_id(1);\n"
	    "\tconst uint j = get_global_id(0), i = get_global_id(1);\n"
	    "\tfloat acc = 0.0f;\n"
	    "\tfor (uint t = 0; t < k; t += TILE) {\n",
	    c->local_q, padded ? " + 1" : "", padded ? " + 1" : "");
	buf_addf(&c->body,
	    "\t\tleft[ly][lx] = i < m && t + lx < k ? kf_load(a, (%s)i * "
	    "a_stride + t + lx) : 0.0f;\n"
	    "\t\tright[ly][lx] = j < n && t + ly < k ? kf_load(b, (%s)(t + ly) "
	    "* b_stride + j) : 0.0f;\n"
	    "\t\tbarrier(CLK_LOCAL_MEM_FENCE);\n",
	    c->index_t, c->index_t);
	buf_addf(&c->body,
	    "\t\tfor (uint u = 0; u < TILE; u++) {\n"
	    "\t\t\tconst float p = left[ly][u], q = right[u][lx];\n"
	    "\t\t\t%s\n\t\t}\n\t\tbarrier(CLK_LOCAL_MEM_FENCE);\n\t}\n"
	    "\tif (i < m && j < n)\n"
	    "\t\tkf_store(out, (%s)i * out_stride + j, acc);\n",
	    multiply_add(c), c->index_t);
}

static void
matmul_row(struct composing *c)
{
	uint32_t lanes = 16U << compose_below(c, 4);

	snprintf(c->global[0], sizeof c->global[0], "m * %u", lanes);
	c->local[0] = lanes;
	buf_addf(&c->body,
	    "\tconst %s i = get_group_id(0);\n"
	    "\tfor (uint j = get_local_id(0); j < n; j += %u) {\n"
	    "\t\tfloat acc = 0.0f;\n"
	    "\t\tfor (uint t = 0; t < k; t++) {\n"
	    "\t\t\tconst float p = kf_load(a, i * a_stride + t);\n"
	    "\t\t\tconst float q = kf_load(b, (%s)t * b_stride + j);\n"
	    "\t\t\t%s\n\t\t}\n"
	    "\t\tkf_store(out, i * out_stride + j, acc);\n\t}\n",
	    c->index_t, lanes, c->index_t, multiply_add(c));
}

void
compose_matmul(struct composing *c)
{
	static void (*const forms[])(
	    struct composing *) = { matmul_element, matmul_tile, matmul_row };

	forms[compose_below(c, 3)](c);
}

/* ---- rope */

/* The pair d of row `row`. */
static void
add_pair(struct composing *c)
{
	buf_addf(&c->body,
	    "\tconst float angle = (float)positions[row %% seq] * %s;\n",
	    COMPOSE_OF(c, "pow(base, -2.0f * (float)d / (float)dim)",
	        "pow(base, -(float)(2 * d) / (float)dim)",
	        "exp(-log(base) * (2.0f * (float)d / (float)dim))"));
	buf_adds(&c->body,
	    compose_below(c, 2)
	        ? "\tfloat co;\n\tconst float si = sincos(angle, &co);\n"
	        : "\tconst float co = cos(angle), si = sin(angle);\n");
	buf_addf(&c->body,
	    "\tconst %s lo = row * dim + d, hi = lo + half_dim;\n"
	    "\tconst float p = kf_load(x, lo), q = kf_load(x, hi);\n",
	    c->index_t);
	buf_adds(&c->body,
	    compose_below(c, 2)
	        ? "\tkf_store(out, lo, p * co - q * si);\n"
	          "\tkf_store(out, hi, p * si + q * co);\n"
	        : "\tkf_store(out, hi, fma(q, co, p * si));\n"
	          "\tkf_store(out, lo, fma(p, co, -(q * si)));\n");
}

static void
rope_flat(struct composing *c)
{
	uint32_t local = 1U << compose_below(c, 8);

	snprintf(c->global[0], sizeof c->global[0],
	    "round_up(batch * seq * (dim / 2), %u)", local);
	c->local[0] = local;
	buf_adds(&c->body,
	    "\tconst uint half_dim = dim / 2;\n"
	    "\tconst size_t at = get_global_id(0);\n"
	    "\tif (at >= (size_t)batch * seq * half_dim)\n\t\treturn;\n"
	    "\tconst size_t row = at / half_dim;\n"
	    "\tconst uint d = at % half_dim;\n");
	add_pair(c);
}

static void
rope_plane(struct composing *c)
{
	uint32_t local = 1U << compose_below(c, 6);

	snprintf(c->global[0], sizeof c->global[0], "round_up(dim / 2, %u)",
	    local);
	snprintf(c->global[1], sizeof c->global[1], "batch * seq");
	c->local[0] = local;
	c->local[1] = 1;
	buf_adds(&c->body,
	    "\tconst uint half_dim = dim >> 1;\n"
	    "\tconst size_t row = get_global_id(1);\n"
	    "\tconst uint d = get_global_id(0);\n"
	    "\tif (d >= half_dim)\n\t\treturn;\n");
	add_pair(c);
}

static void
rope_rows(struct composing *c)
{
	uint32_t local = 8U << compose_below(c, 4);

	snprintf(c->global[0], sizeof c->global[0], "batch * seq * %u", local);
	c->local[0] = local;
	buf_addf(&c->body,
	    "\tconst uint half_dim = dim / 2;\n"
	    "\tconst size_t row = get_group_id(0);\n"
	    "\tfor (uint d = get_local_id(0); d < half_dim; d += %u) {\n",
	    local);
	add_pair(c);
	buf_adds(&c->body, "\t}\n");
}

void
compose_rope(struct composing *c)
{
	static void (*const forms[])(
	    struct composing *) = { rope_flat, rope_plane, rope_rows };

	forms[compose_below(c, 3)](c);
}
