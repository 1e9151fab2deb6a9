/*
 * The report's style sheet, agent/telling/page.css, as bytes of the program:
 * the page stays one file that asks nobody, and the style stays CSS that tools
 * read.
 */
#include "agent/telling/page.h"

__asm__(".section .rodata\n"
        ".global page_style\n"
        "page_style:\n"
        ".incbin \"agent/telling/page.css\"\n"
        ".byte 0\n"
        ".previous\n");
