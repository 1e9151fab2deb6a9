/*
 * The variables of an expression are the operator's uint arguments, by the
 * names that kernel-contract.md lists.  A global size that is not a multiple
 * of the local size is rounded up by nobody.
 */
#include "lab/run/geometry.h"

#include "lab/read/size_expression.h"

/* More work items than any launch can mean. */
#define GLOBAL_MAX ((int64_t)1 << 40)

static size_t
scalars_of(const struct op *op, const struct op_shape *s,
    struct expr_var vars[OP_ARGS_MAX])
{
	size_t n = 0;

	for (size_t i = 0; i < op->nargs; i++) {
		if (op->args[i].kind != OP_UINT)
			continue;
		vars[n].name = op->args[i].name;
		vars[n++].value = op_scalar_uint(&op->args[i], s);
	}
	return n;
}

static enum err
check_dim(const struct candidate *c, size_t dim, int64_t global, int64_t local,
    struct why *why)
{
	if (local < 1)
		return why_set(why, ERR_RANGE,
		    "local_size[%zu] \"%s\" is zero: expected at least 1", dim,
		    c->local[dim]);
	if (global > GLOBAL_MAX || local > GLOBAL_MAX)
		return why_set(why, ERR_RANGE,
		    "global_size[%zu] \"%s\" is too large", dim,
		    c->global[dim]);
	/* OpenCL 1.2 demands it (clEnqueueNDRangeKernel,
	 * CL_INVALID_WORK_GROUP_SIZE); found here, it is named by its
	 * expressions. */
	if (global % local != 0)
		return why_set(why, ERR_RANGE,
		    "global_size[%zu] \"%s\" is not a multiple of "
		    "local_size[%zu] \"%s\"",
		    dim, c->global[dim], dim, c->local[dim]);
	return ERR_OK;
}

enum err
geometry_eval(const struct op *op, const struct op_shape *s,
    const struct candidate *c, struct order_geometry *ret, struct why *why)
{
	struct order_geometry g = { .ndims = c->ndims };
	struct expr_var vars[OP_ARGS_MAX];
	size_t nvars = scalars_of(op, s, vars);

	for (size_t i = 0; i < c->ndims; i++) {
		int64_t global, local;
		enum err e;

		e = expr_eval(c->global[i], vars, nvars, &global, why);
		if (e != ERR_OK)
			return why_prefix(why, e, "global_size[%zu]", i);
		e = expr_eval(c->local[i], vars, nvars, &local, why);
		if (e != ERR_OK)
			return why_prefix(why, e, "local_size[%zu]", i);
		e = check_dim(c, i, global, local, why);
		if (e != ERR_OK)
			return e;
		g.global[i] = (uint64_t)global;
		g.local[i] = (uint64_t)local;
	}
	*ret = g;
	return ERR_OK;
}

void
geometry_choices(const struct op *op, const struct op_shape *s,
    const struct candidate *c, struct expr_choices *ret)
{
	struct expr_var vars[OP_ARGS_MAX];
	size_t nvars = scalars_of(op, s, vars);
	int64_t v;

	*ret = (struct expr_choices){ 0 };
	for (size_t i = 0; i < c->ndims; i++)
		if (expr_choose(c->global[i], vars, nvars, &v, ret, NULL) !=
		        ERR_OK ||
		    expr_choose(c->local[i], vars, nvars, &v, ret, NULL) !=
		        ERR_OK)
			return;
}

uint64_t
geometry_width(const struct order_geometry *g)
{
	uint64_t width = 0;

	for (uint32_t i = 0; i < g->ndims; i++)
		if (g->global[i] > width)
			width = g->global[i];
	return width;
}

bool
geometry_is_empty(const struct order_geometry *g)
{
	for (uint32_t i = 0; i < g->ndims; i++)
		if (g->global[i] == 0)
			return true;
	return false;
}

uint64_t
geometry_groups(const struct order_geometry *g, uint64_t *ret_items)
{
	uint64_t n = 1, items = 1;

	for (uint32_t d = 0; d < g->ndims; d++) {
		n *= g->global[d] / g->local[d];
		items *= g->global[d];
	}
	if (ret_items)
		*ret_items = items;
	return n;
}

uint64_t
geometry_group_items(const struct order_geometry *g)
{
	uint64_t n = 1;

	for (uint32_t d = 0; d < g->ndims; d++)
		n *= g->local[d];
	return n;
}
