/*
 * The story as files that play without us: an asciinema v2 cast and an
 * animated SVG.  Both are functions of the run directory, size and pace
 * alone: the same bytes every time, no clock in them.
 */
#ifndef DEMO_CAST_H
#define DEMO_CAST_H

#include "demo/layout.h"
#include <stdio.h>

struct cast {
	unsigned width, height;
	unsigned percent; /* of the slow pace's times: 100 is slow */
	bool explains;
};

/* How long a beat stands, in milliseconds. */
unsigned cast_hold_ms(const struct cast *c, const struct beat *b);

/* ERR_IO: the file could not be written. */
enum err cast_write(const struct cast *c, const struct story *s, FILE *f);
enum err cast_write_svg(const struct cast *c, const struct story *s, FILE *f);

#endif
