/*
 * Pieces are kept as text where they are UTF-8, so that a cassette can be
 * read and edited by people.
 *
 * An upstream may say a credential of the request again: in its body, cut by
 * pieces, in a header, in a path.  Each byte of it becomes a '*' (secret_mask.h),
 * which keeps every length.
 */
#include "chaos/http/cassette.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/files.h"
#include "base/jfield.h"
#include "base/log.h"
#include "base/mem.h"
#include "chaos/http/secret_mask.h"
#include "chaos/rules/request_key.h"

#define FILE_MAX   ((size_t)256 << 20)
#define KEY_SIZE   (FACTS_KEY_MAX + 32)
#define HEX_SHIFT  4
#define REASON_MAX 4096

static const char *const end_names[] = {
	[ITEM_END_CLEAN] = "clean",
	[ITEM_END_FIN] = "fin",
	[ITEM_END_RST] = "rst",
};

/* ---- writing */

#define SECRETS_MAX      6
#define SECRET_BYTES_MIN 8 /* shorter ones would stain what is no secret */

struct piece {
	uint64_t us;
	size_t end; /* in the body */
};

struct take {
	struct tape *tape; /* borrowed */
	json_t *line;      /* owned */
	struct buf body;
	struct piece *pieces; /* owned */
	size_t n, size;
	bool is_torn;               /* too long to keep */
	uint64_t promised;          /* bytes, by its head; 0: it said none */
	char *secrets[SECRETS_MAX]; /* owned */
	size_t nsecrets;
	uint64_t from_us;
};

/* The credentials of the request, without their scheme. */
static void
learn_secrets(struct take *t, struct facts *f)
{
	static const char *const names[SECRETS_MAX] = { "authorization",
		"proxy-authorization", "x-api-key", "api-key", "x-goog-api-key",
		"cookie" };

	for (size_t i = 0; i < SECRETS_MAX; i++) {
		struct slice v = facts_header(f, names[i]);
		const char *space = v.n ? memrchr(v.p, ' ', v.n) : NULL;
		size_t skip = space && i < 2 ? (size_t)(space + 1 - v.p) : 0;

		if (v.n - skip >= SECRET_BYTES_MIN)
			t->secrets[t->nsecrets++] =
			    xstrndup(v.p + skip, v.n - skip);
	}
}

static void
redact(const struct take *t, char *p, size_t n)
{
	for (size_t i = 0; i < t->nsecrets; i++)
		secret_mask(t->secrets[i], p, n);
}

static json_t *
as_hex(const char *p, size_t n)
{
	static const char digits[] = "0123456789abcdef";
	char *hex = xmalloc(2 * n + 1);
	json_t *v;

	for (size_t i = 0; i < n; i++) {
		hex[2 * i] = digits[(unsigned char)p[i] >> HEX_SHIFT];
		hex[2 * i + 1] = digits[(unsigned char)p[i] & 0xf];
	}
	v = json_pack("{ss%}", "hex", hex, 2 * n);
	free(hex);
	return v;
}

/* Without secrets, as a JSON string, or as hex where it is no UTF-8; new. */
static json_t *
clean_text(const struct take *t, const char *p, size_t n)
{
	char *copy = xstrndup(p, n);
	json_t *v;

	redact(t, copy, strlen(copy));
	v = json_string(copy);
	if (!v)
		v = as_hex(copy, strlen(copy));
	free(copy);
	return v;
}

static json_t *
clean_path(const struct take *t, struct slice path)
{
	json_t *v = clean_text(t, path.p, path.n);

	/* People read it; requests are found by their key. */
	return json_is_string(v) ? v : (json_decref(v), json_string(""));
}

struct take *
take_new(struct tape *tape, struct facts *f, uint64_t now_us)
{
	struct take *t = xcalloc(1, sizeof *t);
	struct slice method = facts_method(f), path = facts_path(f);
	const char *key = identity_key(f);

	t->tape = tape;
	t->from_us = now_us;
	buf_init(&t->body, FILE_MAX);
	learn_secrets(t, f);
	t->line = json_pack("{ss sI ss% so so sb}", "key", key, "attempt",
	    (json_int_t)f->attempt, "method", method.p, method.n, "path",
	    clean_path(t, path), "headers", json_array(), "query",
	    identity_key_unqueried(f)[0] != '\0');
	return t;
}

static bool
is_secret(const char *name)
{
	static const char *const words[] = { "auth", "cookie", "key",
		"organization", "project", "secret", "token" };

	/* Their names hold "tokens" and "project", but only counts stand in
	 * them, and a replay needs those. */
	if (strncasecmp(name, "x-ratelimit-", strlen("x-ratelimit-")) == 0)
		return false;
	for (size_t i = 0; i < COUNT(words); i++)
		if (strcasestr(name, words[i]))
			return true;
	return false;
}

void
take_head(struct take *t, const struct answer_head *a)
{
	json_t *headers = json_object_get(t->line, "headers");

	json_object_set_new(t->line, "status", json_integer(a->status));
	json_object_set_new(t->line, "length", json_boolean(a->has_length));
	if (answer_head_reason(a))
		json_object_set_new(t->line, "reason",
		    clean_text(t, answer_head_reason(a),
		        strlen(answer_head_reason(a))));
	t->promised = a->said_bytes ? a->said_bytes : a->content_bytes;
	for (size_t i = 0; i < a->nfields; i++)
		if (!is_secret(a->fields[i].name))
			json_array_append_new(headers,
			    json_pack("[so]", a->fields[i].name,
			        clean_text(t, a->fields[i].value,
			            strlen(a->fields[i].value))));
}

void
take_bytes(struct take *t, const char *p, size_t n, uint64_t now_us)
{
	t->is_torn |= buf_add(&t->body, p, n) != ERR_OK;
	if (t->is_torn)
		return;
	if (t->n == t->size) {
		t->size = t->size ? 2 * t->size : 16;
		t->pieces =
		    xreallocarray(t->pieces, t->size, sizeof *t->pieces);
	}
	t->pieces[t->n++] = (struct piece){ now_us - t->from_us, t->body.len };
}

static json_t *
pieces_json(struct take *t)
{
	json_t *all = json_array();
	size_t at = 0;

	if (t->body.len)
		redact(t, t->body.data, t->body.len);
	for (size_t i = 0; i < t->n; at = t->pieces[i++].end) {
		const char *p = t->body.data + at;
		size_t n = t->pieces[i].end - at;
		json_t *text = memchr(p, '\0', n) ? NULL : json_stringn(p, n);

		json_array_append_new(all,
		    json_pack("[Io]", (json_int_t)t->pieces[i].us,
		        text ? text : as_hex(p, n)));
	}
	return all;
}

bool
take_end(struct take *t, enum item_end end)
{
	char *text, *line;
	bool is_written;

	json_object_set_new(t->line, "end", json_string(end_names[end]));
	if (json_is_true(json_object_get(t->line, "length")) &&
	    t->promised > t->body.len)
		json_object_set_new(t->line, "bytes",
		    json_integer((json_int_t)t->promised));
	json_object_set_new(t->line, "pieces", pieces_json(t));
	text = json_dumps(t->line, JSON_COMPACT | JSON_SORT_KEYS);
	/* Written line by line: a recording that is killed keeps every answer
	 * that was complete by then. */
	is_written = text && !t->is_torn;
	if (is_written) {
		line = xasprintf("%s\n", text);
		is_written = tape_write(t->tape, line, strlen(line));
		free(line);
	} else {
		tape_lose(t->tape, "an answer of more than 256 MiB");
	}
	free(text);
	take_free(t);
	return is_written;
}

void
take_free(struct take *t)
{
	if (!t)
		return;
	for (size_t i = 0; i < t->nsecrets; i++)
		free(t->secrets[i]);
	json_decref(t->line);
	buf_done(&t->body);
	free(t->pieces);
	free(t);
}

/* ---- reading */

struct cassette {
	json_t *lines; /* owned: "KEY ATTEMPT" to line */
	json_t *asked; /* owned: keys without query to how often */
};

static void
name_of(char out[KEY_SIZE], const char *key, uint64_t attempt)
{
	snprintf(out, KEY_SIZE, "%s %llu", key, (unsigned long long)attempt);
}

struct line {
	const char *key, *method, *path, *end;
	int64_t attempt, bytes, status;
	bool length;
	json_t *headers, *pieces, *query, *reason;
};

#define FIELD(name, type, lo, hi)                                              \
	{                                                                      \
#name, type, JF_REQUIRED, lo, hi, offsetof(struct line, name), \
		    NULL                                                       \
	}

/* clang-format off */
static const struct jfield fields[] = {		/* sorted by key */
	FIELD(attempt, JF_INT,    1,   1e9),
	{ "bytes",     JF_INT, 0, 0, 9e15, offsetof(struct line, bytes), NULL },
	FIELD(end,     JF_STRING, 0,   0),
	FIELD(headers, JF_ARRAY,  0,   HTTP1_HEADERS_MAX),
	FIELD(key,     JF_STRING, 1,   FACTS_KEY_MAX),
	FIELD(length,  JF_BOOL,   0,   0),
	FIELD(method,  JF_STRING, 0,   0),
	FIELD(path,    JF_STRING, 0,   0),
	FIELD(pieces,  JF_ARRAY,  0,   0),
	{ "query",     JF_ANY, 0, 0, 0,    offsetof(struct line, query), NULL },
	{ "reason",    JF_ANY, 0, 0, 0,    offsetof(struct line, reason), NULL },
	FIELD(status,  JF_INT,    200, 999),
};
/* clang-format on */

static void
add_hex(struct buf *out, const char *hex)
{
	char pair[3] = { 0 };

	for (; hex[0] && hex[1]; hex += 2) {
		memcpy(pair, hex, 2);
		buf_addc(out, (char)strtoul(pair, NULL, 16));
	}
}

/* A text, or {"hex": ...}. */
static void
add_bytes(struct buf *out, json_t *what)
{
	const char *hex = json_string_value(json_object_get(what, "hex"));

	if (json_is_string(what))
		buf_add(out, json_string_value(what), json_string_length(what));
	else if (hex)
		add_hex(out, hex);
}

/* People edit cassettes, and an answer's first line is written as it stands. */
static bool
is_reason(json_t *v)
{
	struct buf text;
	bool is_good;

	buf_init(&text, FILE_MAX);
	add_bytes(&text, v);
	is_good = text.len > 0 && text.len < REASON_MAX;
	for (size_t i = 0; i < text.len; i++)
		is_good = is_good && !iscntrl((unsigned char)text.data[i]);
	buf_done(&text);
	return is_good;
}

static enum err
add_line(struct cassette *c, const char *at, char *text, struct why *why)
{
	json_t *v = NULL;
	struct line l = { .key = NULL };
	char name[KEY_SIZE];
	enum err e = jfield_parse(at, text, strlen(text), &v, why);

	if (e != ERR_OK)
		return e;
	e = jfield_read(v, "", fields, COUNT(fields), &l, why);
	if (e == ERR_OK && l.reason && !is_reason(l.reason))
		e = why_set(why, ERR_SYNTAX,
		    "/reason: expected a reason phrase in one line");
	if (e == ERR_OK) {
		name_of(name, l.key, (uint64_t)l.attempt);
		/* A file that is recorded again is appended to: the later
		 * answer to the same attempt is the one that counts. */
		json_object_set(c->lines, name, v);
	} else {
		why_prefix(why, e, "%s", at);
	}
	json_decref(v);
	return e;
}

/* Of the last line, which has no end: a recording was killed, or somebody who
 * edited it left that out. */
static bool
is_torn(const char *line)
{
	json_t *v = json_loads(line, 0, NULL);
	bool is_whole = v != NULL;

	json_decref(v);
	return *line == '{' && !is_whole;
}

enum err
cassette_read(const char *path, struct cassette **ret, struct why *why)
{
	struct cassette *c;
	char *text = NULL, *rest, *line, *at;
	size_t number = 0;
	enum err e = files_read_kept(path, FILE_MAX, &text, NULL, why);

	if (e != ERR_OK)
		return e;
	c = xcalloc(1, sizeof *c);
	c->lines = json_object();
	c->asked = json_object();
	for (rest = text;
	     e == ERR_OK && (line = strsep(&rest, "\n")) != NULL;) {
		number++;
		if (*line == '\0')
			continue;
		if (!rest && is_torn(line)) {
			log_warn("cassette",
			    "%s: its last line is torn, and is left out", path);
			break;
		}
		at = xasprintf("%s: line %zu", path, number);
		e = add_line(c, at, line, why);
		free(at);
	}
	free(text);
	if (e == ERR_OK)
		*ret = c;
	else
		cassette_free(c);
	return e;
}

void
cassette_free(struct cassette *c)
{
	if (!c)
		return;
	json_decref(c->lines);
	json_decref(c->asked);
	free(c);
}

/* Of two attempts, is a nearer to `wanted`: not before it, and early? */
static bool
is_nearer(json_int_t a, json_int_t b, json_int_t wanted)
{
	if ((a >= wanted) != (b >= wanted))
		return a >= wanted;
	return a >= wanted ? a < b : a > b;
}

/* That of a key nearest to an attempt; *ret_last is its last one. */
static json_t *
find_nearest(const struct cassette *c, const char *wanted, json_int_t attempt,
    json_int_t *ret_last)
{
	json_int_t best = 0, at;
	json_t *line, *found = NULL;
	const char *name, *key;

	*ret_last = 0;
	json_object_foreach(c->lines, name, line) {
		key = json_string_value(json_object_get(line, "key"));
		at = json_integer_value(json_object_get(line, "attempt"));
		if (!key || strcmp(key, wanted) != 0)
			continue;
		if (at > *ret_last)
			*ret_last = at;
		if (found && !is_nearer(at, best, attempt))
			continue;
		found = line;
		best = at;
	}
	return found;
}

json_t *
cassette_nearest(const struct cassette *c, struct facts *f)
{
	json_int_t last, attempt = (json_int_t)f->attempt;
	json_t *line = find_nearest(c, identity_key(f), attempt, &last);

	if (!line && identity_key_unqueried(f)[0])
		line =
		    find_nearest(c, identity_key_unqueried(f), attempt, &last);
	else
		return line;
	return json_object_get(line, "query") ? NULL : line;
}

static json_t *
find(const struct cassette *c, const char *key, json_int_t attempt, bool loops)
{
	json_int_t last = 0;
	char name[KEY_SIZE];
	json_t *line;

	name_of(name, key, (uint64_t)attempt);
	line = json_object_get(c->lines, name);
	if (line || !loops || !find_nearest(c, key, attempt, &last) || last < 1)
		return line;
	return find_nearest(c, key, (attempt - 1) % last + 1, &last);
}

/* Of an older version's tape, where the query was no part of a key. */
static json_t *
find_unqueried(struct cassette *c, const char *key, bool loops)
{
	json_int_t n = json_integer_value(json_object_get(c->asked, key)) + 1;
	json_t *line;

	json_object_set_new(c->asked, key, json_integer(n));
	line = find(c, key, n, loops);
	return json_object_get(line, "query") ? NULL : line;
}

json_t *
cassette_find(struct cassette *c, struct facts *f, bool loops)
{
	json_int_t last;
	const char *key = identity_key(f);

	if (identity_key_unqueried(f)[0] && !find_nearest(c, key, 1, &last))
		return find_unqueried(c, identity_key_unqueried(f), loops);
	return find(c, key, (json_int_t)f->attempt, loops);
}

/* An answer that came torn is torn again: it promises more than comes, also
 * where its cassette is too old to say how much. */
static void
promise(json_t *recorded, struct answer_head *a)
{
	uint64_t said =
	    (uint64_t)json_integer_value(json_object_get(recorded, "bytes"));

	if (!a->has_length)
		return;
	if (cassette_end(recorded) == ITEM_END_CLEAN)
		a->said_bytes = said;
	else
		a->content_bytes =
		    said > a->content_bytes ? said : a->content_bytes + 1;
}

void
cassette_head(json_t *recorded, struct answer_head *a)
{
	json_t *headers = json_object_get(recorded, "headers"), *pair;
	struct buf piece;
	uint64_t us;
	size_t i;

	a->status =
	    (int)json_integer_value(json_object_get(recorded, "status"));
	a->has_length = json_is_true(json_object_get(recorded, "length"));
	buf_init(&piece, FILE_MAX);
	add_bytes(&piece, json_object_get(recorded, "reason"));
	if (piece.len)
		answer_head_set_reason(a,
		    (struct slice){ piece.data, piece.len });
	buf_done(&piece);
	json_array_foreach(headers, i, pair) {
		const char *name = json_string_value(json_array_get(pair, 0));
		struct slice value;

		buf_init(&piece, FILE_MAX);
		add_bytes(&piece, json_array_get(pair, 1));
		value = (struct slice){ piece.data, piece.len };
		if (name)
			answer_head_add_slices(a, slice_of(name), value);
		buf_done(&piece);
	}
	answer_head_read_type(a);
	/* The length is counted and not read from the recorded header: people
	 * edit cassettes, and secrets are starred in them. */
	buf_init(&piece, FILE_MAX);
	for (i = 0; cassette_piece(recorded, i, &us, &piece); i++)
		continue;
	a->content_bytes = piece.len;
	buf_done(&piece);
	promise(recorded, a);
}

enum item_end
cassette_end(json_t *recorded)
{
	const char *end = json_string_value(json_object_get(recorded, "end"));

	if (end && strcmp(end, end_names[ITEM_END_RST]) == 0)
		return ITEM_END_RST;
	/* A word that is unknown is taken for a plain close, never for a clean
	 * end: an answer must not look more whole than it was. */
	return end && strcmp(end, end_names[ITEM_END_CLEAN]) == 0
	    ? ITEM_END_CLEAN
	    : ITEM_END_FIN;
}

bool
cassette_piece(json_t *recorded, size_t i, uint64_t *us, struct buf *out)
{
	json_t *piece = json_array_get(json_object_get(recorded, "pieces"), i);
	json_int_t at = json_integer_value(json_array_get(piece, 0));

	if (!piece)
		return false;
	*us = at > 0 ? (uint64_t)at : 0;
	add_bytes(out, json_array_get(piece, 1));
	return true;
}
