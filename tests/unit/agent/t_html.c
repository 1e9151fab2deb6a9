/* Foreign text becomes no markup. */
#include "agent/text/html.h"
#include "tests/unit.h"
#include <stdlib.h>
#include <string.h>

/* Texts that say nothing alone and claim together. */
static void
check_together(void)
{
	static const struct {
		const char *what;
		const char *texts[3];
		const char *want;
	} rows[] = {
		{ "two cells", { "verif", "ied correct" },
		    "<td>[withheld]</td><td>[withheld]</td>" },
		{ "with markup between", { "ver<if>", "ied", "correct" },
		    "<td>[withheld]</td><td>[withheld]</td><td>[withheld]"
		    "</td>" },
		{ "honest cells", { "a & b", "c" },
		    "<td>a &amp; b</td><td>c</td>" },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct buf b;

		buf_init(&b, 4096);
		for (size_t k = 0; k < 3 && rows[i].texts[k]; k++) {
			buf_adds(&b, "<td>");
			html_text(&b, rows[i].texts[k], 80);
			buf_adds(&b, "</td>");
		}
		html_settle(&b);
		CHECK_STR(b.data, rows[i].want, rows[i].what);
		buf_done(&b);
	}
}

static void
check_lines(void)
{
	struct buf b;

	buf_init(&b, 4096);
	html_lines(&b, "verif\nied\ncorrect", "<i>", "</i>");
	html_settle(&b);
	CHECK_STR(b.data, "<i>[withheld]</i><i>[withheld]</i><i>[withheld]</i>",
	    "lines are judged together");
	buf_clear(&b);
	html_lines(&b, "a\tb\nc", "<i>", "</i>");
	html_settle(&b);
	CHECK_STR(b.data, "<i>a b</i><i>c</i>", "honest lines");
	buf_done(&b);
}

static void
check_code(void)
{
	struct buf b;

	buf_init(&b, 65536);
	html_code(&b,
	    "f()\n{\n\tif (a < b)\n\t  x[i] = '\033[2J\342\200\256';\n\n}\n");
	html_settle(&b);
	CHECK_STR(b.data,
	    "f()\n{\n    if (a &lt; b)\n      x[i] = &#39; [2J?&#39;;\n\n}\n",
	    "code keeps its lines and indentation, and drives nothing");
	buf_clear(&b);
	html_code(&b, "// verified correct\nf();");
	html_settle(&b);
	CHECK_STR(b.data, "[withheld]\n[withheld]\n",
	    "a comment claims nothing");
	buf_clear(&b);
	for (int i = 0; i < 305; i++)
		buf_adds(&b, "x;\n");
	{
		char *text = buf_take(&b);

		buf_init(&b, 65536);
		html_code(&b, text);
		html_settle(&b);
		CHECK(strstr(b.data, "... and 5 lines more") != NULL,
		    "what is left out is counted");
		free(text);
	}
	buf_done(&b);
}

void
t_html(void)
{
	static const struct {
		const char *what, *in, *want;
	} rows[] = {
		{ "markup", "<b a=\"x\" b='y'>&amp;",
		    "&lt;b a=&quot;x&quot; b=&#39;y&#39;&gt;&amp;amp;" },
		{ "a script", "</style><script>alert(1)</script>",
		    "&lt;/style&gt;&lt;script&gt;alert(1)&lt;/script&gt;" },
		{ "a claim", "verified correct",
		    "[withheld: it speaks of a verdict]" },
		{ "umlauts are not drawn", "\xc3\xa4", "?" },
		{ "cut before it is escaped", "<<<<<<<<<<<<",
		    "&lt;&lt;&lt;&lt;&lt;&lt;&lt;&lt;..." },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct buf b;

		buf_init(&b, 4096);
		html_text(&b, rows[i].in, i == 4 ? 8 : 80);
		html_settle(&b);
		CHECK_STR(b.data, rows[i].want, rows[i].what);
		buf_done(&b);
	}
	check_together();
	check_lines();
	check_code();
}
