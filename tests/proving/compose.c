/*
 * A kernel's outside: header lines, signature, kinds of helper.  The forms
 * fill the inside.
 */
#include "tests/proving/compose.h"

#include "base/mem.h"
#include "tests/proving/composing.h"
#include <stdlib.h>
#include <string.h>

#define TEXT_MAX ((size_t)1 << 16)

uint32_t
compose_below(struct composing *c, uint32_t n)
{
	return draw_range(c->d, 0, n - 1);
}

const char *
compose_of(struct composing *c, const char *const *words, size_t n)
{
	return words[compose_below(c, (uint32_t)n)];
}

void
compose_loop(struct composing *c, const char *var, const char *from,
    const char *to, const char *step)
{
	if (compose_below(c, 2))
		buf_addf(&c->body, "\tfor (%s %s = %s; %s < %s; %s += %s)",
		    c->count_t, var, from, var, to, var, step);
	else
		buf_addf(&c->body,
		    "\tfor (%s %s = (%s); !(%s >= %s); %s = %s + %s)",
		    c->count_t, var, from, var, to, var, var, step);
}

static bool
is_row_tensor(const struct op_arg *a)
{
	return (a->kind == OP_IN || a->kind == OP_OUT) &&
	    strcmp(a->name, "weight") != 0 && strcmp(a->name, "bias") != 0;
}

static bool
has_pitch(const struct composing *c, const char *tensor)
{
	char *name = xasprintf("%s_stride", tensor);
	bool found = false;

	for (size_t i = 0; i < c->op->nargs; i++)
		found |= strcmp(c->op->args[i].name, name) == 0;
	free(name);
	return found;
}

void
compose_rows(struct composing *c, const char *r)
{
	for (size_t i = 0; i < c->op->nargs && c->by_pointer; i++) {
		const struct op_arg *a = &c->op->args[i];

		if (is_row_tensor(a) && has_pitch(c, a->name))
			buf_addf(&c->body,
			    "\t%s__global KF_T *%s_row = %s + (%s)%s * "
			    "%s_stride;\n",
			    a->kind == OP_IN ? "const " : "", a->name, a->name,
			    c->index_t, r, a->name);
	}
}

char *
compose_load(struct composing *c, const char *t, const char *r, const char *col)
{
	if (!has_pitch(c, t))
		return xasprintf("kf_load(%s, %s)", t, col);
	if (c->by_pointer)
		return xasprintf("kf_load(%s_row, %s)", t, col);
	return xasprintf("kf_load(%s, (%s)%s * %s_stride + %s)", t, c->index_t,
	    r, t, col);
}

void
compose_store(struct composing *c, const char *r, const char *col,
    const char *value)
{
	if (c->by_pointer)
		buf_addf(&c->body, "\t\tkf_store(out_row, %s, %s);\n", col,
		    value);
	else
		buf_addf(&c->body,
		    "\t\tkf_store(out, (%s)%s * out_stride + %s, %s);\n",
		    c->index_t, r, col, value);
}

/* ---- outside */

static void
draw_style(struct composing *c)
{
	c->helper = COMPOSE_OF(c, "static float", "inline float",
	    "static inline float", "float", "__inline float");
	c->local_q = COMPOSE_OF(c, "__local", "local");
	c->index_t = COMPOSE_OF(c, "size_t", "ulong");
	c->count_t = COMPOSE_OF(c, "uint", "size_t", "unsigned int");
	c->by_pointer = compose_below(c, 2);
}

struct signature {
	const char *in, *out, *count, *real; /* "%s" is the name */
};

static struct signature
draw_signature(struct composing *c)
{
	struct signature s = {
		COMPOSE_OF(c, "const __global KF_T *$",
		    "__global const KF_T *$", "global const KF_T *restrict $",
		    "const __global KF_T *const restrict $",
		    "const __global KF_T $[]", "in_t $", "IN($)"),
		COMPOSE_OF(c, "__global KF_T *$", "global KF_T *restrict $",
		    "__global KF_T *const $", "out_t $", "__global KF_T $[]"),
		COMPOSE_OF(c, "uint $", "const uint $", "unsigned int $",
		    "unsigned $"),
		COMPOSE_OF(c, "float $", "const float $"),
	};

	if (strstr(s.in, "in_t"))
		buf_adds(&c->head, "typedef const __global KF_T *in_t;\n");
	if (strstr(s.in, "IN("))
		buf_adds(&c->head,
		    "#define IN(name) const __global KF_T *name\n");
	if (strstr(s.out, "out_t"))
		buf_adds(&c->head, "typedef __global KF_T *out_t;\n");
	return s;
}

static void
add_parameter(struct buf *b, const char *form, const char *name)
{
	const char *slot = strchr(form, '$');

	if (slot)
		buf_addf(b, "%.*s%s%s", (int)(slot - form), form, name,
		    slot + 1);
}

static void
add_parameters(const struct composing *c, const struct signature *s,
    struct buf *b)
{
	const char *const forms[] = {
		[OP_IN] = s->in,
		[OP_OUT] = s->out,
		[OP_POSITIONS] = "const __global int *$",
		[OP_UINT] = s->count,
		[OP_REAL] = s->real,
	};

	for (size_t i = 0; i < c->op->nargs; i++) {
		buf_adds(b, i > 0 ? ", " : "");
		add_parameter(b, forms[c->op->args[i].kind],
		    c->op->args[i].name);
	}
}

static void
add_header(struct composing *c, struct buf *b)
{
	buf_addf(b, "// entry: composed\n// global: ");
	for (size_t i = 0; i < 3 && c->local[i] > 0; i++)
		buf_addf(b, "%s%s", i > 0 ? ", " : "", c->global[i]);
	buf_adds(b, "\n// local: ");
	for (size_t i = 0; i < 3 && c->local[i] > 0; i++)
		buf_addf(b, "%s%u", i > 0 ? ", " : "", c->local[i]);
	buf_adds(b, "\n");
}

static void
add_kernel(struct composing *c, const struct signature *s, struct buf *b)
{
	switch (compose_below(c, 4)) {
	case 0:
		buf_adds(b, "kernel void\ncomposed(");
		break;
	case 1:
		buf_adds(b, "#define KERNEL __kernel void\nKERNEL\ncomposed(");
		break;
	case 2:
		buf_addf(b,
		    "__kernel __attribute__((reqd_work_group_size(%u, %u, "
		    "%u))) void\ncomposed(",
		    c->local[0], c->local[1] ? c->local[1] : 1,
		    c->local[2] ? c->local[2] : 1);
		break;
	default:
		buf_adds(b, "__kernel void composed(");
		break;
	}
	add_parameters(c, s, b);
	buf_adds(b, ")\n{\n");
}

static void
compose_inside(struct composing *c)
{
	static const struct {
		const char *category;
		void (*compose)(struct composing *c);
	} forms[] = {
		{ "elementwise", compose_map },
		{ "activation", compose_map },
		{ "reduction", compose_reduce },
		{ "normalisation", compose_norm },
		{ "position", compose_rope },
		{ "matrix", compose_matmul },
	};

	for (size_t i = 0; i < COUNT(forms); i++)
		if (strcmp(forms[i].category, c->op->category) == 0)
			forms[i].compose(c);
}

char *
compose_kernel(const struct op *op, struct draw *d)
{
	struct composing c = { .op = op, .d = d };
	struct signature s;
	struct buf b;
	char *head, *body;

	buf_init(&c.head, TEXT_MAX);
	buf_init(&c.body, TEXT_MAX);
	buf_init(&b, TEXT_MAX);
	draw_style(&c);
	s = draw_signature(&c);
	compose_inside(&c);
	add_header(&c, &b);
	head = buf_take(&c.head);
	body = buf_take(&c.body);
	buf_adds(&b, head);
	add_kernel(&c, &s, &b);
	buf_addf(&b, "%s}\n", body);
	free(head);
	free(body);
	return buf_take(&b);
}
