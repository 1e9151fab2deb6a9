/*
 * Ways to write a claim of correctness, as a model, a tool or a file might.
 * None of them may be read as one in anything that is shown.
 */
#ifndef TESTS_UNIT_AGENT_HOSTILE_H
#define TESTS_UNIT_AGENT_HOSTILE_H

#include <stddef.h>

struct hostile {
	const char *what;
	const char *text;
};

extern const struct hostile hostile_texts[];
extern const size_t hostile_count;

#endif
