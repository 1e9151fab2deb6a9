/*
 * The published vectors of docs/decisions.md, read from that page, so that
 * page and code cannot drift apart.
 */
#include "chaos/rules/fire_draw.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/files.h"
#include "tests/unit.h"

#define PAGE     "docs/decisions.md"
#define PAGE_MAX (1u << 20)
#define CELLS    8

/* The texts between back quotes of one table row; how many. */
static size_t
cells_of(char *line, char *cells[CELLS])
{
	size_t n = 0;
	char *p = line, *end;

	while (line[0] == '|' && n < CELLS && (p = strchr(p, '`'))) {
		end = strchr(++p, '`');
		if (!end)
			break;
		*end = '\0';
		cells[n++] = p;
		p = end + 1;
	}
	return n;
}

static void
check_draw(char *cells[CELLS])
{
	struct fire_draw d = { cells[0], cells[1], cells[2], cells[3],
		strtoull(cells[4], NULL, 10) };
	char got[32];

	snprintf(got, sizeof got, "%016" PRIx64, fire_draw(&d, cells[5]));
	CHECK_STR(got, cells[6], cells[5]);
}

static void
check_threshold(char *cells[CELLS])
{
	struct chance c = chance_of(strtod(cells[0], NULL));
	char got[32];

	snprintf(got, sizeof got, "%016" PRIx64, c.below);
	CHECK_STR(got, cells[1], cells[0]);
	CHECK_STR(c.is_certain ? "yes" : "no", cells[2], cells[0]);
}

static void
check_page(void)
{
	char *text = NULL, *line, *save = NULL, *cells[CELLS];
	struct why why;
	int draws = 0, thresholds = 0;

	if (!CHECK(files_read(PAGE, PAGE_MAX, &text, NULL, &why) == ERR_OK,
	        PAGE))
		return;
	for (line = strtok_r(text, "\n", &save); line;
	     line = strtok_r(NULL, "\n", &save)) {
		size_t n = cells_of(line, cells);

		if (n == 7) {
			check_draw(cells);
			draws++;
		} else if (n == 3) {
			check_threshold(cells);
			thresholds++;
		}
	}
	CHECK(draws >= 8, "the page has draws");
	CHECK(thresholds >= 5, "the page has thresholds");
	free(text);
}

static void
check_ranges(void)
{
	static const struct {
		const char *what;
		uint64_t lo, hi;
	} rows[] = {
		{ "one value", 7, 7 },
		{ "hi below lo gives lo", 9, 3 },
		{ "a die", 1, 6 },
		{ "everything", 0, UINT64_MAX },
	};
	struct fire_draw d = { "s", "h", "r", "k", 1 };

	for (size_t i = 0; i < COUNT(rows); i++)
		for (d.attempt = 1; d.attempt < 200; d.attempt++) {
			uint64_t v =
			    fire_draw_between(&d, "x", rows[i].lo, rows[i].hi);

			CHECK(v >= rows[i].lo, rows[i].what);
			CHECK(v <= rows[i].hi || v == rows[i].lo, rows[i].what);
		}
}

/* p hits about p of the time, and a draw's name matters. */
static void
check_rates(void)
{
	static const double rates[] = { 0.0, 0.05, 0.5, 0.95, 1.0 };
	struct fire_draw d = { "s", "h", "r", "k", 1 };

	for (size_t i = 0; i < COUNT(rates); i++) {
		struct chance c = chance_of(rates[i]);
		int hits = 0, same = 0;

		for (d.attempt = 1; d.attempt <= 4000; d.attempt++) {
			bool a = fire_draw_hits(&d, "a", c);

			hits += a;
			same += a == fire_draw_hits(&d, "b", c);
		}
		CHECK(hits >= (int)(4000 * rates[i]) - 130 &&
		        hits <= (int)(4000 * rates[i]) + 130,
		    "as often as p says");
		CHECK(rates[i] <= 0.0 || rates[i] >= 1.0 || same < 4000,
		    "another name, another draw");
	}
}

void
t_fire_draw(void)
{
	check_page();
	check_ranges();
	check_rates();
}
