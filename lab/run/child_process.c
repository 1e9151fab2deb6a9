/*
 * A lab child, from its first order to its last.
 *
 *	BUILD   enter the sandbox, compile the program, and let PoCL compile
 *		every geometry: each is enqueued behind a user event that
 *		never fires, so the machine code is made and not one
 *		instruction of it runs.  Then close the strict sandbox, read
 *		and load what was made (late_loading.h), and seal the child.
 *	LAUNCH  map the buffers of one launch between guard zones, inputs
 *		read-only, run, unmap.
 *	ARM, FIRE	see child_timing.c
 *
 * Buffers are the shared arenas themselves (CL_MEM_USE_HOST_PTR): the parent
 * sees every byte that was written, and the sealed input arena cannot be
 * mapped writable by anybody.
 *
 * A fault is caught on a stack of its own, turned into one answer that says
 * what was touched, and ends the child.
 */
#include "lab/run/child_process_priv.h"

#include "lab/run/late_loading.h"
#include "lab/run/sandbox.h"
#include "lab/run/unused_memory.h"
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <ucontext.h>
#include <unistd.h>

#define GUARD_BYTES      ((size_t)1 << 20)
#define STACK_BYTES      ((size_t)64 << 10)
#define DUMMY_BYTES      ((size_t)4096)
#define PAGE_FAULT_WRITE 2 /* bit of the x86 page fault error code */

/* The signal handler's view: one child a process. */
static struct child the_child;
static struct order_build the_build;

static void do_build(struct child *c, const struct order_build *o);
static void do_launch(struct child *c, const struct order_launch *o);
static void catch_faults(void);

void
child_answer(const struct child *c, enum answer_kind kind, const char *text)
{
	struct order_answer a = { .kind = kind,
		.features = c->features,
		.device_ns = c->device_ns };

	snprintf(a.text, sizeof a.text, "%s", text);
	if (send(c->fds.orders, &a, sizeof a, MSG_NOSIGNAL) != sizeof a)
		_exit(1);
}

_Noreturn void
child_run(struct device *d, const struct child_fds *fds)
{
	struct child *c = &the_child;
	ssize_t n;

	c->device = d;
	c->fds = *fds;
	catch_faults();
	/* Into the largest order, because of a packet that is longer than its
	 * buffer the rest is lost; the others are copied out, whose alignment a
	 * cast would only assume. */
	while ((n = recv(fds->orders, &the_build, sizeof the_build, 0)) > 0) {
		struct order_launch launch;

		if (the_build.kind == ORDER_BUILD && !c->program) {
			do_build(c, &the_build);
		} else if (the_build.kind == ORDER_LAUNCH && c->kernel &&
		    n == sizeof launch) {
			memcpy(&launch, &the_build, sizeof launch);
			do_launch(c, &launch);
		} else if (!child_time(c, &the_build, (size_t)n)) {
			break;
		}
	}
	_exit(0);
}

/* The compiler's first error, without what came before it. */
static void
answer_compile_error(struct child *c)
{
	static char log[64 << 10];
	const char *line, *end;

	log[0] = '\0';
	/* Warnings may come first; the model that is to mend the text reads one
	 * line, so it has to be the first error. */
	clGetProgramBuildInfo(c->program, c->device->id, CL_PROGRAM_BUILD_LOG,
	    sizeof log - 1, log, NULL);
	line = strstr(log, "error:");
	while (line && line > log && line[-1] != '\n')
		line--;
	if (!line)
		line = log;
	end = strchr(line, '\n');
	log[end ? end - log : (ptrdiff_t)strlen(log)] = '\0';
	child_answer(c, ANSWER_COMPILE_ERROR,
	    *line ? line : "the compiler failed without a message");
}

static cl_int
set_dummy_args(struct child *c, cl_mem dummy)
{
	cl_int status = CL_SUCCESS;
	cl_uint zero = 0;

	for (cl_uint i = 0; i < c->nargs && status == CL_SUCCESS; i++)
		if (c->args[i] == OP_UINT || c->args[i] == OP_REAL)
			status =
			    clSetKernelArg(c->kernel, i, sizeof zero, &zero);
		else
			status = clSetKernelArg(c->kernel, i, sizeof(cl_mem),
			    &dummy);
	return status;
}

cl_int
child_enqueue(struct child *c, cl_command_queue q,
    const struct order_geometry *g, const cl_event *after, cl_event *ret)
{
	size_t global[CANDIDATE_DIMS_MAX], local[CANDIDATE_DIMS_MAX];

	for (uint32_t i = 0; i < g->ndims; i++) {
		global[i] = (size_t)g->global[i];
		local[i] = (size_t)g->local[i];
	}
	return clEnqueueNDRangeKernel(q, c->kernel, (cl_uint)g->ndims, NULL,
	    global, local, after ? 1 : 0, after, ret);
}

/* Has the device compile a geometry.  One that a child opened for itself has
 * threads which compile what they are about to run: there the launch is a real
 * one, of stand-ins that do nothing yet (late_loading.h). */
static cl_int
compile_geometry(struct child *c, cl_command_queue q,
    const struct order_geometry *g, const cl_event *never)
{
	bool runs_stand_ins = c->device->is_fresh && c->device->loads_late;
	cl_int status =
	    child_enqueue(c, q, g, runs_stand_ins ? NULL : never, NULL);

	return runs_stand_ins && status == CL_SUCCESS ? clFinish(q) : status;
}

/* Has PoCL compile each geometry behind an event that never fires. */
static cl_int
compile_geometries(struct child *c, const struct order_build *o)
{
	cl_command_queue q;
	cl_event never;
	cl_mem dummy;
	cl_int status;

	dummy = clCreateBuffer(c->device->context, CL_MEM_READ_WRITE,
	    DUMMY_BYTES, NULL, &status);
	if (status == CL_SUCCESS)
		status = set_dummy_args(c, dummy);
	if (status != CL_SUCCESS)
		return status;
	/* Neither the queue nor the event is ever released: what waits in the
	 * queue never runs, and so never lets it go. */
	q = clCreateCommandQueue(c->device->context, c->device->id, 0, &status);
	if (status != CL_SUCCESS)
		return status;
	never = clCreateUserEvent(c->device->context, &status);
	for (uint32_t i = 0; i < o->ngeometries && status == CL_SUCCESS; i++)
		status = compile_geometry(c, q, &o->geometries[i], &never);
	return status;
}

static bool
build_program(struct child *c, const struct order_build *o)
{
	cl_int status = device_build(c->device, o->source, &c->program);

	if (status != CL_SUCCESS) {
		answer_compile_error(c);
		return false;
	}
	c->kernel = clCreateKernel(c->program, o->entry, &status);
	if (status != CL_SUCCESS) {
		char text[ORDER_TEXT_BYTES];

		snprintf(text, sizeof text, "no kernel \"%s\": %s", o->entry,
		    device_status_name(status));
		child_answer(c, ANSWER_COMPILE_ERROR, text);
		return false;
	}
	return true;
}

/* Closes the sandbox around what was compiled, and loads it. */
static void
load_and_answer(struct child *c)
{
	struct why why;
	enum err e = sandbox_for_run(c->features, &why);

	/* The strict filter first: an object's constructors are the candidate's
	 * code, and dlopen() runs them. */
	if (e != ERR_OK) {
		child_answer(c, ANSWER_SANDBOX, why.text);
		return;
	}
	e = late_loading_now(&why);
	if (e == ERR_OK)
		e = sandbox_seal(c->features, &why);
	if (e == ERR_OK)
		child_answer(c, ANSWER_BUILT, "");
	else
		child_answer(c,
		    e == ERR_DENIED ? ANSWER_REFUSED : ANSWER_SANDBOX,
		    why.text);
}

/* As PoCL calls it up to version 3 and from 4 on. */
static const char *const thread_counts[] = { "POCL_MAX_PTHREAD_COUNT",
	"POCL_CPU_MAX_CU_COUNT" };

/*
 * Opens a device that nobody could open for us.  The sandbox's first wall
 * stands by now, so that the threads which its driver starts live behind it as
 * well. Where it lets itself be told, it has two of them, and one in the
 * replay, whose results must be the same bit for bit.
 */
static bool
open_fresh(struct child *c, bool is_replay)
{
	char name[DEVICE_NAME_MAX];
	struct why why;
	enum err e;

	for (size_t i = 0; i < COUNT(thread_counts); i++)
		setenv(thread_counts[i], is_replay ? "1" : "2", 1);
	snprintf(name, sizeof name, "%s", c->device->name);
	e = device_open(name, c->device, &why);
	if (e != ERR_OK)
		child_answer(c, ANSWER_SANDBOX, why.text);
	return e == ERR_OK;
}

static void
do_build(struct child *c, const struct order_build *o)
{
	static const struct sandbox_limits limits = {
		.cpu_s = 600,
		.address_bytes = (uint64_t)4 << 30,
		.file_bytes = (uint64_t)64 << 20,
	};
	struct why why;
	cl_int status;

	c->nargs = o->nargs;
	memcpy(c->args, o->args, sizeof c->args);
	/* These seconds are of the child's whole life, launches included; a
	 * single order's deadline is the parent's to keep. */
	if (sandbox_for_build(&limits, o->is_replay, &c->features, &why) !=
	    ERR_OK) {
		child_answer(c, ANSWER_SANDBOX, why.text);
		return;
	}
	if (c->device->is_fresh && !open_fresh(c, o->is_replay != 0))
		return;
	if (c->device->loads_late)
		c->features |= SANDBOX_OBJECTS;
	late_loading_hold();
	if (!build_program(c, o))
		return;
	status = compile_geometries(c, o);
	/* What compiling took is this child's own, and nothing is compiled any
	 * more. */
	unused_memory_give_back();
	/* Again: a compiler that was loaded in this process has its own
	 * handlers by now. */
	catch_faults();
	if (status != CL_SUCCESS)
		child_answer(c, ANSWER_LAUNCH_ERROR,
		    device_status_name(status));
	else
		load_and_answer(c);
}

/* Maps a region between guard zones; its buffer's address, or NULL. */
static void *
map_span(struct child *c, uint32_t i, const struct order_region *r)
{
	struct child_span *s = &c->spans[i];
	bool output = c->args[i] == OP_OUT;
	int fd = output ? c->fds.output : c->fds.input;
	char *base;

	s->bytes = r->map_bytes + 2 * GUARD_BYTES;
	s->writable = output;
	/* One reservation and the arena's pages over its middle: two mappings
	 * made one by one could have something else between them. */
	base =
	    mmap(NULL, s->bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (base == MAP_FAILED)
		return NULL;
	s->base = base;
	if (mmap(base + GUARD_BYTES, r->map_bytes,
	        output ? PROT_READ | PROT_WRITE : PROT_READ,
	        MAP_SHARED | MAP_FIXED, fd, (off_t)r->map_at) == MAP_FAILED)
		return NULL;
	return base + GUARD_BYTES + (r->data_at - r->map_at);
}

static void
unmap_spans(struct child *c)
{
	for (uint32_t i = 0; i < c->nargs; i++) {
		if (c->spans[i].base)
			munmap(c->spans[i].base, c->spans[i].bytes);
		c->spans[i].base = NULL;
	}
}

static cl_int
set_arg(struct child *c, uint32_t i, const struct order_launch *o,
    cl_mem *buffer)
{
	const struct order_region *r = &o->regions[i];
	cl_mem_flags flags = CL_MEM_USE_HOST_PTR;
	cl_int status;
	void *p;

	if (c->args[i] == OP_UINT || c->args[i] == OP_REAL)
		return clSetKernelArg(c->kernel, i, sizeof o->scalars[i],
		    &o->scalars[i]);
	p = map_span(c, i, r);
	if (!p)
		return CL_OUT_OF_HOST_MEMORY;
	flags |= c->args[i] == OP_OUT ? CL_MEM_READ_WRITE : CL_MEM_READ_ONLY;
	*buffer = clCreateBuffer(c->device->context, flags, r->data_bytes, p,
	    &status);
	if (status != CL_SUCCESS)
		return status;
	return clSetKernelArg(c->kernel, i, sizeof(cl_mem), buffer);
}

/* Devices with their own memory bring the output back by mapping it. */
static cl_int
sync_output(struct child *c, const struct order_launch *o, cl_mem *buffers)
{
	cl_int status = clFinish(c->device->queue);

	for (uint32_t i = 0; i < c->nargs && status == CL_SUCCESS; i++) {
		void *p;

		/* PoCL's CPU devices compute in the host's pages, and mapping
		 * costs them nothing; a device that copies has written nothing
		 * back before. */
		if (c->args[i] != OP_OUT)
			continue;
		p = clEnqueueMapBuffer(c->device->queue, buffers[i], CL_TRUE,
		    CL_MAP_READ, 0, o->regions[i].data_bytes, 0, NULL, NULL,
		    &status);
		if (status == CL_SUCCESS)
			status = clEnqueueUnmapMemObject(c->device->queue,
			    buffers[i], p, 0, NULL, NULL);
	}
	return status == CL_SUCCESS ? clFinish(c->device->queue) : status;
}

static void
do_launch(struct child *c, const struct order_launch *o)
{
	cl_mem buffers[OP_ARGS_MAX] = { 0 };
	cl_int status = CL_SUCCESS;

	for (uint32_t i = 0; i < c->nargs && status == CL_SUCCESS; i++)
		status = set_arg(c, i, o, &buffers[i]);
	if (status == CL_SUCCESS)
		status = child_enqueue(c, c->device->queue, &o->geometry, NULL,
		    NULL);
	if (status == CL_SUCCESS)
		status = sync_output(c, o, buffers);
	for (uint32_t i = 0; i < c->nargs; i++)
		if (buffers[i])
			clReleaseMemObject(buffers[i]);
	/* After the buffers: the runtime may still touch the pages of one that
	 * it has not let go. */
	unmap_spans(c);
	if (status == CL_SUCCESS)
		child_answer(c, ANSWER_RAN, "");
	else
		child_answer(c, ANSWER_LAUNCH_ERROR,
		    device_status_name(status));
}

/* Which argument's pages or guard zone does an address lie in? */
static void
locate_fault(const struct child *c, const char *p, struct order_answer *a)
{
	for (uint32_t i = 0; i < c->nargs; i++) {
		const struct child_span *s = &c->spans[i];

		if (!s->base || p < s->base || p >= s->base + s->bytes)
			continue;
		a->fault_arg = i;
		a->fault_area = FAULT_GUARD;
		if (!s->writable && p >= s->base + GUARD_BYTES &&
		    p < s->base + s->bytes - GUARD_BYTES)
			a->fault_area = FAULT_INPUT;
	}
}

#ifdef __x86_64__
static bool
is_write_fault(const ucontext_t *context)
{
	return (context->uc_mcontext.gregs[REG_ERR] & PAGE_FAULT_WRITE) != 0;
}
#else
static bool
is_write_fault(const ucontext_t *context)
{
	(void)context;
	return true; /* not told: take the worse */
}
#endif

/* Only async-signal-safe calls; the child ends here. */
static void
on_fault(int sig, siginfo_t *info, void *context)
{
	struct order_answer a = { .kind = ANSWER_FAULT };

	a.fault_write = is_write_fault(context);
	if (sig == SIGSYS)
		a.fault_area = FAULT_SYSTEM;
	else
		locate_fault(&the_child, info->si_addr, &a);
	/* The text stays empty: snprintf() is none of the calls that
	 * signal-safety(7) lists, and the parent knows the arguments' names. */
	if (send(the_child.fds.orders, &a, sizeof a, MSG_NOSIGNAL) < 0)
		_exit(1);
	_exit(2);
}

static void
catch_faults(void)
{
	static const int signals[] = { SIGSEGV, SIGBUS, SIGSYS };
	static char stack_bytes[STACK_BYTES];
	stack_t stack = { .ss_sp = stack_bytes, .ss_size = sizeof stack_bytes };
	struct sigaction sa = { .sa_sigaction = on_fault };

	/* On a stack of its own, for a kernel that has run out of the other;
	 * once, for a fault inside the handler would come back for ever. */
	sa.sa_flags = SA_SIGINFO | SA_ONSTACK | (int)SA_RESETHAND;
	sigaltstack(&stack, NULL);
	for (size_t i = 0; i < COUNT(signals); i++)
		sigaction(signals[i], &sa, NULL);
}
