/*
 * Writing HTML strictly: text goes through html_text, which lets no markup
 * and no claim through; markup is only what the program itself spells out.
 *
 * Foreign texts that say nothing alone may claim together, so each is written
 * between two marks that no text can hold, and html_settle, once for a whole
 * page, judges them joined and takes the marks out.
 */
#ifndef AGENT_HTML_H
#define AGENT_HTML_H

#include "base/buf.h"

/* Foreign prose: cleaned by the claim filter, cut at max_chars, escaped. */
void html_text(struct buf *b, const char *text, size_t max_chars);
/* A foreign name (claim_field). */
void html_field(struct buf *b, const char *text, size_t max_chars);
/* Our own text: only escaped. */
void html_own(struct buf *b, const char *text);
/* Foreign text of several lines, each put between our own markup; judged
 * together, as they will be read. */
void html_lines(struct buf *b, const char *text, const char *before,
    const char *after);

/* Foreign source text for a <pre>: as html_lines, with its indentation; of a
 * long one the beginning, and how many lines more there are. */
void html_code(struct buf *b, const char *text);

/* Ends the page: if all its foreign texts make a claim together, each is
 * CLAIM_NO_FIELD. */
void html_settle(struct buf *b);

#endif
