/*
 * A recorded session: JSON lines, one an answer, found again by the request's
 * key and attempt.  Nothing of a request is kept but method, path and key;
 * of an answer's headers, those that may hold a secret are left out.
 *
 *	{"attempt":1,"end":"clean","headers":[["content-type","..."]],
 *	 "key":"...","length":true,"method":"POST","path":"/v1/...",
 *	 "pieces":[[US,"text"],[US,{"hex":"..."}]],"query":false,
 *	 "reason":"Fine","status":200}
 *
 * "query" says whether the key counts the request's query.  Tapes of older
 * versions do not say it, and their keys count none: a request is looked for
 * there without its query, in the order in which such requests come.
 *
 * US is microseconds since the request; end is clean, fin or rst.  A header's
 * value that is no UTF-8 is {"hex":"..."}.  "reason" is there when the phrase
 * is not the usual one of its status.  With "length" the answer said how
 * long it is; that is counted, unless "bytes" is there: what it promised, of a
 * torn one, or what the body would have, where none comes (HEAD, 304).
 */
#ifndef CHAOS_CASSETTE_H
#define CHAOS_CASSETTE_H

#include "base/err.h"
#include "chaos/http/answer_head.h"
#include "chaos/http/cassette_tape.h"
#include "chaos/http/stage.h"
#include "chaos/rules/request_facts.h"
#include <jansson.h>

/* ---- writing */

struct take; /* one answer on its way into the file */

/* tape is borrowed and outlives the take. */
struct take *take_new(struct tape *tape, struct facts *f, uint64_t now_us);
void take_head(struct take *t, const struct answer_head *a);
void take_bytes(struct take *t, const char *p, size_t n, uint64_t now_us);
/* Writes the line, and frees.  False: the answer is too long, or the file took
 * no more, which the tape has said. */
bool take_end(struct take *t, enum item_end end);
void take_free(struct take *t); /* nothing is written; NULL-safe */

/* ---- reading */

struct cassette;

/* ERR_NOTFOUND, ERR_SYNTAX with the line.  A last line that is torn is left
 * out, and that is said on standard error. */
enum err cassette_read(const char *path, struct cassette **ret,
    struct why *why);
void cassette_free(struct cassette *c); /* NULL-safe */
/* Borrowed; NULL when the request is not in it.  loops: behind the last
 * attempt of a request comes its first again. */
json_t *cassette_find(struct cassette *c, struct facts *f, bool loops);
/* The same, or that of another attempt: the next one, else the last. */
json_t *cassette_nearest(const struct cassette *c, struct facts *f);
/* Fills in status, framing and fields. */
void cassette_head(json_t *recorded, struct answer_head *a);
enum item_end cassette_end(json_t *recorded);
/* Piece i and when it came; false past the last.  Owned by out. */
bool cassette_piece(json_t *recorded, size_t i, uint64_t *us, struct buf *out);

#endif
