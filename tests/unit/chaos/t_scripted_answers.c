/*
 * Scripted answers: which file wins, what becomes of it, and that names from
 * a request cannot leave the folder.
 */
#include "chaos/http/scripted_answers.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/files.h"
#include "base/mem.h"
#include "chaos/text/speech_chat.h"
#include "tests/unit.h"
#include <jansson.h>

#define EURO  "\xe2\x82\xac"
#define EUROS EURO EURO EURO EURO EURO EURO EURO EURO EURO EURO

static void
put(const char *name, const char *text)
{
	char *path = files_join(unit_tmpdir(), name);
	char *slash = strrchr(path, '/');

	*slash = '\0';
	files_mkdirs(path, NULL);
	*slash = '/';
	CHECK(files_write(path, text, strlen(text), NULL) == ERR_OK, name);
	free(path);
}

static void
check_find(void)
{
	static const struct {
		const char *what, *model, *op, *iteration, *want, *why;
	} rows[] = {
		{ "model, op and iteration", "m", "op", "1", "m op 1", NULL },
		{ "model and op", "m", "op", "2", "m op", NULL },
		{ "op and iteration", "x", "op", "3", "op 3", NULL },
		{ "op", "x", "op", "9", "op", NULL },
		{ "no iteration said", "m", "op", "", "m op", NULL },
		{ "no file", "m", "no", "1", NULL,
		    "no scripted answer: tried m/no.1, m/no, no.1, no" },
		{ "no op", "m", "", "1", NULL,
		    "no scripted answer: X-TFY-METADATA names no op" },
		{ "a way out", "..", "op", "9", "op", NULL },
		{ "another", "m", "../op", "9", NULL,
		    "no scripted answer: X-TFY-METADATA names no op" },
	};

	put("m/op.1.txt", "m op 1");
	put("m/op.txt", "m op");
	put("op.3.txt", "op 3");
	put("op.txt", "op");
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct scripted_answers_ask ask = { slice_of(rows[i].model),
			slice_of(rows[i].op), slice_of(rows[i].iteration) };
		struct why why = { "" };
		struct buf out;
		enum err e;

		buf_init(&out, 4096);
		e = scripted_answers_find(unit_tmpdir(), &ask, &out, &why);
		CHECK_STR(e == ERR_OK ? out.data : NULL, rows[i].want,
		    rows[i].what);
		if (e != ERR_OK)
			CHECK_STR(why.text, rows[i].why, rows[i].what);
		buf_done(&out);
	}
}

/* A .cl file wins over a .txt and is wrapped into the candidate's object. */
static void
check_candidate(void)
{
	struct scripted_answers_ask ask = { slice_of("m"), slice_of("k"),
		slice_of("") };
	struct buf out;
	json_t *v;

	put("k.txt", "prose");
	put("k.cl",
	    "// entry: k\n// global: 64\n// local: 64\n"
	    "__kernel void k(void) {}\n");
	buf_init(&out, 4096);
	CHECK(scripted_answers_find(unit_tmpdir(), &ask, &out, NULL) == ERR_OK,
	    "found");
	v = json_loads(out.data, 0, NULL);
	CHECK_STR(json_string_value(json_object_get(v, "entry")), "k", "entry");
	CHECK(strstr(json_string_value(json_object_get(v, "source")),
	          "__kernel void k") != NULL,
	    "source");
	json_decref(v);
	buf_done(&out);
}

struct joined {
	struct buf content;
	int events, usage, done, finish;
};

static void
join_event(const char *raw, size_t n, void *arg)
{
	struct joined *j = arg;
	json_t *v, *choice;
	const char *text;

	j->events++;
	CHECK(n > 8 && memcmp(raw, "data: ", 6) == 0 &&
	        memcmp(raw + n - 2, "\n\n", 2) == 0,
	    "an event");
	if (strncmp(raw, "data: [DONE]", 12) == 0) {
		j->done++;
		return;
	}
	v = json_loadb(raw + 6, n - 8, 0, NULL);
	choice = json_array_get(json_object_get(v, "choices"), 0);
	text = json_string_value(
	    json_object_get(json_object_get(choice, "delta"), "content"));
	if (text)
		buf_adds(&j->content, text);
	j->finish += json_is_string(json_object_get(choice, "finish_reason"));
	j->usage += json_is_object(json_object_get(v, "usage"));
	json_decref(v);
}

/* A stream carries the same content as the whole answer, never torn. */
static void
check_completion(void)
{
	static const char *const texts[] = { "", "short",
		"a longer one that needs several events to be sent",
		EUROS EUROS, "quotes \" and \\ and \n" };

	for (size_t i = 0; i < COUNT(texts); i++) {
		struct completion c = { .id = "id",
			.model = "m",
			.content = slice_of(texts[i]),
			.prompt_bytes = 10,
			.has_usage = i % 2 == 0 };
		struct joined j = { .events = 0 };
		struct buf whole;
		json_t *v;

		buf_init(&j.content, 4096);
		buf_init(&whole, 8192);
		buf_adds(&j.content, "");
		completion_stream(&c, join_event, &j);
		CHECK_STR(j.content.data ? j.content.data : "", texts[i],
		    "streamed");
		CHECK_INT(j.done, 1, "one [DONE]");
		CHECK_INT(j.finish, 1, "one finish reason");
		CHECK_INT(j.usage, c.has_usage, "usage if asked");
		CHECK(completion_whole(&c, &whole) == ERR_OK, "whole");
		v = json_loads(whole.data, 0, NULL);
		CHECK_STR(json_string_value(json_object_get(
		              json_object_get(json_array_get(json_object_get(v,
		                                                 "choices"),
		                                  0),
		                  "message"),
		              "content")),
		    texts[i], "whole");
		json_decref(v);
		buf_done(&whole);
		buf_done(&j.content);
	}
}

/* A folder that is a link answers as well, so it is listed as well. */
static void
check_models(void)
{
	char *folder = files_join(unit_tmpdir(), "list");
	char *link = files_join(folder, "linked");
	struct buf b;

	put("list/real/a.txt", "x");
	put("list/none.txt", "x");
	CHECK_INT(symlink("real", link), 0, "a link");
	buf_init(&b, 4096);
	CHECK(scripted_answers_models(folder, &b, NULL) == ERR_OK, "a list");
	CHECK(strstr(b.data, "\"real\""), "a folder");
	CHECK(strstr(b.data, "\"linked\""), "a link to one");
	CHECK(!strstr(b.data, "none"), "no file");
	buf_done(&b);
	free(link);
	free(folder);
}

void
t_scripted_answers(void)
{
	check_find();
	check_candidate();
	check_completion();
	check_models();
}
