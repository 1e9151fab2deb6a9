/*
 * A short list and a plain search, quadratic in a secret's length, which is
 * only paid where a text from outside is kept or shown.  A secret is also known
 * as JSON escapes it, so that a file of JSON can be masked as bytes.
 */
#include "base/mask.h"

#include "base/mem.h"
#include "base/slice.h"
#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

static char **mask_secrets; /* owned, as its texts, for the process's life */
static size_t mask_count;

/* How names of secrets end. */
static const char *const mask_suffixes[] = { "KEY", "TOKEN", "SECRET",
	"PASSWORD", "PASSWD", "CREDENTIALS" };

static void
add_one(const char *secret, size_t n)
{
	if (n < MASK_BYTES_MIN)
		return;
	for (size_t i = 0; i < mask_count; i++)
		if (strncmp(mask_secrets[i], secret, n) == 0 &&
		    mask_secrets[i][n] == '\0')
			return;
	mask_secrets =
	    xreallocarray(mask_secrets, mask_count + 1, sizeof *mask_secrets);
	mask_secrets[mask_count++] = xstrndup(secret, n);
}

/* "float4" of convert_float4: letters, of which two come first, around one of
 * the numbers that names of OpenCL C have, or none. */
static bool
is_part_of_name(const char *p, size_t n)
{
	static const char *const numbers[] = { "", "1", "2", "3", "4", "8",
		"10", "16", "32", "64" };
	size_t letters = 0, digits = 0, i;

	while (letters < n && isalpha((unsigned char)p[letters]))
		letters++;
	while (
	    letters + digits < n && isdigit((unsigned char)p[letters + digits]))
		digits++;
	for (i = letters + digits; i < n; i++)
		if (!isalpha((unsigned char)p[i]))
			return false;
	for (i = 0; i < COUNT(numbers); i++)
		if (strlen(numbers[i]) == digits &&
		    strncmp(numbers[i], p + letters, digits) == 0)
			return digits == 0 || letters >= 2;
	return false;
}

/* In one case of letters, as names of OpenCL C and of our files are; keys
 * that are drawn at random mix them, or are longer. */
static bool
is_name(const char *p, size_t n)
{
	bool has_upper = false, has_lower = false;
	size_t from = 0;

	for (size_t i = 0; i < n; i++) {
		has_upper = has_upper || isupper((unsigned char)p[i]);
		has_lower = has_lower || islower((unsigned char)p[i]);
	}
	if (has_upper && has_lower)
		return false;
	for (size_t i = 0; i <= n; i++)
		if (i == n || p[i] == '_') {
			if (!is_part_of_name(p + from, i - from))
				return false;
			from = i + 1;
		}
	return true;
}

static bool
is_number(const char *p, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!p[i] || !strchr("0123456789.:-+", p[i]))
			return false;
	return true;
}

/* What a kernel could hold for what it means. */
static bool
is_word(const char *p, size_t n)
{
	return n < MASK_WORD_MIN && (is_name(p, n) || is_number(p, n));
}

bool
mask_add(const char *secret)
{
	size_t n = secret ? strlen(secret) : 0;
	json_t *value;
	char *escaped;

	if (n < MASK_BYTES_MIN || is_word(secret, n))
		return false;
	value = json_string(secret);
	escaped =
	    value ? json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT) : NULL;
	add_one(secret, n);
	if (escaped)
		add_one(escaped + 1, strlen(escaped) - 2);
	free(escaped);
	json_decref(value);
	return true;
}

static bool
names_a_secret(const char *name, size_t n)
{
	for (size_t i = 0; i < COUNT(mask_suffixes); i++) {
		size_t k = strlen(mask_suffixes[i]);

		if (n >= k &&
		    strncasecmp(name + n - k, mask_suffixes[i], k) == 0)
			return true;
	}
	return false;
}

/* Where a secret lies, and not the secret: GOOGLE_APPLICATION_CREDENTIALS. */
static bool
is_file(const char *value)
{
	return value[0] == '/' && access(value, F_OK) == 0;
}

/* "http_proxy", "ALL_PROXY": of what stands there libcurl quotes what it cannot
 * read, such as a password with a '#' in it. */
static void
add_proxy(const char *name, size_t n, const char *value)
{
	static const char end[] = "_proxy";
	const char *host = strstr(value, "://"), *at = strrchr(value, '@');
	const char *colon;

	if (n < sizeof end || !at ||
	    strncasecmp(name + n - (sizeof end - 1), end, sizeof end - 1) != 0)
		return;
	host = host && host < at ? host + 3 : value;
	colon = memchr(host, ':', (size_t)(at - host));
	add_one(host, (size_t)(at - host));
	if (colon)
		add_one(colon + 1, (size_t)(at - colon - 1));
}

void
mask_add_environment(void)
{
	for (char **e = environ; *e; e++) {
		size_t n = strcspn(*e, "=");

		if ((*e)[n] == '=')
			add_proxy(*e, n, *e + n + 1);
		if ((*e)[n] == '=' && names_a_secret(*e, n) &&
		    !is_file(*e + n + 1))
			(void)mask_add(*e + n + 1);
	}
}

static void
mask_one(char *text, size_t n, const char *secret)
{
	size_t k = strlen(secret);

	/* In any case: capitals are easily put back. */
	for (size_t i = 0; i + k <= n; i++)
		if (strncasecmp(text + i, secret, k) == 0) {
			memset(text + i, '*', k);
			i += k - 1;
		}
}

void
mask_bytes(char *text, size_t n)
{
	for (size_t i = 0; i < mask_count; i++)
		mask_one(text, n, mask_secrets[i]);
}

void
mask_text(char *text)
{
	mask_bytes(text, strlen(text));
}

static bool
is_same(char a, char b)
{
	return (tolower)((unsigned char)a) == (tolower)((unsigned char)b);
}

/* How many bytes text and secret begin with in common, in any case. */
static size_t
common(const char *text, size_t n, const char *secret)
{
	size_t k = 0;

	while (k < n && secret[k] && is_same(text[k], secret[k]))
		k++;
	return k;
}

/* Of the secret's parts the longest that begins the text; of no length: none
 * that is to be masked. */
static struct slice
part_at(const char *text, size_t n, const char *secret)
{
	struct slice most = { secret, 0 };

	for (; *secret; secret++) {
		size_t k = common(text, n, secret);

		if (k >= MASK_PART_MIN && k > most.n)
			most = (struct slice){ secret, k };
	}
	return most;
}

/* A part of a key that is a word of a kernel, with whatever stands around it:
 * "-get_global_id". */
static bool
is_word_within(struct slice part)
{
	while (part.n && !isalnum((unsigned char)part.p[0])) {
		part.p++;
		part.n--;
	}
	while (part.n && !isalnum((unsigned char)part.p[part.n - 1]))
		part.n--;
	return is_word(part.p, part.n);
}

static void
mask_parts(char *text, size_t n, const char *secret, bool but_words)
{
	for (size_t i = 0; i < n; i++) {
		struct slice part = part_at(text + i, n - i, secret);

		if (part.n == 0)
			continue;
		if (!but_words || !is_word_within(part))
			memset(text + i, '*', part.n);
		i += part.n - 1;
	}
}

void
mask_end(char *text, size_t n, const char *secret)
{
	size_t most = strlen(secret);

	for (size_t k = most < n ? most : n; k >= MASK_END_MIN; k--)
		if (common(text + n - k, k, secret) == k) {
			memset(text + n - k, '*', k);
			return;
		}
}

static void
mask_all(char *text, bool but_words)
{
	size_t n = strlen(text);

	/* A longer secret may begin in a part of another. */
	mask_bytes(text, n);
	for (size_t i = 0; i < mask_count; i++) {
		mask_parts(text, n, mask_secrets[i], but_words);
		mask_end(text, n, mask_secrets[i]);
	}
}

void
mask_foreign(char *text)
{
	mask_all(text, false);
}

void
mask_answer(char *text)
{
	mask_all(text, true);
}

void
mask_vformat(char *out, size_t size, const char *fmt, va_list ap)
{
	char *whole;

	if (mask_count == 0) {
		(void)vsnprintf(out, size, fmt, ap);
		return;
	}
	if (vasprintf(&whole, fmt, ap) < 0)
		whole = xstrdup("");
	mask_foreign(whole);
	(void)snprintf(out, size, "%s", whole);
	free(whole);
}

void
mask_format(char *out, size_t size, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	mask_vformat(out, size, fmt, ap);
	va_end(ap);
}

bool
mask_holds(const char *text)
{
	for (size_t i = 0; text && i < mask_count; i++)
		if (strcasestr(text, mask_secrets[i]))
			return true;
	return false;
}

bool
mask_fits(const char *masked, const char *text)
{
	size_t i = 0;

	for (; masked[i] && text[i]; i++)
		if (masked[i] != text[i] && masked[i] != '*')
			return false;
	return masked[i] == text[i];
}

static bool
may_be_a_word(const char *secret)
{
	static const char letters[] =
	    "_abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
	size_t n = strlen(secret);

	return n < MASK_VALUE_MIN ||
	    (n < MASK_WORD_MIN && strspn(secret, letters) == n);
}

static void
mask_string(json_t *v)
{
	size_t n = json_string_length(v);
	char *text = xstrndup(json_string_value(v), n);

	for (size_t i = 0; i < mask_count; i++)
		if (!may_be_a_word(mask_secrets[i]))
			mask_one(text, n, mask_secrets[i]);
	/* A secret that is no whole UTF-8 leaves a text that is none. */
	if (json_string_setn(v, text, n) != 0)
		(void)json_string_set(v, "*");
	free(text);
}

void
mask_json(json_t *v)
{
	const char *key;
	json_t *child;
	size_t i;

	if (json_is_string(v))
		mask_string(v);
	json_array_foreach(v, i, child) {
		mask_json(child);
	}
	json_object_foreach(v, key, child) {
		mask_json(child);
	}
}

char *
mask_url(const char *url)
{
	const char *host = strstr(url, "://"), *at;

	if (!host)
		return xstrdup(url);
	host += 3;
	at = memrchr(host, '@', strcspn(host, "/?#"));
	if (!at)
		return xstrdup(url);
	add_one(host, (size_t)(at - host));
	for (const char *colon = host; colon < at; colon++)
		if (*colon == ':') {
			add_one(colon + 1, (size_t)(at - colon - 1));
			break;
		}
	return xasprintf("%.*s%s", (int)(host - url), url, at + 1);
}
