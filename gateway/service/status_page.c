/*
 * The page as it stands in status.html, put into the program by the assembler:
 * so it stays a page that an editor and a browser can open, and the program
 * stays one file.
 */
#include "gateway/service/status_page.h"

#include "gateway/exchange/answer_stamp.h"

__asm__(".section .rodata\n"
        ".global status_page_start\n"
        ".hidden status_page_start\n"
        "status_page_start:\n"
        ".incbin \"gateway/service/status.html\"\n"
        "status_page_end:\n"
        ".balign 8\n"
        ".global status_page_bytes\n"
        ".hidden status_page_bytes\n"
        "status_page_bytes:\n"
        ".quad status_page_end - status_page_start\n"
        ".previous\n");

extern const char status_page_start[];
extern const uint64_t status_page_bytes;

static const char policy[] =
    "default-src 'none'; style-src 'unsafe-inline'; script-src "
    "'unsafe-inline'; connect-src 'self'; img-src data:; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'none'";

void
status_page_answer(struct serve_call *sc)
{
	char id[ANSWER_STAMP_ID_BYTES];
	struct answer_stamp a;

	answer_stamp_new_id(id);
	answer_stamp_init(&a, id);
	answer_stamp_add(&a, "content-type", "text/html; charset=utf-8");
	answer_stamp_add(&a, "cache-control", "no-store");
	answer_stamp_add(&a, "x-content-type-options", "nosniff");
	answer_stamp_add(&a, "referrer-policy", "no-referrer");
	answer_stamp_add(&a, "content-security-policy", policy);
	serve_answer(sc, 200, a.fields, a.n, status_page_start,
	    (size_t)status_page_bytes);
}
