/* Launch geometry: a candidate's expressions over one shape. */
#ifndef LAB_GEOMETRY_H
#define LAB_GEOMETRY_H

#include "cltext/candidate.h"
#include "lab/read/size_expression.h"
#include "lab/run/order.h"
#include "ops/op.h"
#include <stdbool.h>

/*
 * ERR_SYNTAX  an expression does not parse: no shape can help.
 * ERR_RANGE   it fails on this shape, or global is not a multiple of local.
 * *why names the expression and never a value of the shape.
 */
enum err geometry_eval(const struct op *op, const struct op_shape *s,
    const struct candidate *c, struct order_geometry *ret, struct why *why);

/* Which way each min and max of the expressions goes: *ret is theirs under one
 * shape, or of those before an error. */
void geometry_choices(const struct op *op, const struct op_shape *s,
    const struct candidate *c, struct expr_choices *ret);

/* The largest global size of all dimensions. */
uint64_t geometry_width(const struct order_geometry *g);

/* Work groups, and (unless NULL) work items. */
uint64_t geometry_groups(const struct order_geometry *g, uint64_t *ret_items);
/* Work items of a group. */
uint64_t geometry_group_items(const struct order_geometry *g);

/* Nothing is launched: a zero in the global size. */
bool geometry_is_empty(const struct order_geometry *g);

#endif
