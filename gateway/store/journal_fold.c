/*
 * What a batch says of one row, of one sum and of one counter is added up
 * before SQLite hears of it: many requests that began and ended within a batch
 * are one INSERT (segment.h), and a thousand of one key are one UPDATE of its
 * budget.
 *
 * An entry takes from its gateway's lease what it adds to what is used, so
 * that their sum, which all others judge by, never dips.  A bill corrects what
 * is used alone.
 *
 * A window that has begun is not gone back from, whoever's clock is behind;
 * what corrects a window that is over is nobody's any more.
 */
#include "gateway/store/journal_fold.h"

#include "base/mem.h"
#include "gateway/store/journal_record.h"
#include "gateway/store/segment.h"
#include <stdlib.h>
#include <string.h>

#define HEADS  2048 /* of chains; a power of two */
#define DAY_MS INT64_C(86400000)

/* What is known of a request from this batch; texts are the ring's. */
struct row {
	uint32_t next;
	bool has_entry, has_bill;
	struct row_pack_row r;
};

struct sum {
	uint32_t next;
	int64_t day, requests, in, out, nano;
	const char *key, *target;
};

struct tally {
	uint32_t next;
	struct book_counter counter;
	int64_t entered, corrected;
};

/* A growing list with chains by hash; 0 ends a chain. */
struct table {
	uint32_t heads[HEADS];
	void *items; /* owned */
	size_t n, size, item_bytes;
};

struct batch {
	struct store *store;
	const char *journal; /* NULL: none, and no lease */
	struct table rows, sums, tallies;
	size_t last_sum; /* that was asked for */
	size_t nwhole;   /* rows that begin and end here */
};

static void
batch_init(struct batch *b, struct store *s, const char *journal)
{
	memset(b, 0, sizeof *b);
	b->store = s;
	b->journal = journal;
	b->rows.item_bytes = sizeof(struct row);
	b->sums.item_bytes = sizeof(struct sum);
	b->tallies.item_bytes = sizeof(struct tally);
}

static void
batch_done(struct batch *b)
{
	free(b->rows.items);
	free(b->sums.items);
	free(b->tallies.items);
}

/* A zeroed one more; the caller puts it into its chain. */
static void *
add_item(struct table *t)
{
	char *p;

	if (t->n == t->size) {
		t->size = t->size ? 2 * t->size : 16;
		t->items = xreallocarray(t->items, t->size, t->item_bytes);
	}
	p = (char *)t->items + t->n++ * t->item_bytes;
	memset(p, 0, t->item_bytes);
	return p;
}

static uint32_t *
head_of(struct table *t, uint64_t hash)
{
	hash *= UINT64_C(0x9e3779b97f4a7c15);
	return &t->heads[(hash >> 40) & (HEADS - 1)];
}

static uint64_t
hash_text(uint64_t h, const char *text)
{
	for (; *text; text++)
		h = (h ^ (unsigned char)*text) * UINT64_C(0x100000001b3);
	return h;
}

static struct row *
row_of(struct batch *b, int64_t id)
{
	uint32_t *head = head_of(&b->rows, (uint64_t)id);
	struct row *all = b->rows.items, *r;

	for (uint32_t i = *head; i; i = all[i - 1].next)
		if (all[i - 1].r.id == id)
			return &all[i - 1];
	r = add_item(&b->rows);
	r->r.id = id;
	r->next = *head;
	*head = (uint32_t)b->rows.n;
	return r;
}

static bool
is_sum_of(const struct sum *s, int64_t day, const char *key, const char *target)
{
	return s->day == day && strcmp(s->key, key) == 0 &&
	    strcmp(s->target, target) == 0;
}

static struct sum *
sum_of(struct batch *b, int64_t id, const char *key, const char *target)
{
	int64_t day = (id >> BOOK_ROW_BITS) / DAY_MS;
	struct sum *all = b->sums.items, *s;
	uint32_t *head;

	/* Nearly always the same as of the record before. */
	if (b->last_sum < b->sums.n &&
	    is_sum_of(&all[b->last_sum], day, key, target))
		return &all[b->last_sum];
	head =
	    head_of(&b->sums, hash_text(hash_text((uint64_t)day, key), target));
	for (uint32_t i = *head; i; i = all[i - 1].next)
		if (is_sum_of(&all[i - 1], day, key, target)) {
			b->last_sum = i - 1;
			return &all[i - 1];
		}
	b->last_sum = b->sums.n;
	s = add_item(&b->sums);
	s->day = day;
	s->key = key;
	s->target = target;
	s->next = *head;
	*head = (uint32_t)b->sums.n;
	return s;
}

static struct tally *
tally_of(struct batch *b, const struct book_counter *c)
{
	uint32_t *head = head_of(&b->tallies,
	    (uint64_t)c->id * 31 + (uint64_t)c->span * 7 + c->kind);
	struct tally *all = b->tallies.items, *t;

	for (uint32_t i = *head; i; i = all[i - 1].next) {
		const struct book_counter *x = &all[i - 1].counter;

		if (x->kind == c->kind && x->id == c->id && x->span == c->span)
			return &all[i - 1];
	}
	t = add_item(&b->tallies);
	t->counter = *c;
	t->next = *head;
	*head = (uint32_t)b->tallies.n;
	return t;
}

/* ---- what a record says */

static void
note_entry(struct batch *b, const struct book_entry *e)
{
	struct row *r = row_of(b, e->id);
	struct sum *s = sum_of(b, e->id, e->key, e->target);

	r->r.reserved += e->nano;
	s->nano += e->nano;
	s->requests += !e->is_more;
	for (size_t i = 0; i < e->counters.n; i++) {
		const struct book_counter *c = &e->counters.list[i];
		struct tally *t = tally_of(b, c);

		if (e->is_more)
			t->corrected += c->amount;
		else
			t->entered += c->amount;
	}
	if (e->is_more)
		return;
	r->has_entry = true;
	r->r.request = e->request;
	r->r.key = e->key;
	r->r.model = e->model;
	r->r.target = e->target;
}

static void
note_uses(struct batch *b, const struct book_bill *bill, struct row *r)
{
	for (size_t i = 0; i < bill->nuses; i++) {
		const struct book_use *u = &bill->uses[i];
		struct sum *s = sum_of(b, bill->id, bill->key, u->target);

		s->in += u->tokens_in;
		s->out += u->tokens_out;
		s->nano += u->nano;
		r->r.in += u->tokens_in;
		r->r.out += u->tokens_out;
		r->r.nano += u->nano;
	}
}

static void
note_bill(struct batch *b, const struct book_bill *bill)
{
	struct row *r = row_of(b, bill->id);
	struct sum *s = sum_of(b, bill->id, bill->key, bill->target);

	s->requests--;
	s->nano -= bill->reserved;
	sum_of(b, bill->id, bill->key, bill->last)->requests++;
	note_uses(b, bill, r);
	for (size_t i = 0; i < bill->counters.n; i++)
		tally_of(b, &bill->counters.list[i])->corrected +=
		    bill->counters.list[i].amount;
	b->nwhole += r->has_entry;
	r->has_bill = true;
	r->r.request = bill->request;
	r->r.target = bill->last;
	r->r.outcome = bill->outcome;
	r->r.status = bill->status;
	r->r.ms = bill->ms;
	r->r.is_estimated = bill->is_estimated;
	r->r.attempts = bill->attempts;
	r->r.asked = bill->asked;
	r->r.answered = bill->answered;
}

static bool
note(struct batch *b, struct slice bytes)
{
	struct record r;

	if (record_read(bytes, &r) != ERR_OK)
		return false;
	if (r.is_bill)
		note_bill(b, &r.bill);
	else
		note_entry(b, &r.entry);
	return true;
}

/* ---- into the store */

static enum err
put_row(struct store *s, const struct row *row)
{
	const struct row_pack_row *r = &row->r;

	if (row->has_entry && row->has_bill)
		return store_do(s,
		    "INSERT OR IGNORE INTO requests VALUES(?1, ?2, ?3, ?4, "
		    "?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16)",
		    "ittttitiiiiiittt", r->id, r->request, r->key, r->model,
		    r->target, r->status, r->outcome, r->in, r->out,
		    r->reserved, r->nano, r->is_estimated, r->ms, r->attempts,
		    r->asked, r->answered);
	if (row->has_entry)
		return store_do(s,
		    "INSERT OR IGNORE INTO requests(id, request, key, model, "
		    "target, status, reserved) VALUES(?1, ?2, ?3, ?4, ?5, 0, "
		    "?6)",
		    "itttti", r->id, r->request, r->key, r->model, r->target,
		    r->reserved);
	if (row->has_bill)
		return store_do(s,
		    "UPDATE requests SET target = ?3, status = ?4, outcome = "
		    "?5, tokens_in = ?6, tokens_out = ?7, cost = ?8, "
		    "estimated = ?9, ms = ?10, attempts = ?11, asked = ?12, "
		    "answered = ?13 WHERE id = ?1 AND request = ?2",
		    "ittitiiiiittt", r->id, r->request, r->target, r->status,
		    r->outcome, r->in, r->out, r->nano, r->is_estimated, r->ms,
		    r->attempts, r->asked, r->answered);
	return store_do(s,
	    "UPDATE requests SET reserved = reserved + ?2 WHERE id = ?1", "ii",
	    r->id, r->reserved);
}

static enum err
put_sum(struct store *s, const struct sum *u)
{
	if (!u->requests && !u->in && !u->out && !u->nano)
		return ERR_OK;
	return store_do(s,
	    "INSERT INTO spend VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7) "
	    "ON CONFLICT(day, key, model) DO UPDATE SET "
	    "requests = requests + excluded.requests, "
	    "tokens_in = tokens_in + excluded.tokens_in, "
	    "tokens_out = tokens_out + excluded.tokens_out, "
	    "cost = cost + excluded.cost",
	    "ittiiii", u->day, u->key, u->target, u->requests, u->in, u->out,
	    u->nano);
}

static enum err
put_entered(const struct batch *b, const struct tally *t)
{
	const struct book_counter *c = &t->counter;
	enum err e;

	e = store_do(b->store,
	    "INSERT INTO counters VALUES(?1, ?2, ?3, ?4) "
	    "ON CONFLICT(kind, id) DO UPDATE SET "
	    "used = CASE WHEN excluded.span > span THEN 0 ELSE used END + "
	    "excluded.used, span = max(span, excluded.span)",
	    "iiii", (int64_t)c->kind, c->id, c->span, t->entered);
	if (e != ERR_OK || !b->journal || c->limit == BOOK_NO_LIMIT)
		return e;
	return store_do(b->store,
	    "UPDATE leases SET amount = max(0, amount - ?5) WHERE kind = ?1 "
	    "AND id = ?2 AND journal = ?3 AND span = ?4",
	    "iitii", (int64_t)c->kind, c->id, b->journal, c->span, t->entered);
}

static enum err
put_tally(const struct batch *b, const struct tally *t)
{
	const struct book_counter *c = &t->counter;
	enum err e = t->entered ? put_entered(b, t) : ERR_OK;

	if (e != ERR_OK || t->corrected == 0)
		return e;
	return store_do(b->store,
	    "UPDATE counters SET used = max(0, used + ?4) "
	    "WHERE kind = ?1 AND id = ?2 AND span = ?3",
	    "iiii", (int64_t)c->kind, c->id, c->span, t->corrected);
}

/* Many that are whole go together. */
static enum err
put_rows(const struct batch *b)
{
	const struct row *rows = b->rows.items;
	bool packs = b->nwhole >= SEGMENT_LEAST;
	struct segment g;
	enum err e = ERR_OK;

	segment_init(&g, b->store);
	for (size_t i = 0; i < b->rows.n && e == ERR_OK; i++)
		e = packs && rows[i].has_entry && rows[i].has_bill
		    ? segment_add(&g, &rows[i].r)
		    : put_row(b->store, &rows[i]);
	if (e == ERR_OK)
		e = segment_end(&g);
	segment_done(&g);
	return e;
}

static enum err
flush(const struct batch *b)
{
	const struct sum *sums = b->sums.items;
	const struct tally *tallies = b->tallies.items;
	enum err e = put_rows(b);

	for (size_t i = 0; i < b->sums.n && e == ERR_OK; i++)
		e = put_sum(b->store, &sums[i]);
	for (size_t i = 0; i < b->tallies.n && e == ERR_OK; i++)
		e = put_tally(b, &tallies[i]);
	return e;
}

enum err
fold_record(struct store *s, struct slice record)
{
	struct batch b;
	enum err e;

	batch_init(&b, s, NULL);
	e = note(&b, record) ? flush(&b) : ERR_SYNTAX;
	batch_done(&b);
	return e;
}

/* ---- journals */

/* Within the transaction: *at is where it began, then where it ended. */
static enum err
fold_from(struct batch *b, const struct spend_journal *j, uint64_t *at,
    bool *is_damaged)
{
	uint64_t end = spend_journal_end(j);
	struct slice bytes;
	enum err e;

	*is_damaged = *at > end;
	while (spend_journal_next(j, at, end, &bytes))
		*is_damaged |= !note(b, bytes);
	*is_damaged |= *at != end;
	/* Its owner has it whole, and folds it. */
	if (*is_damaged && !spend_journal_is_own(j) &&
	    !spend_journal_is_dead(j))
		return ERR_NOTFOUND;
	*at = end;
	if ((e = flush(b)) != ERR_OK)
		return e;
	return store_do(b->store,
	    "UPDATE journals SET folded = ?2 WHERE name = ?1", "ti", b->journal,
	    (int64_t)end);
}

enum err
fold_journal(struct store *s, struct spend_journal *j, bool *is_damaged)
{
	struct batch b;
	int64_t from;
	uint64_t at = 0;
	enum err e = store_begin(s);

	*is_damaged = false;
	if (e == ERR_OK)
		e = store_int(s, &from,
		    "SELECT folded FROM journals WHERE name = ?1", "t",
		    spend_journal_name(j));
	if (e == ERR_OK) {
		at = (uint64_t)from;
		batch_init(&b, s, spend_journal_name(j));
		e = fold_from(&b, j, &at, is_damaged);
		batch_done(&b);
	}
	if (e == ERR_OK)
		e = store_commit(s);
	if (e == ERR_OK)
		spend_journal_set_folded(j, at);
	else
		store_rollback(s);
	return e;
}

enum err
fold_register(struct store *s, const char *journal, int64_t *number)
{
	enum err e = store_do(s,
	    "INSERT INTO journals(name, folded) VALUES(?1, 0)", "t", journal);

	return e != ERR_OK
	    ? e
	    : store_int(s, number, "SELECT id FROM journals WHERE name = ?1",
	          "t", journal);
}

enum err
fold_forget(struct store *s, const char *journal)
{
	enum err e = store_begin(s);

	if (e == ERR_OK)
		e = store_do(s, "DELETE FROM leases WHERE journal = ?1", "t",
		    journal);
	if (e == ERR_OK)
		e = store_do(s, "DELETE FROM journals WHERE name = ?1", "t",
		    journal);
	if (e == ERR_OK)
		e = store_commit(s);
	if (e != ERR_OK)
		store_rollback(s);
	return e;
}

struct others {
	struct store *store;
	const char *path, *own;
	enum err e;
};

static void
fold_other(void *arg, const char *name)
{
	struct others *o = arg;
	struct spend_journal *j;
	bool is_damaged;
	enum err e;

	if (o->e != ERR_OK || (o->own && strcmp(name, o->own) == 0) ||
	    spend_journal_open(o->path, name, &j) != ERR_OK)
		return;
	e = fold_journal(o->store, j, &is_damaged);
	/* One that nobody registered has promised nothing. */
	if (e == ERR_NOTFOUND)
		e = ERR_OK;
	/* The file first: a name that is left over hurts nobody, a file that
	 * the store knows nothing of would be folded again. */
	if (e == ERR_OK && spend_journal_is_dead(j)) {
		spend_journal_remove(j);
		e = fold_forget(o->store, name);
	}
	spend_journal_free(j);
	o->e = e;
}

enum err
fold_others(struct store *s, const char *store_path, const char *own)
{
	struct others o = { s, store_path, own, ERR_OK };
	enum err e = spend_journal_each(store_path, fold_other, &o);

	return e == ERR_OK ? o.e : e;
}
