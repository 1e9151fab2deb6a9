/* Keys, budgets and spend, on a file of their own; the time is an argument. */
#include "base/files.h"
#include "base/mem.h"
#include "gateway/decisions/window.h"
#include "gateway/store/keyring.h"
#include "gateway/store/keys.h"
#include "gateway/store/spend_book.h"
#include "gateway/text/secrets.h"
#include "tests/unit.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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

/* ---- keys */

static void
reads_wishes(struct place *p)
{
	static const struct {
		const char *what;
		struct keys_wish wish;
		enum err e;
	} rows[] = {
		{ "a name alone", { .name = "ann" }, ERR_OK },
		{ "once more", { .name = "ann" }, ERR_EXISTS },
		{ "no name", { .name = "" }, ERR_RANGE },
		{ "a newline", { .name = "a\nb" }, ERR_SYNTAX },
		{ "a letter beyond ASCII", { .name = "\xc3\xbc" }, ERR_SYNTAX },
		{ "a space before", { .name = " a" }, ERR_SYNTAX },
		{ "quotes", { .name = "'; DROP TABLE keys; --" }, ERR_OK },
		{ "models", { .name = "m", .models = "a,b*" }, ERR_OK },
		{ "a star in the midst", { .name = "n", .models = "a*b" },
		    ERR_SYNTAX },
		{ "no model", { .name = "n", .models = "," }, ERR_SYNTAX },
		{ "a space in one", { .name = "n", .models = "a b" },
		    ERR_SYNTAX },
		{ "cents", { .name = "c", .budget = "0.01", .per = "day" },
		    ERR_OK },
		{ "nothing", { .name = "n", .budget = "0" }, ERR_RANGE },
		{ "less", { .name = "n", .budget = "-1" }, ERR_RANGE },
		{ "no number", { .name = "n", .budget = "nan" }, ERR_RANGE },
		{ "too much", { .name = "n", .budget = "1e10" }, ERR_RANGE },
		{ "another coin", { .name = "n", .budget = "5 EUR" },
		    ERR_RANGE },
		{ "an hour", { .name = "n", .per = "hour" }, ERR_SYNTAX },
		{ "in a day", { .name = "d", .expires = "1d" }, ERR_OK },
		{ "on a day", { .name = "e", .expires = "2027-01-31" },
		    ERR_OK },
		{ "on a day gone by", { .name = "n", .expires = "2026-01-31" },
		    ERR_RANGE },
		{ "at once", { .name = "n", .expires = "0s" }, ERR_RANGE },
		{ "some day", { .name = "n", .expires = "soon" }, ERR_RANGE },
	};
	char key[KEYS_TEXT_BYTES];
	struct why why;

	for (size_t i = 0; i < COUNT(rows); i++)
		CHECK_INT(keys_create(p->store, &rows[i].wish, NOW_MS, key,
		              &why),
		    rows[i].e, rows[i].what);
	CHECK_INT(keys_revoke(p->store, "nobody", NOW_MS, &why), ERR_NOTFOUND,
	    "nobody's");
}

static void
finds_keys(struct place *p)
{
	struct keys_wish wish = { .name = "x",
		.models = "chat,p/*",
		.expires = "60s",
		.rate = 7,
		.budget = "1.5",
		.per = "week" };
	char key[KEYS_TEXT_BYTES];
	uint8_t digest[DIGEST_BYTES];
	const struct keyring_grant *g;
	struct keyring *ring;
	struct why why;

	CHECK_INT(keys_create(p->store, &wish, NOW_MS, key, &why), ERR_OK, "x");
	CHECK_INT(keyring_read(p->store, &ring), ERR_OK, "the ring");
	digest_sha256(key, strlen(key), digest);
	g = keyring_find(ring, digest);
	CHECK(g != NULL, "it is found");
	if (!g)
		return;
	CHECK_STR(g->name, "x", "by its name");
	CHECK_STR(g->who.subject, "key:x", "its subject");
	CHECK_INT(g->rate, 7, "its rate");
	CHECK_INT(g->budget_nano, USD * 3 / 2, "its budget");
	CHECK(!keyring_fault(g, NOW_MS + 59999), "it is good");
	CHECK_STR(keyring_fault(g, NOW_MS + 60000), "this key has expired",
	    "then no more");
	CHECK(keyring_allows(g, "chat"), "a name");
	CHECK(keyring_allows(g, "p/anything"), "a beginning");
	CHECK(!keyring_allows(g, "chats"), "no more than that");
	CHECK(!keyring_allows(g, "p"), "no less");
	CHECK(keyring_allows(NULL, "chats"), "one of the configuration");
	digest[31] ^= 1;
	CHECK(!keyring_find(ring, digest), "nothing near it");
	keyring_unref(ring);
	keys_revoke(p->store, "x", NOW_MS, &why);
	CHECK_INT(keyring_read(p->store, &ring), ERR_OK, "again");
	digest[31] ^= 1;
	CHECK_STR(keyring_fault(keyring_find(ring, digest), NOW_MS),
	    "this key was revoked", "revoked");
	keyring_unref(ring);
}

/* ---- the book */

static struct book_entry
entry(int64_t limit, int64_t span, int64_t nano)
{
	struct book_entry e = { .now_ms = NOW_MS, .nano = nano };

	strcpy(e.request, "r");
	strcpy(e.key, "k");
	strcpy(e.model, "m");
	strcpy(e.target, "p/first");
	e.counters.n = 1;
	e.counters.list[0] =
	    (struct book_counter){ BOOK_KEY_BUDGET, 1, span, limit, nano };
	return e;
}

static struct book_bill
bill(const struct book_entry *e, int64_t cost)
{
	struct book_bill b = { .id = e->id,
		.reserved = e->nano,
		.outcome = "ok",
		.status = 200,
		.nuses = 1 };

	memcpy(b.key, e->key, sizeof b.key);
	memcpy(b.target, e->target, sizeof b.target);
	strcpy(b.last, "p/last");
	strcpy(b.uses[0].target, "p/last");
	b.uses[0].nano = cost;
	b.uses[0].tokens_out = 5;
	b.counters = e->counters;
	b.counters.list[0].amount = cost - e->nano;
	return b;
}

static int64_t
spent(struct place *p)
{
	int64_t sum = -1;

	store_int(p->store, &sum, "SELECT coalesce(sum(cost), 0) FROM spend",
	    "");
	return sum;
}

static int64_t
used(struct place *p)
{
	int64_t sum = -1;

	store_int(p->store, &sum, "SELECT used FROM counters WHERE id = 1", "");
	return sum;
}

static void
keeps_books(struct place *p)
{
	struct book_entry one = entry(10, 0, 6), two = entry(10, 0, 6), more,
	                  late = entry(10, 100, 1), early = entry(10, 50, 1);
	struct book_bill b;
	size_t refused = 9;

	CHECK_INT(book_reserve(p->store, &one, &refused), ERR_OK, "six of ten");
	CHECK(one.id >> 20 == (int64_t)NOW_MS, "its row is its time");
	CHECK_INT(spent(p), 6, "is spent at once");
	CHECK_INT(book_reserve(p->store, &two, &refused), ERR_OK, "the last");
	CHECK(two.id != one.id, "a row of its own");
	two.id = 0;
	CHECK_INT(book_reserve(p->store, &two, &refused), ERR_DENIED,
	    "no more");
	CHECK_INT((int)refused, 0, "by that counter");
	CHECK_INT(spent(p), 12, "and costs nothing");

	more = one;
	more.nano = more.counters.list[0].amount = 4;
	CHECK_INT(book_reserve(p->store, &more, &refused), ERR_OK,
	    "one more attempt is not judged");
	CHECK_INT(spent(p), 16, "but counted");
	CHECK_INT(used(p), 16, "there, too");
	b = bill(&one, 3);
	b.reserved = 10;
	b.counters.list[0].amount = 3 - 10;
	CHECK_INT(book_settle(p->store, &b), ERR_OK, "settled");
	CHECK_INT(spent(p), 9, "what it did cost");
	CHECK_INT(used(p), 9, "in the budget, too");

	CHECK_INT(book_reserve(p->store, &late, &refused), ERR_OK,
	    "another window begins at nothing");
	CHECK_INT(used(p), 1, "anew");
	CHECK_INT(book_reserve(p->store, &early, &refused), ERR_OK,
	    "a clock that is behind");
	CHECK_INT(used(p), 2, "counts in the window that has begun");
	b = bill(&two, 0);
	b.counters.list[0].span = 0;
	CHECK_INT(book_settle(p->store, &b), ERR_OK, "one of the old window");
	CHECK_INT(used(p), 2, "changes nothing of it");
}

static void
forgets_and_answers(struct place *p)
{
	struct book_entry old = entry(INT64_MAX, 0, 1), new = old;
	struct book_question q = { .status = 0, .rows_max = 10, .by = "model" };
	size_t refused;
	struct buf b;

	old.now_ms -= UINT64_C(31) * 86400000;
	book_reserve(p->store, &old, &refused);
	book_reserve(p->store, &new, &refused);
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
		{ "2026-11-22x", -1 } };
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

static void
masks_secrets(void)
{
	static const struct {
		const char *in, *want;
	} rows[] = {
		{ "a sk-abcdefghijklmnop z", "a sk-**************** z" },
		{ "sk-short and task-force", "sk-short and task-force" },
		{ "{\"k\":\"kf-0123456789abcdefXY\"}",
		    "{\"k\":\"kf-******************\"}" },
		{ "Bearer abcdefghijklmnopq", "Bearer *****************" },
		{ "mine: open-sesame-123", "mine: ***************" },
		{ "", "" },
	};
	char text[128];

	for (size_t i = 0; i < COUNT(rows); i++) {
		snprintf(text, sizeof text, "%s", rows[i].in);
		secrets_mask(text);
		secrets_mask_one(text, "open-sesame-123");
		secrets_mask_one(text, NULL);
		secrets_mask_one(text, "a");
		CHECK_STR(text, rows[i].want, rows[i].in);
	}
}

void
t_store(void)
{
	static void (*const each[])(struct place * p) = { reads_wishes,
		finds_keys, keeps_books, forgets_and_answers };
	struct place p;

	for (size_t i = 0; i < COUNT(each); i++) {
		open_place(&p);
		each[i](&p);
		close_place(&p);
	}
	reads_times();
	masks_secrets();
}
