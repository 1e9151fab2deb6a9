/*
 * The fingerprint.  Fault lines are sorted because concurrency may order
 * them.  An operator's ledger lines are not, because their order is a
 * decision; between operators it is chance, where several are forged side by
 * side, so the run's list of operators orders them.  What was
 * timed is left out: whether a time can be had is the machine's to say.
 */
#include "agent/ledger/fingerprint.h"

#include "base/buf.h"
#include "base/mem.h"
#include <stdlib.h>
#include <string.h>

#define LINE_BYTES ((size_t)64 * 1024)

static void
put_text(struct buf *b, json_t *line, const char *key)
{
	const char *s = json_string_value(json_object_get(line, key));

	buf_addf(b, "|%s", s ? s : "");
}

static void
put_int(struct buf *b, json_t *line, const char *key)
{
	buf_addf(b, "|%lld",
	    (long long)json_integer_value(json_object_get(line, key)));
}

static void
put_bool(struct buf *b, json_t *line, const char *key)
{
	buf_adds(b, json_is_true(json_object_get(line, key)) ? "|1" : "|0");
}

static void
put_cases(struct buf *b, json_t *line)
{
	json_t *cases = json_object_get(line, "failing_cases"), *name;
	size_t i;

	buf_adds(b, "|");
	json_array_foreach(cases, i, name)
		buf_addf(b, "%s%s", i ? "," : "",
		    json_is_string(name) ? json_string_value(name) : "");
}

static void
put_ledger(struct buf *b, json_t *line)
{
	buf_adds(b, "ledger");
	put_text(b, line, "op");
	put_int(b, line, "iteration");
	put_text(b, line, "state");
	put_text(b, line, "route");
	put_text(b, line, "class");
	put_cases(b, line);
}

static void
put_naive(struct buf *b, json_t *line)
{
	buf_adds(b, "naive");
	put_text(b, line, "op");
	put_bool(b, line, "claimed");
	put_bool(b, line, "correct");
	put_text(b, line, "route");
	put_text(b, line, "class");
	put_cases(b, line);
}

static void
put_fault(struct buf *b, json_t *line)
{
	buf_adds(b, "fault");
	put_text(b, line, "rule");
	put_text(b, line, "fault");
	put_text(b, line, "proxy");
	put_text(b, line, "key");
	put_int(b, line, "attempt");
	put_text(b, line, "result");
}

static void
add_line(struct digest *d, json_t *line,
    void (*put)(struct buf *b, json_t *line))
{
	struct buf b;

	buf_init(&b, LINE_BYTES);
	put(&b, line);
	buf_adds(&b, "\n");
	digest_add(d, b.data, b.len);
	buf_done(&b);
}

static int
by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static void
add_faults(struct digest *d, json_t *chaos)
{
	size_t n = json_array_size(chaos), i, kept = 0;
	char **lines = xcalloc(n + 1, sizeof *lines);
	struct buf b;

	for (i = 0; i < n; i++) {
		json_t *line = json_array_get(chaos, i);

		/* What the clock decided is told and is no decision. */
		if (json_is_true(json_object_get(line, "clock")))
			continue;
		buf_init(&b, LINE_BYTES);
		put_fault(&b, line);
		buf_adds(&b, "\n");
		lines[kept++] = buf_take(&b);
	}
	n = kept;
	qsort(lines, n, sizeof *lines, by_text);
	for (i = 0; i < n; i++) {
		digest_adds(d, lines[i]);
		free(lines[i]);
	}
	free(lines);
}

/* A line and the place of its operator in the run's list; behind all of them
 * where it is not in it. */
struct placed {
	size_t place, index;
	json_t *line;
};

static int
by_place(const void *a, const void *b)
{
	const struct placed *x = a, *y = b;

	if (x->place != y->place)
		return x->place < y->place ? -1 : 1;
	return x->index < y->index ? -1 : x->index > y->index;
}

/* The first place of each name. */
static json_t *
places_of(json_t *ops)
{
	json_t *places = json_object(), *name;
	size_t i;

	json_array_foreach(ops, i, name)
		if (json_is_string(name) &&
		    !json_object_get(places, json_string_value(name)))
			json_object_set_new(places, json_string_value(name),
			    json_integer((json_int_t)i));
	return places;
}

static void
place(struct placed *p, size_t index, json_t *line, json_t *places)
{
	const char *op = json_string_value(json_object_get(line, "op"));
	json_t *at = op ? json_object_get(places, op) : NULL;

	*p = (struct placed){ at ? (size_t)json_integer_value(at) : SIZE_MAX,
		index, line };
}

static void
add_placed(struct digest *d, struct placed *lines, size_t n,
    void (*put)(struct buf *b, json_t *line))
{
	qsort(lines, n, sizeof *lines, by_place);
	for (size_t i = 0; i < n; i++)
		add_line(d, lines[i].line, put);
	free(lines);
}

static void
add_ledger(struct digest *d, const struct ledger *l, json_t *places)
{
	struct placed *lines = xcalloc(ledger_count(l) + 1, sizeof *lines);
	size_t n = 0;

	for (size_t i = 0; i < ledger_count(l); i++)
		if (ledger_at(l, i)->state != LEDGER_PERF_MEASURED) {
			place(&lines[n], i, ledger_at(l, i)->line, places);
			n++;
		}
	add_placed(d, lines, n, put_ledger);
}

static void
add_naive(struct digest *d, json_t *naive, json_t *places)
{
	size_t n = json_array_size(naive), i;
	struct placed *lines = xcalloc(n + 1, sizeof *lines);
	json_t *line;

	json_array_foreach(naive, i, line)
		place(&lines[i], i, line, places);
	add_placed(d, lines, n, put_naive);
}

void
fingerprint_make(const struct ledger *l, json_t *naive, json_t *chaos,
    json_t *ops, char out[DIGEST_HEX])
{
	json_t *places = places_of(ops);
	struct digest *d = digest_new();
	uint8_t hash[DIGEST_BYTES];

	add_ledger(d, l, places);
	add_naive(d, naive, places);
	json_decref(places);
	add_faults(d, chaos);
	digest_finish(d, hash);
	digest_hex(hash, out);
}
