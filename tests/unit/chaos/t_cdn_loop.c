/* How often a request has passed a proxy, by what its CDN-Loop says. */
#include "chaos/http/cdn_loop.h"

#include "tests/unit.h"

#define ME    "kf-chaos-0123456789abcdef"
#define OTHER "kf-chaos-0123456789abcdee"

void t_cdn_loop(void);

void
t_cdn_loop(void)
{
	static const struct {
		const char *fields[3];
		bool want;
	} rows[] = {
		{ { NULL }, false },
		{ { "" }, false },
		{ { ME ", " ME }, false },
		{ { ME ", " ME "," ME }, true },
		{ { ME, ME, ME }, true },
		{ { "cloudflare; v=1", ME "," ME ";n=2", "\t" ME " ; a=\"b\"" },
		    true },
		{ { ME ", " OTHER, ME, OTHER "," OTHER }, false },
		{ { ME ME, ME "x", "x" ME }, false },
		{ { "x;" ME, "x;" ME, "x;" ME }, false },
		{ { ",,,", ", ;,", ";" }, false },
		{ { ME "," ME "," ME "," ME ",x" }, true },
	};
	struct hopmark m = { .name = ME }, one = { .name = "" }, two = one;
	struct http1_head h = { .nheaders = 0 };

	for (size_t i = 0; i < COUNT(rows); i++) {
		h.nheaders = 0;
		for (size_t k = 0; k < 3 && rows[i].fields[k]; k++)
			h.headers[h.nheaders++] = (struct http1_header){
				slice_of(k % 2 ? "cdn-loop" : "CDN-Loop"),
				slice_of(rows[i].fields[k])
			};
		CHECK_INT(hopmark_is_circle(&m, &h), rows[i].want,
		    rows[i].fields[0] ? rows[i].fields[0] : "no field");
	}
	hopmark_init(&one);
	hopmark_init(&two);
	CHECK(strcmp(one.name, two.name) != 0, "each proxy has its own name");
	CHECK(strlen(one.name) == strlen(ME), "of one form");
}
