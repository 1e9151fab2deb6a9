/*
 * Anything as a program for the lab's own machine: read, its points found,
 * its conditions looked at, and run.  No crash, always a reason; nothing in a
 * program can make the machine read or write outside of what it was given.
 */
// links: base cltext ops lab
#include "lab/probe/condition.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define BUFFER 256

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
look_at_conditions(const struct program *p, const struct prog_function *f)
{
	struct cond_place at = { .ndims = 1,
		.global = { 8, 1, 1 },
		.local = { 4, 1, 1 } };
	static const bool is_fixed[3] = { true, false, true };
	struct cond *c = cond_new(p, f);

	for (size_t i = 0; i < p->npoints && i < 64; i++) {
		cond_outcome(c, i, &at);
		cond_constants_decide(c, i, is_fixed);
	}
	cond_free(c);
}

static void
run(const struct program *p, const struct prog_function *f)
{
	static unsigned char buffers[MACHINE_ARGS_MAX][BUFFER];
	uint32_t *counters = calloc(p->ncounters + 1, sizeof *counters);
	struct machine_launch l = { .ndims = 1,
		.global = { 8, 1, 1 },
		.local = { 4, 1, 1 },
		.nargs = f->nparams,
		.order = MACHINE_SHUFFLED,
		.budget = 3000 };
	struct machine_result r;

	for (uint32_t i = 0; i < f->nparams; i++) {
		l.args[i].number = 5;
		if (f->types[i]->kind != PROG_POINTER)
			continue;
		l.args[i] = (struct machine_arg){ .data = buffers[i],
			.bytes = BUFFER,
			.writable = i % 2 == 1 };
	}
	if (counters)
		machine_run(p, f, &l, counters, &r);
	free(counters);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct why why = { "" };
	char *text = malloc(size + 1);
	struct program *p = NULL;

	if (!text)
		return 0;
	memcpy(text, data, size);
	text[size] = '\0';
	if (prog_parse(text, &p, &why) != ERR_OK && !why.text[0])
		abort();
	for (size_t i = 0; p && i < p->nfunctions; i++) {
		const struct prog_function *f = &p->functions[i];

		if (!f->is_kernel || f->nparams > MACHINE_ARGS_MAX)
			continue;
		look_at_conditions(p, f);
		run(p, f);
	}
	prog_free(p);
	free(text);
	return 0;
}
