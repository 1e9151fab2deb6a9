/*
 * How the keys of providers, clouds and this gateway begin.  A word that only
 * begins so is left alone: what follows has to be as long as a key is.
 */
#include "gateway/text/secrets.h"

#include "base/units.h"
#include <ctype.h>
#include <string.h>

#define LETTERS_MIN 16

static const char *const beginnings[] = { "AIza", "AKIA", "Bearer ", "eyJ",
	"ghp_", "github_pat_", "glpat-", "hf_", "kf-", "sk-", "xoxb-",
	"xoxp-" };

static size_t
letters_at(const char *p)
{
	size_t n = 0;

	while (isalnum((unsigned char)p[n]) || (p[n] && strchr("-_./+=", p[n])))
		n++;
	return n;
}

void
secrets_mask(char *text)
{
	for (size_t i = 0; i < COUNT(beginnings); i++) {
		size_t n = strlen(beginnings[i]), more;

		for (char *p = text; (p = strstr(p, beginnings[i])); p += n) {
			more = letters_at(p + n);
			if (more >= LETTERS_MIN)
				memset(p + n, '*', more);
		}
	}
}

void
secrets_mask_one(char *text, const char *secret)
{
	size_t n;

	if (!secret || (n = strlen(secret)) < LETTERS_MIN / 2)
		return;
	for (char *p = text; (p = strstr(p, secret)); p += n)
		memset(p, '*', n);
}
