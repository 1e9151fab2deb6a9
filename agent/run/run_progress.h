/*
 * What a run says while it goes on: on a terminal a board with a row an
 * operator (one live line where there is only one), in a pipe a line a step,
 * and one that stays for each operator's end.  A line begins with where the
 * run is: who, operator and its number, try, seconds.
 */
#ifndef AGENT_RUN_PROGRESS_H
#define AGENT_RUN_PROGRESS_H

#include "agent/run/run.h"
#include "agent/text/term.h"

/* A step. */
void say_step(const struct run *run, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
/* An answer that is still coming: once a second on a terminal, in a pipe
 * every SAY_PIPE_S seconds, so that a slow model is seen to be alive. */
#define SAY_PIPE_S 15
void say_waiting(const struct run *run, const struct model_wait *w);
/* Nobody is asked for so long; a terminal alone says it. */
void say_waits(const struct run *run, uint64_t ms);
/* Who is asked; who answers is another's to say (say_route). */
void say_asking(const struct run *run, bool escalates);
/* Who answered. */
void say_route(const struct run *run, const char *route);
/* How many cases the lab has seen of the try at work; a board alone says it. */
void say_cases(const struct run *run, unsigned seen, unsigned total);
/* The end of an operator; stays.  brief is what a board has room for. */
void say_end(const struct run *run, enum term_colour tone, const char *brief,
    const char *text);

#endif
