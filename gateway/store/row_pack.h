/*
 * Requests packed behind each other, as segments of the store hold them: a row
 * says what differs from the one before it.  Requests of a busy moment are much
 * alike (a key, a target, an outcome, most of the attempts), and the store's
 * share of one is mostly its bytes.
 */
#ifndef GATEWAY_ROW_PACK_H
#define GATEWAY_ROW_PACK_H

#include "base/buf.h"
#include "base/slice.h"

#define ROW_PACK_TEXTS 8

/* A request, from its entry to its bill; NULL: nothing. */
struct row_pack_row {
	int64_t id, reserved, status, ms, in, out, nano, is_estimated;
	const char *request, *key, *model, *target, *outcome;
	const char *attempts, *asked, *answered;
};

/* What the next row is told by. */
struct row_pack_writer {
	int64_t id;
	struct slice texts[ROW_PACK_TEXTS]; /* of the last row; borrowed */
};

/* At the end of b; of an empty one a new pack is begun.  The row's texts stay
 * until the next.  ERR_TOOBIG: no room, and nothing is added. */
enum err row_pack_add(struct row_pack_writer *w, struct buf *b,
    const struct row_pack_row *row);

struct row_pack_reader {
	struct slice left;
	bool is_plain; /* as the version before wrote them */
	int64_t id;
	struct buf texts[ROW_PACK_TEXTS];
};

void row_pack_open(struct row_pack_reader *r, struct slice pack);
void row_pack_close(struct row_pack_reader *r);
/* Its texts are there until the next.  ERR_NOTFOUND: that was all; ERR_SYNTAX:
 * it is damaged from here on. */
enum err row_pack_next(struct row_pack_reader *r, struct row_pack_row *ret);

#endif
