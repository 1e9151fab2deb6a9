/*
 * A streamed answer, cut into events at every size, edited and put together
 * again: the content is the mutant, everything else is as it was.
 */
#include "chaos/faults/heldstream.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/files.h"
#include "base/mem.h"
#include "chaos/text/kernel_rewrite.h"
#include "tests/unit.h"

#define KERNEL "scenarios/rope_demo/answers/deepseek-v4-flash/rope.cl"

static const struct rewrite_choice first_site = { .site = 0 };

/* One event with text[0..n) as its delta. */
static char *
event_of(const char *text, size_t n)
{
	json_t *v = json_pack("{ss s[{s{ss%} sn}]}", "id", "x", "choices",
	    "delta", "content", text, n, "finish_reason");
	char *json = json_dumps(v, JSON_COMPACT);
	char *event = xasprintf("data: %s\n\n", json);

	free(json);
	json_decref(v);
	return event;
}

static struct slice
data_of(const char *event)
{
	size_t n = strlen(event);

	return (struct slice){ event + 6, n - 8 };
}

static void
hold_in_pieces(struct heldstream *h, struct slice content, size_t piece)
{
	enum delta delta = DELTA_NONE;

	for (size_t at = 0; at < content.n; at += piece) {
		size_t n = content.n - at < piece ? content.n - at : piece;
		char *event = event_of(content.p + at, n);

		CHECK(heldstream_add(h, slice_of(event), data_of(event), at,
		          &delta) == ERR_OK,
		    "an event is held");
		CHECK_INT(delta, DELTA_CONTENT, "it carries content");
		free(event);
	}
}

/* What a client reads, the joined deltas, and of how many events. */
static char *
read_back(struct heldstream *h, size_t *n)
{
	struct buf all;
	struct held one;

	buf_init(&all, 1u << 20);
	for (*n = 0; heldstream_take(h, SIZE_MAX, &one); ++*n) {
		struct slice raw = one.raw, data = one.data;
		json_t *v = json_loadb(data.p, data.n, 0, NULL), *delta;

		delta = json_object_get(json_array_get(json_object_get(v,
		                                           "choices"),
		                            0),
		    "delta");
		CHECK(v != NULL, "an edited event is JSON");
		CHECK(raw.n == data.n + 8 && memcmp(raw.p, "data: ", 6) == 0,
		    "framed as before");
		buf_adds(&all,
		    json_string_value(json_object_get(delta, "content")));
		json_decref(v);
	}
	return buf_take(&all);
}

/* Blocks go in order, whole, and only up to the byte that is asked for. */
static void
check_take(void)
{
	struct heldstream *h = heldstream_new(&dialect_chat);
	struct held b = { .came_us = 99 };
	int mark = 0;

	hold_in_pieces(h, slice_of("aaabbbcc"), 3);
	CHECK(!heldstream_take(h, 2, &b), "not half a block");
	CHECK(heldstream_take(h, 4, &b), "the first");
	CHECK_INT(b.came_us, 0, "when it came");
	CHECK(memmem(b.raw.p, b.raw.n, "aaa", 3) != NULL, "its text");
	CHECK_INT(heldstream_taken(h), 3, "so many bytes are gone");
	CHECK(!heldstream_take(h, 4, &b), "no more");
	CHECK(heldstream_take(h, 6, &b), "the second");
	CHECK_INT(b.came_us, 3, "when that came");
	heldstream_add_note(h, &mark, 9);
	CHECK(heldstream_take(h, SIZE_MAX, &b), "the last");
	CHECK(b.note == NULL, "a note is no part of what it stands behind");
	CHECK(heldstream_take(h, SIZE_MAX, &b), "its note");
	CHECK(b.note == &mark && b.raw.n == 0, "has no bytes");
	CHECK(!heldstream_take(h, SIZE_MAX, &b), "none");
	CHECK_INT(heldstream_taken(h), 8, "all is gone");
	heldstream_free(h);
}

static void
check_piece(struct slice content, size_t piece, const char *want)
{
	const struct corrupt_operator *op = corrupt_find("rope_interleaved");
	struct heldstream *h = heldstream_new(&dialect_chat);
	struct rewrite r;
	struct why why = { "" };
	size_t n = 0;
	char *got, what[64];

	snprintf(what, sizeof what, "pieces of %zu", piece);
	hold_in_pieces(h, content, piece);
	if (CHECK(rewrite_plan(heldstream_content(h), op, &first_site, &r,
	              &why) == ERR_OK,
	        why.text)) {
		CHECK(heldstream_edit(h, &r.edits, NULL) == ERR_OK, what);
		rewrite_done(&r);
	}
	got = read_back(h, &n);
	CHECK_STR(got, want, what);
	CHECK_INT(n, (content.n + piece - 1) / piece,
	    "no event was added or lost");
	free(got);
	heldstream_free(h);
}

static char *
json_content(const char *source)
{
	json_t *v = json_pack("{ss ss s[s] s[s]}", "source", source, "entry",
	    "rope", "global_size", "64", "local_size", "64");
	char *text = json_dumps(v, JSON_COMPACT);

	json_decref(v);
	return text;
}

/* The mutant in the same JSON, made without any splicing. */
static char *
wanted(const char *source)
{
	struct corrupt_sites sites;
	char *mutant, *content;

	corrupt_sites_find(corrupt_find("rope_interleaved"), source,
	    strlen(source), &sites);
	CHECK(sites.n >= 1, "the kernel has a site");
	mutant = corrupt_apply(source, strlen(source), &sites.items[0]);
	content = json_content(mutant);
	free(mutant);
	corrupt_sites_done(&sites);
	return content;
}

/* An event of one of two choices that come mixed (n: 2). */
static char *
event_of_choice(int index, const char *text, size_t n)
{
	json_t *v = json_pack("{s[{si s{ss%} sn}]}", "choices", "index", index,
	    "delta", "content", text, n, "finish_reason");
	char *json = json_dumps(v, JSON_COMPACT);
	char *event = xasprintf("data: %s\n\n", json);

	free(json);
	json_decref(v);
	return event;
}

/* The first choice's texts are joined; returns how many of the other's came,
 * each of them the byte-for-byte `other`. */
static size_t
read_choices(struct heldstream *h, const char *other, struct buf *first)
{
	struct held one;
	size_t n = 0;

	while (heldstream_take(h, SIZE_MAX, &one)) {
		json_t *v = json_loadb(one.data.p, one.data.n, 0, NULL), *c;

		c = json_array_get(json_object_get(v, "choices"), 0);
		if (json_integer_value(json_object_get(c, "index")) == 1) {
			CHECK(slice_is(one.raw, other), "left as it was");
			n++;
		} else {
			buf_adds(first,
			    json_string_value(
			        json_object_get(json_object_get(c, "delta"),
			            "content")));
		}
		json_decref(v);
	}
	return n;
}

/* Two choices that are streamed together are two texts: the first is edited as
 * if it came alone, and the other stays. */
static void
check_choices(struct slice content, const char *want)
{
	static const char says[] = "float y = x[2 * d]; // the other's";
	const struct corrupt_operator *op = corrupt_find("rope_interleaved");
	struct heldstream *h = heldstream_new(&dialect_chat);
	char *other = event_of_choice(1, says, sizeof says - 1), *mine;
	struct buf first;
	struct rewrite r;
	struct why why = { "" };
	enum delta delta;
	size_t n = 0;

	buf_init(&first, 1u << 20);
	for (size_t at = 0; at < content.n; at += 7, n++) {
		mine = event_of_choice(0, content.p + at,
		    content.n - at < 7 ? content.n - at : 7);
		heldstream_add(h, slice_of(mine), data_of(mine), at, &delta);
		CHECK_INT(delta, DELTA_CONTENT, "the first choice is content");
		free(mine);
		heldstream_add(h, slice_of(other), data_of(other), at, &delta);
		CHECK_INT(delta, DELTA_NONE, "the other is none");
	}
	if (CHECK(rewrite_plan(heldstream_content(h), op, &first_site, &r,
	              &why) == ERR_OK,
	        why.text)) {
		CHECK(heldstream_edit(h, &r.edits, NULL) == ERR_OK, "edited");
		rewrite_done(&r);
	}
	CHECK_INT(read_choices(h, other, &first), n, "none is lost");
	CHECK_STR(first.data, want, "the first is the mutant");
	buf_done(&first);
	free(other);
	heldstream_free(h);
}

static void
check_last(void)
{
	static const struct {
		const char *what, *data;
		enum delta want;
	} rows[] = {
		{ "a role",
		    "{\"choices\":[{\"delta\":{\"role\":\"assistant\","
		    "\"content\":\"\"},\"finish_reason\":null}]}",
		    DELTA_NONE },
		{ "a finish",
		    "{\"choices\":[{\"delta\":{},"
		    "\"finish_reason\":\"stop\"}]}",
		    DELTA_LAST },
		{ "done", "[DONE]", DELTA_LAST },
		{ "usage", "{\"choices\":[],\"usage\":{}}", DELTA_NONE },
		{ "a comment", "", DELTA_NONE },
	};
	struct heldstream *h = heldstream_new(&dialect_chat);

	for (size_t i = 0; i < COUNT(rows); i++) {
		char *raw = xasprintf("data: %s\n\n", rows[i].data);
		enum delta got = DELTA_NONE;

		heldstream_add(h, slice_of(raw),
		    (struct slice){ raw + 6, strlen(rows[i].data) }, 0, &got);
		CHECK_INT(got, rows[i].want, rows[i].what);
		free(raw);
	}
	heldstream_free(h);
}

void
t_heldstream(void)
{
	static const size_t pieces[] = { 1, 2, 3, 5, 7, 24, 100, 100000 };
	char *source = NULL, *content, *want;
	struct why why = { "" };

	if (!CHECK(files_read(KERNEL, 1u << 16, &source, NULL, &why) == ERR_OK,
	        why.text))
		return;
	content = json_content(source);
	want = wanted(source);
	for (size_t i = 0; i < COUNT(pieces); i++)
		check_piece(slice_of(content), pieces[i], want);
	check_choices(slice_of(content), want);
	check_last();
	check_take();
	free(source);
	free(content);
	free(want);
}
