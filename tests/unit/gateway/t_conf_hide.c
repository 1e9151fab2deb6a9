/*
 * Keys that are quoted, by a grammar: each letter in any of the forms that a
 * text may write it in, one within the other, in bytes that come in pieces.
 */
#include "gateway/conf/conf.h"

#include "base/buf.h"
#include "tests/unit.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define KEY "sk-Ab/c+d=9&\"e<f_G~0123456789%"
#define LONG                                                                   \
	"sk-proj-Zq3xV9bT7mKfW1rYc8LhN2jD6sGpA4uEoXiB5tQvRzMwCkHyJdSnFgPa"     \
	"9K2mX7wB4tL1"
#define BEFORE "[what stood before it, "
#define BEHIND ", and behind it]"
#define ROUNDS 500

static unsigned
draw(unsigned *seed, unsigned n)
{
	*seed = *seed * 1664525 + 1013904223;
	return (*seed >> 8) % n;
}

/* One letter; depth: how often what writes it is written so again. */
static void
put_letter(struct buf *b, char letter, unsigned *seed, int depth)
{
	static const char *const forms[] = { "\\u%04x", "\\\\u%04X", "\\x%02x",
		"%%%02X", "%%%02x", "&#%u;", "&#x%X;", "&#x%04x;" };
	char text[16];
	unsigned form = draw(seed, 2 * COUNT(forms));

	if (form >= COUNT(forms)) {
		buf_addc(b, letter);
		return;
	}
	/* Signs of an outer layer alone are written by it. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
	snprintf(text, sizeof text, forms[form], (unsigned char)letter);
#pragma GCC diagnostic pop
	for (const char *p = text; *p; p++)
		if (depth > 0 && (*p == '%' || *p == '&'))
			put_letter(b, *p, seed, 0);
		else
			buf_addc(b, *p);
}

/* As it goes to a client that hears it in pieces. */
static void
pass(const struct conf_provider *p, const struct buf *said, unsigned *seed,
    struct buf *told)
{
	struct buf held;
	size_t n, kept;

	buf_init(&held, 65536);
	for (size_t at = 0; at < said->len; at += n) {
		n = 1 + draw(seed, 40);
		if (n > said->len - at)
			n = said->len - at;
		buf_add(&held, said->data + at, n);
		kept = at + n == said->len
		    ? 0
		    : conf_hidden_begun(p, held.data, held.len);
		conf_hide_keys(p, held.data, held.len - kept);
		buf_add(told, held.data, held.len - kept);
		buf_drop(&held, held.len - kept);
	}
	buf_done(&held);
}

static char
as_said(char letter, bool is_loud)
{
	if (is_loud && letter >= 'a' && letter <= 'z')
		return (char)(letter & ~0x20);
	return letter;
}

/* So many of the key's letters from there on, and what stands around them. */
static void
quote(struct buf *said, struct slice letters, unsigned *seed, bool is_loud)
{
	buf_adds(said, BEFORE);
	for (size_t k = 0; k < letters.n; k++)
		put_letter(said, as_said(letters.p[k], is_loud), seed,
		    (int)draw(seed, 2));
	buf_adds(said, BEHIND);
}

/* All of a key, or no less than `least` letters of it. */
static struct slice
part_of(const char *key, size_t least, unsigned *seed)
{
	size_t n = strlen(key), from;

	if (draw(seed, 2))
		return slice_of(key);
	from = draw(seed, (unsigned)(n - least + 1));
	return (struct slice){ key + from,
		least + draw(seed, (unsigned)(n - from - least + 1)) };
}

static void
hides_what_it_says(const struct conf_provider *p, const char *key, size_t least)
{
	for (unsigned i = 0; i < ROUNDS; i++) {
		size_t around = strlen(BEFORE) + strlen(BEHIND);
		struct buf said, told;
		unsigned seed = i;

		buf_init(&said, 65536);
		buf_init(&told, 65536);
		quote(&said, part_of(key, least, &seed), &seed, i % 5 == 0);
		pass(p, &said, &seed, &told);
		if (told.len != said.len ||
		    strncmp(told.data, BEFORE, strlen(BEFORE)) != 0 ||
		    strspn(told.data + strlen(BEFORE), "*") !=
		        said.len - around)
			CHECK_STR(told.data, said.data, "stars alone");
		buf_done(&said);
		buf_done(&told);
	}
}

/* What is no key passes as it came, also where it begins like one. */
static void
passes_the_rest(const struct conf_provider *p)
{
	static const char *const pieces[] = { "sk-Ab/c+d", "%", "&#", "\\u00",
		"\\\\", "0123456789", "&amp;", "%25", "=9&\"e", "word ",
		"\n\n" };

	for (unsigned i = 0; i < ROUNDS; i++) {
		struct buf said, told;
		unsigned seed = i;

		buf_init(&said, 65536);
		buf_init(&told, 65536);
		for (int k = 0; k < 30; k++) {
			buf_adds(&said, pieces[draw(&seed, COUNT(pieces))]);
			buf_adds(&said, " ");
		}
		pass(p, &said, &seed, &told);
		CHECK_STR(told.data, said.data, "as it came");
		buf_done(&said);
		buf_done(&told);
	}
}

void t_conf_hide(void);

void
t_conf_hide(void)
{
	static const char text[] =
	    "providers: [{name: p, base_url: 'http://127.0.0.1:1', "
	    "api_key_env: [KF_TEST_HIDDEN, KF_TEST_LONG]}]\n";
	struct findings f;
	struct conf *c;

	setenv("KF_TEST_HIDDEN", KEY, 1);
	setenv("KF_TEST_LONG", LONG, 1);
	findings_init(&f, "conf");
	c = conf_parse("conf", text, strlen(text), &f);
	if (CHECK(c, f.first_error)) {
		hides_what_it_says(conf_provider(c, "p", 1), KEY,
		    strlen(KEY) / 2);
		hides_what_it_says(conf_provider(c, "p", 1), LONG, 16);
		passes_the_rest(conf_provider(c, "p", 1));
	}
	conf_unref(c);
	findings_done(&f);
}
