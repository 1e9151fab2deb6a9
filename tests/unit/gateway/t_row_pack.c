/* What is packed comes out again, whatever stood before it; half a pack and
 * nonsense end the reading, and what the version before wrote is read. */
#include "gateway/store/row_pack.h"

#include "base/mem.h"
#include "tests/unit.h"
#include <endian.h>
#include <stdlib.h>

#define LONG 700

static char long_text[LONG + 1], other_text[LONG + 1];

static const struct row_pack_row rows[] = {
	{ 5000000, 7, 200, 3, 10, 20, 30, 0, "r1", "k", "m", "p/m", "ok", "[]",
	    NULL, NULL },
	{ 5000001, -7, 502, INT64_MAX, 0, 0, 0, 1, "r2", "k", "m", "p/m",
	    "network", "[{}]", "", "x" },
	{ 4999999, 0, 0, 0, 0, INT64_MIN, -1, 0, "r2", "", "k", "p/m",
	    "network", NULL, long_text, long_text },
	{ INT64_MAX, 0, 0, 0, 0, 0, 0, 0, "r", "kk", "k", "p", "n", NULL,
	    other_text, long_text },
	{ INT64_MIN, 0, 0, 0, 0, 0, 0, 0, "r", "kk", "k", "p", "n", "[]", NULL,
	    other_text },
};

static bool
is_text(const char *a, const char *b)
{
	return a && b ? strcmp(a, b) == 0 : a == b;
}

static bool
is_row(const struct row_pack_row *a, const struct row_pack_row *b)
{
	return a->id == b->id && a->reserved == b->reserved &&
	    a->status == b->status && a->ms == b->ms && a->in == b->in &&
	    a->out == b->out && a->nano == b->nano &&
	    a->is_estimated == b->is_estimated &&
	    is_text(a->request, b->request) && is_text(a->key, b->key) &&
	    is_text(a->model, b->model) && is_text(a->target, b->target) &&
	    is_text(a->outcome, b->outcome) &&
	    is_text(a->attempts, b->attempts) && is_text(a->asked, b->asked) &&
	    is_text(a->answered, b->answered);
}

/* How many of the rows come out of the first n bytes as they went in. */
static size_t
count_good(const char *p, size_t n)
{
	/* Of its own length, so that a sanitizer sees what lies behind. */
	char *bytes = xmemdup(p, n);
	struct row_pack_reader r;
	struct row_pack_row row;
	size_t good = 0;

	row_pack_open(&r, (struct slice){ bytes, n });
	while (row_pack_next(&r, &row) == ERR_OK)
		good += good < COUNT(rows) && is_row(&row, &rows[good]);
	CHECK_INT(row_pack_next(&r, &row), ERR_NOTFOUND, "it stays ended");
	row_pack_close(&r);
	free(bytes);
	return good;
}

static void
packs_and_unpacks(void)
{
	struct row_pack_writer w;
	size_t ends[COUNT(rows)], k = 0;
	struct buf b;

	memset(long_text, 'a', LONG);
	memset(other_text, 'a', LONG);
	other_text[300] = 'b';
	buf_init(&b, 1 << 20);
	for (size_t i = 0; i < COUNT(rows); i++) {
		CHECK_INT(row_pack_add(&w, &b, &rows[i]), ERR_OK, "packed");
		ends[i] = b.len;
	}
	CHECK(b.len < 5 * sizeof long_text,
	    "what is the same is not written again");
	for (size_t n = 0; n <= b.len; n++) {
		k += k < COUNT(rows) && n >= ends[k];
		CHECK_INT(count_good(b.data, n), k, "what is whole of it");
	}
	/* Bytes of it that are others: it ends, and no more than that. */
	for (size_t i = 0; i < ends[1]; i++) {
		b.data[i] = (char)(b.data[i] ^ 0x81);
		(void)count_good(b.data, b.len);
		b.data[i] = (char)(b.data[i] ^ 0x81);
	}
	buf_done(&b);
	buf_init(&b, 20);
	CHECK_INT(row_pack_add(&w, &b, &rows[0]), ERR_TOOBIG, "no room");
	buf_done(&b);
}

static void
add_plain(struct buf *b, const struct row_pack_row *r)
{
	const int64_t ints[] = { r->id, r->reserved, r->status, r->ms, r->in,
		r->out, r->nano, r->is_estimated };
	const char *texts[] = { r->request, r->key, r->model, r->target,
		r->outcome, r->attempts, r->asked, r->answered };

	for (size_t i = 0; i < COUNT(ints); i++) {
		uint64_t v = htole64((uint64_t)ints[i]);

		buf_add(b, &v, sizeof v);
	}
	for (size_t i = 0; i < COUNT(texts); i++) {
		size_t n = texts[i] ? strlen(texts[i]) + 1 : 0;
		uint32_t v = htole32((uint32_t)n);

		buf_add(b, &v, sizeof v);
		buf_add(b, texts[i] ? texts[i] : "", n);
	}
}

static void
reads_the_version_before(void)
{
	size_t ends[COUNT(rows)], k = 0;
	struct buf b;

	buf_init(&b, 1 << 20);
	for (size_t i = 0; i < COUNT(rows); i++) {
		add_plain(&b, &rows[i]);
		ends[i] = b.len;
	}
	for (size_t n = 0; n <= b.len; n++) {
		k += k < COUNT(rows) && n >= ends[k];
		CHECK_INT(count_good(b.data, n), k, "what is whole of it");
	}
	buf_done(&b);
}

void t_row_pack(void);

void
t_row_pack(void)
{
	packs_and_unpacks();
	reads_the_version_before();
}
