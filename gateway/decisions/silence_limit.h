/*
 * How long a target may be silent where nobody said it: a fair share of the
 * time that is left, so that the next target has its share too.
 *
 *	said in the configuration, or by the client	that
 *	another target could still be asked		half of what is left
 *	nobody else is left				all of it
 *
 * and a minute at most.  Pure.
 */
#ifndef GATEWAY_SILENCE_LIMIT_H
#define GATEWAY_SILENCE_LIMIT_H

#include <stdbool.h>
#include <stdint.h>

#define PATIENCE_MAX_MS 60000

/* said_ms 0: nobody said. */
int64_t silence_limit_ms(int64_t said_ms, int64_t left_ms, bool has_next);

#endif
