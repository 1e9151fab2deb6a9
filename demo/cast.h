/*
 * The story as files that play without us: an asciinema v2 cast, an animated
 * SVG, and a list of the beats for who makes something else of them.  All are
 * functions of the run directory, size and pace alone: the same bytes every
 * time, no clock in them.
 */
#ifndef DEMO_CAST_H
#define DEMO_CAST_H

#include "demo/layout.h"
#include <stdio.h>

struct cast {
	unsigned width, height;
	unsigned percent; /* of the slow pace's times: 100 is slow */
	bool explains;
	size_t only; /* the picture of this beat alone, from 1; 0: them all */
};

/* Of enum layout_parts, for its pictures. */
unsigned cast_parts(const struct cast *c);

/* How long a beat stands, in milliseconds. */
unsigned cast_hold_ms(const struct cast *c, const struct beat *b);

/* ERR_IO: the file could not be written. */
enum err cast_write(const struct cast *c, const struct story *s, FILE *f);
enum err cast_write_svg(const struct cast *c, const struct story *s, FILE *f);

/* A JSON object a beat: when it comes, how long it stands, what it is. */
enum err cast_write_beats(const struct cast *c, const struct story *s, FILE *f);

/* The picture of beat `only` as text, without colour. */
enum err cast_write_text(const struct cast *c, const struct story *s, FILE *f);

#endif
