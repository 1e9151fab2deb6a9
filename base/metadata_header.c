/* X-TFY-METADATA in its two spellings. */
#include "base/metadata_header.h"

#include "base/buf.h"
#include "base/slice.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define META_BYTES_MAX 8192
#define META_PAIRS_MAX 32
#define DEL            0x7f
#define TEXT_MAX       ((size_t)8 * META_BYTES_MAX) /* each byte an escape */

/* A copy of obj with every value as text. */
static enum err
to_strings(json_t *obj, json_t **ret, struct why *why)
{
	json_t *out = json_object();
	const char *key;
	json_t *v;

	json_object_foreach(obj, key, v) {
		char number[32];
		const char *text = number;

		if (json_is_string(v))
			text = json_string_value(v);
		else if (json_is_integer(v))
			(void)snprintf(number, sizeof number,
			    "%" JSON_INTEGER_FORMAT, json_integer_value(v));
		else if (json_is_boolean(v))
			text = json_is_true(v) ? "true" : "false";
		else {
			json_decref(out);
			return why_set(why, ERR_SYNTAX,
			    "metadata: key \"%.64s\": expected a string", key);
		}
		json_object_set_new(out, key, json_string(text));
	}
	*ret = out;
	return ERR_OK;
}

static enum err
parse_object(const char *text, size_t len, json_t **ret, struct why *why)
{
	json_error_t je;
	json_t *obj;
	enum err e;

	obj = json_loadb(text, len, JSON_REJECT_DUPLICATES, &je);
	if (!json_is_object(obj)) {
		json_decref(obj);
		return why_set(why, ERR_SYNTAX,
		    "metadata: expected a JSON object of strings");
	}
	e = to_strings(obj, ret, why);
	json_decref(obj);
	return e;
}

static enum err
add_pair(json_t *obj, struct slice pair, struct why *why)
{
	const char *eq = pair.n ? memchr(pair.p, '=', pair.n) : NULL;
	struct slice key, value;
	json_t *v;

	if (!eq || eq == pair.p)
		return why_set(why, ERR_SYNTAX,
		    "metadata: found \"%.*s\", expected key=value",
		    pair.n > 64 ? 64 : (int)pair.n, pair.p);
	key = slice_trim((struct slice){ pair.p, (size_t)(eq - pair.p) });
	value = slice_trim(
	    (struct slice){ eq + 1, pair.n - (size_t)(eq - pair.p) - 1 });
	v = json_stringn(value.p, value.n);
	if (!v || json_object_setn_new(obj, key.p, key.n, v) < 0)
		return why_set(why, ERR_SYNTAX, "metadata: expected UTF-8");
	return ERR_OK;
}

static enum err
parse_pairs(struct slice s, json_t **ret, struct why *why)
{
	json_t *obj = json_object();
	enum err e = ERR_OK;

	while (s.n > 0 && e == ERR_OK) {
		const char *semi = memchr(s.p, ';', s.n);
		size_t n = semi ? (size_t)(semi - s.p) : s.n;
		struct slice pair = slice_trim((struct slice){ s.p, n });

		if (pair.n > 0)
			e = add_pair(obj, pair, why);
		n += semi ? 1 : 0;
		s.p += n;
		s.n -= n;
	}
	if (e != ERR_OK) {
		json_decref(obj);
		return e;
	}
	*ret = obj;
	return ERR_OK;
}

enum err
metadata_header_parse(const char *text, size_t len, json_t **ret,
    struct why *why)
{
	struct slice s = slice_trim((struct slice){ text, len });
	json_t *meta = NULL;
	enum err e;

	if (len > META_BYTES_MAX)
		return why_set(why, ERR_TOOBIG, "metadata: over %d bytes",
		    META_BYTES_MAX);
	e = s.n > 0 && s.p[0] == '{' ? parse_object(s.p, s.n, &meta, why)
	                             : parse_pairs(s, &meta, why);
	if (e != ERR_OK)
		return e;
	if (json_object_size(meta) > META_PAIRS_MAX) {
		json_decref(meta);
		return why_set(why, ERR_TOOBIG, "metadata: over %d pairs",
		    META_PAIRS_MAX);
	}
	*ret = meta;
	return ERR_OK;
}

char *
metadata_header_text(json_t *meta)
{
	char *text = json_dumps(meta, JSON_COMPACT | JSON_ENSURE_ASCII);
	struct buf out;

	if (!strchr(text, DEL))
		return text;
	buf_init(&out, TEXT_MAX);
	for (const char *p = text; *p; p++)
		(void)(*p == DEL ? buf_adds(&out, "\\u007f")
		                 : buf_addc(&out, *p));
	free(text);
	return buf_take(&out);
}

const char *
metadata_header_get(json_t *meta, const char *key)
{
	return json_string_value(json_object_get(meta, key));
}
