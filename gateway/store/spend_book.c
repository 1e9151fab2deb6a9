/*
 * A request's row is the millisecond in which it was entered and a number
 * within it; of two gateways that draw the same one, the second takes the
 * next.  A window that has begun is not gone back from, whoever's clock is
 * behind.
 */
#include "gateway/store/spend_book.h"

#include "base/digest.h"
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define ROW_BITS    20
#define TRIES_MAX   16
#define DAY_MS      INT64_C(86400000)
#define FORGET_MAX  "5000"
#define COUNTERS_MS (40 * DAY_MS)

/* ---- counters */

static enum err
is_full(struct store *s, const struct book_counter *c)
{
	int64_t used;
	enum err e = store_int(s, &used,
	    "SELECT used FROM counters WHERE kind = ?1 AND id = ?2 AND "
	    "span >= ?3",
	    "iii", (int64_t)c->kind, c->id, c->span);

	if (e == ERR_NOTFOUND)
		used = 0;
	else if (e != ERR_OK)
		return e;
	return used >= c->limit ? ERR_DENIED : ERR_OK;
}

static enum err
count(struct store *s, const struct book_counter *c)
{
	return store_do(s,
	    "INSERT INTO counters VALUES(?1, ?2, ?3, ?4) "
	    "ON CONFLICT(kind, id) DO UPDATE SET "
	    "used = CASE WHEN excluded.span > span THEN 0 ELSE used END + "
	    "excluded.used, span = max(span, excluded.span)",
	    "iiii", (int64_t)c->kind, c->id, c->span, c->amount);
}

/* What belongs to a window that is over is nobody's any more. */
static enum err
correct(struct store *s, const struct book_counter *c)
{
	if (c->amount == 0)
		return ERR_OK;
	return store_do(s,
	    "UPDATE counters SET used = max(0, used + ?4) "
	    "WHERE kind = ?1 AND id = ?2 AND span = ?3",
	    "iiii", (int64_t)c->kind, c->id, c->span, c->amount);
}

/* ---- spend */

static enum err
add_spend(struct store *s, int64_t id, const char *key, int64_t requests,
    const struct book_use *u)
{
	int64_t day = (id >> ROW_BITS) / DAY_MS;

	return store_do(s,
	    "INSERT INTO spend VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7) "
	    "ON CONFLICT(day, key, model) DO UPDATE SET "
	    "requests = requests + excluded.requests, "
	    "tokens_in = tokens_in + excluded.tokens_in, "
	    "tokens_out = tokens_out + excluded.tokens_out, "
	    "cost = cost + excluded.cost",
	    "ittiiii", day, key, u->target, requests, u->tokens_in,
	    u->tokens_out, u->nano);
}

/* ---- a request begins */

static enum err
open_row(struct store *s, struct book_entry *e)
{
	uint32_t random;
	enum err err = ERR_ENV;

	digest_random(&random, sizeof random);
	e->id =
	    (int64_t)(e->now_ms << ROW_BITS) | (random >> (32 - ROW_BITS + 1));
	for (int i = 0; i < TRIES_MAX; i++, e->id++) {
		err = store_do(s,
		    "INSERT OR IGNORE INTO requests(id, request, key, model, "
		    "target, status, reserved) VALUES(?1, ?2, ?3, ?4, ?5, 0, "
		    "?6)",
		    "itttti", e->id, e->request, e->key, e->model, e->target,
		    e->nano);
		if (err != ERR_OK || store_has_changed(s))
			break;
	}
	return err;
}

static enum err
open_request(struct store *s, struct book_entry *e, size_t *refused)
{
	struct book_use use = { .nano = e->nano };
	enum err err;

	memcpy(use.target, e->target, sizeof use.target);
	for (size_t i = 0; i < e->counters.n; i++) {
		*refused = i;
		if ((err = is_full(s, &e->counters.list[i])) != ERR_OK)
			return err;
	}
	for (size_t i = 0; i < e->counters.n; i++)
		if ((err = count(s, &e->counters.list[i])) != ERR_OK)
			return err;
	if ((err = open_row(s, e)) != ERR_OK)
		return err;
	return add_spend(s, e->id, e->key, 1, &use);
}

/* It was let in already: what comes is only counted. */
static enum err
reserve_more(struct store *s, const struct book_entry *e)
{
	struct book_use use = { .nano = e->nano };
	enum err err;

	memcpy(use.target, e->target, sizeof use.target);
	for (size_t i = 0; i < e->counters.n; i++)
		if ((err = correct(s, &e->counters.list[i])) != ERR_OK)
			return err;
	err = store_do(s,
	    "UPDATE requests SET reserved = reserved + ?2 WHERE id = ?1", "ii",
	    e->id, e->nano);
	return err != ERR_OK ? err : add_spend(s, e->id, e->key, 0, &use);
}

enum err
book_reserve(struct store *s, struct book_entry *e, size_t *refused)
{
	return e->id ? reserve_more(s, e) : open_request(s, e, refused);
}

/* ---- a request ends */

static enum err
close_row(struct store *s, const struct book_bill *b)
{
	int64_t in = 0, out = 0, nano = 0;

	for (size_t i = 0; i < b->nuses; i++) {
		in += b->uses[i].tokens_in;
		out += b->uses[i].tokens_out;
		nano += b->uses[i].nano;
	}
	return store_do(s,
	    "UPDATE requests SET target = ?2, status = ?3, outcome = ?4, "
	    "tokens_in = ?5, tokens_out = ?6, cost = ?7, estimated = ?8, "
	    "ms = ?9, attempts = ?10, asked = ?11, answered = ?12 "
	    "WHERE id = ?1",
	    "ititiiiiittt", b->id, b->last, b->status, b->outcome, in, out,
	    nano, (int64_t)b->is_estimated, b->ms, b->attempts, b->asked,
	    b->answered);
}

/* What changes in the spend: a row a target, however it is touched. */
struct change {
	struct book_use use;
	int64_t requests;
};

static struct change *
change_of(struct change *all, size_t *n, const char *target)
{
	for (size_t i = 0; i < *n; i++)
		if (strcmp(all[i].use.target, target) == 0)
			return &all[i];
	memcpy(all[*n].use.target, target, strlen(target) + 1);
	return &all[(*n)++];
}

static enum err
change_spend(struct store *s, const struct book_bill *b)
{
	struct change all[BOOK_USES_MAX + 2] = { { .requests = 0 } }, *c;
	enum err e = ERR_OK;
	size_t n = 0;

	c = change_of(all, &n, b->target);
	c->requests--;
	c->use.nano -= b->reserved;
	change_of(all, &n, b->last)->requests++;
	for (size_t i = 0; i < b->nuses; i++) {
		c = change_of(all, &n, b->uses[i].target);
		c->use.tokens_in += b->uses[i].tokens_in;
		c->use.tokens_out += b->uses[i].tokens_out;
		c->use.nano += b->uses[i].nano;
	}
	for (size_t i = 0; i < n && e == ERR_OK; i++)
		e = add_spend(s, b->id, b->key, all[i].requests, &all[i].use);
	return e;
}

enum err
book_settle(struct store *s, const struct book_bill *b)
{
	enum err e = close_row(s, b);

	for (size_t i = 0; i < b->counters.n && e == ERR_OK; i++)
		e = correct(s, &b->counters.list[i]);
	return e == ERR_OK ? change_spend(s, b) : e;
}

enum err
book_forget(struct store *s, uint64_t now_ms)
{
	int64_t days = store_conf(s)->keep_days;
	enum err e;

	e = store_do(s, "DELETE FROM counters WHERE span > 0 AND span < ?1",
	    "i", ((int64_t)now_ms - COUNTERS_MS) / 1000);
	if (e != ERR_OK || days == 0)
		return e;
	return store_do(s,
	    "DELETE FROM requests WHERE id IN (SELECT id FROM requests WHERE "
	    "id < ?1 ORDER BY id LIMIT " FORGET_MAX ")",
	    "i", ((int64_t)now_ms - days * DAY_MS) * (1 << ROW_BITS));
}

/* ---- asking */

static const struct {
	const char *by, *sql;
} spends[] = {
	{ "day",
	    "SELECT date(day * 86400, 'unixepoch') AS day, sum(requests) AS "
	    "requests, sum(tokens_in) AS tokens_in, sum(tokens_out) AS "
	    "tokens_out, sum(cost) AS cost_nano FROM spend WHERE day >= ?1 "
	    "GROUP BY 1 HAVING sum(requests) OR sum(cost) ORDER BY 1" },
	{ "key",
	    "SELECT key, sum(requests) AS requests, sum(tokens_in) AS "
	    "tokens_in, sum(tokens_out) AS tokens_out, sum(cost) AS cost_nano "
	    "FROM spend WHERE day >= ?1 GROUP BY 1 HAVING sum(requests) OR "
	    "sum(cost) ORDER BY sum(cost) DESC, 1" },
	{ "model",
	    "SELECT model, sum(requests) AS requests, sum(tokens_in) AS "
	    "tokens_in, sum(tokens_out) AS tokens_out, sum(cost) AS cost_nano "
	    "FROM spend WHERE day >= ?1 GROUP BY 1 HAVING sum(requests) OR "
	    "sum(cost) ORDER BY sum(cost) DESC, 1" },
};

enum err
book_spend(struct store *s, const struct book_question *q, struct buf *out)
{
	for (size_t i = 0; i < sizeof spends / sizeof *spends; i++)
		if (strcmp(spends[i].by, q->by) == 0)
			return store_rows(s, out, spends[i].sql, "i",
			    q->since_ms / DAY_MS);
	return ERR_SYNTAX;
}

/* The newest first; one that has not ended costs what it reserved. */
enum err
book_requests(struct store *s, const struct book_question *q, struct buf *out)
{
	return store_rows(s, out,
	    "SELECT strftime('%Y-%m-%dT%H:%M:%fZ', (id >> 20) / 1000.0, "
	    "'unixepoch') AS at, request, key, model, target, nullif(status, "
	    "0) AS status, coalesce(outcome, 'open') AS outcome, tokens_in, "
	    "tokens_out, coalesce(cost, reserved) AS cost_nano, "
	    "iif(coalesce(estimated, 1), 'true', 'false') AS estimated_json, "
	    "ms, coalesce(attempts, '[]') AS attempts_json, asked, answered "
	    "FROM requests WHERE id >= ?1 AND (?2 IS NULL OR key = ?2) AND "
	    "(?3 IS NULL OR model = ?3 OR target = ?3) AND (?4 < 0 OR status "
	    "= ?4) ORDER BY id DESC LIMIT ?5",
	    "ittii", q->since_ms * (1 << ROW_BITS), q->key, q->model, q->status,
	    q->rows_max);
}

enum err
book_since(const char *text, uint64_t now_ms, int64_t *ret, struct why *why)
{
	static const char letters[] = "smhd";
	static const int64_t ms[] = { 1000, 60000, 3600000, DAY_MS };
	struct tm day = { 0 };
	const char *letter;
	char *end;
	long n = strtol(text, &end, 10);

	if (end > text && n >= 0 && n <= 100000 && *end && !end[1] &&
	    (letter = strchr(letters, *end))) {
		*ret = (int64_t)now_ms - n * ms[letter - letters];
		return ERR_OK;
	}
	end = strptime(text, "%Y-%m-%d", &day);
	if (!end || *end)
		return why_set(why, ERR_SYNTAX,
		    "since: found %.40s, expected such as 7d, 12h, 30m, 60s "
		    "or a day, 2026-11-22",
		    text);
	*ret = timegm(&day) * 1000;
	return ERR_OK;
}

bool
book_status(const char *text, int64_t *ret, struct why *why)
{
	char *end;
	long n = strtol(text, &end, 10);

	if (strcmp(text, "open") == 0)
		n = 0;
	else if (n < 100 || n > 599 || *end) {
		why_set(why, ERR_SYNTAX,
		    "status: found %.40s, expected 100 to 599 or open", text);
		return false;
	}
	*ret = n;
	return true;
}
