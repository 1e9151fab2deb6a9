/*
 * What is written is what jansson writes with sorted keys, byte for byte: every
 * control character, letters of every length of UTF-8, an escape at every place
 * of texts of every length, numbers at their ends, and what only jansson
 * writes.  Without some members it is what jansson writes of an object that
 * lacks them.
 */
#include "base/sorted_json.h"

#include "tests/unit.h"
#include <stdlib.h>

#define FLAGS (JSON_COMPACT | JSON_SORT_KEYS)

static void
check_same(json_t *object, const char *const *without, const char *what)
{
	json_t *rest = json_copy(object);
	struct sorted_json s;
	struct buf out;
	char *want;

	for (size_t i = 0; without[i]; i++)
		json_object_del(rest, without[i]);
	want = json_dumps(rest, FLAGS);
	sorted_json_init(&s, 1 << 20);
	buf_init(&out, 1 << 20);
	/* Twice, since one is used again. */
	for (int i = 0; i < 2; i++) {
		sorted_json_clear(&s);
		sorted_json_add_all(&s, object);
		CHECK_INT(sorted_json_put(&s, without, &out), ERR_OK, what);
		CHECK_STR(out.data, want, what);
	}
	buf_done(&out);
	sorted_json_done(&s);
	free(want);
	json_decref(rest);
}

static const char *const all[] = { NULL };

static void
check_text(const char *text, size_t n, const char *what)
{
	json_t *o = json_object();

	json_object_set_new(o, "k", json_stringn(text, n));
	check_same(o, all, what);
	json_decref(o);
}

static void
check_texts(void)
{
	static const char *const odd[] = { "\"", "\\", "\n", "\x1f", "\x7f",
		"\xc3\xa9", "\xe2\x82\xac", "\xf0\x9f\x98\x80", "/" };
	char text[64];

	for (int c = 0; c < 0x80; c++) {
		text[0] = (char)c;
		check_text(text, 1, "each character");
	}
	for (size_t k = 0; k < COUNT(odd); k++)
		for (size_t n = 0; n < 40; n++)
			for (size_t at = 0; at <= n; at++) {
				size_t odd_n = strlen(odd[k]);

				memset(text, 'x', sizeof text);
				memcpy(text + at, odd[k], odd_n);
				check_text(text, n + odd_n, odd[k]);
			}
}

static const char *const objects[] = {
	"{}",
	"{\"b\":1,\"a\":2,\"ab\":3,\"\":4,\"B\":5}",
	"{\"n\":[0,-1,9223372036854775807,-9223372036854775807],\"z\":0}",
	"{\"a\":-9223372036854775808,\"b\":9223372036854775807,\"c\":-7}",
	"{\"r\":1.0,\"s\":-0.0,\"t\":1e300,\"u\":0.1}",
	"{\"t\":true,\"f\":false,\"n\":null}",
	"{\"o\":{\"z\":{\"y\":[],\"x\":{}},\"a\":\"\\u0001\"},\"l\":[{\"b\":1,"
	"\"a\":2}]}",
	"{\"a\\\"b\":1,\"a\\n\":2,\"\\u00e9\":3,\"a\\u0001\":\"\\u0000x\"}",
	"{\"seq\":3,\"prev\":\"x\",\"hash\":\"y\",\"wall\":\"z\",\"rule\":"
	"\"r\"}",
};

void t_sorted_json(void);

void
t_sorted_json(void)
{
	static const char *const some[] = { "a", "hash", "seq", NULL };
	static const char *const most[] = { "a", "b", "c", "ab", "", "B", "o",
		"r", "t", "f", NULL };
	struct sorted_json s;
	struct buf out;
	json_t *o;

	for (size_t i = 0; i < COUNT(objects); i++) {
		o = json_loads(objects[i], JSON_ALLOW_NUL, NULL);
		CHECK(o != NULL, objects[i]);
		check_same(o, all, objects[i]);
		check_same(o, some, objects[i]);
		check_same(o, most, objects[i]);
		json_decref(o);
	}
	check_texts();

	sorted_json_init(&s, 16);
	buf_init(&out, 64);
	o = json_string("more than there is room for");
	sorted_json_add(&s, "k", o);
	CHECK_INT(sorted_json_put(&s, all, &out), ERR_TOOBIG, "too big");
	json_decref(o);
	buf_done(&out);
	sorted_json_done(&s);
}
