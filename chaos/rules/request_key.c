/*
 * The key of a request.
 *
 * "body-sha256" is SHA-256(METHOD "\n" PATH "\n" BODY), with "?" QUERY behind
 * the path where there is one, less what is a credential in it: the next page
 * is another request, and the same page with another key is the same.  BODY is
 * the canonical JSON without the ignored members (canonical_json.h), or the bytes
 * as they are when they are no JSON.
 */
#include "chaos/rules/request_key.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/digest.h"
#include "base/http1.h"
#include "base/jfield.h"
#include "chaos/text/jspan.h"

#define HEADER_PREFIX "header:"
#define ORDINAL       "ordinal"
#define BODY          "body-sha256"
#define SAID_MAX      (64u << 10) /* kept until the key is asked for */

static const struct identity identity_default = {
	.sources = { "header:x-session-id", BODY },
	.nsources = 2,
};

struct raw {
	json_t *key, *ignore;
};

static const struct jfield fields[] = {
	{ "ignore", JF_ARRAY, 0, 0, IDENTITY_IGNORE_MAX,
	    offsetof(struct raw, ignore), NULL },
	{ "key", JF_ANY, 0, 0, 0, offsetof(struct raw, key), NULL },
};

const struct jfield *
identity_fields(size_t *n)
{
	*n = COUNT(fields);
	return fields;
}

static bool
is_source(const char *s)
{
	size_t n = strlen(HEADER_PREFIX);

	return strcmp(s, ORDINAL) == 0 || strcmp(s, BODY) == 0 ||
	    (strncmp(s, HEADER_PREFIX, n) == 0 &&
	        http1_is_token(slice_of(s + n)));
}

static bool
is_json_pointer(const char *s)
{
	return jspan_is_pointer(s) && s[1];
}

/* Strings of v (one, or an array) that pass `ok`, into out. */
static enum err
read_strings(json_t *v, const char *pointer, size_t max,
    bool (*ok)(const char *), const char **out, size_t *ret_n, struct why *why)
{
	size_t n = json_is_array(v) ? json_array_size(v) : 1;
	char found[128];

	if (n > max)
		return why_set(why, ERR_RANGE,
		    "%s: found %zu items, expected at most %zu", pointer, n,
		    max);
	for (size_t i = 0; i < n; i++) {
		json_t *item = json_is_array(v) ? json_array_get(v, i) : v;

		if (json_is_string(item) && ok(json_string_value(item))) {
			out[i] = json_string_value(item);
			continue;
		}
		jfield_describe(item, found, sizeof found);
		return why_set(why, ERR_SYNTAX, "%s/%zu: found %s, expected %s",
		    pointer, i, found,
		    ok == is_source ? "\"header:NAME\", \"body-sha256\" or "
		                      "\"ordinal\""
		                    : "a JSON pointer");
	}
	*ret_n = n;
	return ERR_OK;
}

enum err
identity_read(json_t *v, const char *pointer, struct identity *ret,
    struct why *why)
{
	struct identity id = identity_default;
	struct raw raw = { NULL, NULL };
	char at[256];
	enum err e = ERR_OK;

	if (v)
		e = jfield_read(v, pointer, fields, 2, &raw, why);
	if (e == ERR_OK && raw.key) {
		snprintf(at, sizeof at, "%s/key", pointer);
		if (json_is_array(raw.key) && json_array_size(raw.key) == 0)
			return why_set(why, ERR_RANGE,
			    "%s: found 0 items, expected 1 to %d", at,
			    IDENTITY_SOURCES_MAX);
		e = read_strings(raw.key, at, IDENTITY_SOURCES_MAX, is_source,
		    id.sources, &id.nsources, why);
	}
	if (e == ERR_OK && raw.ignore) {
		snprintf(at, sizeof at, "%s/ignore", pointer);
		e = read_strings(raw.ignore, at, IDENTITY_IGNORE_MAX,
		    is_json_pointer, id.ignore, &id.nignore, why);
	}
	if (e == ERR_OK)
		*ret = id;
	return e;
}

/* ---- the key */

/* By the scan where it can say, else by a tree; bytes that are no JSON count
 * as they are. */
static void
read_body(const struct identity *id, struct facts *f)
{
	struct canon_ignored ignored = { id->ignore, id->nignore };
	struct buf text;

	if (facts_canon(f, &ignored, &text)) {
		f->said.n = text.len;
		f->said.p = f->said_own = buf_take(&text);
		return;
	}
	f->said_own = canon_tree(facts_json(f), &ignored);
	f->said = f->said_own ? slice_of(f->said_own) : f->body;
}

#define TARGET_MAX ((size_t)1 << 20)

static bool
is_credential(struct slice parameter)
{
	static const char *const names[] = { "key=", "api_key=", "api-key=",
		"apikey=", "access_token=" };

	for (size_t i = 0; i < COUNT(names); i++)
		if (parameter.n >= strlen(names[i]) &&
		    strncasecmp(parameter.p, names[i], strlen(names[i])) == 0)
			return true;
	return false;
}

/* The path, and behind it the query that counts; out: initialised, for what has
 * to be written down. */
static struct slice
target_of(struct facts *f, struct buf *out)
{
	struct slice path = facts_path(f), rest = facts_query(f);
	char mark = '?';

	while (rest.n > 0) {
		const char *end = memchr(rest.p, '&', rest.n);
		struct slice one = { rest.p,
			end ? (size_t)(end - rest.p) : rest.n };

		rest.p += one.n + (end != NULL);
		rest.n -= one.n + (end != NULL);
		if (one.n == 0 || is_credential(one))
			continue;
		if (out->len == 0)
			(void)buf_add(out, path.p, path.n);
		(void)buf_addc(out, mark);
		(void)buf_add(out, one.p, one.n);
		mark = '&';
	}
	return out->len ? (struct slice){ out->data, out->len } : path;
}

static void
digest_request(struct facts *f, struct slice path, char ret[DIGEST_HEX])
{
	struct digest *d = digest_new();
	struct slice method = facts_method(f);
	uint8_t hash[DIGEST_BYTES];

	digest_add(d, method.p, method.n);
	digest_adds(d, "\n");
	digest_add(d, path.p, path.n);
	digest_adds(d, "\n");
	digest_add(d, f->said.p, f->said.n);
	digest_finish(d, hash);
	digest_hex(hash, ret);
}

static void
key_from_body(struct facts *f)
{
	struct slice path = facts_path(f), target;
	struct buf own;

	buf_init(&own, TARGET_MAX);
	target = target_of(f, &own);
	digest_request(f, target, f->key);
	if (target.n > path.n)
		digest_request(f, path, f->unqueried);
	buf_done(&own);
}

static bool
is_secret_name(const char *name)
{
	return strcasestr(name, "auth") || strcasestr(name, "cookie") ||
	    strcasestr(name, "key") || strcasestr(name, "token") ||
	    strcasestr(name, "secret");
}

static bool
is_plain(struct slice s)
{
	for (size_t i = 0; i < s.n; i++)
		/* '|' separates the parts of the text that a draw is made of
		 * (fire_draw.h): in a key it could stand for another rule's. */
		if (!isgraph((unsigned char)s.p[i]) || s.p[i] == '|')
			return false;
	return s.n <= FACTS_KEY_MAX;
}

static bool
key_from_header(struct facts *f, const char *name)
{
	struct slice v = slice_trim(facts_header(f, name));

	if (v.n == 0)
		return false;
	/* Keys are written into logs, cassettes and events. */
	if (is_secret_name(name) || !is_plain(v))
		digest_sha256_hex(v.p, v.n, f->key);
	else
		snprintf(f->key, sizeof f->key, SLICE_FMT, SLICE_ARG(v));
	return true;
}

/* The first source that gives something; false: it is the body. */
static bool
key_from_sources(const struct identity *id, struct facts *f)
{
	for (size_t i = 0; i < id->nsources && f->head; i++) {
		const char *s = id->sources[i];

		if (strcmp(s, ORDINAL) == 0)
			break;
		if (strcmp(s, BODY) == 0)
			return false;
		if (key_from_header(f, s + strlen(HEADER_PREFIX)))
			return true;
	}
	snprintf(f->key, sizeof f->key, ORDINAL);
	return true;
}

static struct keyed_hash
hash_of(const struct keyed_hash *secret, struct slice s)
{
	return keyed_hash_of(secret, s.p, s.n);
}

void
identity_see(const struct identity *id, const struct keyed_hash *secret,
    struct facts *f)
{
	static const struct slice nothing = { "", 0 };
	/* Each part as a hash: "ab" with "c" is not "a" with "bc". */
	struct keyed_hash parts[4] = { hash_of(secret, slice_of(f->proxy)) };
	struct buf own;

	f->identity = id;
	if (key_from_sources(id, f)) {
		parts[1] = parts[2] = hash_of(secret, nothing);
		parts[3] = hash_of(secret, slice_of(f->key));
	} else {
		read_body(id, f);
		parts[1] = hash_of(secret, facts_method(f));
		buf_init(&own, TARGET_MAX);
		parts[2] = hash_of(secret, target_of(f, &own));
		buf_done(&own);
		parts[3] = hash_of(secret, f->said);
	}
	f->id = keyed_hash_of(secret, parts, sizeof parts);
	if (f->said.n > SAID_MAX)
		(void)identity_key(f);
}

const char *
identity_key_unqueried(const struct facts *f)
{
	return f->unqueried;
}

const char *
identity_key(struct facts *f)
{
	if (!f->identity || f->key[0])
		return f->key;
	key_from_body(f);
	free(f->said_own);
	f->said_own = NULL;
	return f->key;
}
