/*
 * A scene's buffers in memory that the stand's children share.  A buffer ends
 * to the byte where a page ends that nobody may touch; its row gaps hold a
 * filling too.
 */
#ifndef TESTS_PROVING_MEMORY_H
#define TESTS_PROVING_MEMORY_H

#include "tests/proving/scene.h"

#define MEMORY_PAGE      ((size_t)4096)
#define MEMORY_NFILLINGS 3

/* What an output holds before a launch: nothing in particular, a plausible
 * number, zero. */
extern const float memory_fillings[MEMORY_NFILLINGS];

struct span {
	char *map; /* owned mapping */
	size_t map_bytes, bytes;
	char *data;
};

struct memory {
	struct span in[OP_ARGS_MAX];
	struct span out[MEMORY_NFILLINGS];
};

/* false: no memory; memory_done() all the same. */
bool memory_map(struct memory *m, const struct scene *on);
/* The scene's values, and the fillings. */
void memory_write(const struct memory *m, const struct scene *on);
void memory_done(struct memory *m);

#endif
