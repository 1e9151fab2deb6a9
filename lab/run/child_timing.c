/*
 * Timed launches in a lab child.
 *
 * ARM maps a slot's buffers, every page of them touched, and keeps them; FIRE
 * launches on a slot and nothing else, so that what the parent's clock sees is
 * the launch and not the setting up.  The child names the time that its device
 * measured too: a second opinion, never the result.
 *
 * There are no guard zones here: only kernels that were verified come this
 * far, and their outputs are compared after every launch.
 */
#include "lab/run/child_process_priv.h"

#include <string.h>
#include <sys/mman.h>

struct slot {
	struct order_launch launch;
	void *maps[OP_ARGS_MAX]; /* NULL: not mapped */
	cl_mem buffers[OP_ARGS_MAX];
	bool is_armed;
};

static struct slot slots[ORDER_SLOTS_MAX];
static cl_command_queue timed_queue;

static cl_int arm(struct child *c, const struct order_arm *o);
static cl_int fire(struct child *c, const struct slot *s);

static void
answer_status(struct child *c, cl_int status, enum answer_kind good)
{
	if (status == CL_SUCCESS)
		child_answer(c, good, "");
	else
		child_answer(c, ANSWER_LAUNCH_ERROR,
		    device_status_name(status));
}

bool
child_time(struct child *c, const void *order, size_t bytes)
{
	struct order_arm a;
	struct order_fire f;

	/* All timing orders begin alike, and the caller's buffer is longer than
	 * any of them. */
	memcpy(&f, order, sizeof f);
	if (!c->kernel || f.slot >= ORDER_SLOTS_MAX)
		return false;
	if (f.kind == ORDER_ARM && bytes == sizeof a) {
		memcpy(&a, order, sizeof a);
		answer_status(c, arm(c, &a), ANSWER_ARMED);
		return true;
	}
	if (f.kind != ORDER_FIRE || bytes != sizeof f ||
	    !slots[f.slot].is_armed)
		return false;
	answer_status(c, fire(c, &slots[f.slot]), ANSWER_RAN);
	return true;
}

static bool
is_tensor(const struct child *c, uint32_t i)
{
	return c->args[i] != OP_UINT && c->args[i] != OP_REAL;
}

static void
disarm(const struct child *c, struct slot *s)
{
	for (uint32_t i = 0; i < c->nargs; i++) {
		if (s->buffers[i])
			clReleaseMemObject(s->buffers[i]);
		if (s->maps[i])
			munmap(s->maps[i], s->launch.regions[i].map_bytes);
	}
	*s = (struct slot){ .is_armed = false };
}

static cl_int
arm_buffer(const struct child *c, struct slot *s, uint32_t i)
{
	const struct order_region *r = &s->launch.regions[i];
	bool output = c->args[i] == OP_OUT;
	cl_mem_flags flags = CL_MEM_USE_HOST_PTR;
	cl_int status;
	char *map;

	/* Every page is touched now: a fault at the first access would be
	 * counted as the kernel's time. */
	map = mmap(NULL, r->map_bytes,
	    output ? PROT_READ | PROT_WRITE : PROT_READ,
	    MAP_SHARED | MAP_POPULATE, output ? c->fds.output : c->fds.input,
	    (off_t)r->map_at);
	if (map == MAP_FAILED)
		return CL_OUT_OF_HOST_MEMORY;
	s->maps[i] = map;
	flags |= output ? CL_MEM_READ_WRITE : CL_MEM_READ_ONLY;
	s->buffers[i] = clCreateBuffer(c->device->context, flags, r->data_bytes,
	    map + (r->data_at - r->map_at), &status);
	return status;
}

static cl_int
arm(struct child *c, const struct order_arm *o)
{
	struct slot *s = &slots[o->slot];
	cl_int status = CL_SUCCESS;

	/* A queue of its own: only launches that are timed pay for the
	 * profiling. */
	if (!timed_queue)
		timed_queue = clCreateCommandQueue(c->device->context,
		    c->device->id, CL_QUEUE_PROFILING_ENABLE, &status);
	disarm(c, s);
	s->launch = o->launch;
	for (uint32_t i = 0; i < c->nargs && status == CL_SUCCESS; i++)
		if (is_tensor(c, i))
			status = arm_buffer(c, s, i);
	s->is_armed = status == CL_SUCCESS;
	return status;
}

static cl_int
device_time(cl_event e, uint64_t *ret_ns)
{
	cl_ulong start = 0, end = 0;
	cl_int status = clGetEventProfilingInfo(e, CL_PROFILING_COMMAND_START,
	    sizeof start, &start, NULL);

	if (status == CL_SUCCESS)
		status = clGetEventProfilingInfo(e, CL_PROFILING_COMMAND_END,
		    sizeof end, &end, NULL);
	/* Only a second opinion: where the end is not behind the start there is
	 * none. */
	*ret_ns = end > start ? end - start : 0;
	return status;
}

static cl_int
fire(struct child *c, const struct slot *s)
{
	cl_event event = NULL;
	cl_int status = CL_SUCCESS;

	for (uint32_t i = 0; i < c->nargs && status == CL_SUCCESS; i++)
		status = is_tensor(c, i)
		    ? clSetKernelArg(c->kernel, i, sizeof(cl_mem),
		          &s->buffers[i])
		    : clSetKernelArg(c->kernel, i, sizeof s->launch.scalars[i],
		          &s->launch.scalars[i]);
	if (status == CL_SUCCESS)
		status = child_enqueue(c, timed_queue, &s->launch.geometry,
		    NULL, &event);
	if (status == CL_SUCCESS)
		status = clFinish(timed_queue);
	if (status == CL_SUCCESS)
		status = device_time(event, &c->device_ns);
	if (event)
		clReleaseEvent(event);
	return status;
}
