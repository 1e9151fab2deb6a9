/* Foreign text becomes no markup. */
#include "agent/html.h"
#include "tests/unit.h"

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
		{ "umlauts stay", "\xc3\xa4", "\xc3\xa4" },
		{ "cut before it is escaped", "<<<<<<<<<<<<",
		    "&lt;&lt;&lt;&lt;&lt;&lt;&lt;&lt;..." },
	};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct buf b;

		buf_init(&b, 4096);
		html_text(&b, rows[i].in, i == 4 ? 8 : 80);
		CHECK_STR(b.data, rows[i].want, rows[i].what);
		buf_done(&b);
	}
}
