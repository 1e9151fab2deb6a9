/*
 * An entry or a bill as bytes: what stands in a journal until it is folded
 * into the store, and what waits for the store's thread.
 *
 * Numbers are little-endian: a store may be carried to another machine.
 */
#ifndef GATEWAY_JOURNAL_RECORD_H
#define GATEWAY_JOURNAL_RECORD_H

#include "base/buf.h"
#include "base/slice.h"
#include "gateway/store/spend_book.h"

#define RECORD_BYTES_MAX (2U << 20)
#define RECORD_NAME_MAX  255 /* a longer name loses its end */
/* All but a bill's attempts and bodies. */
#define RECORD_FIXED_MAX 8192

struct record {
	bool is_bill;
	struct book_entry entry;
	struct book_bill bill;
};

/* At the end of b; ERR_TOOBIG when there is no room. */
enum err record_put_entry(struct buf *b, const struct book_entry *e);
enum err record_put_bill(struct buf *b, const struct book_bill *bill);

/* Its texts are borrowed from bytes.  ERR_SYNTAX: this is none. */
enum err record_read(struct slice bytes, struct record *ret);

#endif
