/*
 * How the lanes of a group agree on a sum or a maximum: every usual way, in
 * place or in a helper that is handed the local memory.
 */
#include "base/mem.h"
#include "tests/proving/composing.h"
#include <stdlib.h>
#include <string.h>

#define BARRIER "\tbarrier(CLK_LOCAL_MEM_FENCE);\n"

char *
compose_join(bool is_max, const char *a, const char *b)
{
	return is_max ? xasprintf("larger(%s, %s)", a, b)
	              : xasprintf("%s + %s", a, b);
}

void
compose_scratch(struct composing *c, uint32_t lanes)
{
	buf_addf(&c->body, "\t%s float part[%u];\n", c->local_q, 2 * lanes);
}

static void
tree_halves(struct buf *b, const char *join, uint32_t lanes)
{
	buf_addf(b,
	    "\tfor (uint s = %u; s > 0; s %s) {\n"
	    "\t\tif (lid < s)\n\t\t\tpart[lid] = %s;\n\t" BARRIER "\t}\n"
	    "\tvalue = part[0];\n",
	    lanes / 2, lanes % 8 ? "/= 2" : ">>= 1", join);
}

static void
tree_odd(struct buf *b, const char *join, uint32_t lanes)
{
	buf_addf(b,
	    "\tfor (uint n = %u; n > 1;) {\n"
	    "\t\tconst uint s = (n + 1) / 2;\n"
	    "\t\tif (lid + s < n)\n\t\t\tpart[lid] = %s;\n\t" BARRIER
	    "\t\tn = s;\n\t}\n\tvalue = part[0];\n",
	    lanes, join);
}

static void
one_lane(struct buf *b, const char *join, uint32_t lanes)
{
	buf_addf(b,
	    "\tif (lid == 0)\n\t\tfor (uint s = 1; s < %u; s++)\n"
	    "\t\t\tpart[0] = %s;\n" BARRIER "\tvalue = part[0];\n",
	    lanes, join);
}

static void
every_lane(struct buf *b, const char *join, uint32_t lanes)
{
	buf_addf(b,
	    "\tvalue = part[0];\n\tfor (uint s = 1; s < %u; s++)\n"
	    "\t\tvalue = %s;\n",
	    lanes, join);
}

static void
butterfly(struct buf *b, const char *join, uint32_t lanes)
{
	buf_addf(b,
	    "\tuint at = 0;\n\tfor (uint s = 1; s < %u; s <<= 1) {\n"
	    "\t\tpart[(%u - at) + lid] = %s;\n\t" BARRIER
	    "\t\tat = %u - at;\n\t}\n\tvalue = part[at + lid];\n",
	    lanes, lanes, join, lanes);
}

static void
two_levels(struct buf *b, const char *join, uint32_t lanes)
{
	buf_addf(b,
	    "\tif (lid %% 8 == 0)\n"
	    "\t\tfor (uint s = 1; s < 8; s++)\n\t\t\tpart[lid] = %s;\n" BARRIER
	    "\tvalue = part[0];\n"
	    "\tfor (uint k = 8; k < %u; k += 8)\n\t\tvalue = ",
	    join, lanes);
}

/* How the operands of a join are written in each way. */
static const struct {
	void (*add)(struct buf *b, const char *join, uint32_t lanes);
	const char *left, *right;
	uint32_t multiple; /* of lanes; 0: a power of two */
} ways[] = {
	{ tree_halves, "part[lid]", "part[lid + s]", 0 },
	{ tree_odd, "part[lid]", "part[lid + s]", 1 },
	{ one_lane, "part[0]", "part[s]", 1 },
	{ every_lane, "value", "part[s]", 1 },
	{ butterfly, "part[at + lid]", "part[at + (lid ^ s)]", 0 },
	{ two_levels, "part[lid]", "part[lid + s]", 8 },
};

#define NWAYS COUNT(ways)

static bool
fits(size_t way, uint32_t lanes)
{
	if (ways[way].multiple == 0)
		return lanes > 1 && (lanes & (lanes - 1)) == 0;
	return lanes % ways[way].multiple == 0;
}

/* value and lid are there; part is free to be used afterwards. */
static void
add_way(struct composing *c, struct buf *b, bool is_max, uint32_t lanes)
{
	size_t way = compose_below(c, NWAYS);
	char *join;

	while (!fits(way, lanes))
		way = (way + 1) % NWAYS;
	join = compose_join(is_max, ways[way].left, ways[way].right);
	buf_adds(b, "\tpart[lid] = value;\n" BARRIER);
	ways[way].add(b, join, lanes);
	if (ways[way].add == two_levels) {
		char *last = compose_join(is_max, "value", "part[k]");

		buf_addf(b, "%s;\n", last);
		free(last);
	}
	buf_adds(b, BARRIER);
	free(join);
}

static void
add_larger(struct composing *c)
{
	buf_addf(&c->head, "%s\nlarger(float a, float b)\n{\n\treturn %s;\n}\n",
	    c->helper,
	    COMPOSE_OF(c, "isnan(a) || a > b ? a : b",
	        "(a != a) ? a : (b != b) ? b : fmax(a, b)",
	        "a >= b || a != a ? a : b"));
}

void
compose_group(struct composing *c, const char *name, bool is_max,
    uint32_t lanes)
{
	const char *helper = is_max ? "group_max" : "group_sum";
	struct buf b;
	char *text;

	if (is_max && !strstr(c->head.data ? c->head.data : "", "larger("))
		add_larger(c);
	buf_init(&b, 8192);
	add_way(c, &b, is_max, lanes);
	text = buf_take(&b);
	if (compose_below(c, 2)) {
		buf_addf(&c->body,
		    "\t{\n\tfloat value = %s;\n%s\t%s = value;\n\t}\n", name,
		    text, name);
	} else {
		if (!strstr(c->head.data ? c->head.data : "", helper))
			buf_addf(&c->head,
			    "%s\n%s(%s float *part, const uint lid, float "
			    "value)\n{\n%s\treturn value;\n}\n",
			    c->helper, helper, c->local_q, text);
		buf_addf(&c->body, "\t%s = %s(part, lid, %s);\n", name, helper,
		    name);
	}
	free(text);
}
