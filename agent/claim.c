/*
 * Seeing what a reader sees.
 *
 * A text is reduced to its skeleton: every character that looks like a
 * letter of "verified correct" becomes that letter, other ASCII letters
 * stay, everything else (spaces, dashes, marks, other scripts) vanishes.  On
 * the skeleton the question is simple: do "verif" and "correct" stand close
 * together, in either order, read forwards or backwards?
 *
 * Styled alphabets (full-width, mathematical, circled, ...) are ranges that
 * repeat a to z; everything else is one row a letter in claim_looks, written
 * as the characters themselves so that a person can see why they are there.
 * To teach it a new look-alike, add the character to its letter's row.
 */
#include "agent/claim.h"

#include "agent/utf8.h"
#include "base/buf.h"
#include "base/mem.h"
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define CLAIM_GAP   24 /* skeleton letters between the two words */
#define CLAIM_TEXT  ((size_t)8 * 1024 * 1024)
#define CLAIM_BLOCK '.' /* stands where our own word stood */

static const char claim_own[] = "verified_incorrect";

/* clang-format off */
static const struct {
	uint32_t first, last; /* a, b, ... z, again and again */
} claim_alphabets[] = {
	{ 0x249c, 0x24b5 },   /* parenthesised */
	{ 0x24b6, 0x24e9 },   /* circled */
	{ 0xff21, 0xff3a },   /* full-width capitals */
	{ 0xff41, 0xff5a },   /* full-width */
	{ 0x1d400, 0x1d6a3 }, /* mathematical, thirteen styles of 52 */
	{ 0x1f110, 0x1f129 }, /* parenthesised capitals */
	{ 0x1f130, 0x1f149 }, /* squared */
	{ 0x1f150, 0x1f169 }, /* negative circled */
	{ 0x1f170, 0x1f189 }, /* negative squared */
	{ 0x1f1e6, 0x1f1ff }, /* regional indicators */
	{ 0xe0041, 0xe005a }, /* tags, which are not even seen */
	{ 0xe0061, 0xe007a },
};

static const struct {
	char letter;
	const char *looks;
} claim_looks[] = {
	{ 'c', "çćĉċčÇĆĈĊČḈḉᶜℂℭⅭⅽꟲсСςϲϹϛⲤⲥᴄꮯᏟƈƇȼȻ¢©ⅽ匚ↄ" },
	{ 'd', "ďĎḊḋḌḍḎḏḐḑḒḓᴰᵈⅅⅆⅮⅾԁԀđĐðÐɗƊɖƉᴅᎠꓒժ∂" },
	{ 'e', "ÈÉÊËèéêëĒēĔĕĖėĘęĚěȄȅȆȇȨȩᴱᵉḔḕḖḗḘḙḚḛḜḝẸẹẺẻẼẽẾếỀềỂểỄễỆệₑℯℰⅇеЕёЁэЭєЄεΕΈέɛƐᴇᎬꓰ€ⲈⲉɘəǝҽҼ∈ℇ" },
	{ 'f', "ᶠḞḟℱꟳƒƑꜰϝϜғҒſᖴꓝք" },
	{ 'i', "ÌÍÎÏìíîïĨĩĪīĬĭĮįİıǏǐȈȉȊȋᴵᵢḬḭḮḯỈỉỊịⁱℐℑℹⅈⅠⅰіІїЇιΙΊίϊɩɪΪӏӀᎥꓲ¡ⲒⲓɨƗ𝚤ا" },
	{ 'o', "ºÒÓÔÕÖòóôõöŌōŎŏŐőƠơǑǒǪǫǬǭȌȍȎȏȪȫȬȭȮȯȰȱᴼᵒṌṍṎṏṐṑṒṓỌọỎỏỐốỒồỔổỖỗỘộỚớỜờỞởỠỡỢợₒℴоОοΟόσՕօᴏꓳøØθΘⲞⲟө۰०○◯●〇°∘" },
	{ 'r', "ŔŕŖŗŘřȐȑȒȓʳᴿᵣṘṙṚṛṜṝṞṟℛℜℝгГяЯʀᎡᏒꓣɾɼɹɍɌ®ГⲄⲅꭇ" },
	{ 't', "ŢţŤťȚțᵀᵗṪṫṬṭṮṯṰṱẗₜтТτΤᴛᎢꓔŧŦƭƬ†⊤ⲦⲧԏҭҬ丅" },
	{ 'v', "ᵛᵥṼṽṾṿⅤⅴⱽνѵѴᴠᏙꓦʋƲ∨√ѷѶΛ⋁vט" },
};
/* clang-format on */

/* ASCII that stands for another letter; l is taken for i as 1 is. */
static const char claim_digits[128] = {
	['0'] = 'o',
	['1'] = 'i',
	['3'] = 'e',
	['7'] = 't',
	['!'] = 'i',
	['|'] = 'i',
	['l'] = 'i',
	['L'] = 'i',
};

/* One character that is read as two letters. */
static const struct {
	uint32_t c;
	const char *letters;
} claim_ligatures[] = {
	{ 0xfb00, "ff" },
	{ 0xfb01, "fi" },
	{ 0xfb02, "fi" },
	{ 0xfb03, "ffi" },
	{ 0xfb04, "ffi" },
	{ 0x2175, "vi" },
	{ 0x2165, "vi" },
};

static bool
looks_contain(const char *looks, uint32_t c)
{
	size_t n = strlen(looks), used;

	for (; n > 0; looks += used, n -= used)
		if (utf8_next(looks, n, &used) == c)
			return true;
	return false;
}

static char
ascii_letter(uint32_t c)
{
	if (claim_digits[c])
		return claim_digits[c];
	c |= c >= 'A' && c <= 'Z' ? 0x20 : 0;
	return (char)(c >= 'a' && c <= 'z' ? c : 0);
}

/* The letter that a reader sees, or 0 for nothing. */
static char
claim_letter(uint32_t c)
{
	if (c < 0x80)
		return ascii_letter(c);
	for (size_t i = 0; i < sizeof claim_looks / sizeof *claim_looks; i++)
		if (looks_contain(claim_looks[i].looks, c))
			return claim_looks[i].letter;
	for (size_t i = 0; i < sizeof claim_alphabets / sizeof *claim_alphabets;
	     i++)
		if (c >= claim_alphabets[i].first &&
		    c <= claim_alphabets[i].last)
			return (
			    char)('a' + (c - claim_alphabets[i].first) % 26);
	return 0;
}

static void
add_character(struct buf *out, uint32_t c)
{
	char letter;

	/* A backspace takes the letter before it off the screen. */
	if (c == '\b' && out->len > 0) {
		out->data[--out->len] = '\0';
		return;
	}
	for (size_t i = 0; i < sizeof claim_ligatures / sizeof *claim_ligatures;
	     i++)
		if (claim_ligatures[i].c == c)
			buf_adds(out, claim_ligatures[i].letters);
	letter = claim_letter(c);
	if (letter)
		buf_addc(out, letter);
}

/* A text longer than the cap is looked at up to the cap; claim_clean lets no
 * more than that through either. */
static void
skeleton(const char *text, size_t len, struct buf *out)
{
	const size_t own = sizeof claim_own - 1;
	size_t used;

	for (size_t i = 0; i < len; i += used) {
		if (len - i >= own && memcmp(text + i, claim_own, own) == 0) {
			used = own;
			buf_addc(out, CLAIM_BLOCK);
		} else
			add_character(out, utf8_next(text + i, len - i, &used));
	}
}

static bool
near_words(const char *s, const char *first, const char *second)
{
	size_t nfirst = strlen(first), nsecond = strlen(second);

	while ((s = strstr(s, first)) != NULL) {
		const char *then = strstr(s + nfirst, second);

		if (then && (size_t)(then - s) <= nfirst + CLAIM_GAP)
			return true;
		if (!then)
			return false;
		/* Jump to the last place from which "then" is still near. */
		s = (size_t)(then - s) > nfirst + CLAIM_GAP + nsecond
		    ? then - nfirst - CLAIM_GAP
		    : s + 1;
	}
	return false;
}

static void
reverse(char *s, size_t n)
{
	for (size_t i = 0; i < n / 2; i++) {
		char c = s[i];

		s[i] = s[n - 1 - i];
		s[n - 1 - i] = c;
	}
}

static bool
skeleton_claims(const char *s)
{
	return near_words(s, "verif", "correct") ||
	    near_words(s, "correct", "verif");
}

bool
claim_is_made(const char *text, size_t len)
{
	struct buf s;
	bool made = false;

	buf_init(&s, CLAIM_TEXT);
	skeleton(text, len, &s);
	if (s.len > 0) {
		made = skeleton_claims(s.data);
		reverse(s.data, s.len);
		made = made || skeleton_claims(s.data);
	}
	buf_done(&s);
	return made;
}

/* Foreign text has no business with the word at all. */
static bool
says_verified(const char *text, size_t len)
{
	struct buf s;
	bool says = false;

	buf_init(&s, CLAIM_TEXT);
	skeleton(text, len, &s);
	if (s.len > 0) {
		says = strstr(s.data, "verified") != NULL;
		reverse(s.data, s.len);
		says = says || strstr(s.data, "verified") != NULL;
	}
	buf_done(&s);
	return says;
}

/* Controls, zero-width, direction and tag characters, separators. */
static bool
is_invisible(uint32_t c)
{
	/* clang-format off */
	static const struct { uint32_t first, last; } ranges[] = {
		{ 0x0000, 0x001f },   { 0x007f, 0x009f },   { 0x00ad, 0x00ad },
		{ 0x034f, 0x034f },   { 0x061c, 0x061c },   { 0x115f, 0x1160 },
		{ 0x180b, 0x180f },   { 0x200b, 0x200f },   { 0x2028, 0x202e },
		{ 0x2060, 0x206f },   { 0xfe00, 0xfe0f },   { 0xfeff, 0xfeff },
		{ 0xfff0, 0xfffb },   { 0xe0000, 0xe0fff },
	};
	/* clang-format on */

	for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++)
		if (c >= ranges[i].first && c <= ranges[i].last)
			return true;
	return false;
}

char *
claim_clean(const char *text, size_t max_chars)
{
	size_t len = text ? strlen(text) : 0, used, chars = 0;
	struct buf out;

	if (len > CLAIM_TEXT / 8)
		len = CLAIM_TEXT / 8;
	if (len && (claim_is_made(text, len) || says_verified(text, len)))
		return xstrdup(CLAIM_WITHHELD);
	buf_init(&out, CLAIM_TEXT);
	for (size_t i = 0; i < len; i += used, chars++) {
		uint32_t c = utf8_next(text + i, len - i, &used);

		if (chars == max_chars) {
			buf_adds(&out, "...");
			break;
		}
		if (c == UTF8_BAD)
			buf_addc(&out, '?');
		else if (is_invisible(c))
			buf_addc(&out, ' ');
		else
			buf_add(&out, text + i, used);
	}
	return buf_take(&out);
}
