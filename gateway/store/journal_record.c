/*
 * Numbers of eight bytes, texts as their length and themselves with a NUL, so
 * that reading one copies nothing.  Writing knows its size beforehand and so
 * checks no bound; reading checks each.
 */
#include "gateway/store/journal_record.h"

#include <endian.h>
#include <string.h>

enum { KIND_ENTRY = 1, KIND_MORE, KIND_BILL };

#define NAMES 5 /* of a bill, and one a use */

/* ---- writing */

static void
put_int(char **p, int64_t v)
{
	uint64_t le = htole64((uint64_t)v);

	memcpy(*p, &le, sizeof le);
	*p += sizeof le;
}

static void
put_bytes(char **p, const char *text, size_t len)
{
	uint32_t n = htole32((uint32_t)len + 1);

	memcpy(*p, &n, sizeof n);
	*p += sizeof n;
	memcpy(*p, text, len);
	(*p)[len] = '\0';
	*p += len + 1;
}

/* A name that is longer loses its end. */
static void
put_name(char **p, const char *name)
{
	put_bytes(p, name, strnlen(name, RECORD_NAME_MAX));
}

static void
put_text(char **p, const char *text, size_t len)
{
	static const uint32_t none;

	if (text) {
		put_bytes(p, text, len);
		return;
	}
	memcpy(*p, &none, sizeof none);
	*p += sizeof none;
}

static void
put_counters(char **p, const struct book_counters *all)
{
	put_int(p, (int64_t)all->n);
	for (size_t i = 0; i < all->n; i++) {
		const struct book_counter *c = &all->list[i];

		put_int(p, (int64_t)c->kind);
		put_int(p, c->id);
		put_int(p, c->span);
		put_int(p, c->limit);
		put_int(p, c->amount);
	}
}

/* Room for the numbers and names of any record, and these texts. */
static char *
make_room(struct buf *b, const char *const *texts, size_t n)
{
	size_t bytes = RECORD_FIXED_MAX;

	for (size_t i = 0; i < n; i++)
		bytes += texts[i] ? strlen(texts[i]) : 0;
	return buf_extend(b, bytes);
}

static void
end_at(struct buf *b, const char *p)
{
	b->len = (size_t)(p - b->data);
	b->data[b->len] = '\0';
}

enum err
record_put_entry(struct buf *b, const struct book_entry *e)
{
	const char *names[] = { e->request, e->key, e->model, e->target };
	char *p = make_room(b, NULL, 0);

	if (!p)
		return ERR_TOOBIG;
	put_int(&p, e->is_more ? KIND_MORE : KIND_ENTRY);
	put_int(&p, e->id);
	put_int(&p, (int64_t)e->now_ms);
	put_int(&p, e->nano);
	put_counters(&p, &e->counters);
	for (size_t i = 0; i < COUNT(names); i++)
		put_name(&p, names[i]);
	end_at(b, p);
	return ERR_OK;
}

enum err
record_put_bill(struct buf *b, const struct book_bill *bill)
{
	const char *names[NAMES + BOOK_USES_MAX] = { bill->request, bill->key,
		bill->target, bill->last, bill->outcome };
	const char *texts[] = { bill->attempts, bill->asked, bill->answered };
	char *p = make_room(b, texts, COUNT(texts));

	if (!p)
		return ERR_TOOBIG;
	for (size_t i = 0; i < bill->nuses; i++)
		names[NAMES + i] = bill->uses[i].target;
	put_int(&p, KIND_BILL);
	put_int(&p, bill->id);
	put_int(&p, bill->reserved);
	put_int(&p, bill->status);
	put_int(&p, bill->ms);
	put_int(&p, bill->is_estimated);
	put_counters(&p, &bill->counters);
	put_int(&p, (int64_t)bill->nuses);
	for (size_t i = 0; i < bill->nuses; i++) {
		put_int(&p, bill->uses[i].tokens_in);
		put_int(&p, bill->uses[i].tokens_out);
		put_int(&p, bill->uses[i].nano);
	}
	for (size_t i = 0; i < NAMES + bill->nuses; i++)
		put_name(&p, names[i]);
	for (size_t i = 0; i < COUNT(texts); i++)
		put_text(&p, texts[i], texts[i] ? strlen(texts[i]) : 0);
	end_at(b, p);
	return ERR_OK;
}

/* ---- reading */

struct cursor {
	const char *p, *end;
	bool is_bad;
};

static int64_t
get_int(struct cursor *c)
{
	uint64_t v = 0;

	if ((size_t)(c->end - c->p) < sizeof v) {
		c->is_bad = true;
		return 0;
	}
	memcpy(&v, c->p, sizeof v);
	c->p += sizeof v;
	return (int64_t)le64toh(v);
}

static const char *
get_text(struct cursor *c)
{
	const char *text;
	uint32_t n = 0;

	if ((size_t)(c->end - c->p) < sizeof n) {
		c->is_bad = true;
		return NULL;
	}
	memcpy(&n, c->p, sizeof n);
	c->p += sizeof n;
	n = le32toh(n);
	if (n == 0)
		return NULL;
	if ((size_t)(c->end - c->p) < n || c->p[n - 1] != '\0') {
		c->is_bad = true;
		return NULL;
	}
	text = c->p;
	c->p += n;
	return text;
}

/* One that has to be there. */
static const char *
get_name(struct cursor *c)
{
	const char *text = get_text(c);

	c->is_bad |= !text;
	return text;
}

static size_t
get_count(struct cursor *c, size_t max)
{
	int64_t n = get_int(c);

	if (n < 0 || (uint64_t)n > max) {
		c->is_bad = true;
		return 0;
	}
	return (size_t)n;
}

static void
get_counters(struct cursor *c, struct book_counters *all)
{
	all->n = get_count(c, BOOK_COUNTERS_MAX);
	for (size_t i = 0; i < all->n; i++) {
		struct book_counter *x = &all->list[i];

		x->kind = (enum book_kind)get_int(c);
		x->id = get_int(c);
		x->span = get_int(c);
		x->limit = get_int(c);
		x->amount = get_int(c);
	}
}

static void
read_entry(struct cursor *c, struct book_entry *e)
{
	e->id = get_int(c);
	e->now_ms = (uint64_t)get_int(c);
	e->nano = get_int(c);
	get_counters(c, &e->counters);
	e->request = get_name(c);
	e->key = get_name(c);
	e->model = get_name(c);
	e->target = get_name(c);
}

static void
read_bill(struct cursor *c, struct book_bill *b)
{
	b->id = get_int(c);
	b->reserved = get_int(c);
	b->status = get_int(c);
	b->ms = get_int(c);
	b->is_estimated = get_int(c) != 0;
	get_counters(c, &b->counters);
	b->nuses = get_count(c, BOOK_USES_MAX);
	for (size_t i = 0; i < b->nuses; i++) {
		b->uses[i].tokens_in = get_int(c);
		b->uses[i].tokens_out = get_int(c);
		b->uses[i].nano = get_int(c);
	}
	b->request = get_name(c);
	b->key = get_name(c);
	b->target = get_name(c);
	b->last = get_name(c);
	b->outcome = get_name(c);
	for (size_t i = 0; i < b->nuses; i++)
		b->uses[i].target = get_name(c);
	b->attempts = get_text(c);
	b->asked = get_text(c);
	b->answered = get_text(c);
}

enum err
record_read(struct slice bytes, struct record *ret)
{
	struct cursor c = { bytes.p, bytes.p + bytes.n, false };
	int64_t kind = get_int(&c);

	if (kind != KIND_ENTRY && kind != KIND_MORE && kind != KIND_BILL)
		return ERR_SYNTAX;
	ret->is_bill = kind == KIND_BILL;
	ret->entry.is_more = kind == KIND_MORE;
	if (ret->is_bill)
		read_bill(&c, &ret->bill);
	else
		read_entry(&c, &ret->entry);
	return c.is_bad ? ERR_SYNTAX : ERR_OK;
}
