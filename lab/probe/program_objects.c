#include "lab/probe/program_objects.h"

#include "base/mem.h"
#include <stdlib.h>

#define LIST_STEP 16
/* As far as the widest type of OpenCL's is aligned (double16), so that an
 * offset tells whether an address is. */
#define ALIGNMENT 128
#define BETWEEN   128

uint64_t
prog_objects_add(struct prog_objects *o, uint64_t *used, uint64_t bytes)
{
	uint64_t at = *used == 0 ? 0 : *used + BETWEEN;

	at = (at + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
	if (o->n % LIST_STEP == 0)
		o->list =
		    xreallocarray(o->list, o->n + LIST_STEP, sizeof *o->list);
	o->list[o->n++] = (struct prog_object){ .at = at, .bytes = bytes };
	*used = at + bytes;
	return at;
}

bool
prog_objects_hold(const struct prog_objects *o, uint64_t at, uint64_t n)
{
	size_t low = 0, high = o->n;

	/* The last one that begins there or before. */
	while (low < high) {
		size_t middle = (low + high) / 2;

		if (o->list[middle].at <= at)
			low = middle + 1;
		else
			high = middle;
	}
	return low > 0 && at - o->list[low - 1].at <= o->list[low - 1].bytes &&
	    n <= o->list[low - 1].bytes - (at - o->list[low - 1].at);
}

void
prog_objects_done(struct prog_objects *o)
{
	free(o->list);
	*o = (struct prog_objects){ 0 };
}
