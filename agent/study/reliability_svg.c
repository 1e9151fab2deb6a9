/*
 * The study as two charts over one axis: the share of operators that ended
 * right, and the share that was claimed and is wrong.  Lines are told apart by
 * colour, by their dashes and by their mark, so that they are without colour.
 */
#include "agent/study/reliability.h"

#include "base/buf.h"
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#define SVG_BYTES   ((size_t)1024 * 1024)
#define CHART_W     360.0
#define CHART_H     260.0
#define LEFT_1      70.0
#define LEFT_2      520.0
#define TOP         90.0
#define PICTURE_W   930
#define PICTURE_H   560
#define LEGEND_Y    440.0
#define LEGEND_STEP 26.0

static const struct look {
	const char *agent, *label, *colour, *dash, *mark;
} looks[] = {
	{ "kernelforge", "KernelForge", "#12804a", "none", "circle" },
	{ "naive", "naive baseline", "#c0392b", "7 4", "square" },
	{ "without holdouts", "without holdouts (claims after smoke)",
	    "#d35400", "2 3", "square" },
	{ "without escalation", "without escalation", "#2c5fa8", "9 3 2 3",
	    "circle" },
	{ "without retry", "without the agent's retries", "#7d3c98", "4 4",
	    "circle" },
	{ "without breaker", "without the agent's breaker", "#707070", "1 4",
	    "square" },
};

#define NLOOKS (COUNT(looks))

static double
number_of(json_t *object, const char *key)
{
	return json_number_value(json_object_get(object, key));
}

static double
last_factor(json_t *agents)
{
	json_t *points = json_object_get(agents, "kernelforge");
	double f =
	    number_of(json_array_get(points, json_array_size(points) - 1),
	        "factor");

	return f > 0 ? f : 1;
}

static void
put_text(struct buf *b, double x, double y, const char *class, const char *text)
{
	buf_addf(b, "<text x=\"%.1f\" y=\"%.1f\" class=\"%s\">%s</text>\n", x,
	    y, class, text);
}

static void
put_mark(struct buf *b, const struct look *l, double x, double y)
{
	if (strcmp(l->mark, "circle") == 0)
		buf_addf(b,
		    "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"4\" fill=\"%s\"/>\n",
		    x, y, l->colour);
	else
		buf_addf(b,
		    "<rect x=\"%.1f\" y=\"%.1f\" width=\"7\" height=\"7\" "
		    "fill=\"%s\"/>\n",
		    x - 3.5, y - 3.5, l->colour);
}

static void
put_axes(struct buf *b, double left, json_t *agents, const char *title)
{
	json_t *points = json_object_get(agents, "kernelforge"), *p;
	double most = last_factor(agents);
	size_t i;

	put_text(b, left, TOP - 20, "t", title);
	for (int k = 0; k <= 4; k++) {
		double y = TOP + CHART_H * (1 - k / 4.0);

		buf_addf(b,
		    "<path d=\"M%.1f %.1fh%.1f\" class=\"g\"/>\n"
		    "<text x=\"%.1f\" y=\"%.1f\" class=\"r\">%d %%</text>\n",
		    left, y, CHART_W, left - 8, y + 4, k * 25);
	}
	json_array_foreach(points, i, p)
		buf_addf(b,
		    "<text x=\"%.1f\" y=\"%.1f\" class=\"m\">%.3g</text>\n",
		    left + CHART_W * number_of(p, "factor") / most,
		    TOP + CHART_H + 18, number_of(p, "factor"));
	put_text(b, left + CHART_W / 2, TOP + CHART_H + 40, "m",
	    "faults, times the scenario's");
}

static void
put_line(struct buf *b, const struct look *l, json_t *agents, double left,
    const char *key)
{
	json_t *points = json_object_get(agents, l->agent), *p;
	double most = last_factor(agents);
	size_t i;

	if (!points)
		return;
	buf_addf(b,
	    "<polyline fill=\"none\" stroke=\"%s\" stroke-width=\"2.5\" "
	    "stroke-dasharray=\"%s\" points=\"",
	    l->colour, l->dash);
	json_array_foreach(points, i, p)
		buf_addf(b, "%s%.1f,%.1f", i ? " " : "",
		    left + CHART_W * number_of(p, "factor") / most,
		    TOP + CHART_H * (1 - number_of(p, key)));
	buf_adds(b, "\"/>\n");
	json_array_foreach(points, i, p)
		put_mark(b, l, left + CHART_W * number_of(p, "factor") / most,
		    TOP + CHART_H * (1 - number_of(p, key)));
}

static void
put_legend(struct buf *b, json_t *agents)
{
	size_t n = 0;

	for (size_t i = 0; i < NLOOKS; i++) {
		double x = n % 2 ? LEFT_2 : LEFT_1;
		size_t line = n / 2;
		double y = LEGEND_Y + LEGEND_STEP * (double)line;

		if (!json_object_get(agents, looks[i].agent))
			continue;
		buf_addf(b,
		    "<path d=\"M%.1f %.1fh36\" stroke=\"%s\" "
		    "stroke-width=\"2.5\" stroke-dasharray=\"%s\"/>\n",
		    x, y, looks[i].colour, looks[i].dash);
		put_mark(b, &looks[i], x + 18, y);
		put_text(b, x + 46, y + 4, "l", looks[i].label);
		n++;
	}
}

/* False claims of the whole agent, over all points: the caption's number. */
static double
false_claims(json_t *agents)
{
	json_t *points = json_object_get(agents, "kernelforge"), *p;
	double sum = 0;
	size_t i;

	json_array_foreach(points, i, p)
		sum += number_of(p, "false_claims");
	return sum;
}

char *
reliability_svg(json_t *study)
{
	json_t *agents = json_object_get(study, "agents");
	struct buf b;

	buf_init(&b, SVG_BYTES);
	buf_addf(&b,
	    "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" "
	    "height=\"%d\" viewBox=\"0 0 %d %d\">\n"
	    "<style>text{font:14px sans-serif;fill:#222}.h{font-size:18px;"
	    "font-weight:bold}.t{font-weight:bold}.r{text-anchor:end;"
	    "font-size:12px}.m{text-anchor:middle;font-size:12px}"
	    ".g{stroke:#ddd;fill:none}</style>\n"
	    "<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n",
	    PICTURE_W, PICTURE_H, PICTURE_W, PICTURE_H);
	put_text(&b, LEFT_1, 36, "h",
	    "Degradation under faults, and what is claimed meanwhile");
	put_axes(&b, LEFT_1, agents, "operators claimed and right");
	put_axes(&b, LEFT_2, agents, "operators claimed and wrong");
	/* The most important line is drawn last, over the others. */
	for (size_t i = NLOOKS; i > 0; i--) {
		put_line(&b, &looks[i - 1], agents, LEFT_1, "success");
		put_line(&b, &looks[i - 1], agents, LEFT_2, "false_rate");
	}
	put_legend(&b, agents);
	buf_addf(&b,
	    "<text x=\"%.1f\" y=\"%d\" class=\"l\">%.0f runs a point; false "
	    "claims of KernelForge over all points: %.0f</text>\n</svg>\n",
	    LEFT_1, PICTURE_H - 24, number_of(study, "runs"),
	    false_claims(agents));
	return buf_take(&b);
}
