/*
 * Items that leave a stage later than they came: a queue with due times on
 * the loop.  Order is kept; an item that is due when nothing waits before it
 * passes at once.
 */
#ifndef CHAOS_DELAYLINE_H
#define CHAOS_DELAYLINE_H

#include "chaos/http/stage.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct delayline;

/* Items leave to owner->next; owner is borrowed and holds the line. */
struct delayline *delayline_new(struct stage *owner);
void delayline_free(struct delayline *d); /* NULL-safe; drops what waits */

/* Copies the item; due_us on the clock of loop_now_us(). */
void delayline_add(struct delayline *d, const struct item *it, uint64_t due_us);

/* A stage with a line: embedded first in a fault's own struct. */
struct late_stage {
	struct stage stage;
	struct delayline *line; /* owned */
};

/* That struct, all else of it 0; ops->free is late_stage_free(). */
void *late_stage_new(size_t bytes, const struct stage_ops *ops);
void late_stage_free(struct stage *st);

#endif
