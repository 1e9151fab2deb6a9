/*
 * Where a program's variables and arrays lie in their memory, so that an access
 * that runs out of one is not taken for one in its neighbour.  What lies
 * between them belongs to nobody.
 */
#ifndef LAB_PROBE_PROGRAM_OBJECTS_H
#define LAB_PROBE_PROGRAM_OBJECTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct prog_object {
	uint64_t at, bytes;
};

struct prog_objects {
	struct prog_object *list; /* owned; by their places */
	size_t n;
};

/* Behind all that there are, with room between: an index that is one too many,
 * or some, reaches none of them.  Returns where it lies; *used is moved. */
uint64_t prog_objects_add(struct prog_objects *o, uint64_t *used,
    uint64_t bytes);
/* Are n bytes from at on all of one object? */
bool prog_objects_hold(const struct prog_objects *o, uint64_t at, uint64_t n);
void prog_objects_done(struct prog_objects *o);

#endif
