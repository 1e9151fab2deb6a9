/*
 * One launch in Oclgrind, a simulator of OpenCL devices: what a real device
 * forgives, it reports.  Its exit status says nothing, so its log is read.
 */
#ifndef LAB_OCLGRIND_RUN_H
#define LAB_OCLGRIND_RUN_H

#include "lab/stages/trial.h"

/* A program with the case to launch it on; NULL in: the control kernel, which
 * has nothing that could be reported. */
struct simulation {
	const char *text;  /* the candidate behind its prelude */
	const char *entry; /* a kernel's name */
	const struct order_geometry *geometry;
	const struct op_instance *in;
};

#define SIMULATE_CPU_S 30 /* of processor time, at most */

/* Starts it on buffers that are exactly as long as they must be. */
enum err simulate_start(struct lab *l, const struct simulation *s,
    struct tool **ret, struct why *why);

/* What a log says, the worst thing first; class NULL: nothing.  Then a line
 * that is not understood says that the simulator, not the candidate, met
 * something: nothing may be concluded. */
struct simulate_finding {
	const char *class; /* "out_of_bounds", "race", ... */
	char what[96];     /* Oclgrind's words, without the address */
	unsigned line;     /* of the candidate; 0: not told */
	char odd[96];      /* the first line that is not understood, or "" */
};
void simulate_read_log(const char *log, struct simulate_finding *ret);

#endif
