/* Escaping by table; five characters are all that HTML text needs. */
#include "agent/text/html.h"

#include "agent/text/claim_filter.h"
#include "base/mem.h"
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define HTML_LINE_CHARS  400
#define HTML_LINES_MAX   60
#define HTML_CODE_LINES  300
#define HTML_TAB         "    "
#define HTML_FOREIGN_MAX ((size_t)8 * 1024 * 1024)
#define HTML_BEGIN       '\x01' /* no filter lets these through */
#define HTML_END         '\x02'

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

/* A filtered text between its marks. */
static void
put_foreign(struct buf *b, char *clean)
{
	buf_addc(b, HTML_BEGIN);
	html_own(b, clean);
	buf_addc(b, HTML_END);
	free(clean);
}

void
html_text(struct buf *b, const char *text, size_t max_chars)
{
	put_foreign(b, claim_clean(text, max_chars));
}

void
html_field(struct buf *b, const char *text, size_t max_chars)
{
	put_foreign(b, claim_field(text, max_chars));
}

void
html_lines(struct buf *b, const char *text, const char *before,
    const char *after)
{
	/* Judged whole: line by line, a claim with a line break in it would
	 * pass. */
	bool claims = claim_is_made(text, strlen(text));

	for (size_t i = 0; *text && i < HTML_LINES_MAX; i++) {
		size_t n = strcspn(text, "\n");
		char *line = xstrndup(text, n);

		buf_adds(b, before);
		html_text(b, claims ? CLAIM_NO_FIELD : line, HTML_LINE_CHARS);
		buf_adds(b, after);
		free(line);
		text += n + (text[n] == '\n');
	}
}

static size_t
count_lines(const char *text)
{
	size_t n = 0;

	for (; *text; text += strcspn(text, "\n"), text += *text == '\n')
		n++;
	return n;
}

void
html_code(struct buf *b, const char *text)
{
	bool claims = claim_is_made(text, strlen(text));

	for (size_t i = 0; *text && i < HTML_CODE_LINES; i++) {
		size_t n = strcspn(text, "\n"), in = 0;
		char *line;

		for (; in < n && (text[in] == ' ' || text[in] == '\t'); in++)
			buf_adds(b, text[in] == '\t' ? HTML_TAB : " ");
		line = xstrndup(text + in, n - in);
		if (in < n)
			html_text(b, claims ? CLAIM_NO_FIELD : line,
			    HTML_LINE_CHARS);
		buf_addc(b, '\n');
		free(line);
		text += n + (text[n] == '\n');
	}
	if (*text)
		buf_addf(b, "... and %zu lines more\n", count_lines(text));
}

/* What a reader reads of an escaped text. */
static void
add_plain(struct buf *out, const char *p, const char *end)
{
	while (p < end) {
		if (*p == '&') {
			while (*p++ != ';')
				continue;
			continue;
		}
		buf_addc(out, *p++);
	}
}

static bool
claims_together(const char *page)
{
	struct buf all;
	const char *end;
	bool made;

	buf_init(&all, HTML_FOREIGN_MAX);
	while ((page = strchr(page, HTML_BEGIN)) != NULL) {
		end = strchr(page, HTML_END);
		add_plain(&all, page + 1, end);
		page = end;
	}
	made = all.len && claim_is_made(all.data, all.len);
	buf_done(&all);
	return made;
}

void
html_settle(struct buf *b)
{
	bool withhold = b->len && claims_together(b->data), inside = false;
	char *page = buf_take(b);

	for (const char *p = page; *p; p++) {
		if (*p == HTML_BEGIN || *p == HTML_END) {
			inside = *p == HTML_BEGIN;
			if (inside && withhold)
				buf_adds(b, CLAIM_NO_FIELD);
		} else if (!inside || !withhold)
			buf_addc(b, *p);
	}
	free(page);
}
