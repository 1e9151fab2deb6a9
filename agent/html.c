/* Escaping by table; five characters are all that HTML text needs. */
#include "agent/html.h"

#include "agent/claim.h"
#include "base/mem.h"
#include <stdlib.h>
#include <string.h>

#define HTML_LINE_CHARS 400
#define HTML_LINES_MAX  60

static const char *const html_escapes[128] = {
	['&'] = "&amp;",
	['<'] = "&lt;",
	['>'] = "&gt;",
	['"'] = "&quot;",
	['\''] = "&#39;",
};

void
html_own(struct buf *b, const char *text)
{
	for (; *text; text++) {
		unsigned char c = (unsigned char)*text;

		if (c < 128 && html_escapes[c])
			buf_adds(b, html_escapes[c]);
		else
			buf_addc(b, *text);
	}
}

void
html_text(struct buf *b, const char *text, size_t max_chars)
{
	char *clean = claim_clean(text, max_chars);

	html_own(b, clean);
	free(clean);
}

void
html_lines(struct buf *b, const char *text, const char *before,
    const char *after)
{
	for (size_t i = 0; text && *text && i < HTML_LINES_MAX; i++) {
		size_t n = strcspn(text, "\n");
		char *line = xstrndup(text, n);

		for (char *p = line; *p; p++)
			if (*p == '\t')
				*p = ' ';
		buf_adds(b, before);
		html_text(b, line, HTML_LINE_CHARS);
		buf_adds(b, after);
		free(line);
		text += n + (text[n] == '\n');
	}
}
