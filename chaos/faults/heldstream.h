/*
 * Events of a model's answer that are held back while their content is put
 * together and edited; afterwards the same number of events, with the same
 * gaps between them, carries the edited content.  Pure: no I/O, time is an
 * argument.
 */
#ifndef CHAOS_HELDSTREAM_H
#define CHAOS_HELDSTREAM_H

#include "base/err.h"
#include "base/slice.h"
#include "chaos/text/dialect.h"
#include "chaos/text/json_splice.h"
#include <stdbool.h>
#include <stdint.h>

#define HELD_BYTES_MAX ((size_t)2 << 20)

struct heldstream;

/* dialect says where the text stands; borrowed. */
struct heldstream *heldstream_new(const struct dialect *dialect);
void heldstream_free(struct heldstream *h); /* NULL-safe */

/* What a block of the stream means for its content. */
enum delta {
	DELTA_NONE,    /* no content: a role, a comment, usage */
	DELTA_CONTENT, /* a piece of the answer's text */
	DELTA_LAST,    /* a finish reason or [DONE]: the text is complete */
};

/*
 * Holds one block (raw bytes and its data).  ERR_TOOBIG past HELD_BYTES_MAX:
 * not held.  ERR_SYNTAX: held, but its content cannot be edited.
 */
enum err heldstream_add(struct heldstream *h, struct slice raw,
    struct slice data, uint64_t now_us, enum delta *ret);

/* The text so far; borrowed, until the next add. */
struct slice heldstream_content(const struct heldstream *h);

/* Holds a note behind what was added before; borrowed. */
void heldstream_add_note(struct heldstream *h, void *note, uint64_t now_us);

/* Puts edits of the content into the blocks; note (NULL: none) then stands
 * behind the last that changed. */
enum err heldstream_edit(struct heldstream *h, const struct splices *edits,
    void *note);

struct held {
	struct slice raw, data; /* borrowed; of a note alone, empty */
	uint64_t came_us;
	void *note; /* behind it; NULL: none */
};

/*
 * Takes the next block if its text ends at or before byte `upto` of the
 * content (SIZE_MAX: whatever it is).  False: there is none.
 */
bool heldstream_take(struct heldstream *h, size_t upto, struct held *ret);

/* So many bytes of the content were taken and can be edited no more. */
size_t heldstream_taken(const struct heldstream *h);

#endif
