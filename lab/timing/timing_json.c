/*
 * Timing as JSON; a number that there is not is null, because 0 would be a
 * measurement.
 */
#include "lab/timing/timing.h"

#include <math.h>

static const char *const status_names[LAB_TIMING_NSTATUSES] = {
	[LAB_TIMING_GOOD] = "good",
	[LAB_TIMING_NOISY] = "noisy",
	[LAB_TIMING_IMPOSSIBLE] = "impossible",
	[LAB_TIMING_CLOCKS] = "clocks disagree",
};

const char *
lab_timing_status_name(enum lab_timing_status s)
{
	return status_names[s];
}

static json_t *
number(double v)
{
	return isfinite(v) ? json_real(v) : json_null();
}

json_t *
lab_machine_json(const struct lab_machine *m)
{
	return json_pack("{s:o, s:o, s:o, s:o, s:I, s:i}", "read_gbs",
	    number(m->read_gbs), "triad_gbs", number(m->triad_gbs),
	    "peak_gflops", number(m->peak_gflops), "launch_us",
	    number(m->launch_us), "cache_bytes", (json_int_t)m->cache_bytes,
	    "cpu", m->cpu);
}

static json_t *
series_json(const struct lab_series *s)
{
	return json_pack("{s:f, s:f, s:f, s:f, s:I, s:b}", "median_ms",
	    s->median_ms, "q1_ms", s->q1_ms, "q3_ms", s->q3_ms, "device_ms",
	    s->device_ms, "samples", (json_int_t)s->samples, "noisy",
	    s->is_noisy);
}

static json_t *
size_json(const struct lab_timing_size *s)
{
	return json_pack("{s:s, s:s, s:b, s:s, s:f, s:f, s:f, s:s, s:o, s:o, "
	                 "s:o, s:o, s:o, s:I}",
	    "name", s->name, "shape", s->shape, "held_out", s->is_held_out,
	    "status", status_names[s->status], "bytes", s->bytes, "flops",
	    s->flops, "floor_ms", s->floor_ms, "bound_by",
	    s->flops_ms > s->memory_ms ? "compute" : "memory", "plain",
	    series_json(&s->plain), "candidate", series_json(&s->candidate),
	    "speedup", number(s->speedup), "roofline", number(s->roofline),
	    "sol", number(s->sol), "discarded", (json_int_t)s->discarded);
}

json_t *
lab_timing_json(const struct lab_timing *t)
{
	json_t *sizes = json_array();

	for (size_t i = 0; i < t->nsizes; i++)
		json_array_append_new(sizes, size_json(&t->sizes[i]));
	return json_pack("{s:o, s:o}", "sizes", sizes, "speedup",
	    t->speedup > 0 ? json_real(t->speedup) : json_null());
}
