/*
 * S10, timing: how fast a verified kernel is, against the plain kernel of its
 * operator and against what the machine can do at all.
 *
 * The clock is the parent's; the device's own figure is a cross-check.  Both
 * kernels run in children of their own on one processor, taking turns in
 * random counts, on buffers that rotate, with the caches swept between any
 * two launches.  Every output is checked.  What is faster than 0.9 of the
 * floor is impossible, and nothing is claimed for it.
 */
#ifndef LAB_TIMING_H
#define LAB_TIMING_H

#include "lab/stages/request.h"

#define LAB_TIMING_SIZES_MAX 8
#define LAB_TIMING_SAMPLES   20 /* of each kernel, at the least */

/* What one processor can do, measured with OpenCL kernels of our own. */
struct lab_machine {
	double read_gbs;    /* a kernel that only reads */
	double triad_gbs;   /* a[i] = b[i] + s c[i], its 12 bytes counted */
	double peak_gflops; /* independent fused multiply-adds */
	double launch_us;   /* a launch that does next to nothing */
	size_t cache_bytes; /* the last-level cache */
	int cpu;            /* the processor that everything is pinned to */
};

/* Needs about a second.  ERR_ENV: the kernels do not run. */
enum err lab_machine_measure(struct lab *l, struct lab_machine *ret,
    struct why *why);

struct lab_series {
	double median_ms, q1_ms, q3_ms;
	double device_ms; /* median of the device's own clock */
	size_t samples;
	bool is_noisy; /* interquartile range over a tenth of the median */
};

enum lab_timing_status {
	LAB_TIMING_GOOD,
	LAB_TIMING_NOISY,      /* shown, with its spread */
	LAB_TIMING_IMPOSSIBLE, /* under 0.9 of the floor: no speed-up */
	LAB_TIMING_CLOCKS,     /* the device says more than the parent saw */
	LAB_TIMING_NSTATUSES
};
const char *lab_timing_status_name(enum lab_timing_status s);

struct lab_timing_size {
	char name[32];  /* "large", "held out" */
	char shape[48]; /* "2048x1024" */
	bool is_held_out;
	double bytes, flops;
	double floor_ms; /* the larger of the two below */
	double memory_ms, flops_ms;
	struct lab_series plain, candidate;
	double speedup;   /* over the plain kernel; below 1: a loss */
	double roofline;  /* floor over time */
	double sol;       /* 1 / (1 + (T - floor) / (T_plain - floor)) */
	size_t discarded; /* launches that other programs disturbed */
	enum lab_timing_status status;
};

struct lab_timing {
	struct lab_timing_size sizes[LAB_TIMING_SIZES_MAX];
	size_t nsizes;
	double speedup; /* geometric mean; 0 when a size is not claimed */
};

struct lab_timing_request {
	const struct op *op;
	const struct candidate *candidate;
	const struct lab_report *verdict; /* of this very source */
	const struct lab_machine *machine;
	const uint8_t *seed;          /* 32 bytes, or NULL: drawn fresh */
	const struct op_shape *shape; /* one size; NULL: the operator's */
	/* Told after each size; may be NULL. */
	void (*on_size)(const struct lab_timing_size *s, void *arg);
	void *arg;
};

/*
 * ERR_STATE   the verdict is not verified_correct, or of another source: what
 *             is not right has no speed.
 * ERR_DENIED  a timed launch gave a wrong output, or another one than before.
 * ERR_TIMEOUT, ERR_CLOSED, ERR_ENV, ERR_TOOBIG, ERR_RANGE: not timed.
 */
enum err lab_time(struct lab *l, const struct lab_timing_request *rq,
    struct lab_timing *ret, struct why *why);

json_t *lab_machine_json(const struct lab_machine *m);
json_t *lab_timing_json(const struct lab_timing *t);

#endif
