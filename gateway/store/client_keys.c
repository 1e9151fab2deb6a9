/*
 * A key is 256 random bits, so its SHA-256 is as hard to turn back as the key
 * is to guess; a slow hash is for what people make up.  Names are printable
 * ASCII: they stand in terminals, logs and headers as they are.
 */
#include "gateway/store/client_keys.h"

#include "base/digest.h"
#include "base/mem.h"
#include "gateway/decisions/budget_window.h"
#include <ctype.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MODELS_MAX  4096 /* bytes of the list */
#define BUDGET_MAX  1e9  /* dollars */
#define NANO        1e9
#define SECRET_BITS 6 /* a letter */

static const struct {
	const char *name;
	int64_t seconds;
} pers[] = {
	{ "day", WINDOW_DAY },
	{ "ever", KEYS_EVER },
	{ "month", WINDOW_MONTH },
	{ "week", WINDOW_WEEK },
};

/* ---- what a wish means */

static enum err
check_name(const char *what, const char *name, struct why *why)
{
	size_t n = name ? strlen(name) : 0;

	if (n == 0 || n > KEYS_NAME_MAX)
		return why_set(why, ERR_RANGE,
		    "%s: found %zu letters, expected 1 to %d", what, n,
		    KEYS_NAME_MAX);
	for (const char *p = name; *p; p++)
		if (*p < ' ' || *p > '~')
			return why_set(why, ERR_SYNTAX,
			    "%s: expected printable ASCII", what);
	if (name[0] == ' ' || name[n - 1] == ' ')
		return why_set(why, ERR_SYNTAX,
		    "%s: begins or ends with a space", what);
	return ERR_OK;
}

/* "a,b" as ["a","b"]; owned, NULL for all. */
static enum err
read_models(const char *text, char **ret, struct why *why)
{
	json_t *list;
	size_t n;

	*ret = NULL;
	if (!text)
		return ERR_OK;
	if (strlen(text) > MODELS_MAX)
		return why_set(why, ERR_RANGE, "models: over %d bytes",
		    MODELS_MAX);
	list = json_array();
	for (const char *p = text; *p; p += n + (p[n] == ',')) {
		n = strcspn(p, ",");
		for (size_t i = 0; i < n; i++)
			if (p[i] <= ' ' || p[i] > '~' ||
			    (p[i] == '*' && i + 1 < n)) {
				json_decref(list);
				return why_set(why, ERR_SYNTAX,
				    "models: found %.*s, expected NAME or "
				    "BEGINNING* and a comma between",
				    (int)(n < 80 ? n : 80), p);
			}
		if (n > 0)
			json_array_append_new(list, json_stringn(p, n));
	}
	*ret = json_array_size(list) ? json_dumps(list, JSON_COMPACT) : NULL;
	json_decref(list);
	return *ret ? ERR_OK : why_set(why, ERR_SYNTAX, "models: names none");
}

static enum err
read_budget(const char *text, int64_t *ret, struct why *why)
{
	char *end;
	double usd;

	*ret = 0;
	if (!text)
		return ERR_OK;
	usd = strtod(text, &end);
	/* Less than is counted is nothing, and nothing would be no budget. */
	if (end != text && !*end && isdigit((unsigned char)text[0]) &&
	    !strpbrk(text, "xX") && usd <= BUDGET_MAX)
		*ret = llround(usd * NANO);
	return *ret > 0
	    ? ERR_OK
	    : why_set(why, ERR_RANGE,
	          "budget: found %.40s, expected dollars above 0, to %.0f",
	          text, BUDGET_MAX);
}

static enum err
read_per(const char *text, int64_t *ret, struct why *why)
{
	*ret = WINDOW_MONTH;
	for (size_t i = 0; text && i < COUNT(pers); i++)
		if (strcmp(text, pers[i].name) == 0) {
			*ret = pers[i].seconds;
			return ERR_OK;
		}
	return text
	    ? why_set(why, ERR_SYNTAX,
	          "per: found %.40s, expected day, week, month or ever", text)
	    : ERR_OK;
}

/* A day, or a stretch from now on. */
static enum err
read_expiry(const char *text, uint64_t now_ms, int64_t *ret, struct why *why)
{
	static const struct {
		char letter;
		int64_t ms;
	} units[] = { { 'd', 86400000 }, { 'h', 3600000 }, { 'm', 60000 },
		{ 's', 1000 } };
	char *end = NULL;
	long n;

	*ret = 0;
	if (!text)
		return ERR_OK;
	n = strtol(text, &end, 10);
	for (size_t i = 0; i < COUNT(units); i++)
		if (isdigit((unsigned char)text[0]) && n > 0 && n <= 100000 &&
		    end[0] == units[i].letter && !end[1]) {
			*ret = (int64_t)now_ms + n * units[i].ms;
			return ERR_OK;
		}
	if (window_day(text, ret) && *ret > (int64_t)now_ms)
		return ERR_OK;
	return why_set(why, ERR_RANGE,
	    "expires: found %.40s, expected such as 90d, 12h, 30m, 60s or a "
	    "day to come, 2027-01-31",
	    text);
}

/* ---- making one */

static void
draw_key(char key[KEYS_TEXT_BYTES])
{
	static const char letters[] =
	    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
	uint8_t random[KEYS_TEXT_BYTES - 4];

	digest_random(random, sizeof random);
	memcpy(key, "kf-", 3);
	for (size_t i = 0; i < sizeof random; i++)
		key[3 + i] = letters[random[i] >> (8 - SECRET_BITS)];
	key[KEYS_TEXT_BYTES - 1] = '\0';
}

struct row {
	char *models, *subject; /* owned */
	int64_t budget, per, expires;
};

static enum err
read_wish(const struct keys_wish *w, uint64_t now_ms, struct row *r,
    struct why *why)
{
	enum err e;

	if ((e = check_name("name", w->name, why)) != ERR_OK ||
	    (w->subject &&
	        (e = check_name("subject", w->subject, why)) != ERR_OK) ||
	    (e = read_models(w->models, &r->models, why)) != ERR_OK ||
	    (e = read_budget(w->budget, &r->budget, why)) != ERR_OK ||
	    (e = read_per(w->per, &r->per, why)) != ERR_OK ||
	    (e = read_expiry(w->expires, now_ms, &r->expires, why)) != ERR_OK)
		return e;
	r->subject =
	    w->subject ? xstrdup(w->subject) : xasprintf("key:%s", w->name);
	return ERR_OK;
}

static enum err
check_room(struct store *s, const char *name, struct why *why)
{
	int64_t n;

	if (store_int(s, &n, "SELECT count(*) FROM keys", "") != ERR_OK)
		return store_why(s, why);
	if (n >= KEYS_MAX)
		return why_set(why, ERR_TOOBIG, "there are %d keys already",
		    KEYS_MAX);
	if (store_int(s, &n, "SELECT count(*) FROM keys WHERE name = ?1", "t",
	        name) != ERR_OK)
		return store_why(s, why);
	return n == 0
	    ? ERR_OK
	    : why_set(why, ERR_EXISTS, "a key called %s exists already", name);
}

static enum err
add_row(struct store *s, const struct keys_wish *w, const struct row *r,
    uint64_t now_ms, const char *key)
{
	uint8_t digest[DIGEST_BYTES];
	enum err e;

	digest_sha256(key, strlen(key), digest);
	e = store_do(s,
	    "INSERT INTO keys(name, digest, subject, models, rate, budget, "
	    "per, created, expires, revoked) "
	    "VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, 0)",
	    "tbttiiiii", w->name, digest, r->subject, r->models, w->rate,
	    r->budget, r->per, (int64_t)now_ms, r->expires);
	return e != ERR_OK
	    ? e
	    : store_do(s, "UPDATE meta SET keys_version = keys_version + 1",
	          "");
}

enum err
keys_create(struct store *s, const struct keys_wish *wish, uint64_t now_ms,
    char key[KEYS_TEXT_BYTES], struct why *why)
{
	struct row r = { NULL, NULL, 0, 0, 0 };
	enum err e = read_wish(wish, now_ms, &r, why);

	if (e != ERR_OK)
		goto out;
	if (store_begin(s) != ERR_OK) {
		e = store_why(s, why);
		goto out;
	}
	e = check_room(s, wish->name, why);
	if (e == ERR_OK) {
		draw_key(key);
		if (add_row(s, wish, &r, now_ms, key) != ERR_OK ||
		    store_commit(s) != ERR_OK)
			e = store_why(s, why);
	}
	store_rollback(s);
out:
	free(r.models);
	free(r.subject);
	return e;
}

/* ---- the others */

enum err
keys_forget(struct store *s, const char *name, struct why *why)
{
	enum err e = ERR_OK;

	if (store_begin(s) != ERR_OK ||
	    store_do(s, "DELETE FROM keys WHERE name = ?1", "t", name) !=
	        ERR_OK ||
	    store_do(s, "UPDATE meta SET keys_version = keys_version + 1",
	        "") != ERR_OK ||
	    store_commit(s) != ERR_OK)
		e = store_why(s, why);
	store_rollback(s);
	return e;
}

enum err
keys_revoke(struct store *s, const char *name, uint64_t now_ms, struct why *why)
{
	enum err e = ERR_OK;
	int64_t n;

	if (store_int(s, &n, "SELECT count(*) FROM keys WHERE name = ?1", "t",
	        name) != ERR_OK)
		return store_why(s, why);
	if (n == 0)
		return why_set(why, ERR_NOTFOUND, "no key is called %.64s",
		    name);
	if (store_begin(s) != ERR_OK ||
	    store_do(s,
	        "UPDATE keys SET revoked = ?2 WHERE name = ?1 AND revoked = 0",
	        "ti", name, (int64_t)now_ms) != ERR_OK ||
	    store_do(s, "UPDATE meta SET keys_version = keys_version + 1",
	        "") != ERR_OK ||
	    store_commit(s) != ERR_OK)
		e = store_why(s, why);
	store_rollback(s);
	return e;
}

uint64_t
keys_span(int64_t per_s, uint64_t now_s, uint64_t *until)
{
	uint64_t from = 0;

	*until = UINT64_MAX;
	if (per_s != KEYS_EVER)
		window_of((uint64_t)per_s, now_s, &from, until);
	return from;
}

/*
 * The beginnings of this day, week and month are arguments: a window is
 * reckoned in one place.  Where no budget has one, all that was ever spent is
 * told; that is summed once, and not by key.
 */
enum err
keys_list(struct store *s, const char *name, uint64_t now_ms, struct buf *out)
{
	uint64_t until, now_s = now_ms / 1000;
	int64_t day = (int64_t)keys_span(WINDOW_DAY, now_s, &until);
	int64_t week = (int64_t)keys_span(WINDOW_WEEK, now_s, &until);
	int64_t month = (int64_t)keys_span(WINDOW_MONTH, now_s, &until);

	return store_rows(s, out,
	    "SELECT name, subject, models AS models_json, nullif(rate, 0) AS "
	    "requests_per_minute, nullif(budget, 0) AS budget_nano, "
	    "CASE WHEN budget = 0 THEN NULL WHEN per = 86400 THEN 'day' "
	    "WHEN per = 604800 THEN 'week' WHEN per = 0 THEN 'month' "
	    "ELSE 'ever' END AS per, "
	    "coalesce(iif(budget = 0, total, (SELECT used FROM counters WHERE "
	    "kind = 1 AND id = keys.id AND span = CASE per WHEN 86400 THEN ?3 "
	    "WHEN 604800 THEN ?4 WHEN 0 THEN ?5 ELSE 0 END)), 0) AS "
	    "spent_nano, "
	    "strftime('%Y-%m-%dT%H:%M:%SZ', created / 1000, 'unixepoch') AS "
	    "created, "
	    "CASE WHEN expires THEN strftime('%Y-%m-%dT%H:%M:%SZ', expires / "
	    "1000, 'unixepoch') END AS expires, "
	    "CASE WHEN revoked THEN 'revoked' WHEN expires AND expires <= ?2 "
	    "THEN 'expired' ELSE 'good' END AS state "
	    "FROM keys LEFT JOIN (SELECT key, sum(cost) AS total FROM spend "
	    "WHERE ?1 IS NULL OR key = ?1 GROUP BY key) ON key = name "
	    "WHERE ?1 IS NULL OR name = ?1 ORDER BY id",
	    "tiiii", name, (int64_t)now_ms, day, week, month);
}
