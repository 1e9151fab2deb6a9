/* Budgets and spend, on a file of their own; the time is an argument. */
#include "base/files.h"
#include "base/mem.h"
#include "gateway/decisions/budget_window.h"
#include "gateway/store/budget_lease.h"
#include "gateway/store/journal_fold.h"
#include "gateway/store/journal_record.h"
#include "gateway/store/spend_book.h"
#include "tests/unit.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define NOW_MS UINT64_C(1795347000000) /* 2026-11-22, a Sunday */
#define USD    INT64_C(1000000000)

struct place {
	char dir[64], path[96];
	struct store *store;
};

static void
open_place(struct place *p)
{
	struct store_conf conf = { .keep_days = 30 };
	struct why why = { "" };

	strcpy(p->dir, "/tmp/t_store.XXXXXX");
	CHECK(mkdtemp(p->dir) != NULL, "a folder");
	snprintf(p->path, sizeof p->path, "%s/s.db", p->dir);
	conf.path = p->path;
	CHECK_INT(store_open(&conf, STORE_MAKE, &p->store, &why), ERR_OK,
	    why.text);
}

static void
close_place(struct place *p)
{
	store_close(p->store);
	files_remove_tree(p->dir);
}

/* ---- the book */

static struct book_entry
entry(int64_t row, int64_t limit, int64_t span, int64_t nano)
{
	struct book_entry e = { .id = (int64_t)NOW_MS * (1 << BOOK_ROW_BITS) +
		    row,
		.now_ms = NOW_MS,
		.request = "r",
		.key = "k",
		.model = "m",
		.target = "p/first",
		.nano = nano };

	e.counters.n = 1;
	e.counters.list[0] =
	    (struct book_counter){ BOOK_KEY_BUDGET, 1, span, limit, nano };
	return e;
}

static struct book_bill
bill(const struct book_entry *e, int64_t cost)
{
	struct book_bill b = { .id = e->id,
		.request = e->request,
		.key = e->key,
		.target = e->target,
		.reserved = e->nano,
		.last = "p/last",
		.outcome = "ok",
		.status = 200,
		.nuses = 1 };

	b.uses[0] = (struct book_use){ "p/last", 0, 5, cost };
	b.counters = e->counters;
	b.counters.list[0].amount = cost - e->nano;
	return b;
}

static struct slice
entry_bytes(struct buf *b, const struct book_entry *e)
{
	buf_clear(b);
	CHECK_INT(record_put_entry(b, e), ERR_OK, "written");
	return (struct slice){ b->data, b->len };
}

static struct slice
bill_bytes(struct buf *b, const struct book_bill *x)
{
	buf_clear(b);
	CHECK_INT(record_put_bill(b, x), ERR_OK, "written");
	return (struct slice){ b->data, b->len };
}

/* As a gateway without a journal does it. */
static enum err
enter(struct place *p, const struct book_entry *e)
{
	struct lease_want want = { .counter = e->counters.list[0] };
	size_t refused = 9;
	enum err err = ERR_OK;
	struct buf b;

	buf_init(&b, RECORD_BYTES_MAX);
	if (!e->is_more)
		err = lease_grant(p->store, NULL, &want, 1, &refused);
	if (err == ERR_OK)
		err = fold_record(p->store, entry_bytes(&b, e));
	buf_done(&b);
	return err;
}

static enum err
settle(struct place *p, const struct book_bill *x)
{
	struct buf b;
	enum err err;

	buf_init(&b, RECORD_BYTES_MAX);
	err = fold_record(p->store, bill_bytes(&b, x));
	buf_done(&b);
	return err;
}

static int64_t
number(struct place *p, const char *sql)
{
	int64_t n = -1;

	store_int(p->store, &n, sql, "");
	return n;
}

static const char spent[] = "SELECT coalesce(sum(cost), 0) FROM spend";
static const char used[] = "SELECT used FROM counters WHERE id = 1";
static const char leased[] = "SELECT coalesce(sum(amount), 0) FROM leases";

static void
keeps_books(struct place *p)
{
	struct book_entry one = entry(1, 10, 0, 6), two = entry(2, 10, 0, 6),
	                  three = entry(3, 10, 0, 6), more,
	                  late = entry(4, 10, 100, 1),
	                  early = entry(5, 10, 50, 1);
	struct book_bill b;

	CHECK_INT(enter(p, &one), ERR_OK, "six of ten");
	CHECK_INT(number(p, spent), 6, "is spent at once");
	CHECK_INT(enter(p, &two), ERR_OK, "the last");
	CHECK_INT(enter(p, &three), ERR_DENIED, "no more");
	CHECK_INT(number(p, spent), 12, "and costs nothing");

	more = one;
	more.is_more = true;
	more.nano = more.counters.list[0].amount = 4;
	CHECK_INT(enter(p, &more), ERR_OK, "one more attempt is not judged");
	CHECK_INT(number(p, spent), 16, "but counted");
	CHECK_INT(number(p, used), 16, "there, too");
	b = bill(&one, 3);
	b.reserved = 10;
	b.counters.list[0].amount = 3 - 10;
	CHECK_INT(settle(p, &b), ERR_OK, "settled");
	CHECK_INT(number(p, spent), 9, "what it did cost");
	CHECK_INT(number(p, used), 9, "in the budget, too");

	CHECK_INT(enter(p, &late), ERR_OK, "another window");
	CHECK_INT(number(p, used), 1, "begins at nothing");
	CHECK_INT(enter(p, &early), ERR_OK, "a clock that is behind");
	CHECK_INT(number(p, used), 2, "counts in the window that has begun");
	b = bill(&two, 0);
	CHECK_INT(settle(p, &b), ERR_OK, "one of the old window");
	CHECK_INT(number(p, used), 2, "changes nothing of it");
}

/* ---- the journal */

static struct spend_journal *
begin_journal(struct place *p, size_t bytes)
{
	struct spend_journal *j = NULL;
	struct why why = { "" };
	int64_t id;

	CHECK_INT(spend_journal_new(p->path, bytes, &j, &why), ERR_OK,
	    why.text);
	CHECK_INT(fold_register(p->store, spend_journal_name(j), &id), ERR_OK,
	    "registered");
	return j;
}

/* A thousand rounds of a small ring: every record counts once, whoever folds
 * it, also when the same is folded again. */
static void
folds_each_once(struct place *p)
{
	struct spend_journal *j = begin_journal(p, 65536), *seen;
	bool is_damaged = true;
	struct book_entry e;
	struct book_bill x;
	struct buf b;

	buf_init(&b, RECORD_BYTES_MAX);
	for (int64_t i = 0; i < 1000; i++) {
		e = entry(i, BOOK_NO_LIMIT, 0, 6);
		CHECK_INT(spend_journal_add(j, entry_bytes(&b, &e), false),
		    ERR_OK, "room");
		if (i % 7 == 0) /* the bill in another batch */
			fold_journal(p->store, j, &is_damaged);
		x = bill(&e, 2);
		CHECK_INT(spend_journal_add(j, bill_bytes(&b, &x), true),
		    ERR_OK, "room");
		if (i % 5 != 0)
			continue;
		CHECK_INT(spend_journal_open(p->path, spend_journal_name(j),
		              &seen),
		    ERR_OK, "by another");
		CHECK(!spend_journal_is_dead(seen), "its owner lives");
		CHECK_INT(fold_journal(p->store, seen, &is_damaged), ERR_OK,
		    "folded");
		CHECK(!is_damaged, "whole");
		spend_journal_free(seen);
		fold_journal(p->store, j, &is_damaged);
	}
	CHECK_INT(fold_journal(p->store, j, &is_damaged), ERR_OK, "the rest");
	CHECK_INT(number(p, spent), 2000, "what they did cost");
	CHECK_INT(number(p, used), 2000, "in the budget, too");
	CHECK_INT(number(p, "SELECT sum(requests) FROM spend"), 1000, "each");
	CHECK_INT(number(p, "SELECT count(*) FROM requests WHERE cost = 2"),
	    1000, "and a row of each");
	buf_done(&b);
	spend_journal_remove(j);
	spend_journal_free(j);
}

/* A file that is cut short or removed under its owner ends nobody, and is made
 * again from what the owner has in memory. */
static void
outlives_its_file(struct place *p)
{
	struct spend_journal *j = begin_journal(p, 65536), *seen;
	struct spend_journal_file *file;
	struct why why = { "" };
	bool is_damaged = true;
	struct book_entry e;
	char path[128];
	struct buf b;

	buf_init(&b, RECORD_BYTES_MAX);
	snprintf(path, sizeof path, "%s.spend-%s", p->path,
	    spend_journal_name(j));
	for (int64_t i = 0; i < 600; i++) {
		e = entry(i, BOOK_NO_LIMIT, 0, 2);
		CHECK_INT(spend_journal_add(j, entry_bytes(&b, &e), false),
		    ERR_OK, "room");
		if (i % 100 == 50)
			CHECK(i % 200 == 50 ? !truncate(path, i % 400 * 50)
			                    : !unlink(path),
			    "cut short, or removed");
		CHECK_INT(spend_journal_is_there(j), i % 100 < 50,
		    "it is seen");
		if (i % 100 != 99)
			continue;
		CHECK_INT(spend_journal_make_again(j, &file, &why), ERR_OK,
		    why.text);
		CHECK(spend_journal_is_there(j), "made again");
		spend_journal_use(j, file);
		CHECK_INT(spend_journal_open(p->path, spend_journal_name(j),
		              &seen),
		    ERR_OK, "for others, too");
		CHECK(!spend_journal_is_dead(seen), "its owner lives");
		if (i % 200 == 99)
			CHECK_INT(fold_journal(p->store, seen, &is_damaged),
			    ERR_OK, "folded by another");
		CHECK(i % 200 != 99 || !is_damaged, "whole");
		spend_journal_free(seen);
		fold_journal(p->store, j, &is_damaged);
		CHECK(!is_damaged, "whole in memory");
		CHECK_INT(number(p, spent), 2 * (i + 1), "all of it");
	}
	CHECK(!unlink(path) && !mkdir(path, 0700), "something in its way");
	CHECK_INT(spend_journal_make_again(j, &file, &why), ERR_ENV, why.text);
	CHECK(!rmdir(path), "out of it");
	buf_done(&b);
	spend_journal_free(j);
}

/* Requests i0, i0 + 2 ... of a batch, begun in order and ended backwards; each
 * tenth is still open. */
static void
fold_many(struct place *p, int64_t i0, int64_t n)
{
	struct spend_journal *j = begin_journal(p, 1 << 20);
	char request[16], key[16];
	bool is_damaged = true;
	struct book_entry e;
	struct book_bill x;
	struct buf b;

	buf_init(&b, RECORD_BYTES_MAX);
	for (int pass = 0; pass < 2; pass++)
		for (int64_t k = 0; k < n; k++) {
			int64_t i = i0 + 2 * (pass ? n - 1 - k : k);

			e = entry(i, BOOK_NO_LIMIT, 0, 6);
			snprintf(request, sizeof request, "r%d", (int)i);
			snprintf(key, sizeof key, "k%d", (int)(i % 4));
			e.request = request;
			e.key = key;
			x = bill(&e, 2);
			x.status = i % 100 == 1 ? 502 : 200;
			x.attempts = "[{}]";
			if (pass && i % 10 == 0)
				continue;
			CHECK_INT(spend_journal_add(j,
			              pass ? bill_bytes(&b, &x)
			                   : entry_bytes(&b, &e),
			              pass),
			    ERR_OK, "room");
		}
	CHECK_INT(fold_journal(p->store, j, &is_damaged), ERR_OK, "folded");
	CHECK(!is_damaged, "whole");
	buf_done(&b);
	spend_journal_remove(j);
	spend_journal_free(j);
}

static size_t
times(const char *text, const char *what)
{
	size_t n = 0;

	for (; text && (text = strstr(text, what)); text++)
		n++;
	return n;
}

/* Two gateways' requests, packed and not, are found as if each had a row. */
static void
packs_many(struct place *p)
{
	static const struct {
		const char *what;
		struct book_question q;
		size_t found;
		const char *first, *last; /* NULL: any */
	} rows[] = {
		{ "the newest of both", { .status = -1, .rows_max = 50 }, 50,
		    "\"r1999\"", "\"r1950\"" },
		{ "all", { .status = -1, .rows_max = 5000 }, 2000, "\"r1999\"",
		    "\"r0\"" },
		{ "a key's", { .key = "k3", .status = -1, .rows_max = 5000 },
		    500, "\"r1999\"", "\"r3\"" },
		{ "a status", { .status = 502, .rows_max = 5000 }, 20,
		    "\"r1901\"", "\"r1\"" },
		{ "those that are open", { .status = 0, .rows_max = 5000 }, 200,
		    "\"r1990\"", "\"r0\"" },
		{ "a target's",
		    { .model = "p/last", .status = -1, .rows_max = 7 }, 7,
		    "\"r1999\"", NULL },
		{ "nobody's", { .key = "k9", .status = -1, .rows_max = 7 }, 0,
		    NULL, NULL },
		{ "none since",
		    { .status = -1,
		        .rows_max = 7,
		        .since_ms = (int64_t)NOW_MS + 1 },
		    0, NULL, NULL },
		{ "all since",
		    { .status = -1, .rows_max = 5000, .since_ms = NOW_MS },
		    2000, NULL, NULL },
	};
	struct buf b;

	fold_many(p, 0, 1000);
	fold_many(p, 1, 1000);
	CHECK_INT(number(p, spent), 200 * 6 + 1800 * 2, "what all did cost");
	CHECK(number(p, "SELECT count(*) FROM requests") == 200, "few rows");
	CHECK(number(p, "SELECT count(*) FROM segments") >= 4, "some segments");
	buf_init(&b, 4 << 20);
	for (size_t i = 0; i < COUNT(rows); i++) {
		const char *what = rows[i].what, *first = rows[i].first;

		buf_clear(&b);
		CHECK_INT(book_requests(p->store, &rows[i].q, &b), ERR_OK,
		    what);
		CHECK_INT(times(b.data, "\"request\""), rows[i].found, what);
		CHECK(!first ||
		        times(strstr(b.data, first), "\"request\"") + 1 ==
		            rows[i].found,
		    what);
		CHECK(!rows[i].last ||
		        times(strstr(b.data, rows[i].last), "\"request\"") == 0,
		    what);
	}
	CHECK(b.data && strstr(b.data, "\"cost_usd\":0.000000002,"),
	    "its cost");
	CHECK(strstr(b.data, "\"attempts\":[{}]"), "its attempts");
	CHECK_INT(book_forget(p->store, NOW_MS + UINT64_C(31) * 86400000),
	    ERR_OK, "later");
	CHECK_INT(number(p, "SELECT count(*) FROM segments"), 0, "forgotten");
	buf_done(&b);
}

/* A ring that nobody folds takes no more entries, but the ends of what it has.
 */
static void
keeps_room_for_ends(struct place *p)
{
	struct spend_journal *j = begin_journal(p, 65536);
	struct book_entry e = entry(0, BOOK_NO_LIMIT, 0, 1);
	struct book_bill x = bill(&e, 1);
	bool is_damaged;
	struct buf b;
	int entries = 0, ends = 0;

	buf_init(&b, RECORD_BYTES_MAX);
	while (spend_journal_add(j, entry_bytes(&b, &e), false) == ERR_OK)
		entries++;
	while (spend_journal_add(j, bill_bytes(&b, &x), true) == ERR_OK)
		ends++;
	CHECK(entries > 100 && ends > entries / 8, "some of both");
	CHECK(spend_journal_is_crowded(j), "it is crowded");
	CHECK_INT(fold_journal(p->store, j, &is_damaged), ERR_OK, "folded");
	for (int i = 0; i < entries; i++)
		CHECK_INT(spend_journal_add(j, entry_bytes(&b, &e), false),
		    ERR_OK, "room again");
	buf_done(&b);
	spend_journal_remove(j);
	spend_journal_free(j);
}

/* A power cut, or a hand: what is whole before it counts, the rest is told. */
static void
survives_damage(struct place *p)
{
	struct spend_journal *j = begin_journal(p, 65536), *seen;
	struct book_entry e;
	bool is_damaged = false;
	char name[64], path[192], byte = 'x';
	FILE *f;
	struct buf b;

	buf_init(&b, RECORD_BYTES_MAX);
	for (int64_t i = 0; i < 3; i++) {
		e = entry(i, BOOK_NO_LIMIT, 0, 6);
		spend_journal_add(j, entry_bytes(&b, &e), false);
	}
	snprintf(name, sizeof name, "%s", spend_journal_name(j));
	snprintf(path, sizeof path, "%s.spend-%s", p->path, name);
	f = fopen(path, "r+");
	CHECK(f != NULL, "there");
	if (f) {
		fseek(f, (long)(4096 + 2 * ((b.len + 15) & ~7UL) + 100),
		    SEEK_SET);
		fwrite(&byte, 1, 1, f);
		fclose(f);
	}
	CHECK_INT(spend_journal_open(p->path, name, &seen), ERR_OK, "read");
	CHECK_INT(fold_journal(p->store, seen, &is_damaged), ERR_NOTFOUND,
	    "left to its owner, who has it whole");
	CHECK(is_damaged, "told");
	CHECK_INT(number(p, spent), 0, "nothing is folded");
	spend_journal_free(seen);
	spend_journal_free(j);
	CHECK_INT(fold_others(p->store, p->path, NULL), ERR_OK, "the dead");
	CHECK(access(path, F_OK) != 0, "are removed");
	CHECK_INT(number(p, spent), 12, "the two before it count");
	CHECK_INT(number(p, "SELECT count(*) FROM journals"), 0, "forgotten");
	/* No journal at all, under the name of one. */
	f = fopen(path, "w");
	fputs("nonsense", f);
	fclose(f);
	CHECK_INT(fold_others(p->store, p->path, NULL), ERR_OK, "passed over");
	CHECK(access(path, F_OK) == 0, "and left alone");
	buf_done(&b);
}

/* ---- leases */

static void
leases_add_up(struct place *p)
{
	struct lease_want a = { .counter = { BOOK_KEY_BUDGET, 1, 0, 6400, 10 },
		.is_alone = true },
	                  b = a;
	struct spend_journal *j = begin_journal(p, 65536);
	struct book_entry e = entry(1, 6400, 0, 10);
	const char *mine = spend_journal_name(j);
	struct lease_table *t = lease_table_new();
	size_t refused;
	bool is_damaged;
	struct buf buf;

	buf_init(&buf, RECORD_BYTES_MAX);
	CHECK_INT(lease_grant(p->store, mine, &a, 1, &refused), ERR_OK, "mine");
	CHECK_INT(a.grant, 100, "a sixty-fourth");
	CHECK(!lease_use(t, &e.counters, 0), "nothing is there yet");
	lease_put(t, &a, 10, 0);
	for (int i = 0; i < 9; i++)
		CHECK(lease_use(t, &e.counters, 0), "ten times");
	CHECK(!lease_use(t, &e.counters, 0), "no more");
	spend_journal_add(j, entry_bytes(&buf, &e), false);
	fold_journal(p->store, j, &is_damaged);
	CHECK_INT(number(p, used) + number(p, leased), 100,
	    "what is used comes out of the lease");
	b.counter.amount = 6350;
	CHECK_INT(lease_grant(p->store, "other", &b, 1, &refused), ERR_OK,
	    "the last may pass");
	CHECK_INT(lease_grant(p->store, mine, &a, 1, &refused), ERR_DENIED,
	    "then nobody");
	b.counter.amount = 6300;
	CHECK_INT(lease_return(p->store, "other", &b.counter), ERR_OK,
	    "given back");
	CHECK_INT(lease_grant(p->store, mine, &a, 1, &refused), ERR_OK,
	    "is there for others");
	CHECK_INT(fold_forget(p->store, mine), ERR_OK, "one dies");
	CHECK_INT(number(p, leased), 50, "the other's stays");
	lease_table_free(t);
	buf_done(&buf);
	spend_journal_remove(j);
	spend_journal_free(j);
}

static void
forgets_and_answers(struct place *p)
{
	struct book_entry old = entry(1, BOOK_NO_LIMIT, 0, 1), new = old;
	struct book_question q = { .status = 0, .rows_max = 10, .by = "model" };
	struct buf b;

	old.id -= (INT64_C(31) * 86400000) << BOOK_ROW_BITS;
	enter(p, &old);
	enter(p, &new);
	CHECK_INT(book_forget(p->store, NOW_MS), ERR_OK, "forgets");
	buf_init(&b, 65536);
	book_requests(p->store, &q, &b);
	CHECK(b.data && strstr(b.data, "\"outcome\":\"open\""), "the new one");
	CHECK(b.data && !strstr(b.data, "2026-10-22"), "not the old one");
	buf_clear(&b);
	book_spend(p->store, &q, &b);
	CHECK_STR(b.data,
	    "{\"model\":\"p/first\",\"requests\":2,\"tokens_in\":0,"
	    "\"tokens_out\":0,\"cost_usd\":0.000000002}",
	    "what it has cost stays");
	q.by = "nonsense";
	CHECK_INT(book_spend(p->store, &q, &b), ERR_SYNTAX, "by what?");
	buf_done(&b);
}

static void
reads_times(void)
{
	static const struct {
		const char *text;
		int64_t ago_ms; /* -1: none */
	} rows[] = { { "60s", 60000 }, { "12h", 43200000 }, { "0d", 0 },
		{ "2026-11-22", -2 }, { "", -1 }, { "d", -1 }, { "5", -1 },
		{ "5x", -1 }, { "-5d", -1 }, { "5dd", -1 },
		{ "2026-11-22x", -1 }, { "2026-1-1", -1 },
		{ "2026-11- 2", -1 } };
	int64_t at;

	for (size_t i = 0; i < COUNT(rows); i++) {
		at = -1;
		CHECK_INT(book_since(rows[i].text, NOW_MS, &at, NULL),
		    rows[i].ago_ms == -1 ? ERR_SYNTAX : ERR_OK, rows[i].text);
		if (rows[i].ago_ms >= 0)
			CHECK_INT((int64_t)NOW_MS - at, rows[i].ago_ms,
			    rows[i].text);
	}
}

void t_store(void);
void
t_store(void)
{
	static void (*const each[])(struct place * p) = { keeps_books,
		folds_each_once, outlives_its_file, packs_many,
		keeps_room_for_ends, survives_damage, leases_add_up,
		forgets_and_answers };
	struct place p;

	for (size_t i = 0; i < COUNT(each); i++) {
		open_place(&p);
		each[i](&p);
		close_place(&p);
	}
	reads_times();
}
