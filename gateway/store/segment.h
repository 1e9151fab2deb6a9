/*
 * Many requests in one row of the store.  A request that began and ended
 * within a batch is told once and never changed, so a busy gateway's are
 * written together: SQLite's share of one is then a small part of what a row
 * of its own costs.  Who asks for requests has them unpacked, the newest first
 * and no more than are asked for.
 */
#ifndef GATEWAY_SEGMENT_H
#define GATEWAY_SEGMENT_H

#include "gateway/store/row_pack.h"
#include "gateway/store/spend_book.h"
#include "gateway/store/store.h"

#define SEGMENT_LEAST 8 /* fewer have rows of their own */

/* What is being packed; the caller's transaction holds all of it, and the
 * texts of its rows stay until it ends. */
struct segment {
	struct store *store;
	struct row_pack_writer rows;
	struct buf bytes;
	int64_t first, last;
};

void segment_init(struct segment *g, struct store *s);
enum err segment_add(struct segment *g, const struct row_pack_row *row);
/* Writes what is left.  Nothing is to be freed before or after segment_done. */
enum err segment_end(struct segment *g);
void segment_done(struct segment *g);

/* Unpacked rows into the table `found`, which has the columns of `requests`:
 * the newest rows_max of those that are asked for are among what is there
 * then. */
enum err segment_find(struct store *s, const struct book_question *q);

/* Those whose last request is older than that row, some at a time. */
enum err segment_forget(struct store *s, int64_t before);

#endif
