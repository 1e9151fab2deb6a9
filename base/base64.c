/* Six bits a digit, a byte whenever eight are there. */
#include "base/base64.h"

#include <stdint.h>
#include <string.h>

bool
base64_decode(const char *in, size_t n, char *out, size_t *ret)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmn"
	                             "opqrstuvwxyz0123456789+/";
	uint32_t bits = 0;
	size_t len = 0;

	while (n > 0 && in[n - 1] == '=')
		n--;
	for (size_t i = 0; i < n; i++) {
		const char *at = memchr(digits, in[i], sizeof digits - 1);

		if (!at)
			return false;
		bits = bits << 6 | (uint32_t)(at - digits);
		if (i % 4 > 0)
			out[len++] = (char)(bits >> (6 - 2 * (i % 4)) & 0xff);
	}
	out[len] = '\0';
	*ret = len;
	return n % 4 != 1;
}
