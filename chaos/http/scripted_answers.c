/*
 * Names in a request become parts of a path, so only plain names count: a
 * part with a slash, a leading dot or an odd byte is as good as absent.
 */
#include "chaos/http/scripted_answers.h"

#include <dirent.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/files.h"
#include "base/mem.h"
#include "cltext/candidate.h"

#define NAME_MAX_BYTES 64
#define STEM_MAX       256
#define ANSWER_MAX     (1u << 20)
#define MODELS_MAX     1000
#define CREATED        1767225600

enum part { PART_MODEL = 1, PART_ITERATION = 2 };

static const unsigned stems[] = {
	/* first the most particular one */
	PART_MODEL | PART_ITERATION,
	PART_MODEL,
	PART_ITERATION,
	0,
};

#define NSTEMS COUNT(stems)

static bool
is_plain_name(struct slice s)
{
	static const char allowed[] = "abcdefghijklmnopqrstuvwxyz"
	                              "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";

	for (size_t i = 0; i < s.n; i++)
		if (!memchr(allowed, s.p[i], sizeof allowed - 1))
			return false;
	/* These words of a request become a path: none may lead out of the
	 * folder, or to what is hidden in it. */
	return s.n > 0 && s.n <= NAME_MAX_BYTES && s.p[0] != '.';
}

/* False when the request does not say a part that the stem needs. */
static bool
make_stem(const struct scripted_answers_ask *ask, unsigned parts,
    char out[STEM_MAX])
{
	char model[NAME_MAX_BYTES + 2] = "", iteration[NAME_MAX_BYTES + 2] = "";

	if (!is_plain_name(ask->op) ||
	    ((parts & PART_MODEL) && !is_plain_name(ask->model)) ||
	    ((parts & PART_ITERATION) && !is_plain_name(ask->iteration)))
		return false;
	if (parts & PART_MODEL)
		snprintf(model, sizeof model, SLICE_FMT "/",
		    SLICE_ARG(ask->model));
	if (parts & PART_ITERATION)
		snprintf(iteration, sizeof iteration, "." SLICE_FMT,
		    SLICE_ARG(ask->iteration));
	snprintf(out, STEM_MAX, "%s" SLICE_FMT "%s", model, SLICE_ARG(ask->op),
	    iteration);
	return true;
}

static enum err
wrap_candidate(const char *path, struct slice text, struct buf *content,
    struct why *why)
{
	struct candidate c;
	json_t *object;
	char *json;
	enum err e = candidate_parse_file(path, text.p, text.n, &c, why);

	if (e != ERR_OK)
		return e;
	object = candidate_to_json(&c);
	json = json_dumps(object, JSON_COMPACT);
	e = json ? buf_adds(content, json)
	         : why_set(why, ERR_SYNTAX, "%s: not UTF-8", path);
	free(json);
	json_decref(object);
	candidate_done(&c);
	return e;
}

static enum err
send_text(const char *path, struct slice text, struct buf *content,
    struct why *why)
{
	(void)path;
	(void)why;
	return buf_add(content, text.p, text.n);
}

static const struct {
	const char *suffix;
	enum err (*read)(const char *path, struct slice text,
	    struct buf *content, struct why *why);
} forms[] = {
	{ ".cl", wrap_candidate },
	{ ".txt", send_text },
};

/* ERR_NOTFOUND when there is no file of that stem. */
static enum err
try_stem(const char *folder, const char *stem, struct buf *content,
    struct why *why)
{
	enum err e = ERR_NOTFOUND;

	for (size_t i = 0; i < 2 && e == ERR_NOTFOUND; i++) {
		char *path =
		    xasprintf("%s/%s%s", folder, stem, forms[i].suffix);
		char *text = NULL;
		size_t n = 0;

		e = files_read(path, ANSWER_MAX, &text, &n, why);
		if (e == ERR_OK)
			e = forms[i].read(path, (struct slice){ text, n },
			    content, why);
		free(text);
		free(path);
	}
	return e;
}

enum err
scripted_answers_find(const char *folder,
    const struct scripted_answers_ask *ask, struct buf *content,
    struct why *why)
{
	char stem[STEM_MAX], tried[WHY_MAX] = "";
	size_t at = 0;
	enum err e;

	for (size_t i = 0; i < NSTEMS; i++) {
		if (!make_stem(ask, stems[i], stem))
			continue;
		e = try_stem(folder, stem, content, why);
		if (e != ERR_NOTFOUND)
			return e;
		if (at < sizeof tried)
			at += (size_t)snprintf(tried + at, sizeof tried - at,
			    "%s%s", at ? ", " : "", stem);
	}
	if (at == 0)
		return why_set(why, ERR_NOTFOUND,
		    "no scripted answer: X-TFY-METADATA names no op");
	return why_set(why, ERR_NOTFOUND, "no scripted answer: tried %s",
	    tried);
}

static int
is_shown(const struct dirent *d)
{
	return d->d_name[0] != '.';
}

/* Asked of the name: d_type is not told everywhere, and not of links. */
static bool
is_model(const char *folder, const char *name)
{
	char *path = files_join(folder, name);
	struct stat st;
	bool is_folder = stat(path, &st) == 0 && S_ISDIR(st.st_mode);

	free(path);
	return is_folder;
}

enum err
scripted_answers_models(const char *folder, struct buf *out, struct why *why)
{
	struct dirent **found = NULL;
	int n = scandir(folder, &found, is_shown, alphasort);
	json_t *models = json_array(), *list;
	char *text;

	if (n < 0) {
		json_decref(models);
		return why_set(why, ERR_NOTFOUND, "%s: no folder of answers",
		    folder);
	}
	for (int i = 0; i < n; i++) {
		if (json_array_size(models) < MODELS_MAX &&
		    is_model(folder, found[i]->d_name))
			json_array_append_new(models,
			    json_pack("{ss ss si ss}", "id", found[i]->d_name,
			        "object", "model", "created", CREATED,
			        "owned_by", "local"));
		free(found[i]);
	}
	free(found);
	list = json_pack("{ss so}", "object", "list", "data", models);
	text = json_dumps(list, JSON_COMPACT);
	buf_adds(out, text ? text : "{}");
	free(text);
	json_decref(list);
	return ERR_OK;
}
