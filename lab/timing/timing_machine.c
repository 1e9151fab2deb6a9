/*
 * What the machine can do, by three kernels of our own on the road that every
 * timed kernel takes: the same device, child, buffers and clock.
 *
 *	read	one sum over an array larger than the caches
 *	triad	a[i] = b[i] + s c[i] over three of them
 *	peak	independent multiply-adds on registers, as many as keep the
 *		units busy
 *
 * The fastest of several launches counts: a floor must not be too high.
 */
#include "lab/timing/timing.h"

#include "base/mem.h"
#include "lab/timing/timing_rig.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LAUNCHES        15
#define GROUP_FLOATS    ((size_t)WIDE * ITEM_WIDES * LOCAL)
#define WIDE            16 /* floats in a float16 */
#define ITEM_WIDES      64 /* float16 that one work item handles */
#define LOCAL           16
#define ARRAY_BYTES_MAX ((size_t)96 << 20)
#define PEAK_LOOPS      20000
#define PEAK_ROUNDS     4
#define PEAK_SUMS       12

static const char machine_source[] =
    "#define ITEM_WIDES 64\n"
    "__kernel void machine_read(const __global float *x,\n"
    "    const __global float *y, __global float *out, uint n, float s)\n"
    "{\n"
    "	size_t at = get_global_id(0) * ITEM_WIDES;\n"
    "	float16 a = s, b = s, c = s, d = s;\n"
    "	for (uint i = 0; i < ITEM_WIDES; i += 4) {\n"
    "		a += vload16(at + i, x);\n"
    "		b += vload16(at + i + 1, x);\n"
    "		c += vload16(at + i + 2, x);\n"
    "		d += vload16(at + i + 3, x);\n"
    "	}\n"
    "	a += b + c + d;\n"
    "	float8 e = a.lo + a.hi;\n"
    "	float4 f = e.lo + e.hi;\n"
    "	out[get_global_id(0)] = f.x + f.y + f.z + f.w;\n"
    "}\n"
    "__kernel void machine_triad(const __global float *x,\n"
    "    const __global float *y, __global float *out, uint n, float s)\n"
    "{\n"
    "	size_t at = get_global_id(0) * ITEM_WIDES;\n"
    "	for (uint i = 0; i < ITEM_WIDES; i++)\n"
    "		vstore16(vload16(at + i, x) + s * vload16(at + i, y),\n"
    "		    at + i, out);\n"
    "}\n"
    "#define STEP(v) v = mad(v, m, p)\n"
    "__kernel void machine_peak(const __global float *x,\n"
    "    const __global float *y, __global float *out, uint n, float s)\n"
    "{\n"
    "	float16 a = s, b = s + 1, c = s + 2, d = s + 3, e = s + 4,\n"
    "	    f = s + 5, g = s + 6, h = s + 7, i = s + 8, j = s + 9,\n"
    "	    k = s + 10, l = s + 11, m = x[0], p = y[0];\n"
    "	for (uint t = 0; t < n; t++) {\n"
    "		STEP(a); STEP(b); STEP(c); STEP(d); STEP(e); STEP(f);\n"
    "		STEP(g); STEP(h); STEP(i); STEP(j); STEP(k); STEP(l);\n"
    "	}\n"
    "	a += b + c + d + e + f + g + h + i + j + k + l;\n"
    "	vstore16(a, get_global_id(0), out);\n"
    "}\n";

/* x, y, out, n, s */
#define NARGS 5
static const uint32_t machine_args[NARGS] = { OP_IN, OP_IN, OP_OUT, OP_UINT,
	OP_REAL };

/*
 * A kernel, how far it reaches, and the first value it must leave.  One that
 * computes in registers, on no arrays, finds nothing in a cache: to sweep it
 * would only cost.  What a launch costs is measured as launches are, swept.
 */
struct probe {
	const char *entry;
	bool over_arrays; /* else one work group */
	bool is_swept;
	uint32_t n;
	float s, x, y, want;
};

enum probe_id {
	PROBE_READ,
	PROBE_TRIAD,
	PROBE_PEAK,
	PROBE_EMPTY, /* what the peak's launch costs without its work */
	PROBE_LAUNCH,
	NPROBES
};

/* clang-format off */
static const struct probe probes[NPROBES] = {
	[PROBE_READ]   = { "machine_read",  true,  true,  0,	       0.0f, 1.0f, 2.0f, 1024.0f },
	[PROBE_TRIAD]  = { "machine_triad", true,  true,  0,	       3.0f, 1.0f, 2.0f, 7.0f },
	[PROBE_PEAK]   = { "machine_peak",  false, false, PEAK_LOOPS, 0.0f, 0.5f, 2.0f, 48.0f },
	[PROBE_EMPTY]  = { "machine_peak",  false, false, 0,	       0.0f, 0.5f, 2.0f, 66.0f },
	[PROBE_LAUNCH] = { "machine_peak",  false, true,  0,	       0.0f, 0.5f, 2.0f, 66.0f },
};
/* clang-format on */

struct probe_run {
	const struct probe *probe;
	size_t floats; /* of each array */
	struct rig rig;
	struct sweep *sweep;
	int cpu;
};

static struct order_geometry
geometry_of(const struct probe_run *r)
{
	uint64_t items = LOCAL;

	if (r->probe->over_arrays)
		items = r->floats / WIDE / ITEM_WIDES;
	return (struct order_geometry){ .ndims = 1,
		.global = { items },
		.local = { LOCAL } };
}

static enum err
build_probe(struct lab *l, struct probe_run *r, struct why *why)
{
	struct order_build *o = xcalloc(1, sizeof *o);
	enum err e;

	o->kind = ORDER_BUILD;
	o->nargs = NARGS;
	memcpy(o->args, machine_args, sizeof machine_args);
	o->ngeometries = 1;
	o->geometries[0] = geometry_of(r);
	snprintf(o->entry, sizeof o->entry, "%s", r->probe->entry);
	o->source_bytes = (uint32_t)snprintf(o->source, sizeof o->source, "%s",
	    machine_source);
	e = rig_start(&r->rig, l, r->probe->entry, o, why);
	free(o);
	return e == ERR_OK ? rig_await(&r->rig, r->cpu, why) : e;
}

static void
fill(float *p, size_t n, float v)
{
	for (size_t i = 0; i < n; i++)
		p[i] = v;
}

static enum err
arm_probe(struct probe_run *r, struct why *why)
{
	size_t bytes = r->floats * sizeof(float);
	struct order_launch o = { .geometry = geometry_of(r) };
	enum err e = rig_arenas(&r->rig, 2 * bytes, bytes, why);

	if (e != ERR_OK)
		return e;
	for (uint32_t i = 0; i < 3; i++)
		o.regions[i] = (struct order_region){ .map_bytes = bytes,
			.data_bytes = bytes };
	o.regions[1].map_at = o.regions[1].data_at = bytes;
	o.scalars[3] = r->probe->n;
	memcpy(&o.scalars[4], &r->probe->s, sizeof r->probe->s);
	fill((float *)(void *)r->rig.input, r->floats, r->probe->x);
	fill((float *)(void *)(r->rig.input + bytes), r->floats, r->probe->y);
	fill((float *)(void *)r->rig.output, r->floats, -1.0f);
	return rig_arm(&r->rig, 0, &o, why);
}

static enum err
fire_probe(struct probe_run *r, double *ret_ms, struct why *why)
{
	double best_ms = HUGE_VAL;
	struct rig_time t;
	float got;

	for (int i = 0; i <= LAUNCHES; i++) {
		enum err e;

		if (r->probe->is_swept)
			sweep_caches(r->sweep);
		e = rig_fire(&r->rig, 0, &t, why);
		if (e != ERR_OK)
			return e;
		/* The first launch pays for pages and caches that the others
		 * find. */
		if (i > 0 && t.parent_ms < best_ms)
			best_ms = t.parent_ms;
	}
	memcpy(&got, r->rig.output, sizeof got);
	if (fabsf(got - r->probe->want) > 1e-3f)
		return why_set(why, ERR_ENV, "%s leaves %g: expected %g",
		    r->probe->entry, (double)got, (double)r->probe->want);
	*ret_ms = best_ms;
	return ERR_OK;
}

static enum err
measure(struct lab *l, struct probe_run *r, double *ret_ms, struct why *why)
{
	enum err e = build_probe(l, r, why);

	if (e == ERR_OK)
		e = arm_probe(r, why);
	if (e == ERR_OK)
		e = fire_probe(r, ret_ms, why);
	rig_stop(&r->rig);
	return e;
}

/* Whole work groups; the three arrays together are larger than the caches,
 * where an arena can hold that. */
static size_t
array_floats(size_t cache_bytes)
{
	size_t step = GROUP_FLOATS;
	size_t bytes =
	    cache_bytes < ARRAY_BYTES_MAX ? cache_bytes : ARRAY_BYTES_MAX;
	size_t floats = bytes / sizeof(float);

	return (floats + step - 1) / step * step;
}

/*
 * The best of both, until the work takes longer than nothing: where others have
 * the processor all the time, one of the two may never have been alone with it.
 * NAN then: there is no number, and no floor by it.
 */
static enum err
measure_peak(struct lab *l, struct probe_run *r, double ms[NPROBES],
    double *ret_gflops, struct why *why)
{
	for (int i = 0; i < PEAK_ROUNDS && ms[PROBE_PEAK] <= ms[PROBE_EMPTY];
	     i++)
		for (int k = PROBE_PEAK; k <= PROBE_EMPTY; k++) {
			double again_ms;
			enum err e;

			r->probe = &probes[k];
			e = measure(l, r, &again_ms, why);
			if (e != ERR_OK)
				return e;
			ms[k] = fmin(ms[k], again_ms);
		}
	*ret_gflops = ms[PROBE_PEAK] > ms[PROBE_EMPTY]
	    ? 2.0 * LOCAL * WIDE * PEAK_SUMS * PEAK_LOOPS / 1e6 /
	        (ms[PROBE_PEAK] - ms[PROBE_EMPTY])
	    : (double)NAN;
	return ERR_OK;
}

enum err
lab_machine_measure(struct lab *l, struct lab_machine *ret, struct why *why)
{
	struct lab_machine m = { .cache_bytes = sweep_cache_bytes(),
		.cpu = sched_getcpu() };
	struct probe_run r = { .cpu = m.cpu };
	size_t floats = array_floats(m.cache_bytes);
	double ms[NPROBES] = { 0 };
	enum err e = ERR_OK;
	struct sweep sweep;
	struct pin pin;
	double array_mb;

	sweep_init(&sweep, m.cache_bytes);
	pin_enter(&pin, m.cpu);
	r.sweep = &sweep;
	for (int i = 0; i < NPROBES && e == ERR_OK; i++) {
		r.probe = &probes[i];
		/* Filling three arrays that nobody reads takes longer than the
		 * measuring. */
		r.floats = r.probe->over_arrays ? floats : GROUP_FLOATS;
		e = measure(l, &r, &ms[i], why);
	}
	r.floats = GROUP_FLOATS;
	if (e == ERR_OK)
		e = measure_peak(l, &r, ms, &m.peak_gflops, why);
	pin_leave(&pin);
	sweep_done(&sweep);
	if (e != ERR_OK)
		return e;
	array_mb = (double)floats * sizeof(float) / 1e6;
	m.read_gbs = array_mb / ms[PROBE_READ];
	m.triad_gbs = 3 * array_mb / ms[PROBE_TRIAD];
	m.launch_us = 1e3 * ms[PROBE_LAUNCH];
	*ret = m;
	return ERR_OK;
}
