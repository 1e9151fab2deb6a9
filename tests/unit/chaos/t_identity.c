/*
 * Keys of requests, and how often they were seen.
 */
#include "chaos/rules/identity.h"

#include <stdio.h>
#include <string.h>

#include "chaos/rules/seen_keys.h"
#include "tests/unit.h"

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
	identity_key(&id, &f);
	memcpy(out, f.key, sizeof f.key);
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

static void
check_keys(void)
{
	struct seen_keys *k = seen_keys_new(4);
	char key[32];

	CHECK_INT(seen_keys_see(k, "p", "a"), 1, "first");
	CHECK_INT(seen_keys_see(k, "p", "a"), 2, "second");
	CHECK_INT(seen_keys_see(k, "q", "a"), 1, "another proxy");
	CHECK(!seen_keys_is_marked(k, "p", "a", 7), "no rule fired");
	seen_keys_mark(k, "p", "a", 7);
	CHECK(seen_keys_is_marked(k, "p", "a", 7), "rule 7 fired");
	CHECK(!seen_keys_is_marked(k, "p", "a", 8), "rule 8 did not");
	for (int i = 0; i < 100; i++) {
		snprintf(key, sizeof key, "k%d", i);
		CHECK_INT(seen_keys_see(k, "p", key), 1, "a new key");
		CHECK_INT(seen_keys_see(k, "p", key), 2,
		    "known while it is young");
	}
	CHECK_INT(seen_keys_see(k, "p", "a"), 1, "an old key is forgotten");
	CHECK(!seen_keys_is_marked(k, "p", "a", 7), "and its marks with it");
	seen_keys_free(k);
}

void
t_identity(void)
{
	check_sources();
	check_bodies();
	check_secrets();
	check_keys();
}
