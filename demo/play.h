/*
 * The live view: plays a run directory on a terminal while the run goes on,
 * or afterwards; and its plain form for a pipe.
 */
#ifndef DEMO_PLAY_H
#define DEMO_PLAY_H

#include "demo/cast.h"

/* Both are ERR_STATE for a run whose evidence does not hold: it is played as
 * any, and why says what is wrong with it. */

struct play {
	const char *dir;
	unsigned percent; /* of the slow pace's times; 0: nothing waits */
	bool explains;
	bool is_coloured;
	size_t only; /* stand on this beat until a key; 0: play them all */
	/* Follow the run until this file is there, and no longer than this
	 * process lives; NULL and 0: show what is there. */
	const char *until;
	int64_t pid;
};

/* On the terminal of standard output.  q ends it, space goes on, Ctrl-Z gives
 * the terminal back until the view goes on; what the run came to stays on the
 * terminal behind it. */
enum err play_screen(const struct play *p, struct why *why);

/* Line by line, complete and in order, at most `width` columns. */
enum err play_lines(const struct play *p, unsigned width, struct why *why);

#endif
