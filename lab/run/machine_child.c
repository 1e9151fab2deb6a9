/*
 * The program is read once, with the first order; all orders of one child are
 * of one program.  The arenas are mapped whole, and again when they grow.
 */
#include "lab/run/machine_child.h"

#include "base/mem.h"
#include "lab/probe/machine.h"
#include "lab/run/order.h"
#include "lab/run/sandbox.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#define CPU_S         60
#define ADDRESS_BYTES ((uint64_t)2 << 30)

struct machine_child {
	struct child_fds fds;
	struct program *program;
	unsigned char *input, *output;
	uint64_t input_bytes, output_bytes;
};

static void
answer(const struct machine_child *c, const struct order_answer *a)
{
	if (send(c->fds.orders, a, sizeof *a, MSG_NOSIGNAL) != sizeof *a)
		_exit(1);
}

static void
fail(const struct machine_child *c, const char *text)
{
	struct order_answer a = { .kind = ANSWER_LAUNCH_ERROR };

	snprintf(a.text, sizeof a.text, "%s", text);
	answer(c, &a);
}

static bool
map(unsigned char **p, uint64_t *bytes, uint64_t wanted, int prot, int fd)
{
	void *new;

	if (*bytes >= wanted)
		return true;
	new = mmap(NULL, wanted, prot, MAP_SHARED, fd, 0);
	if (new == MAP_FAILED)
		return false;
	if (*p)
		munmap(*p, *bytes);
	*p = new;
	*bytes = wanted;
	return true;
}

static bool
prepare(struct machine_child *c, const struct order_count *o)
{
	struct why why;
	char *text;
	enum err e;

	if (!map(&c->input, &c->input_bytes, o->input_bytes, PROT_READ,
	        c->fds.input) ||
	    !map(&c->output, &c->output_bytes, o->output_bytes,
	        PROT_READ | PROT_WRITE, c->fds.output)) {
		fail(c, "no room for the arenas");
		return false;
	}
	if (c->program)
		return true;
	/* A copy, for in the arena the text has no end of its own. */
	text = xstrndup((const char *)c->input + o->text_at, o->text_bytes);
	e = prog_parse(text, &c->program, &why);
	free(text);
	if (e != ERR_OK)
		fail(c, why.text);
	return e == ERR_OK;
}

static void
describe(const struct machine_child *c, const struct order_count *o,
    struct machine_launch *l)
{
	const struct order_geometry *g = &o->launch.geometry;

	*l = (struct machine_launch){ .ndims = (uint32_t)g->ndims,
		.nargs = o->nargs,
		.order = (enum machine_order)o->order,
		.seed = o->seed,
		.fill = o->fill,
		.is_pessimist = o->is_pessimist != 0,
		.budget = o->budget,
		.leaps = o->is_sparse != 0,
		.is_hasty = o->is_hasty != 0,
		.given = o->given,
		.ngiven = o->ngiven,
		.groups = o->ngroups ? o->groups : NULL,
		.ngroups = o->ngroups };
	for (uint32_t d = 0; d < 3; d++) {
		l->global[d] = d < g->ndims ? g->global[d] : 1;
		l->local[d] = d < g->ndims ? g->local[d] : 1;
	}
	for (uint32_t i = 0; i < o->nargs; i++) {
		const struct order_region *r = &o->launch.regions[i];
		bool output = o->args[i] == OP_OUT;

		l->args[i].number = o->launch.scalars[i];
		if (o->args[i] == OP_UINT || o->args[i] == OP_REAL)
			continue;
		if (o->is_sparse)
			l->args[i].sparse = &o->layouts[i];
		else
			l->args[i].data =
			    (output ? c->output : c->input) + r->data_at;
		l->args[i].bytes = r->data_bytes;
		l->args[i].writable = output;
	}
	if (o->is_sparse) {
		l->written = (struct machine_written *)(void *)(c->output +
		    o->written_at);
		l->written_max = o->written_max;
	}
}

static void
count(struct machine_child *c, const struct order_count *o)
{
	struct order_answer a = { .kind = ANSWER_COUNTED };
	const struct prog_function *kernel;
	struct machine_launch l;
	struct machine_result r;

	if (!prepare(c, o))
		return;
	kernel = prog_kernel(c->program, o->entry);
	/* The order's counters have room for as many as the parent read in the
	 * same text; one more would be written behind them. */
	if (!kernel || c->program->ncounters != o->ncounters) {
		fail(c, "no such kernel in the IR");
		return;
	}
	describe(c, o, &l);
	a.count_end = machine_run(c->program, kernel, &l,
	    (uint32_t *)(void *)(c->output + o->counters_at), &r);
	a.count_line = r.finding.line;
	a.fault_arg = r.finding.arg;
	a.device_ns = r.instructions;
	a.nwritten = r.nwritten;
	a.skipped = r.skipped;
	a.most = r.most;
	a.last_written = r.last;
	a.last_column = r.last_column;
	a.is_inexact = r.is_inexact;
	if (r.finding.class)
		snprintf(a.text, sizeof a.text, "%s: %s", r.finding.class,
		    r.finding.what);
	answer(c, &a);
}

_Noreturn void
machine_child_run(const struct child_fds *fds)
{
	static const struct sandbox_limits limits = { .cpu_s = CPU_S,
		.address_bytes = ADDRESS_BYTES,
		.file_bytes = 0 };
	struct machine_child c = { .fds = *fds };
	static struct order_count o;
	uint32_t features;
	struct why why;

	/* Both at once: an interpreter executes no machine code of the
	 * candidate's, so nothing has to be compiled between the two. */
	if (sandbox_for_build(&limits, true, &features, &why) != ERR_OK ||
	    sandbox_for_run(features, &why) != ERR_OK)
		fail(&c, why.text);
	else
		while (recv(fds->orders, &o, sizeof o, 0) == sizeof o &&
		    o.kind == ORDER_COUNT)
			count(&c, &o);
	_exit(0);
}
