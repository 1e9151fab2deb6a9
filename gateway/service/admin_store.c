/*
 * A question is read here, asked at the ledger's desk in another thread, and
 * answered when that has been done; who left in the meantime gets nothing.
 */
#include "gateway/service/admin_store.h"

#include "base/clock.h"
#include "base/jfield.h"
#include "base/mem.h"
#include "gateway/exchange/answer_stamp.h"
#include "gateway/exchange/gateway.h"
#include "gateway/store/client_keys.h"
#include "gateway/store/spend_ledger.h"
#include "gateway/text/jput.h"
#include "gateway/text/short_text.h"
#include "gateway/traffic/front.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PART_MAX     256
#define ROWS_DEFAULT 50
#define ROWS_MAX     1000

struct query {
	struct gateway *gate;
	struct serve_call *client; /* NULL: it went */
	const struct place *place;
	char allowed[16];    /* where the method is none of these */
	char name[PART_MAX]; /* of a key */
	char by[PART_MAX], key[PART_MAX], model[PART_MAX];
	struct book_question book;
	json_t *body; /* owned; the wish's texts are in it */
	struct keys_wish wish;
	double budget_usd;
	char budget[32]; /* the same, as the wish wants it */
};

typedef enum err ask_fn(struct store *s, struct query *q, struct buf *out,
    struct why *why);

static ask_fn ask_keys, ask_create, ask_revoke, ask_spend, ask_requests;

static const struct place {
	const char *method, *path; /* % is the name of a key */
	ask_fn *ask;
} places[] = {
	{ "GET", "/keys", ask_keys },
	{ "POST", "/keys", ask_create },
	{ "GET", "/keys/%", ask_keys },
	{ "POST", "/keys/%/revoke", ask_revoke },
	{ "GET", "/requests", ask_requests },
	{ "GET", "/spend", ask_spend },
};

/* ---- at the desk */

static enum err
say_rows(struct store *s, enum err e, struct why *why)
{
	return e == ERR_OK ? e : store_why(s, why);
}

static enum err
ask_keys(struct store *s, struct query *q, struct buf *out, struct why *why)
{
	const char *name = q->name[0] ? q->name : NULL;
	size_t before;
	enum err e;

	buf_adds(out, "{\"keys\":[");
	before = out->len;
	e = say_rows(s, keys_list(s, name, clock_wall_ms(), out), why);
	if (e == ERR_OK && name && out->len == before)
		return why_set(why, ERR_NOTFOUND, "no key is called %.64s",
		    name);
	buf_adds(out, "]}\n");
	return e;
}

static enum err
ask_create(struct store *s, struct query *q, struct buf *out, struct why *why)
{
	char key[KEYS_TEXT_BYTES];
	enum err e = keys_create(s, &q->wish, clock_wall_ms(), key, why);

	if (e != ERR_OK)
		return e;
	buf_addc(out, '{');
	jput_member(out, "name", q->wish.name);
	jput_member(out, "key", key);
	buf_adds(out, "}\n");
	return ERR_OK;
}

static enum err
ask_revoke(struct store *s, struct query *q, struct buf *out, struct why *why)
{
	buf_adds(out, "{\"status\":\"revoked\"}\n");
	return keys_revoke(s, q->name, clock_wall_ms(), why);
}

static enum err
ask_spend(struct store *s, struct query *q, struct buf *out, struct why *why)
{
	enum err e;

	q->book.by = q->by[0] ? q->by : "key";
	buf_adds(out, "{\"spend\":[");
	e = book_spend(s, &q->book, out);
	if (e == ERR_SYNTAX)
		return why_set(why, e,
		    "by: found %.40s, expected key, model or day", q->by);
	buf_adds(out, "]}\n");
	return say_rows(s, e, why);
}

static enum err
ask_requests(struct store *s, struct query *q, struct buf *out, struct why *why)
{
	enum err e;

	q->book.key = q->key[0] ? q->key : NULL;
	q->book.model = q->model[0] ? q->model : NULL;
	buf_adds(out, "{\"requests\":[");
	e = book_requests(s, &q->book, out);
	buf_adds(out, "]}\n");
	return say_rows(s, e, why);
}

static enum err
ask(struct store *s, void *question, struct buf *out, struct why *why)
{
	struct query *q = question;

	return q->place->ask(s, q, out, why);
}

/* ---- back on the loop */

static void
free_query(struct query *q)
{
	json_decref(q->body);
	free(q);
}

static int
status_of(enum err e)
{
	if (e == ERR_NOTFOUND)
		return 404;
	if (e == ERR_EXISTS)
		return 409;
	return e == ERR_ENV || e == ERR_AGAIN ? 503 : 400;
}

static void
told(void *question, enum err e, const struct buf *out, const struct why *why)
{
	struct query *q = question;
	struct answer_stamp_error bad = { status_of(e), "store", NULL,
		why->text, NULL };

	if (q->client && e == ERR_OK)
		answer_stamp_text(q->client, 200, "application/json", out);
	else if (q->client)
		front_refuse(q->gate, q->client, &bad, NULL);
	free_query(q);
}

void
admin_store_gone(struct serve_call *sc)
{
	struct query *q = serve_data(sc);

	if (q)
		q->client = NULL;
}

/* ---- reading a question */

static int
hex_of(char c)
{
	static const char digits[] = "0123456789abcdefABCDEF";
	const char *at = c ? strchr(digits, c) : NULL;

	if (!at)
		return -1;
	return (int)(at - digits) < 16 ? (int)(at - digits)
	                               : (int)(at - digits) - 6;
}

/* Undoes %20 and the like; false: it is too long, or none. */
static bool
decode(struct slice in, char out[PART_MAX])
{
	size_t n = 0;

	for (size_t i = 0; i < in.n; i++) {
		int c = (unsigned char)in.p[i];

		if (c == '%') {
			if (i + 2 >= in.n || hex_of(in.p[i + 1]) < 0 ||
			    hex_of(in.p[i + 2]) < 0)
				return false;
			c = hex_of(in.p[i + 1]) * 16 + hex_of(in.p[i + 2]);
			i += 2;
		}
		if (c == '\0' || n == PART_MAX - 1)
			return false;
		out[n++] = (char)c;
	}
	out[n] = '\0';
	return n > 0;
}

/* The path with a % where a key's name stands, which goes to name. */
static bool
fits(const char *pattern, struct slice path, char name[PART_MAX])
{
	const char *hole = strchr(pattern, '%');
	size_t before, after;

	if (!hole)
		return slice_is(path, pattern);
	before = (size_t)(hole - pattern);
	after = strlen(hole + 1);
	if (path.n <= before + after || memcmp(path.p, pattern, before) != 0 ||
	    memcmp(path.p + path.n - after, hole + 1, after) != 0)
		return false;
	path.p += before;
	path.n -= before + after;
	return !memchr(path.p, '/', path.n) && decode(path, name);
}

static enum err
read_number(const char *text, int64_t *ret, struct why *why)
{
	char *end;
	long n = strtol(text, &end, 10);

	if (*end || n < 1 || n > ROWS_MAX)
		return why_set(why, ERR_RANGE,
		    "rows: found %.40s, expected 1 to %d", text, ROWS_MAX);
	*ret = n;
	return ERR_OK;
}

static enum err
read_pair(struct query *q, const char *name, const char *value, struct why *why)
{
	if (strcmp(name, "by") == 0)
		memcpy(q->by, value, PART_MAX);
	else if (strcmp(name, "key") == 0)
		memcpy(q->key, value, PART_MAX);
	else if (strcmp(name, "model") == 0)
		memcpy(q->model, value, PART_MAX);
	else if (strcmp(name, "since") == 0)
		return book_since(value, clock_wall_ms(), &q->book.since_ms,
		    why);
	else if (strcmp(name, "status") == 0)
		return book_status(value, &q->book.status, why) ? ERR_OK
		                                                : ERR_SYNTAX;
	else if (strcmp(name, "rows") == 0)
		return read_number(value, &q->book.rows_max, why);
	else
		return why_set(why, ERR_SYNTAX,
		    "found %.40s, expected by, key, model, rows, since or "
		    "status",
		    name);
	return ERR_OK;
}

static enum err
read_pairs(struct query *q, struct slice text, struct why *why)
{
	enum err e = ERR_OK;

	while (text.n > 0 && e == ERR_OK) {
		char name[PART_MAX], value[PART_MAX] = "";
		const char *end = memchr(text.p, '&', text.n), *is;
		size_t n = end ? (size_t)(end - text.p) : text.n;

		is = memchr(text.p, '=', n);
		if (!is ||
		    !decode((struct slice){ text.p, (size_t)(is - text.p) },
		        name))
			return why_set(why, ERR_SYNTAX,
			    "the query: expected NAME=VALUE");
		is++;
		n -= (size_t)(is - text.p);
		if (n > 0 && !decode((struct slice){ is, n }, value))
			return why_set(why, ERR_SYNTAX, "%.40s: no such text",
			    name);
		if (value[0])
			e = read_pair(q, name, value, why);
		text.n -= (size_t)(is - text.p) + n;
		text.p = is + n;
		if (text.n > 0) {
			text.p++;
			text.n--;
		}
	}
	return e;
}

static enum err
read_body(struct query *q, struct slice body, struct why *why)
{
	static const struct jfield fields[] = {
		{ "budget_usd", JF_REAL, 0, 0, 1e9,
		    offsetof(struct query, budget_usd), NULL },
		{ "expires", JF_STRING, 0, 0, 0,
		    offsetof(struct query, wish.expires), NULL },
		{ "models", JF_STRING, 0, 0, 0,
		    offsetof(struct query, wish.models), NULL },
		{ "name", JF_STRING, JF_REQUIRED, 0, 0,
		    offsetof(struct query, wish.name), NULL },
		{ "per", JF_STRING, 0, 0, 0, offsetof(struct query, wish.per),
		    NULL },
		{ "requests_per_minute", JF_INT, 0, 0, 1000000,
		    offsetof(struct query, wish.rate), NULL },
		{ "subject", JF_STRING, 0, 0, 0,
		    offsetof(struct query, wish.subject), NULL },
	};
	enum err e;

	e = jfield_parse("body", body.p ? body.p : "", body.n, &q->body, why);
	if (e == ERR_OK)
		e = jfield_read(q->body, "body", fields, COUNT(fields), q, why);
	/* Nothing is a budget, too, and refused as one. */
	if (e == ERR_OK && json_object_get(q->body, "budget_usd")) {
		snprintf(q->budget, sizeof q->budget, "%.9f", q->budget_usd);
		q->wish.budget = q->budget;
	}
	return e;
}

/* ---- routes */

static const struct place *
find_place(const struct http1_head *h, struct query *q, bool *is_known)
{
	const char *query = memchr(h->target.p, '?', h->target.n);
	struct slice path = h->target;
	struct short_text allowed;

	*is_known = false;
	short_text_init(&allowed, q->allowed, sizeof q->allowed);
	if (query)
		path.n = (size_t)(query - path.p);
	for (size_t i = 0; i < COUNT(places); i++) {
		if (!fits(places[i].path, path, q->name))
			continue;
		*is_known = true;
		if (slice_is(h->method, places[i].method))
			return &places[i];
		short_text_add(&allowed, allowed.len > 0 ? ", " : "");
		short_text_add(&allowed, places[i].method);
	}
	return NULL;
}

static enum err
read_query(struct query *q, struct serve_call *sc, struct why *why)
{
	const struct http1_head *h = serve_head(sc);
	const char *text = memchr(h->target.p, '?', h->target.n);
	struct slice pairs = { "", 0 };

	q->book.status = -1;
	q->book.rows_max = ROWS_DEFAULT;
	if (text)
		pairs = (struct slice){ text + 1,
			h->target.n - (size_t)(text + 1 - h->target.p) };
	if (q->place->ask == ask_create)
		return read_body(q, serve_body(sc), why);
	return read_pairs(q, pairs, why);
}

static void
refuse(struct query *q, struct serve_call *sc, int status, const char *code,
    const char *message)
{
	struct answer_stamp_error e = { status, code, NULL, message, NULL };

	front_refuse(q->gate, sc, &e, NULL);
	free_query(q);
}

bool
admin_store(struct gateway *g, struct serve_call *sc)
{
	struct query *q = xcalloc(1, sizeof *q);
	bool is_known;
	struct why why;

	q->gate = g;
	q->client = sc;
	q->place = find_place(serve_head(sc), q, &is_known);
	if (!is_known) {
		free_query(q);
		return false;
	}
	if (!q->place) {
		front_refuse_method(g, sc, q->allowed);
		free_query(q);
	} else if (!g->ledger)
		refuse(q, sc, 404, "no_store",
		    "this gateway has no store: store: {path: FILE}");
	else if (read_query(q, sc, &why) != ERR_OK)
		refuse(q, sc, 400, "bad_request", why.text);
	else {
		serve_set_data(sc, q);
		ledger_ask(g->ledger, ask, told, q);
	}
	return true;
}
