/*
 * A segment is a pack of rows (row_pack.h), with the lowest and highest
 * number of a request in it.  Two gateways' may overlap in time, so looking
 * for the newest goes on until a segment ends before the last that is wanted.
 */
#include "gateway/store/segment.h"

#include "gateway/store/journal_record.h"
#include <string.h>

#define SEGMENT_BYTES 16384 /* then it is written; one row may be longer */
#define SEGMENT_MAX   (SEGMENT_BYTES + 2 * RECORD_BYTES_MAX)
#define FORGET_MAX    "100"

void
segment_init(struct segment *g, struct store *s)
{
	*g = (struct segment){ .store = s };
	buf_init(&g->bytes, SEGMENT_MAX);
}

void
segment_done(struct segment *g)
{
	buf_done(&g->bytes);
}

enum err
segment_end(struct segment *g)
{
	enum err e;

	if (g->bytes.len == 0)
		return ERR_OK;
	e = store_do(g->store,
	    "INSERT INTO segments(first, last, rows) VALUES(?1, ?2, ?3)", "iis",
	    g->first, g->last, (struct slice){ g->bytes.data, g->bytes.len });
	buf_clear(&g->bytes);
	return e;
}

enum err
segment_add(struct segment *g, const struct row_pack_row *row)
{
	bool is_new = g->bytes.len == 0;
	enum err e = row_pack_add(&g->rows, &g->bytes, row);

	if (is_new || row->id < g->first)
		g->first = row->id;
	if (is_new || row->id > g->last)
		g->last = row->id;
	return e != ERR_OK || g->bytes.len < SEGMENT_BYTES ? e : segment_end(g);
}

/* ---- asking */

struct search {
	struct store *store;
	const struct book_question *q;
	int64_t floor, found; /* older rows are not wanted any more */
	enum err e;
};

static bool
is_asked(const struct book_question *q, const struct row_pack_row *r)
{
	return r->id >= q->since_ms * (1 << BOOK_ROW_BITS) &&
	    (!q->key || strcmp(r->key, q->key) == 0) &&
	    (!q->model || strcmp(r->model, q->model) == 0 ||
	        strcmp(r->target, q->model) == 0) &&
	    (q->status < 0 || r->status == q->status);
}

static void
take_row(struct search *w, const struct row_pack_row *r)
{
	if (w->e != ERR_OK || r->id < w->floor || !is_asked(w->q, r))
		return;
	w->found++;
	w->e = store_do(w->store,
	    "INSERT OR IGNORE INTO temp.found VALUES(?1, ?2, ?3, ?4, ?5, ?6, "
	    "?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16)",
	    "ittttitiiiiiittt", r->id, r->request, r->key, r->model, r->target,
	    r->status, r->outcome, r->in, r->out, r->reserved, r->nano,
	    r->is_estimated, r->ms, r->attempts, r->asked, r->answered);
}

/* A row that cannot be read ends its segment: nothing behind it is known. */
static bool
search_segment(void *arg, int64_t last, struct slice rows)
{
	struct search *w = arg;
	struct row_pack_reader all;
	struct row_pack_row r;
	enum err e;

	if (last < w->floor)
		return false;
	row_pack_open(&all, rows);
	while (row_pack_next(&all, &r) == ERR_OK)
		if (r.request && r.key && r.model && r.target)
			take_row(w, &r);
	row_pack_close(&all);
	if (w->e == ERR_OK && w->found >= w->q->rows_max) {
		e = store_int(w->store, &w->floor,
		    "SELECT id FROM temp.found ORDER BY id DESC LIMIT 1 OFFSET "
		    "?1",
		    "i", w->q->rows_max - 1);
		w->e = e == ERR_NOTFOUND ? ERR_OK : e;
	}
	return w->e == ERR_OK;
}

enum err
segment_find(struct store *s, const struct book_question *q)
{
	struct search w = { .store = s, .q = q, .floor = INT64_MIN };
	enum err e =
	    store_int(s, &w.found, "SELECT count(*) FROM temp.found", "");

	if (e == ERR_OK)
		e = store_blobs(s, search_segment, &w,
		    "SELECT last, rows FROM segments WHERE last >= ?1 ORDER BY "
		    "last DESC",
		    "i", q->since_ms * (1 << BOOK_ROW_BITS));
	return e == ERR_OK ? w.e : e;
}

enum err
segment_forget(struct store *s, int64_t before)
{
	return store_do(s,
	    "DELETE FROM segments WHERE id IN (SELECT id FROM segments WHERE "
	    "last < ?1 ORDER BY last LIMIT " FORGET_MAX ")",
	    "i", before);
}
