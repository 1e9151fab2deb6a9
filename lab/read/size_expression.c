/*
 * An operator-precedence evaluator on two explicit stacks.
 *
 * Operands wait on one stack; operators, open parentheses and function names
 * wait on the other until something of lower precedence, a comma or a closing
 * parenthesis applies them.  What may come next is one bit (an operand or an
 * operator), so the grammar needs no recursion and the depth is a constant.
 * To add a function: one row in functions[].
 */
#include "lab/read/size_expression.h"

#include "base/slice.h"
#include <ctype.h>
#include <stdbool.h>
#include <string.h>

typedef bool expr_fn(int64_t a, int64_t b, int64_t *ret);

struct expr_op {
	const char *name;
	unsigned arity;
	unsigned precedence; /* 0: a function */
	expr_fn *apply;
};

/* A waiting operator or function; op is NULL for a plain parenthesis. */
struct expr_mark {
	const struct expr_op *op;
	bool open;      /* "(" or "f(": waits for its ")" */
	unsigned nargs; /* complete arguments before the current one */
};

struct expr {
	const char *text; /* borrowed, the whole */
	const char *at;
	const struct expr_var *vars;
	size_t nvars;
	struct why *why;
	struct expr_choices *choices; /* NULL: nobody asks */
	int64_t values[EXPR_DEPTH_MAX];
	size_t nvalues;
	struct expr_mark marks[EXPR_DEPTH_MAX];
	size_t nmarks;
	bool want_operand;
};

static expr_fn do_add, do_sub, do_mul, do_div, do_mod;
static expr_fn do_ceil_div, do_round_up, do_min, do_max, do_pow2_ceil;

/* clang-format off */
static const struct expr_op operators[] = {
	{ "+", 2, 1, do_add },
	{ "-", 2, 1, do_sub },
	{ "*", 2, 2, do_mul },
	{ "/", 2, 2, do_div },
	{ "%", 2, 2, do_mod },
};

static const struct expr_op functions[] = {
	{ "ceil_div",  2, 0, do_ceil_div  },
	{ "max",       2, 0, do_max       },
	{ "min",       2, 0, do_min       },
	{ "pow2_ceil", 1, 0, do_pow2_ceil },
	{ "round_up",  2, 0, do_round_up  },
};
/* clang-format on */

static enum err take_operand(struct expr *x);
static enum err take_operator(struct expr *x);
static enum err close_paren(struct expr *x);
static enum err apply_top(struct expr *x);

enum err
expr_eval(const char *text, const struct expr_var *vars, size_t nvars,
    int64_t *ret, struct why *why)
{
	return expr_choose(text, vars, nvars, ret, NULL, why);
}

enum err
expr_choose(const char *text, const struct expr_var *vars, size_t nvars,
    int64_t *ret, struct expr_choices *choices, struct why *why)
{
	struct expr x = { .text = text,
		.at = text,
		.vars = vars,
		.nvars = nvars,
		.why = why,
		.choices = choices,
		.want_operand = true };
	enum err e = ERR_OK;

	if (strlen(text) > EXPR_BYTES_MAX)
		return why_set(why, ERR_TOOBIG,
		    "expression of %zu bytes: expected at most %d",
		    strlen(text), EXPR_BYTES_MAX);
	while (e == ERR_OK) {
		x.at += strspn(x.at, " \t\r\n");
		if (*x.at == '\0')
			break;
		e = x.want_operand ? take_operand(&x) : take_operator(&x);
	}
	if (e == ERR_OK && x.want_operand)
		e = why_set(why, ERR_SYNTAX,
		    "\"%s\": ends where an operand is expected", text);
	while (e == ERR_OK && x.nmarks > 0) {
		if (x.marks[x.nmarks - 1].open)
			e = why_set(why, ERR_SYNTAX,
			    "\"%s\": a parenthesis is not closed", text);
		else
			e = apply_top(&x);
	}
	if (e == ERR_OK)
		*ret = x.values[0];
	return e;
}

static enum err
push_value(struct expr *x, int64_t v)
{
	if (x->nvalues == EXPR_DEPTH_MAX)
		return why_set(x->why, ERR_TOOBIG, "\"%s\": nested too deeply",
		    x->text);
	x->values[x->nvalues++] = v;
	x->want_operand = false;
	return ERR_OK;
}

static enum err
push_mark(struct expr *x, const struct expr_op *op, bool open)
{
	if (x->nmarks == EXPR_DEPTH_MAX)
		return why_set(x->why, ERR_TOOBIG, "\"%s\": nested too deeply",
		    x->text);
	x->marks[x->nmarks++] = (struct expr_mark){ .op = op, .open = open };
	x->want_operand = true;
	return ERR_OK;
}

static enum err
take_number(struct expr *x)
{
	int64_t v = 0;

	for (; isdigit((unsigned char)*x->at); x->at++)
		if (__builtin_mul_overflow(v, (int64_t)10, &v) ||
		    __builtin_add_overflow(v, (int64_t)(*x->at - '0'), &v))
			return why_set(x->why, ERR_RANGE,
			    "\"%s\": a number does not fit 64 bits", x->text);
	/* C would read 1u, 0x40 and 1.5; here each would be a number with
	 * something behind it, and a wrong size. */
	if (isalpha((unsigned char)*x->at) || *x->at == '_' || *x->at == '.')
		return why_set(x->why, ERR_SYNTAX,
		    "\"%s\": '%c' after a number: expected decimal integers",
		    x->text, *x->at);
	return push_value(x, v);
}

static const struct expr_op *
find_op(const struct expr_op *ops, size_t n, struct slice name)
{
	for (size_t i = 0; i < n; i++)
		if (slice_is(name, ops[i].name))
			return &ops[i];
	return NULL;
}

static enum err
take_name(struct expr *x)
{
	struct slice name = { x->at, 0 };
	const struct expr_op *fn;

	while (isalnum((unsigned char)*x->at) || *x->at == '_')
		x->at++;
	name.n = (size_t)(x->at - name.p);
	for (size_t i = 0; i < x->nvars; i++)
		if (slice_is(name, x->vars[i].name))
			return push_value(x, x->vars[i].value);
	fn = find_op(functions, COUNT(functions), name);
	if (!fn)
		return why_set(x->why, ERR_SYNTAX,
		    "\"%s\": unknown name \"" SLICE_FMT
		    "\": expected a scalar argument of the operator",
		    x->text, SLICE_ARG(name));
	x->at += strspn(x->at, " \t");
	if (*x->at != '(')
		return why_set(x->why, ERR_SYNTAX,
		    "\"%s\": expected \"(\" after %s", x->text, fn->name);
	x->at++;
	return push_mark(x, fn, true);
}

static enum err
take_operand(struct expr *x)
{
	unsigned char c = (unsigned char)*x->at;

	if (isdigit(c))
		return take_number(x);
	if (isalpha(c) || c == '_')
		return take_name(x);
	if (c == '(') {
		x->at++;
		return push_mark(x, NULL, true);
	}
	return why_set(x->why, ERR_SYNTAX,
	    "\"%s\": found '%c' where an operand is expected", x->text, c);
}

/* The operator on top, or NULL when a parenthesis or nothing is there. */
static const struct expr_op *
top_operator(const struct expr *x)
{
	if (x->nmarks == 0 || x->marks[x->nmarks - 1].open)
		return NULL;
	return x->marks[x->nmarks - 1].op;
}

/* Applies what waits down to the innermost open parenthesis. */
static enum err
apply_to_open(struct expr *x)
{
	enum err e = ERR_OK;

	while (e == ERR_OK && x->nmarks > 0 && !x->marks[x->nmarks - 1].open)
		e = apply_top(x);
	if (e == ERR_OK && x->nmarks == 0)
		e = why_set(x->why, ERR_SYNTAX,
		    "\"%s\": '%c' without an open parenthesis", x->text,
		    *x->at);
	return e;
}

static enum err
take_comma(struct expr *x)
{
	enum err e = apply_to_open(x);
	struct expr_mark *m;

	if (e != ERR_OK)
		return e;
	m = &x->marks[x->nmarks - 1];
	/* This comma completes one argument, and one more must follow. */
	if (!m->op || m->nargs + 2 > m->op->arity)
		return why_set(x->why, ERR_SYNTAX,
		    "\"%s\": a comma that no function expects", x->text);
	m->nargs++;
	x->at++;
	x->want_operand = true;
	return ERR_OK;
}

static enum err
take_operator(struct expr *x)
{
	struct slice name = { x->at, 1 };
	const struct expr_op *op, *top;
	enum err e = ERR_OK;

	if (*x->at == ')')
		return close_paren(x);
	if (*x->at == ',')
		return take_comma(x);
	op = find_op(operators, COUNT(operators), name);
	if (!op)
		return why_set(x->why, ERR_SYNTAX,
		    "\"%s\": found '%c' where an operator is expected", x->text,
		    *x->at);
	/* Equals are applied first: operators of one rank read from the
	 * left. */
	while (e == ERR_OK && (top = top_operator(x)) != NULL &&
	    top->precedence >= op->precedence)
		e = apply_top(x);
	if (e != ERR_OK)
		return e;
	x->at++;
	return push_mark(x, op, false);
}

static enum err
close_paren(struct expr *x)
{
	enum err e = apply_to_open(x);
	struct expr_mark *m;

	if (e != ERR_OK)
		return e;
	x->at++;
	m = &x->marks[x->nmarks - 1];
	/* The last argument has no comma behind it; that it is there,
	 * want_operand has seen to. */
	if (m->op && m->nargs + 1 != m->op->arity)
		return why_set(x->why, ERR_SYNTAX,
		    "\"%s\": %s takes %u arguments", x->text, m->op->name,
		    m->op->arity);
	return apply_top(x);
}

static void
note_choice(struct expr_choices *c, expr_fn *fn, int64_t a, int64_t b)
{
	uint64_t bit = c->n < 64 ? (uint64_t)1 << c->n : 0;
	bool is_min = fn == do_min;

	/* Nobody divides by zero: that expression is in error before. */
	if (b > 0 && (fn == do_div || fn == do_mod)) {
		c->first |= (fn == do_div ? a >= b : a % b == 0) ? bit : 0;
		c->other |= bit;
		c->divides |= bit;
	} else {
		c->first |= (is_min ? a <= b : a >= b) ? bit : 0;
		c->other |= (is_min ? b <= a : b >= a) ? bit : 0;
	}
	c->n++;
}

static bool
is_choice(expr_fn *fn)
{
	return fn == do_min || fn == do_max || fn == do_div || fn == do_mod;
}

/* Takes the top mark off and applies its operator or complete function. */
static enum err
apply_top(struct expr *x)
{
	const struct expr_op *op = x->marks[--x->nmarks].op;
	int64_t a, b, v;

	if (!op)
		return ERR_OK;
	x->nvalues -= op->arity;
	a = x->values[x->nvalues];
	b = op->arity > 1 ? x->values[x->nvalues + 1] : 0;
	if (!op->apply(a, b, &v))
		return why_set(x->why, ERR_RANGE,
		    "\"%s\": %s overflows, divides by zero or is negative",
		    x->text, op->name);
	if (x->choices && is_choice(op->apply))
		note_choice(x->choices, op->apply, a, b);
	x->values[x->nvalues++] = v;
	return ERR_OK;
}

static bool
do_add(int64_t a, int64_t b, int64_t *ret)
{
	return !__builtin_add_overflow(a, b, ret);
}

static bool
do_sub(int64_t a, int64_t b, int64_t *ret)
{
	*ret = a - b; /* both are at least 0 */
	return *ret >= 0;
}

static bool
do_mul(int64_t a, int64_t b, int64_t *ret)
{
	return !__builtin_mul_overflow(a, b, ret);
}

static bool
do_div(int64_t a, int64_t b, int64_t *ret)
{
	if (b == 0)
		return false;
	*ret = a / b;
	return true;
}

static bool
do_mod(int64_t a, int64_t b, int64_t *ret)
{
	if (b == 0)
		return false;
	*ret = a % b;
	return true;
}

static bool
do_ceil_div(int64_t a, int64_t b, int64_t *ret)
{
	if (b == 0)
		return false;
	*ret = a / b + (a % b != 0);
	return true;
}

static bool
do_round_up(int64_t a, int64_t b, int64_t *ret)
{
	return do_ceil_div(a, b, ret) && do_mul(*ret, b, ret);
}

static bool
do_min(int64_t a, int64_t b, int64_t *ret)
{
	*ret = a < b ? a : b;
	return true;
}

static bool
do_max(int64_t a, int64_t b, int64_t *ret)
{
	*ret = a > b ? a : b;
	return true;
}

static bool
do_pow2_ceil(int64_t a, int64_t b, int64_t *ret)
{
	int64_t v = 1;

	(void)b;
	while (v < a)
		if (__builtin_mul_overflow(v, (int64_t)2, &v))
			return false;
	*ret = v;
	return true;
}
