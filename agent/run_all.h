/*
 * A run from its start to its report:
 *
 *	naive baseline of every operator -> forge of every operator -> report
 *
 * It stands above the rooms because it is the one place that needs them all.
 */
#ifndef AGENT_RUN_ALL_H
#define AGENT_RUN_ALL_H

struct run_options;

/* Does it all and returns the exit code; what was wrong was printed. */
int run_all(const struct run_options *o);

#endif
