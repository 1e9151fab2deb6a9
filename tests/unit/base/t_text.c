/* Small text modules: addresses, URLs, metadata, buffers, reasons. */
#include "tests/unit.h"

#include "base/addr.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/digest.h"
#include "base/metadata_header.h"
#include <stdlib.h>
#include <string.h>

/* As a Host header says it. */
static const struct {
	const char *text, *want; /* NULL: it names none */
} named[] = {
	/* clang-format off */
	{ "localhost", "localhost" }, { "localhost.", "localhost" },
	{ "LocalHost:80", "LocalHost" }, { "a.b.:80", "a.b" }, { ".", "." },
	{ "127.0.0.1", "127.0.0.1" }, { "host:", "host" },
	{ "[::1]", "::1" }, { "[::1]:8474", "::1" }, { "[::1]:", "::1" },
	{ "", NULL }, { ":", NULL }, { ":80", NULL }, { "[]", NULL },
	{ "[::1", NULL }, { "[::1]80", NULL }, { "[localhost]", NULL },
	{ "::1", NULL }, { "host:65536", NULL }, { "host:80x", NULL },
	{ "localhost:80@evil", NULL }, { "evil@localhost", NULL },
	{ "localhost evil", NULL }, { "localhost/evil", NULL },
	{ "localhost,evil", NULL }, { "localhost%00", NULL },
	/* clang-format on */
};

static const struct {
	const char *text, *want; /* NULL: refused */
} addrs[] = {
	/* clang-format off */
	{ "127.0.0.1:80", "127.0.0.1:80" },
	{ "localhost:0", "localhost:0" },
	{ "[::1]:8474", "[::1]:8474" },
	{ "host", NULL }, { "host:", NULL }, { ":80", NULL }, { "host:65536", NULL },
	{ "host:-1", NULL }, { "host:80x", NULL }, { "[::1", NULL }, { "[::1]80", NULL },
	{ "0177.0.0.1:1", NULL }, { "127.1:1", NULL }, { "1.2.3.4.:1", "1.2.3.4.:1" },
	{ "[zz]:1", NULL }, { "ho st:1", NULL }, { "", NULL }, { "a:1:2", NULL },
	/* clang-format on */
};

static const struct {
	const char *text, *want, *path;
} urls[] = {
	/* clang-format off */
	{ "http://127.0.0.1:81", "127.0.0.1:81", "" },
	{ "https://api.deepseek.com", "api.deepseek.com:443", "" },
	{ "http://h/a/b//", "h:80", "/a/b" },
	{ "HTTP://h/a", "h:80", "/a" }, { "HttpS://h", "h:443", "" },
	{ "ftp://h", NULL, NULL }, { "http://u@h", NULL, NULL },
	{ "http://h/a?b", NULL, NULL }, { "http://", NULL, NULL },
	{ "http://h/a b", NULL, NULL },
	/* clang-format on */
};

static const struct {
	const char *text, *want; /* value of "op"; "!" refused */
} metas[] = {
	/* clang-format off */
	{ "{\"op\":\"rope\",\"iteration\":2}", "rope" },
	{ "op=rope;iteration=2", "rope" },
	{ " op = rope ; ", "rope" },
	{ "", NULL }, { "{}", NULL }, { "a=b", NULL },
	{ "op", "!" }, { "{\"op\":{}}", "!" }, { "[1]", "!" }, { "{\"op\"", "!" },
	{ "{\"op\":\"a\",\"op\":\"b\"}", "!" },
	/* clang-format on */
};

static void
check_addrs(void)
{
	char text[ADDR_TEXT_MAX];
	struct addr a;
	struct url u;

	for (size_t i = 0; i < COUNT(addrs); i++) {
		enum err e = addr_parse(addrs[i].text, &a, NULL);

		if (e == ERR_OK)
			addr_format(&a, text);
		CHECK_STR(e == ERR_OK ? text : NULL, addrs[i].want,
		    addrs[i].text);
	}
	for (size_t i = 0; i < COUNT(urls); i++) {
		enum err e = url_parse(urls[i].text, &u, NULL);

		if (e == ERR_OK)
			addr_format(&u.addr, text);
		CHECK_STR(e == ERR_OK ? text : NULL, urls[i].want,
		    urls[i].text);
		if (e == ERR_OK)
			CHECK_STR(u.path, urls[i].path, urls[i].text);
	}
	for (size_t i = 0; i < COUNT(named); i++) {
		/* A byte more than it says, which must not be read. */
		struct slice s = slice_of(named[i].text);
		char *copy = malloc(s.n + 1);

		memcpy(copy, s.p, s.n);
		copy[s.n] = '1';
		s.p = copy;
		CHECK_STR(addr_of_host(s, &a) ? a.host : NULL, named[i].want,
		    named[i].text);
		free(copy);
	}
	addr_parse("127.9.9.9:1", &a, NULL);
	CHECK(addr_is_loopback(&a), "all of 127/8 is loopback");
	addr_parse("10.0.0.1:1", &a, NULL);
	CHECK(!addr_is_loopback(&a), "10.0.0.1 is not");
}

static void
check_metas(void)
{
	static const char odd[] = "{\"\\u007fa\":\"\x7f\\u0001\\u00e9\"}";
	json_t *all = NULL;
	char *text;

	CHECK_INT(metadata_header_parse(odd, strlen(odd), &all, NULL), ERR_OK,
	    "odd letters");
	text = metadata_header_text(all);
	CHECK_STR(text, "{\"\\u007fa\":\"\\u007f\\u0001\\u00E9\"}",
	    "may stand in a header");
	free(text);
	json_decref(all);
	for (size_t i = 0; i < COUNT(metas); i++) {
		json_t *m = NULL;
		enum err e = metadata_header_parse(metas[i].text,
		    strlen(metas[i].text), &m, NULL);

		CHECK_STR(e == ERR_OK ? metadata_header_get(m, "op") : "!",
		    metas[i].want, metas[i].text);
		json_decref(m);
	}
}

static void
check_bufs(void)
{
	struct buf b;
	char *s;

	buf_init(&b, 10);
	CHECK_INT(buf_adds(&b, "12345"), ERR_OK, "within the cap");
	CHECK_INT(buf_addf(&b, "%06d", 7), ERR_TOOBIG, "past the cap");
	CHECK_INT(b.len, 5, "unchanged after a refusal");
	CHECK_INT(buf_addf(&b, "%05d", 7), ERR_OK, "exactly the cap");
	buf_drop(&b, 3);
	CHECK_STR(b.data, "4500007", "the front is dropped");
	s = buf_take(&b);
	CHECK_STR(s, "4500007", "taken");
	CHECK_INT(b.len, 0, "and empty");
	free(s);
	for (size_t cap = 100000; cap > 0; cap /= 7) {
		buf_reuse(&b, cap);
		CHECK_INT(b.len, 0, "used again");
		CHECK(buf_extend(&b, cap) != NULL, "up to its new cap");
		CHECK_INT(buf_addc(&b, 'x'), ERR_TOOBIG, "and no further");
	}
	buf_done(&b);
}

/* What is refused is named without what may be a secret in it. */
static void
check_refused_urls(void)
{
	static const struct {
		const char *text, *said;
	} refused[] = {
		{ "http://h/v1?key=sk-1#x", "URL \"http://h/v1?...\"" },
		{ "http://me:sk-1@h:x/a", "URL \"http://***@h:x/a\"" },
		{ "ftp://me@h", "URL \"ftp://***@h\"" },
		{ "x?k=sk-1://me", "URL \"x?...\"" },
		{ "http://h/#sk-1", "URL \"http://h/#...\"" },
	};
	struct why why;
	struct url u;

	for (size_t i = 0; i < COUNT(refused); i++) {
		CHECK_INT(url_parse(refused[i].text, &u, &why), ERR_SYNTAX,
		    refused[i].text);
		CHECK(strncmp(why.text, refused[i].said,
		          strlen(refused[i].said)) == 0,
		    why.text);
		CHECK(!strstr(why.text, "sk-1"), why.text);
	}
	CHECK_INT(addr_parse("me:sk-1@h:1", &u.addr, &why), ERR_SYNTAX, "user");
	CHECK(!strstr(why.text, "sk-1"), why.text);
}

static void
check_others(void)
{
	char iso[CLOCK_ISO_BYTES], hex[DIGEST_HEX];
	struct why why;

	clock_iso(0, iso);
	CHECK_STR(iso, "1970-01-01T00:00:00.000Z", "the epoch");
	clock_iso(UINT64_C(1795347000999), iso);
	CHECK_STR(iso, "2026-11-22T11:30:00.999Z", "the last of a second");
	clock_iso(UINT64_C(1795347000007), iso);
	CHECK_STR(iso, "2026-11-22T11:30:00.007Z", "another of it");
	clock_iso(UINT64_C(1795347001000), iso);
	CHECK_STR(iso, "2026-11-22T11:30:01.000Z", "the next one");
	digest_sha256_hex("abc", 3, hex);
	CHECK_STR(hex,
	    "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
	    "FIPS 180-2 vector");
	why_set(&why, ERR_SYNTAX, "a\nb%c", 27);
	CHECK_STR(why.text, "a?b?", "control bytes never reach a terminal");
	why_prefix(&why, ERR_SYNTAX, "file");
	CHECK_STR(why.text, "file: a?b?", "a prefix goes in front");
	why_set(&why, ERR_SYNTAX, "%s",
	    "\xe2\x80\xae"
	    "a\xc2\x9b"
	    "31m\xe2\x81\xa6\xd8\x9c\xef\xbb\xbf\x7f");
	CHECK_STR(why.text, "???a??31m?????????",
	    "nor do C1 controls, bidi marks and what has no width");
	why_set(&why, ERR_SYNTAX, "%s", "na\xc3\xafve \xe2\x80\xa6 \xe2\x80");
	CHECK_STR(why.text, "na\xc3\xafve \xe2\x80\xa6 \xe2\x80",
	    "letters do, and a cut one");
}

/* What is too long loses of its path, never of what it says. */
static const struct {
	const char *text;
	size_t size;
	const char *want;
} fits[] = {
	/* clang-format off */
	{ "/a/b: torn", 11, "/a/b: torn" },
	{ "/home/who/runs/x.jsonl: torn", 20, "/home...jsonl: torn" },
	{ "/home/who/runs/x.jsonl:2: torn", 26, "/home/wh....jsonl:2: torn" },
	{ "no path in it at all", 8, "no path" },
	{ "a/b is short, and the rest is too long", 12, "a/b is shor" },
	{ "what /is/in/the/middle/of/it gives way", 30, "what /is/i.../of/it gives way" },
	{ "/\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4: x", 15, "/\xc3\xa4...\xc3\xa4\xc3\xa4: x" },
	/* clang-format on */
};

static void
check_fits(void)
{
	char out[64], path[4096];
	struct why why;

	for (size_t i = 0; i < COUNT(fits); i++) {
		why_fit(fits[i].text, out, fits[i].size);
		CHECK_STR(out, fits[i].want, fits[i].text);
	}
	memset(path, 'p', sizeof path);
	path[0] = '/';
	path[sizeof path - 1] = '\0';
	why_set(&why, ERR_SYNTAX, "%s:7: hash does not fit", path);
	CHECK(strstr(why.text, "pp:7: hash does not fit"),
	    "a reason is heard behind any path");
}

void
t_text(void)
{
	check_fits();
	check_addrs();
	check_metas();
	check_bufs();
	check_others();
	check_refused_urls();
}
