/*
 * An HTTP answer written byte by byte, with its framing, by us: so that it
 * can leave in any pieces, stop anywhere, and still look as if the server had
 * written it.
 */
#ifndef CHAOS_RAWANSWER_H
#define CHAOS_RAWANSWER_H

#include "base/buf.h"
#include "base/serve.h"
#include "chaos/http/answer_head.h"
#include "chaos/http/stage.h"

struct wire;

struct rawanswer {
	struct serve_call *call; /* borrowed */
	struct wire *wire;       /* borrowed; NULL: straight to the call */
	struct buf head;         /* owned: what of the head has not left */
	enum http1_framing framing;
	uint64_t left; /* HTTP1_LENGTH: promised and not written yet */
};

void rawanswer_init(struct rawanswer *r, struct serve_call *call,
    struct wire *wire);
void rawanswer_done(struct rawanswer *r); /* frees; the call stays */

/*
 * Writes the head: all of it, or its first `first` bytes when that is not 0;
 * the others then leave before the next piece.  ERR_SYNTAX: a field may not
 * be in a head, nothing was written.
 */
enum err rawanswer_head(struct rawanswer *r, const struct answer_head *a,
    size_t first);
/* ERR_AGAIN as serve_write.  Bytes past the promised length are dropped. */
enum err rawanswer_bytes(struct rawanswer *r, const char *p, size_t n);
/* Without a wire the call is gone when this returns.  A clean end that is
 * shorter than promised is a FIN. */
void rawanswer_end(struct rawanswer *r, enum item_end how);

#endif
