/* The arithmetic of timing: quantiles, floors, speed-ups, what is refused. */
#include "lab/timing/timing_stats.h"

#include "lab/timing/timing.h"
#include "tests/unit.h"
#include <math.h>

#define NONE ((double)NAN)

/* A machine of round numbers: 10 GB/s in, 100 ns a KB out, 100 GFLOP/s. */
static const struct lab_machine machine = { .read_gbs = 10,
	.triad_gbs = 10,
	.peak_gflops = 100 };

static bool
near(double got, double want)
{
	return fabs(got - want) <= 1e-9 * fabs(want);
}

static void
check_summary(void)
{
	double parent[] = { 5, 1, 3, 2, 4 }, device[] = { 1, 1, 1, 9, 1 };
	double steady[] = { 1.00, 1.01, 1.02, 1.03, 1.04 };
	double same[] = { 1, 1, 1, 1, 1 };
	struct lab_series s;

	timing_summarize(parent, device, 5, &s);
	CHECK(s.median_ms == 3 && s.q1_ms == 2 && s.q3_ms == 4, "quartiles");
	CHECK(s.device_ms == 1, "the device's median");
	CHECK(s.is_noisy, "two thirds of the median");
	timing_summarize(steady, same, 5, &s);
	CHECK(!s.is_noisy, "two hundredths of the median");
	CHECK(timing_quantile(parent, 0, 0.5) == 0, "of nothing");
	CHECK(timing_quantile(parent, 2, 0.5) == 1.5, "between two");
}

static void
check_floor(void)
{
	/* read bytes, written bytes, flops; what they cost in ms */
	static const struct {
		const char *what;
		struct op_traffic t;
		double flops, memory_ms, flops_ms, floor_ms;
	} rows[] = {
		{ "reading", { 1e7, 0 }, 1e6, 1.0, 0.01, 1.0 },
		{ "writing costs what the triad leaves", { 0, 1e7 }, 0, 1.0, 0,
		    1.0 },
		{ "computing", { 1e6, 0 }, 1e9, 0.1, 10, 10 },
	};
	struct lab_machine slow_writes = machine;
	struct lab_timing_size s;

	for (size_t i = 0; i < COUNT(rows); i++) {
		timing_floor(&machine, &rows[i].t, rows[i].flops, &s);
		CHECK(near(s.memory_ms, rows[i].memory_ms), rows[i].what);
		CHECK(near(s.flops_ms, rows[i].flops_ms), rows[i].what);
		CHECK(near(s.floor_ms, rows[i].floor_ms), rows[i].what);
	}
	slow_writes.triad_gbs = 7.5; /* 3/7.5 - 2/10 = 1/5 */
	timing_floor(&slow_writes, &rows[1].t, 0, &s);
	CHECK(near(s.floor_ms, 2.0), "a write that reads first");
}

static void
check_judgement(void)
{
	static const struct {
		const char *what;
		double plain_ms, candidate_ms, device_ms;
		bool noisy;
		enum lab_timing_status status;
		double speedup, roofline, sol;
	} rows[] = {
		{ "twice as fast", 4, 2, 2, false, LAB_TIMING_GOOD, 2, 0.5,
		    0.75 },
		{ "a loss", 2, 4, 4, false, LAB_TIMING_GOOD, 0.5, 0.25, 0.25 },
		{ "as fast as plain", 3, 3, 3, false, LAB_TIMING_GOOD, 1,
		    1 / 3.0, 0.5 },
		{ "at the floor", 3, 1, 1, false, LAB_TIMING_GOOD, 3, 1, 1 },
		{ "noisy, and still shown", 4, 2, 2, true, LAB_TIMING_NOISY, 2,
		    0.5, 0.75 },
		{ "just possible", 3, 0.91, 0.9, false, LAB_TIMING_GOOD,
		    3 / 0.91, 1 / 0.91, 1 / (1 - 0.045) },
		{ "impossible", 3, 0.89, 0.8, false, LAB_TIMING_IMPOSSIBLE,
		    NONE, NONE, NONE },
		{ "an impossible baseline", 0.5, 3, 3, false,
		    LAB_TIMING_IMPOSSIBLE, NONE, NONE, NONE },
		{ "the device saw more than we", 4, 2, 3, false,
		    LAB_TIMING_CLOCKS, NONE, NONE, NONE },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct lab_timing_size s = { .floor_ms = 1,
			.plain.median_ms = rows[i].plain_ms,
			.candidate = { .median_ms = rows[i].candidate_ms,
			    .device_ms = rows[i].device_ms,
			    .is_noisy = rows[i].noisy } };

		timing_judge(&s);
		CHECK_INT(s.status, rows[i].status, rows[i].what);
		if (isnan(rows[i].speedup)) {
			CHECK(isnan(s.speedup) && isnan(s.sol), rows[i].what);
			continue;
		}
		CHECK(near(s.speedup, rows[i].speedup), rows[i].what);
		CHECK(near(s.roofline, rows[i].roofline), rows[i].what);
		CHECK(near(s.sol, rows[i].sol), rows[i].what);
	}
}

static void
check_mean(void)
{
	struct lab_timing t = { .nsizes = 2,
		.sizes = { { .speedup = 4 }, { .speedup = 0.25 } } };

	CHECK(near(timing_mean(&t), 1), "a gain and the same loss");
	t.sizes[1].speedup = 9;
	CHECK(near(timing_mean(&t), 6), "geometric");
	t.sizes[1].speedup = NONE;
	CHECK(timing_mean(&t) == 0, "one size that is not claimed");
	t.nsizes = 0;
	CHECK(timing_mean(&t) == 0, "no size");
}

/* A machine of which a figure could not be had is told all the same. */
static void
check_machine_json(void)
{
	const struct lab_machine m = { .read_gbs = 1,
		.triad_gbs = -HUGE_VAL,
		.peak_gflops = HUGE_VAL };
	json_t *o = lab_machine_json(&m);

	CHECK(json_is_object(o) &&
	        json_is_null(json_object_get(o, "peak_gflops")) &&
	        json_is_null(json_object_get(o, "triad_gbs")),
	    "what is no number is null");
	json_decref(o);
}

void
t_timing_stats(void)
{
	check_summary();
	check_floor();
	check_judgement();
	check_mean();
	check_machine_json();
}
