/*
 * The sum of several operators' speed-ups is their geometric mean: the mean of
 * ratios would let one large one hide the losses.
 */
#include "agent/telling/speed.h"

#include <math.h>
#include <stdio.h>

static const double speed_ps[SPEED_NPS] = { 1, 1.5, 2 };

void
speed_make(json_t *ops, struct speed *ret)
{
	struct speed s = { .total = json_array_size(ops) };
	size_t above[SPEED_NPS] = { 0 }, i;
	double logs = 0;
	json_t *row;

	json_array_foreach(ops, i, row) {
		double v = json_number_value(json_object_get(row, "speedup"));

		if (v <= 0)
			continue;
		s.measured++;
		logs += log(v);
		for (size_t k = 0; k < SPEED_NPS; k++)
			above[k] += v > speed_ps[k];
	}
	for (size_t k = 0; k < SPEED_NPS && s.total > 0; k++)
		s.fast[k] = (double)above[k] / (double)s.total;
	s.mean = s.measured ? exp(logs / (double)s.measured) : 0;
	*ret = s;
}

json_t *
speed_json(const struct speed *s)
{
	if (s->measured == 0)
		return json_null();
	return json_pack("{s:I, s:I, s:f, s:f, s:f, s:f}", "measured",
	    (json_int_t)s->measured, "total", (json_int_t)s->total, "fast_1",
	    s->fast[0], "fast_1.5", s->fast[1], "fast_2", s->fast[2],
	    "geometric_mean", s->mean);
}

bool
speed_text(const struct speed *s, char *out, size_t size)
{
	if (s->measured == 0)
		return false;
	(void)snprintf(out, size,
	    "Speed over the plain kernels: %.2fx (geometric mean of %zu of %zu "
	    "operators); fast_1 %.2f, fast_1.5 %.2f, fast_2 %.2f",
	    s->mean, s->measured, s->total, s->fast[0], s->fast[1], s->fast[2]);
	return true;
}
