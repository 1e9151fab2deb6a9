/*
 * report.html: one self-contained page, no script, no outside request, light
 * and dark.  All foreign text passes html_text.
 */
#ifndef AGENT_PAGE_H
#define AGENT_PAGE_H

#include "agent/telling/run_report.h"
#include "base/buf.h"

#define PAGE_BYTES ((size_t)8 * 1024 * 1024)

void page_render(const struct run_report *r, struct buf *out);

/* The style sheet, in page_style.c. */
extern const char page_style[];

#endif
