/* A request's row is the millisecond in which it was entered and a number
 * within it, so what is asked by time is found without an index. */
#include "gateway/store/spend_book.h"

#include "gateway/decisions/budget_window.h"
#include "gateway/store/segment.h"
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define DAY_MS      INT64_C(86400000)
#define FORGET_MAX  "5000"
#define COUNTERS_MS (40 * DAY_MS)

enum err
book_forget(struct store *s, uint64_t now_ms)
{
	int64_t days = store_conf(s)->keep_days, before;
	enum err e;

	e = store_do(s, "DELETE FROM counters WHERE span > 0 AND span < ?1",
	    "i", ((int64_t)now_ms - COUNTERS_MS) / 1000);
	if (e != ERR_OK || days == 0)
		return e;
	before = ((int64_t)now_ms - days * DAY_MS) * (1 << BOOK_ROW_BITS);
	e = store_do(s,
	    "DELETE FROM requests WHERE id IN (SELECT id FROM requests WHERE "
	    "id < ?1 ORDER BY id LIMIT " FORGET_MAX ")",
	    "i", before);
	return e == ERR_OK ? segment_forget(s, before) : e;
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

/* Requests that have rows of their own. */
static enum err
find_rows(struct store *s, const struct book_question *q)
{
	return store_do(s,
	    "INSERT INTO temp.found SELECT * FROM requests WHERE id >= ?1 AND "
	    "(?2 IS NULL OR key = ?2) AND (?3 IS NULL OR model = ?3 OR target "
	    "= ?3) AND (?4 < 0 OR status = ?4) ORDER BY id DESC LIMIT ?5",
	    "ittii", q->since_ms * (1 << BOOK_ROW_BITS), q->key, q->model,
	    q->status, q->rows_max);
}

/* The newest first; one that has not ended costs what it reserved. */
static enum err
tell_found(struct store *s, const struct book_question *q, struct buf *out)
{
	return store_rows(s, out,
	    "SELECT strftime('%Y-%m-%dT%H:%M:%fZ', (id >> 20) / 1000.0, "
	    "'unixepoch') AS at, request, key, model, target, nullif(status, "
	    "0) AS status, coalesce(outcome, 'open') AS outcome, tokens_in, "
	    "tokens_out, coalesce(cost, reserved) AS cost_nano, "
	    "iif(coalesce(estimated, 1), 'true', 'false') AS estimated_json, "
	    "ms, coalesce(attempts, '[]') AS attempts_json, asked, answered "
	    "FROM temp.found ORDER BY id DESC LIMIT ?1",
	    "i", q->rows_max);
}

/* What is found stands in a table of this connection's own until it is told;
 * going back empties that. */
enum err
book_requests(struct store *s, const struct book_question *q, struct buf *out)
{
	enum err e = store_do(s,
	    "CREATE TEMP TABLE IF NOT EXISTS found(id INTEGER PRIMARY KEY, "
	    "request, key, model, target, status, outcome, tokens_in, "
	    "tokens_out, reserved, cost, estimated, ms, attempts, asked, "
	    "answered)",
	    "");

	if (e == ERR_OK)
		e = store_do(s, "BEGIN", "");
	if (e == ERR_OK)
		e = find_rows(s, q);
	if (e == ERR_OK)
		e = segment_find(s, q);
	if (e == ERR_OK)
		e = tell_found(s, q, out);
	store_rollback(s);
	return e;
}

enum err
book_since(const char *text, uint64_t now_ms, int64_t *ret, struct why *why)
{
	static const char letters[] = "smhd";
	static const int64_t ms[] = { 1000, 60000, 3600000, DAY_MS };
	const char *letter;
	char *end;
	long n = strtol(text, &end, 10);

	if (end > text && n >= 0 && n <= 100000 && *end && !end[1] &&
	    (letter = strchr(letters, *end))) {
		*ret = (int64_t)now_ms - n * ms[letter - letters];
		return ERR_OK;
	}
	if (!window_day(text, ret))
		return why_set(why, ERR_SYNTAX,
		    "since: found %.40s, expected such as 7d, 12h, 30m, 60s "
		    "or a day, 2026-11-22",
		    text);
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
