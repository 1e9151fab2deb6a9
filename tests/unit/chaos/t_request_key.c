/*
 * Keys of requests, and how often they were seen.
 */
#include "chaos/rules/request_key.h"

#include <stdio.h>
#include <string.h>

#include "chaos/rules/seen_keys.h"
#include "tests/unit.h"

static const struct keyed_hash secret = { 1, 2 };

static struct identity
identity_of(const char *json, json_t **doc)
{
	struct identity id = { .nsources = 0 };
	struct why why = { "" };

	*doc = json ? json_loads(json, 0, NULL) : NULL;
	CHECK(identity_read(*doc, "/identity", &id, &why) == ERR_OK, why.text);
	return id;
}

static void
key_of(const char *identity, const char *name, const char *value,
    const char *body, char out[FACTS_KEY_MAX + 1])
{
	json_t *doc;
	struct identity id = identity_of(identity, &doc);
	struct http1_head head = { .method = slice_of("POST"),
		.target = slice_of("/v1/x") };
	struct facts f;

	if (name) {
		head.headers[0] =
		    (struct http1_header){ slice_of(name), slice_of(value) };
		head.nheaders = 1;
	}
	facts_init(&f, "p", &head, slice_of(body));
	CHECK_STR(identity_key(&f), "", "no key before it is seen");
	identity_see(&id, &secret, &f);
	snprintf(out, FACTS_KEY_MAX + 1, "%s", identity_key(&f));
	facts_done(&f);
	json_decref(doc);
}

static void
check_sources(void)
{
	static const struct {
		const char *what, *identity, *name, *value, *body, *want;
	} rows[] = {
		{ "the session header by default", NULL, "x-session-id",
		    "a/b/1", "{}", "a/b/1" },
		{ "else the body", NULL, NULL, NULL, "{\"b\":1, \"a\":2}",
		    /* sha256("POST\n/v1/x\n{\"a\":2,\"b\":1}") */
		    "548bbd357ad6c3fed00f57143003d81d9f6c98733612fda92a6b4b4f8"
		    "6c695d8" },
		{ "ordinal", "{\"key\":\"ordinal\"}", "x-session-id", "a", "{}",
		    "ordinal" },
	};
	char got[FACTS_KEY_MAX + 1];

	for (size_t i = 0; i < COUNT(rows); i++) {
		key_of(rows[i].identity, rows[i].name, rows[i].value,
		    rows[i].body, got);
		CHECK_STR(got, rows[i].want, rows[i].what);
	}
}

static void
check_bodies(void)
{
	static const char ignoring[] =
	    "{\"key\":[\"body-sha256\"],\"ignore\":[\"/user\",\"/a/0/b\"]}";
	static const struct {
		const char *what, *identity, *a, *b;
		bool is_equal;
	} rows[] = {
		{ "order and space do not matter", NULL, "{\"a\":1,\"b\":2}",
		    "{ \"b\":2, \"a\":1 }", true },
		{ "values do", NULL, "{\"a\":1}", "{\"a\":2}", false },
		{ "an ignored member does not", ignoring,
		    "{\"a\":[{\"b\":1}],\"user\":\"x\"}", "{\"a\":[{}]}",
		    true },
		{ "its neighbour does", ignoring, "{\"a\":[{\"c\":1}]}",
		    "{\"a\":[{}]}", false },
		{ "bytes that are no JSON count as they are", NULL, "a b",
		    "a  b", false },
	};
	char a[FACTS_KEY_MAX + 1], b[FACTS_KEY_MAX + 1];

	for (size_t i = 0; i < COUNT(rows); i++) {
		key_of(rows[i].identity, NULL, NULL, rows[i].a, a);
		key_of(rows[i].identity, NULL, NULL, rows[i].b, b);
		CHECK_INT(strcmp(a, b) == 0, rows[i].is_equal, rows[i].what);
	}
}

/* What may be a secret, or would break a line, never becomes a key. */
static void
check_secrets(void)
{
	static const struct {
		const char *identity, *name, *value;
	} rows[] = {
		{ "{\"key\":[\"header:authorization\"]}", "Authorization",
		    "secret" },
		{ "{\"key\":[\"header:x-api-key\"]}", "x-api-key", "secret" },
		{ "{\"key\":[\"header:x-id\"]}", "x-id", "a|b" },
		{ "{\"key\":[\"header:x-id\"]}", "x-id", "a b" },
	};
	char got[FACTS_KEY_MAX + 1];

	for (size_t i = 0; i < COUNT(rows); i++) {
		key_of(rows[i].identity, rows[i].name, rows[i].value, "", got);
		CHECK_INT(strlen(got), 64, rows[i].value);
		CHECK(strspn(got, "0123456789abcdef") == 64, rows[i].value);
	}
}

struct asked {
	const char *proxy, *method, *target, *session, *body;
};

static struct keyed_hash
id_of(const struct asked *a)
{
	struct identity id;
	struct http1_head head = { .method = slice_of(a->method),
		.target = slice_of(a->target) };
	struct why why = { "" };
	struct keyed_hash ret;
	struct facts f;

	CHECK(identity_read(NULL, "/identity", &id, &why) == ERR_OK, why.text);
	if (a->session) {
		head.headers[0] =
		    (struct http1_header){ slice_of("x-session-id"),
			    slice_of(a->session) };
		head.nheaders = 1;
	}
	facts_init(&f, a->proxy, a->method ? &head : NULL, slice_of(a->body));
	identity_see(&id, &secret, &f);
	ret = f.id;
	facts_done(&f);
	return ret;
}

/* Requests are counted by a hash and named by their key: both tell the same
 * ones apart. */
static void
check_ids(void)
{
	static const struct asked first = { "p", "POST", "/v1/x", NULL,
		"{\"a\":1,\"b\":2}" };
	static const struct {
		const char *what;
		struct asked asked;
		bool is_same;
	} rows[] = {
		{ "the same",
		    { "p", "POST", "/v1/x", NULL, "{\"a\":1,\"b\":2}" }, true },
		{ "in another order",
		    { "p", "POST", "/v1/x", NULL, "{\"b\":2, \"a\":1}" },
		    true },
		{ "with a query",
		    { "p", "POST", "/v1/x?y", NULL, "{\"a\":1,\"b\":2}" },
		    false },
		{ "with a credential in its query",
		    { "p", "POST", "/v1/x?key=s&&api_key=t", NULL,
		        "{\"a\":1,\"b\":2}" },
		    true },
		{ "with an empty query",
		    { "p", "POST", "/v1/x?", NULL, "{\"a\":1,\"b\":2}" },
		    true },
		{ "another proxy",
		    { "q", "POST", "/v1/x", NULL, "{\"a\":1,\"b\":2}" },
		    false },
		{ "another method",
		    { "p", "PUT", "/v1/x", NULL, "{\"a\":1,\"b\":2}" }, false },
		{ "another path",
		    { "p", "POST", "/v1/y", NULL, "{\"a\":1,\"b\":2}" },
		    false },
		{ "another body",
		    { "p", "POST", "/v1/x", NULL, "{\"a\":1,\"b\":3}" },
		    false },
		{ "no JSON",
		    { "p", "POST", "/v1/x", NULL, "{\"a\":1,\"b\":2}}" },
		    false },
		{ "a session",
		    { "p", "POST", "/v1/x", "s", "{\"a\":1,\"b\":2}" }, false },
		{ "a connection", { "p", NULL, NULL, NULL, "" }, false },
	};
	struct keyed_hash want = id_of(&first), got;

	for (size_t i = 0; i < COUNT(rows); i++) {
		got = id_of(&rows[i].asked);
		CHECK_INT(memcmp(&got, &want, sizeof got) == 0, rows[i].is_same,
		    rows[i].what);
	}
}

static struct keyed_hash
named(const char *name)
{
	return keyed_hash_of(&secret, name, strlen(name));
}

static bool
is_marked(struct seen_keys *k, const char *name, size_t rule)
{
	struct seen_rules marks = seen_keys_marks(k, named(name));

	return marks.bits[rule / 64] >> rule % 64 & 1;
}

static void
check_keys(void)
{
	struct seen_keys *k = seen_keys_new(4);
	char key[32];

	CHECK_INT(seen_keys_see(k, named("a")), 1, "first");
	CHECK_INT(seen_keys_see(k, named("a")), 2, "second");
	CHECK_INT(seen_keys_see(k, named("b")), 1, "another");
	CHECK(!is_marked(k, "a", 7), "no rule was decided");
	seen_keys_mark(k, named("a"), 7);
	CHECK(is_marked(k, "a", 7), "rule 7 was");
	CHECK(!is_marked(k, "a", 8), "rule 8 was not");
	for (int i = 0; i < 100; i++) {
		snprintf(key, sizeof key, "k%d", i);
		CHECK_INT(seen_keys_see(k, named(key)), 1, "a new key");
		CHECK_INT(seen_keys_see(k, named(key)), 2,
		    "known while it is young");
	}
	CHECK_INT(seen_keys_see(k, named("a")), 1, "an old key is forgotten");
	CHECK(!is_marked(k, "a", 7), "and its marks with it");
	seen_keys_free(k);
}

void
t_request_key(void)
{
	check_sources();
	check_bodies();
	check_secrets();
	check_ids();
	check_keys();
}
