/*
 * The control kernel: when a child ends in a way that a kernel should not be
 * able to cause, a kernel that is known to be good takes the same road.  If
 * it fails too, the machine is at fault and the candidate is not judged.
 */
#include "lab/stages/control_kernel.h"

#include "base/mem.h"
#include "lab/run/child_handle.h"
#include "lab/stages/open_lab.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CONTROL_BYTES ((size_t)4096)
#define CONTROL_VALUE 0x2aU

const char control_source[] =
    "__kernel void control(__global uint *out, uint v)\n"
    "{ out[get_global_id(0)] = v; }\n";

static const struct order_geometry control_geometry = { .ndims = 1,
	.global = { 64 },
	.local = { 64 } };

static bool
await_kind(struct child_handle *w, enum answer_kind kind,
    struct order_answer *ret)
{
	return child_handle_await(w, ret) == CHILD_HANDLE_ANSWER &&
	    ret->kind == kind;
}

static bool
build_control(struct lab *l, struct child_handle *w, uint32_t *ret_features)
{
	struct order_build *o = xcalloc(1, sizeof *o);
	struct order_answer a;

	o->kind = ORDER_BUILD;
	o->nargs = 2;
	o->args[0] = OP_OUT;
	o->args[1] = OP_UINT;
	o->ngeometries = 1;
	o->geometries[0] = control_geometry;
	snprintf(o->entry, sizeof o->entry, "control");
	o->source_bytes = (uint32_t)snprintf(o->source, sizeof o->source, "%s",
	    control_source);
	child_handle_build(w, o, l->conf.build_deadline_ms);
	free(o);
	if (!await_kind(w, ANSWER_BUILT, &a))
		return false;
	if (ret_features)
		*ret_features = a.features;
	return true;
}

static bool
run_control(struct lab *l, struct child_handle *w)
{
	struct order_launch o = { .kind = ORDER_LAUNCH,
		.geometry = control_geometry,
		.scalars = { 0, CONTROL_VALUE } };
	struct order_answer a;
	void *input, *output;
	uint32_t got = 0;

	o.regions[0].map_bytes = o.regions[0].data_bytes = CONTROL_BYTES;
	if (child_handle_arenas(w, CONTROL_BYTES, CONTROL_BYTES, &input,
	        &output, NULL) != ERR_OK)
		return false;
	child_handle_launch(w, &o, l->conf.deadline_ms);
	if (!await_kind(w, ANSWER_RAN, &a))
		return false;
	/* The first element is enough: the question is whether anything runs
	 * here, and not how well. */
	memcpy(&got, output, sizeof got);
	return got == CONTROL_VALUE;
}

bool
control_passes(struct lab *l, uint32_t *ret_features)
{
	struct child_handle *w = NULL;
	bool ok;

	if (child_handle_start(l->zygote, l->scratch, &w, NULL) != ERR_OK)
		return false;
	ok = build_control(l, w, ret_features) && run_control(l, w);
	child_handle_stop(w);
	return ok;
}
