/*
 * Whatever comes is read into values of our own: the page shows nothing that
 * was not looked at.
 */
#include "chaos/admin/control_room_audits.h"

#include <stdbool.h>
#include <string.h>

#include "base/mem.h"

#define ID_MAX   64
#define TEXT_MAX 512
#define RUNNING  "running"

struct roomaudits {
	json_t *list; /* owned; newest first */
};

struct roomaudits *
roomaudits_new(void)
{
	struct roomaudits *a = xcalloc(1, sizeof *a);

	a->list = json_array();
	return a;
}

void
roomaudits_free(struct roomaudits *a)
{
	if (!a)
		return;
	json_decref(a->list);
	free(a);
}

json_t *
roomaudits_json(const struct roomaudits *a)
{
	return a->list;
}

/* Letters, digits and '-': it is a part of a path. */
static bool
is_id(struct slice id)
{
	for (size_t i = 0; i < id.n; i++)
		if (!strchr("0123456789abcdefghijklmnopqrstuvwxyz-", id.p[i]))
			return false;
	return id.n > 0 && id.n <= ID_MAX;
}

/* A row of our own; NULL: it is none. */
static json_t *
read_row(json_t *row)
{
	const char *name, *verdict, *how, *words;
	json_int_t severity;

	if (json_unpack(row, "{s:s s:s s:I s:s s:s}", "case", &name, "verdict",
	        &verdict, "severity", &severity, "how", &how, "said",
	        &words) != 0 ||
	    strlen(name) + strlen(verdict) > TEXT_MAX ||
	    strlen(how) > TEXT_MAX || strlen(words) > TEXT_MAX)
		return NULL;
	return json_pack("{ss ss sI ss ss}", "case", name, "verdict", verdict,
	    "severity", severity, "how", how, "said", words);
}

/* The audit of that id: it is new, or there. */
static json_t *
audit_of(struct roomaudits *a, const char *id, const char *command,
    json_int_t total)
{
	json_t *one;
	size_t i;

	json_array_foreach(a->list, i, one)
		if (strcmp(json_string_value(json_object_get(one, "id")), id) ==
		    0)
			return one;
	one = json_pack("{ss ss so}", "id", id, "command", command, "rows",
	    json_array());
	json_array_insert_new(a->list, 0, one);
	json_array_remove(a->list, ROOMAUDITS_MAX);
	json_object_set_new(one, "total", json_integer(total));
	return one;
}

/* A step that was overtaken: what is judged is under way no more. */
static bool
is_late(const json_t *rows, json_int_t at, const json_t *row)
{
	const json_t *there = json_array_get(rows, (size_t)at);
	const char *now = json_string_value(json_object_get(row, "verdict"));

	return json_is_object(there) && strcmp(now, RUNNING) == 0;
}

enum err
roomaudits_tell(struct roomaudits *a, struct slice id, json_t *said,
    struct why *why)
{
	const char *command;
	json_int_t total, at;
	json_t *row = NULL, *v = NULL, *one, *rows;
	char name[ID_MAX + 1] = "";

	if (!is_id(id) ||
	    json_unpack(said, "{s:s s:I s:I s:o}", "command", &command, "total",
	        &total, "at", &at, "row", &row) != 0 ||
	    strlen(command) > TEXT_MAX || !(v = read_row(row)))
		return why_set(why, ERR_SYNTAX,
		    "expected what kf-chaos audit --room says");
	if (at < 0 || at >= ROOMAUDITS_ROWS_MAX || total < 0 ||
	    total > ROOMAUDITS_ROWS_MAX) {
		json_decref(v);
		return why_set(why, ERR_RANGE, "at most %d rows",
		    ROOMAUDITS_ROWS_MAX);
	}
	memcpy(name, id.p, id.n);
	one = audit_of(a, name, command, total);
	json_object_set_new(one, "total", json_integer(total));
	rows = json_object_get(one, "rows");
	while (json_array_size(rows) <= (size_t)at)
		json_array_append_new(rows, json_null());
	if (is_late(rows, at, v))
		json_decref(v);
	else
		json_array_set_new(rows, (size_t)at, v);
	return ERR_OK;
}
