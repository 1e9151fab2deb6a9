/*
 * The optimal string alignment distance, in three rows of its table.  A third
 * of a word may be wrong, but no word of two letters is near to another.
 */
#include "base/nearest.h"

#include <stdio.h>
#include <string.h>

static size_t
least(size_t a, size_t b, size_t c)
{
	size_t ab = a < b ? a : b;

	return ab < c ? ab : c;
}

static size_t
distance(const char *a, const char *b)
{
	size_t rows[3][NEAREST_MAX + 1], na = strlen(a), nb = strlen(b);

	for (size_t j = 0; j <= nb; j++)
		rows[0][j] = j;
	for (size_t i = 1; i <= na; i++) {
		size_t *row = rows[i % 3], *above = rows[(i - 1) % 3];

		row[0] = i;
		for (size_t j = 1; j <= nb; j++) {
			row[j] = least(above[j] + 1, row[j - 1] + 1,
			    above[j - 1] + (a[i - 1] != b[j - 1]));
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] &&
			    a[i - 2] == b[j - 1])
				row[j] = least(row[j],
				    rows[(i - 2) % 3][j - 2] + 1, row[j]);
		}
	}
	return rows[na % 3][nb];
}

void
nearest_init(struct nearest *n, const char *word)
{
	*n = (struct nearest){ .word = word, .distance = strlen(word) / 3 + 1 };
	if (strlen(word) > NEAREST_MAX)
		n->distance = 0;
}

void
nearest_try(struct nearest *n, const char *candidate)
{
	size_t d;

	if (n->distance == 0 || strlen(candidate) > NEAREST_MAX)
		return;
	d = distance(n->word, candidate);
	if (d >= n->distance)
		return;
	n->distance = d;
	n->found = candidate;
}

const char *
nearest_hint(const struct nearest *n, char out[NEAREST_MAX + 24])
{
	out[0] = '\0';
	if (n->found)
		snprintf(out, NEAREST_MAX + 24, ", did you mean \"%s\"?",
		    n->found);
	return out;
}
