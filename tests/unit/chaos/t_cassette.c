/*
 * A take written, read and found again: bytes, times, ends and heads; no
 * credential of the request is in the file, wherever the answer says it.
 */
#include "chaos/http/cassette.h"
#include "chaos/http/secret_mask.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/files.h"
#include "base/mem.h"
#include "tests/unit.h"

#define TOKEN "sk-live-0123456789"

static const struct {
	uint64_t us;
	const char *p;
	size_t n;
} pieces[] = {
	{ 5, "you are sk-live-", 16 },
	{ 7, "0123456789, ok ", 15 },
	{ 7, "\0\xff\n", 3 },
	{ 9000, "end \"" TOKEN "\"", 6 + sizeof TOKEN - 1 },
};
#define WANT "you are ******************, ok \0\xff\nend \"******************\""

static void
record(const char *path, struct facts *f)
{
	struct answer_head a = { 0 };
	struct tape *tape = NULL;
	struct why why = { "" };
	struct take *t;

	if (!CHECK(tape_open(path, &tape, &why) == ERR_OK, why.text))
		return;
	a.status = 201;
	answer_head_add(&a, "content-type", "text/event-stream");
	answer_head_add(&a, "x-said", "for " TOKEN);
	answer_head_add(&a, "set-cookie", "a=b");
	t = take_new(tape, f, 1000);
	take_head(t, &a);
	for (size_t i = 0; i < COUNT(pieces); i++)
		take_bytes(t, pieces[i].p, pieces[i].n, 1000 + pieces[i].us);
	CHECK(take_end(t, ITEM_END_RST), "it is written");
	take_free(take_new(tape, f, 0));
	tape_close(tape);
	answer_head_done(&a);
}

static void
check_recorded(json_t *v)
{
	struct answer_head a = { 0 };
	struct buf all;
	uint64_t us = 0;
	size_t i = 0;

	cassette_head(v, &a);
	CHECK_INT(a.status, 201, "status");
	CHECK(a.is_stream, "a stream");
	CHECK_STR(answer_head_get(&a, "x-said"), "for ******************",
	    "header");
	CHECK(answer_head_get(&a, "set-cookie") == NULL, "no cookie");
	CHECK_INT(cassette_end(v), ITEM_END_RST, "end");
	buf_init(&all, 1000);
	for (; cassette_piece(v, i, &us, &all); i++)
		CHECK_INT(us, pieces[i].us, "when it came");
	CHECK_INT(i, COUNT(pieces), "pieces");
	CHECK_INT(all.len, sizeof WANT - 1, "as many bytes");
	CHECK(memcmp(all.data, WANT, all.len) == 0, all.data);
	buf_done(&all);
	answer_head_done(&a);
}

/* What came torn under a promised length, and what has none: the length on the
 * tape, and what a replay promises. */
static const struct {
	const char *what;
	struct answer_head a;
	enum item_end end;
	size_t sent; /* bytes of it came */
	uint64_t want_content, want_said;
} lengths[] = {
	{ "whole", { .status = 200, .has_length = true, .content_bytes = 7 },
	    ITEM_END_CLEAN, 7, 7, 0 },
	{ "torn", { .status = 200, .has_length = true, .content_bytes = 50 },
	    ITEM_END_FIN, 7, 50, 0 },
	{ "reset", { .status = 200, .has_length = true, .content_bytes = 50 },
	    ITEM_END_RST, 0, 50, 0 },
	{ "to HEAD", { .status = 200, .has_length = true, .said_bytes = 50 },
	    ITEM_END_CLEAN, 0, 0, 50 },
	{ "of an older cassette", { .status = 200, .has_length = true },
	    ITEM_END_FIN, 7, 8, 0 },
};

static void
check_lengths(const char *path, struct facts *f)
{
	struct cassette *c = NULL;
	struct why why = { "" };
	struct tape *tape = NULL;

	unlink(path);
	if (!CHECK(tape_open(path, &tape, &why) == ERR_OK, why.text))
		return;
	for (size_t i = 0; i < COUNT(lengths); i++) {
		struct answer_head a = lengths[i].a;
		struct take *t;

		f->attempt = i + 1;
		t = take_new(tape, f, 0);
		answer_head_add(&a, "x-name", "caf\xe9");
		answer_head_add(&a, "content-type", "application/x-ndjson");
		take_head(t, &a);
		take_bytes(t, "1234567", lengths[i].sent, 1);
		CHECK(take_end(t, lengths[i].end), lengths[i].what);
		answer_head_done(&a);
	}
	tape_close(tape);
	if (!CHECK(cassette_read(path, &c, &why) == ERR_OK, why.text))
		return;
	for (size_t i = 0; i < COUNT(lengths); i++) {
		struct answer_head a = { 0 };

		f->attempt = i + 1;
		cassette_head(cassette_find(c, f, false), &a);
		CHECK_INT(a.content_bytes, lengths[i].want_content,
		    lengths[i].what);
		CHECK_INT(a.said_bytes, lengths[i].want_said, lengths[i].what);
		CHECK_STR(answer_head_get(&a, "x-name"), "caf\xe9",
		    "not UTF-8");
		CHECK(a.is_stream && a.is_lines, "lines");
		answer_head_done(&a);
	}
	cassette_free(c);
}

/* What stands at the end of a tape that is opened again. */
static const struct {
	const char *what, *before, *want;
	enum err e;
} ends[] = {
	{ "nothing", "", "{}\n", ERR_OK },
	{ "a line", "{\"a\":1}\n", "{\"a\":1}\n{}\n", ERR_OK },
	{ "half a line", "{\"a\":1}\n{\"b\":", "{\"a\":1}\n{}\n", ERR_OK },
	{ "only half a line", "{\"b\":", "{}\n", ERR_OK },
	{ "a line without its end", "{\"a\":1}\n{\"b\":2}",
	    "{\"a\":1}\n{\"b\":2}\n{}\n", ERR_OK },
	{ "another file", "Dear all", "Dear all", ERR_SYNTAX },
};

static void
check_ends(const char *path)
{
	struct why why = { "" };

	for (size_t i = 0; i < COUNT(ends); i++) {
		struct tape *tape = NULL;
		char *text = NULL;

		files_write(path, ends[i].before, strlen(ends[i].before), &why);
		CHECK_INT(tape_open(path, &tape, &why), ends[i].e,
		    ends[i].what);
		CHECK(!tape || tape_write(tape, "{}\n", 3), ends[i].what);
		tape_close(tape);
		files_read(path, 1u << 16, &text, NULL, &why);
		CHECK_STR(text, ends[i].want, ends[i].what);
		free(text);
	}
}

/* Of a file that takes no more nothing is left of the line that was too long. */
static void
check_full(const char *path)
{
	static const char line[] = "{\"pieces\":[[0,\"0123456789\"]]}\n";
	struct rlimit old, few = { 0 };
	struct why why = { "" };
	struct tape *tape = NULL;
	char *text = NULL;

	unlink(path);
	if (!CHECK(tape_open(path, &tape, &why) == ERR_OK, why.text))
		return;
	CHECK(tape_write(tape, "{}\n", 3), "there is room");
	signal(SIGXFSZ, SIG_IGN);
	getrlimit(RLIMIT_FSIZE, &old);
	few = old;
	few.rlim_cur = 20;
	setrlimit(RLIMIT_FSIZE, &few);
	CHECK(!tape_write(tape, line, sizeof line - 1), "it is full");
	setrlimit(RLIMIT_FSIZE, &old);
	CHECK(tape_is_incomplete(tape), "an answer is missing");
	CHECK(tape_write(tape, "{}\n", 3), "there is room again");
	tape_close(tape);
	files_read(path, 1u << 16, &text, NULL, &why);
	CHECK_STR(text, "{}\n{}\n", "whole lines alone");
	free(text);
}

static void
check_masks(void)
{
	static const struct {
		const char *text, *want;
	} rows[] = {
		{ "it is ab/c+d\"e.", "it is ********." },
		{ "{\"k\":\"ab\\/c+d\\\"e\"}", "{\"k\":\"**********\"}" },
		{ "\"ab/c\\u002Bd\\u0022e\"", "\"******************\"" },
		{ "\\\\ab/c+d\"e", "\\\\********" },
		{ "ab/c+d\\", "ab/c+d\\" },
		{ "ab/c\\u002Cd\"e", "ab/c\\u002Cd\"e" },
		{ "ab/c\\u00", "ab/c\\u00" },
	};
	char text[64];

	for (size_t i = 0; i < COUNT(rows); i++) {
		snprintf(text, sizeof text, "%s", rows[i].text);
		secret_mask("ab/c+d\"e", text, strlen(text));
		CHECK_STR(text, rows[i].want, rows[i].text);
	}
}

void
t_cassette(void)
{
	check_masks();
	char *path = files_join(unit_tmpdir(), "tape"), *text = NULL;
	struct http1_head h = { 0 };
	struct cassette *c = NULL;
	struct why why = { "" };
	struct facts f;

	h.method = slice_of("POST");
	h.target = slice_of("/v1/" TOKEN "/x");
	h.nheaders = 1;
	h.headers[0] = (struct http1_header){ slice_of("authorization"),
		slice_of("Bearer " TOKEN) };
	facts_init(&f, "p", &h, slice_of(""));
	snprintf(f.key, sizeof f.key, "k1");
	f.attempt = 2;
	record(path, &f);
	CHECK(files_read(path, 1u << 16, &text, NULL, &why) == ERR_OK,
	    why.text);
	CHECK(text && !strstr(text, TOKEN), "the token is not in the file");
	CHECK(text && strstr(text, "/v1/******************/x"), "the path");
	if (CHECK(cassette_read(path, &c, &why) == ERR_OK, why.text)) {
		check_recorded(cassette_find(c, &f, false));
		f.attempt = 3;
		CHECK(cassette_find(c, &f, false) == NULL, "no third attempt");
		CHECK(cassette_find(c, &f, true) != NULL,
		    "a loop begins again");
	}
	cassette_free(c);
	files_write(path, "{\"key\":1}\n", 10, &why);
	c = NULL;
	CHECK(cassette_read(path, &c, &why) == ERR_SYNTAX, "a bad line");
	CHECK(strstr(why.text, "line 1") != NULL, why.text);
	files_write(path, "\n\n{\"key\":1}\n", 12, &why);
	CHECK(cassette_read(path, &c, &why) == ERR_SYNTAX,
	    "one below empty ones");
	CHECK(strstr(why.text, "line 3") != NULL, why.text);
	check_lengths(path, &f);
	check_ends(path);
	check_full(path);
	facts_done(&f);
	free(text);
	free(path);
}
