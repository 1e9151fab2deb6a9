/*
 * What a run says while it goes on: one live line on a terminal, a line a
 * step in a pipe, and one line that stays for each operator's end.  It begins
 * with where the run is: who, operator and its number, try, seconds.
 */
#ifndef AGENT_SAY_H
#define AGENT_SAY_H

#include "agent/run/run.h"

/* A step. */
void say_step(const struct run *run, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
/* An answer that is still coming: once a second on a terminal, in a pipe
 * every SAY_PIPE_S seconds, so that a slow model is seen to be alive. */
#define SAY_PIPE_S 15
void say_waiting(const struct run *run, const struct model_wait *w);
/* The end of an operator; stays. */
void say_end(const struct run *run, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

#endif
