/* Keys that are handed out, on a file of their own; and what is told of any
 * key: nothing.  The time is an argument. */
#include "base/files.h"
#include "gateway/store/client_keyring.h"
#include "gateway/store/client_keys.h"
#include "gateway/text/secret_shapes.h"
#include "tests/unit.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NOW_MS UINT64_C(1795347000000) /* 2026-11-22, a Sunday */
#define USD    INT64_C(1000000000)

static void
reads_wishes(struct store *s)
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
		{ "sixteen, to some", { .name = "n", .budget = "0x10" },
		    ERR_RANGE },
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
		{ "on no day", { .name = "n", .expires = "2027-02-30" },
		    ERR_RANGE },
		{ "less than is counted", { .name = "n", .budget = "1e-10" },
		    ERR_RANGE },
		{ "at once", { .name = "n", .expires = "0s" }, ERR_RANGE },
		{ "some day", { .name = "n", .expires = "soon" }, ERR_RANGE },
	};
	char key[KEYS_TEXT_BYTES];
	struct why why;

	for (size_t i = 0; i < COUNT(rows); i++)
		CHECK_INT(keys_create(s, &rows[i].wish, NOW_MS, key, &why),
		    rows[i].e, rows[i].what);
	CHECK_INT(keys_revoke(s, "nobody", NOW_MS, &why), ERR_NOTFOUND,
	    "nobody's");
}

static void
finds_keys(struct store *s)
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

	CHECK_INT(keys_create(s, &wish, NOW_MS, key, &why), ERR_OK, "x");
	CHECK_INT(keyring_read(s, &ring), ERR_OK, "the ring");
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
	keys_revoke(s, "x", NOW_MS, &why);
	CHECK_INT(keyring_read(s, &ring), ERR_OK, "again");
	digest[31] ^= 1;
	CHECK_STR(keyring_fault(keyring_find(ring, digest), NOW_MS),
	    "this key was revoked", "revoked");
	keyring_unref(ring);
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
		{ "sk\\u002dabcdefghijklmnop z",
		    "sk\\u002d**************** z" },
		{ "\\u0073k-abcdefghijkl\\/\\u006dnop\\n",
		    "\\u0073k-***********************\\n" },
		{ "x sk\\u00", "x sk\\u00" },
		{ "\\u0000sk-\\u", "\\u0000sk-\\u" },
		{ "?api_key=abcdefghijklmnop&x",
		    "?api_key=****************&x" },
		{ "mine: open-sesame-123", "mine: ***************" },
		{ "a body cut at sk-abcde", "a body cut at sk-*****" },
		{ "a body cut at open-ses", "a body cut at ********" },
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

void t_client_keys(void);
void
t_client_keys(void)
{
	char dir[] = "/tmp/t_client_keys.XXXXXX", path[64];
	struct store_conf conf = { .path = path };
	struct why why = { "" };
	struct store *s;

	CHECK(mkdtemp(dir) != NULL, "a folder");
	snprintf(path, sizeof path, "%s/s.db", dir);
	CHECK_INT(store_open(&conf, STORE_MAKE, &s, &why), ERR_OK, why.text);
	reads_wishes(s);
	finds_keys(s);
	store_close(s);
	files_remove_tree(dir);
	masks_secrets();
}
