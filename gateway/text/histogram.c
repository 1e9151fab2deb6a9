/*
 * Bounds by table, a row a kind of value, each two to four times the one
 * before: a quantile read off them is right within that factor.
 */
#include "gateway/text/histogram.h"

#include <inttypes.h>

/* clang-format off */
static const struct {
	size_t n;
	double bounds[HIST_BOUNDS_MAX];
} kinds[HIST_NKINDS] = {
	[HIST_SECONDS]   = { 14, { 0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92 } },
	[HIST_PER_TOKEN] = { 11, { 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5 } },
	[HIST_TOKENS]    = { 13, { 1, 4, 16, 64, 256, 1024, 4096, 16384, 65536, 262144, 1048576, 4194304, 16777216 } },
	[HIST_OVERHEAD]  = { 10, { 1e-5, 2e-5, 5e-5, 1e-4, 2e-4, 5e-4, 1e-3, 2e-3, 5e-3, 1e-2 } },
};
/* clang-format on */

void
hist_add(struct hist *h, enum hist_kind kind, double v)
{
	size_t i = 0;

	while (i < kinds[kind].n && v > kinds[kind].bounds[i])
		i++;
	h->counts[i]++;
	h->sum += v;
}

static uint64_t
total(const struct hist *h, enum hist_kind kind)
{
	uint64_t n = 0;

	for (size_t i = 0; i <= kinds[kind].n; i++)
		n += h->counts[i];
	return n;
}

void
hist_join(struct hist *h, const struct hist *more)
{
	for (size_t i = 0; i < COUNT(h->counts); i++)
		h->counts[i] += more->counts[i];
	h->sum += more->sum;
}

void
hist_print(const struct hist *h, enum hist_kind kind, const char *name,
    const char *labels, struct buf *out)
{
	const char *comma = labels[0] ? "," : "";
	uint64_t n = 0;

	for (size_t i = 0; i < kinds[kind].n; i++) {
		n += h->counts[i];
		buf_addf(out, "%s_bucket{%s%sle=\"%g\"} %" PRIu64 "\n", name,
		    labels, comma, kinds[kind].bounds[i], n);
	}
	n += h->counts[kinds[kind].n];
	buf_addf(out, "%s_bucket{%s%sle=\"+Inf\"} %" PRIu64 "\n", name, labels,
	    comma, n);
	buf_addf(out, "%s_sum{%s} %.9g\n", name, labels, h->sum);
	buf_addf(out, "%s_count{%s} %" PRIu64 "\n", name, labels, n);
}

double
hist_quantile(const struct hist *h, enum hist_kind kind, double share)
{
	double want = (double)total(h, kind) * share;
	uint64_t n = 0;

	if (want <= 0)
		return 0;
	for (size_t i = 0; i < kinds[kind].n; i++) {
		n += h->counts[i];
		if ((double)n >= want)
			return kinds[kind].bounds[i];
	}
	return kinds[kind].bounds[kinds[kind].n - 1];
}
