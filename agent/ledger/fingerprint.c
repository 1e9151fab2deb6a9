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

/* The place of a line's operator in ops; behind all of them: none. */
static size_t
place_of(json_t *ops, json_t *line)
{
	json_t *op = json_object_get(line, "op"), *name;
	size_t i;

	json_array_foreach(ops, i, name)
		if (json_equal(name, op))
			return i;
	return i;
}

static void
add_ledger(struct digest *d, const struct ledger *l, json_t *ops, size_t place)
{
	for (size_t i = 0; i < ledger_count(l); i++) {
		const struct ledger_entry *e = ledger_at(l, i);

		if (e->state != LEDGER_PERF_MEASURED &&
		    place_of(ops, e->line) == place)
			add_line(d, e->line, put_ledger);
	}
}

static void
add_naive(struct digest *d, json_t *naive, json_t *ops, size_t place)
{
	size_t i;
	json_t *line;

	json_array_foreach(naive, i, line)
		if (place_of(ops, line) == place)
			add_line(d, line, put_naive);
}

void
fingerprint_make(const struct ledger *l, json_t *naive, json_t *chaos,
    json_t *ops, char out[DIGEST_HEX])
{
	size_t places = json_array_size(ops) + 1;
	struct digest *d = digest_new();
	uint8_t hash[DIGEST_BYTES];

	for (size_t i = 0; i < places; i++)
		add_ledger(d, l, ops, i);
	for (size_t i = 0; i < places; i++)
		add_naive(d, naive, ops, i);
	add_faults(d, chaos);
	digest_finish(d, hash);
	digest_hex(hash, out);
}
