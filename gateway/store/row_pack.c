/*
 * A mark that no row of the version before begins with, then rows.  A row is
 * its numbers, seven bits a byte, the id as the difference to the last one; and
 * its texts: 0 for none, or the length of what is new and 1, how many bytes are
 * those that the last row's text begins with, and what is new.
 *
 * The version before wrote numbers of eight bytes and whole texts with a NUL;
 * those are still read.
 */
#include "gateway/store/row_pack.h"

#include "gateway/store/journal_record.h"
#include <endian.h>
#include <string.h>

#define MARK       UINT64_C(0xffffffffffffffff)
#define SHARED_MAX 255
#define VARINT_MAX 10
#define INTS       8

#define INTS_OF(row)                                                           \
	{                                                                      \
		&(row)->id, &(row)->reserved, &(row)->status, &(row)->ms,      \
		    &(row)->in, &(row)->out, &(row)->nano,                     \
		    &(row)->is_estimated                                       \
	}
#define TEXTS_OF(row)                                                          \
	{                                                                      \
		&(row)->request, &(row)->key, &(row)->model, &(row)->target,   \
		    &(row)->outcome, &(row)->attempts, &(row)->asked,          \
		    &(row)->answered                                           \
	}

/* ---- writing */

static char *
put_varint(char *p, uint64_t v)
{
	for (; v >= 0x80; v >>= 7)
		*p++ = (char)(v | 0x80);
	*p++ = (char)v;
	return p;
}

/* Small numbers of either sign are short. */
static char *
put_int(char *p, int64_t v)
{
	return put_varint(p, (uint64_t)v << 1 ^ (v < 0 ? UINT64_MAX : 0));
}

static size_t
count_shared(struct slice a, struct slice b)
{
	size_t max = a.n < b.n ? a.n : b.n, i = 0;
	uint64_t x, y;

	if (max > SHARED_MAX)
		max = SHARED_MAX;
	for (; i + sizeof x <= max; i += sizeof x) {
		memcpy(&x, a.p + i, sizeof x);
		memcpy(&y, b.p + i, sizeof y);
		if (x != y)
			break;
	}
	while (i < max && a.p[i] == b.p[i])
		i++;
	return i;
}

static char *
put_text(char *p, struct slice text, struct slice last)
{
	size_t shared = count_shared(text, last);

	p = put_varint(p, text.n - shared + 1);
	*p++ = (char)shared;
	memcpy(p, text.p + shared, text.n - shared);
	return p + text.n - shared;
}

enum err
row_pack_add(struct row_pack_writer *w, struct buf *b,
    const struct row_pack_row *row)
{
	const int64_t *const ints[INTS] = INTS_OF(row);
	const char *const *const texts[ROW_PACK_TEXTS] = TEXTS_OF(row);
	uint64_t mark = MARK;
	size_t most = sizeof mark + (size_t)INTS * VARINT_MAX;
	size_t before = b->len;
	struct slice now[ROW_PACK_TEXTS];
	char *p;

	for (size_t i = 0; i < ROW_PACK_TEXTS; i++) {
		now[i] = slice_of(*texts[i]);
		most += now[i].n + VARINT_MAX + 1;
	}
	if (!(p = buf_extend(b, most)))
		return ERR_TOOBIG;
	if (before == 0) {
		memset(w, 0, sizeof *w);
		memcpy(p, &mark, sizeof mark);
		p += sizeof mark;
	}
	/* Whatever a journal of others says: differences wrap. */
	p = put_int(p, (int64_t)((uint64_t)row->id - (uint64_t)w->id));
	for (size_t i = 1; i < INTS; i++)
		p = put_int(p, *ints[i]);
	for (size_t i = 0; i < ROW_PACK_TEXTS; i++)
		if (*texts[i])
			p = put_text(p, now[i], w->texts[i]);
		else
			*p++ = 0;
	b->len = (size_t)(p - b->data);
	*p = '\0';
	w->id = row->id;
	memcpy(w->texts, now, sizeof now);
	return ERR_OK;
}

/* ---- reading */

static bool
get_varint(struct slice *s, uint64_t *ret)
{
	uint64_t v = 0;

	for (unsigned i = 0; i < VARINT_MAX && i < s->n; i++) {
		v |= (uint64_t)(s->p[i] & 0x7f) << 7 * i;
		if (s->p[i] & 0x80)
			continue;
		s->p += i + 1;
		s->n -= i + 1;
		*ret = v;
		return true;
	}
	return false;
}

static bool
get_int(struct slice *s, int64_t *ret)
{
	uint64_t v;

	if (!get_varint(s, &v))
		return false;
	*ret = (int64_t)(v >> 1 ^ (0 - (v & 1)));
	return true;
}

/* *last becomes the text; *ret is NULL where there is none. */
static bool
get_text(struct slice *s, struct buf *last, const char **ret)
{
	size_t shared;
	uint64_t n;

	*ret = NULL;
	if (!get_varint(s, &n))
		return false;
	if (n-- == 0) {
		buf_clear(last);
		return true;
	}
	if (s->n == 0 || n > s->n - 1)
		return false;
	shared = (unsigned char)*s->p++;
	s->n--;
	if (shared > last->len)
		return false;
	last->len = shared;
	if (buf_add(last, s->p, n) != ERR_OK)
		return false;
	s->p += n;
	s->n -= n;
	*ret = last->data;
	return true;
}

static bool
get_plain_int(struct slice *s, int64_t *ret)
{
	uint64_t v;

	if (s->n < sizeof v)
		return false;
	memcpy(&v, s->p, sizeof v);
	*ret = (int64_t)le64toh(v);
	s->p += sizeof v;
	s->n -= sizeof v;
	return true;
}

static bool
get_plain_text(struct slice *s, const char **ret)
{
	uint32_t n;

	*ret = NULL;
	if (s->n < sizeof n)
		return false;
	memcpy(&n, s->p, sizeof n);
	n = le32toh(n);
	s->p += sizeof n;
	s->n -= sizeof n;
	if (n == 0)
		return true;
	if (s->n < n || s->p[n - 1] != '\0')
		return false;
	*ret = s->p;
	s->p += n;
	s->n -= n;
	return true;
}

void
row_pack_open(struct row_pack_reader *r, struct slice pack)
{
	uint64_t mark = 0;

	*r = (struct row_pack_reader){ .left = pack };
	for (size_t i = 0; i < ROW_PACK_TEXTS; i++)
		buf_init(&r->texts[i], RECORD_BYTES_MAX);
	if (pack.n >= sizeof mark)
		memcpy(&mark, pack.p, sizeof mark);
	r->is_plain = mark != MARK;
	if (r->is_plain)
		return;
	r->left.p += sizeof mark;
	r->left.n -= sizeof mark;
}

void
row_pack_close(struct row_pack_reader *r)
{
	for (size_t i = 0; i < ROW_PACK_TEXTS; i++)
		buf_done(&r->texts[i]);
}

enum err
row_pack_next(struct row_pack_reader *r, struct row_pack_row *ret)
{
	int64_t *const ints[INTS] = INTS_OF(ret);
	const char **const texts[ROW_PACK_TEXTS] = TEXTS_OF(ret);
	bool is_good = true;

	if (r->left.n == 0)
		return ERR_NOTFOUND;
	for (size_t i = 0; i < INTS && is_good; i++)
		is_good = r->is_plain ? get_plain_int(&r->left, ints[i])
		                      : get_int(&r->left, ints[i]);
	for (size_t i = 0; i < ROW_PACK_TEXTS && is_good; i++)
		is_good = r->is_plain
		    ? get_plain_text(&r->left, texts[i])
		    : get_text(&r->left, &r->texts[i], texts[i]);
	if (!is_good) {
		r->left.n = 0;
		return ERR_SYNTAX;
	}
	if (!r->is_plain)
		ret->id = r->id =
		    (int64_t)((uint64_t)r->id + (uint64_t)ret->id);
	return ERR_OK;
}
