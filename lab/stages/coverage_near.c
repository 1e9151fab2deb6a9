/*
 * Equal values satisfy a test with a tolerance and are right behind it.  Its
 * limits are constants of the program: rows are drawn just within each of them,
 * and just within its half, since what is compared may be two steps apart.
 */
#include "lab/stages/coverage_near.h"

#include "lab/stages/coverage_landmarks.h"
#include "ops/near_values.h"
#include <math.h>

#define CONSTANTS_MAX   64
#define LIMITS_MAX      6
#define LIMIT_LEAST     1e-9f
#define LIMIT_MOST      0.26f
#define WITHIN          0.9375f
#define ROWS_PER_LIMIT  20
#define STEPS_PER_LIMIT 12
#define AROUND_LARGE    2 /* as powers of two */
#define AROUND_MOST     5 /* beyond it exponentials end */
#define PREVIOUS_AMONG  4

/* Constants that a difference may be held against, each once. */
static uint32_t
find_limits(struct cover *c, float out[LIMITS_MAX])
{
	float all[CONSTANTS_MAX];
	size_t n = cond_constants_real(cover_program(c), all, CONSTANTS_MAX);
	uint32_t found = 0;

	for (size_t i = 0; i < n && found < LIMITS_MAX; i++) {
		float v = fabsf(all[i]);
		bool is_known = false;

		for (uint32_t k = 0; k < found; k++)
			is_known |= out[k] == v;
		if (v >= LIMIT_LEAST && v <= LIMIT_MOST && !is_known)
			out[found++] = v;
	}
	return found;
}

/* Values as near as a limit lets them be: even steps, whose length it may mean
 * itself, around small numbers and large ones of both signs; the others by its
 * share of the value, or by it whole. */
static struct near_values
near_limit(struct draw *dice, float limit, uint32_t nth)
{
	struct near_values ret = { .way = NEAR_STEPS };
	int e = nth / 2 % 2 ? (int)draw_range(dice, AROUND_LARGE, AROUND_MOST)
	                    : AROUND_LARGE - (int)draw_range(dice, 0, 4);
	float m = 1.0f + (float)draw_range(dice, 0, 255) / 256.0f;
	bool is_half = nth < STEPS_PER_LIMIT ? nth % 12 < 8 : nth % 3 == 0;

	ret.around = ldexpf(nth % 2 ? m : -m, e);
	ret.delta = limit * WITHIN * (is_half ? 0.5f : 1.0f);
	if (nth >= STEPS_PER_LIMIT)
		ret.way = (enum near_way)draw_range(dice, 0, NEAR_STEPS - 1);
	if (nth >= STEPS_PER_LIMIT && nth % 4 == 3)
		ret.delta /= fabsf(ret.around);
	return ret;
}

/* One row of a tensor: previous is the one before it, other is the
 * first tensor's, or NULL. */
struct near_place {
	float *v;
	const float *previous, *other;
	uint32_t n;
};

static void
fill_near(struct draw *dice, enum dtype d, const struct near_place *p,
    const struct near_values *near)
{
	uint32_t way = draw_range(dice, 0, PREVIOUS_AMONG - 1);
	float delta = near->way == NEAR_STEPS
	    ? near->delta / fabsf(near->around)
	    : near->delta;

	if (p->other && way < 2)
		near_copy(dice, d, delta, p->other, p->v, p->n, 1);
	else if (p->previous && way == 0 && near->way != NEAR_STEPS)
		near_copy(dice, d, delta, p->previous, p->v, p->n, 1);
	else
		near_fill(dice, d, near, p->v, p->n, 1);
}

static void
fill_tensor(struct draw *dice, struct trial_case *tc, size_t arg,
    const float *limits, uint32_t nlimits)
{
	struct op_extent e = tc->in->op->extent(&tc->in->shape, arg);
	struct op_extent first = tc->in->op->extent(&tc->in->shape, 0);
	uint32_t from =
	    e.rows > COVERAGE_NEAR_ROWS ? e.rows - COVERAGE_NEAR_ROWS : 0;
	bool is_like = arg > 0 && first.rows == e.rows && first.cols == e.cols;
	enum dtype d = tc->in->c->dtype;

	for (uint32_t r = from; r < e.rows; r++) {
		uint32_t k = r - from, of = k / ROWS_PER_LIMIT;
		size_t at = (size_t)r * e.cols;
		struct near_values near = of < nlimits
		    ? near_limit(dice, limits[of], k % ROWS_PER_LIMIT)
		    : near_draw(dice, d);
		const struct near_place p = { .v = tc->in->in[arg] + at,
			.previous =
			    r > from ? tc->in->in[arg] + at - e.cols : NULL,
			.other = is_like ? tc->in->in[0] + at : NULL,
			.n = e.cols };

		fill_near(dice, d, &p, &near);
		for (uint32_t i = 0;
		     tc->in->op->args[arg].draw == OP_DRAW_ABS && i < p.n; i++)
			p.v[i] = fabsf(p.v[i]);
	}
}

void
coverage_near_rows(struct trial *t, struct cover *c, struct trial_case *tc)
{
	const struct op *op = t->rq->op;
	float limits[LIMITS_MAX];
	uint32_t nlimits = find_limits(c, limits);
	struct draw dice;

	draw_init(&dice, t->seed.seed, "near");
	for (size_t i = 0; i < op->nargs; i++)
		if (tc->in->in[i] && !op_is_weight(op, i) &&
		    op->args[i].draw != OP_DRAW_NORMAL)
			fill_tensor(&dice, tc, i, limits, nlimits);
}
