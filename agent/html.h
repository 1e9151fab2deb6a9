/*
 * Writing HTML strictly: text goes through html_text, which lets no markup
 * and no claim through; markup is only what the program itself spells out.
 */
#ifndef AGENT_HTML_H
#define AGENT_HTML_H

#include "base/buf.h"

/* Foreign text: cleaned by the claim filter, cut at max_chars, escaped. */
void html_text(struct buf *b, const char *text, size_t max_chars);
/* Our own text: only escaped. */
void html_own(struct buf *b, const char *text);
/* Foreign text of several lines, each cleaned on its own and put between our
 * own markup. */
void html_lines(struct buf *b, const char *text, const char *before,
    const char *after);

#endif
