/*
 * body{truncate|patch|gzip_broken|content_type|html}: an answer whose body is
 * not what its head, or common sense, says.  Exactly one of
 *
 *	truncate      so many bytes, then `how`: clean (and framed as whole),
 *	              fin or rst (with the length that was promised)
 *	patch         JSON pointers to new values; every other byte stays; of a
 *	              stream each event that has the member
 *	gzip_broken   content-encoding gzip, and crc: a wrong checksum, cut: no
 *	              end, plain: not gzip at all
 *	content_type  another content type over the same bytes
 *	html          a page, under status 200, as a captive portal sends it
 *
 * A kind is a row of the table below: is it asked for, and its stage.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "chaos/faults/bodystages.h"
#include "chaos/faults/editstage.h"
#include "chaos/faults/headertext.h"
#include "chaos/http/exchange.h"
#include "chaos/rules/fault.h"
#include "chaos/text/jspan.h"

#define BYTES_MAX 1e9
#define PATCH_MAX 16

static const char *const how_names[] = {
	[ITEM_END_CLEAN] = "clean",
	[ITEM_END_FIN] = "fin",
	[ITEM_END_RST] = "rst",
	NULL,
};

static const char *const gzip_names[] = {
	[GZIP_CRC] = "crc",
	[GZIP_CUT] = "cut",
	[GZIP_PLAIN] = "plain",
	NULL,
};

struct conf {
	int64_t truncate; /* -1: not asked, as gzip and how */
	int how, gzip;
	json_t *patch;
	const char *content_type;
	bool html;
};

/* clang-format off */
static const struct jfield fields[] = {		/* sorted by key */
	{ "content_type", JF_STRING, 0, 1, 200,       offsetof(struct conf, content_type), NULL },
	{ "gzip_broken",  JF_ENUM,   0, 0, 0,         offsetof(struct conf, gzip),         gzip_names },
	{ "how",          JF_ENUM,   0, 0, 0,         offsetof(struct conf, how),          how_names },
	{ "html",         JF_BOOL,   0, 0, 0,         offsetof(struct conf, html),         NULL },
	{ "patch",        JF_OBJECT, 0, 0, 0,         offsetof(struct conf, patch),        NULL },
	{ "truncate",     JF_INT,    0, 0, BYTES_MAX, offsetof(struct conf, truncate),     NULL },
};
/* clang-format on */

static void
defaults(void *conf)
{
	*(struct conf *)conf =
	    (struct conf){ .truncate = -1, .gzip = -1, .how = -1 };
}

static enum err
check(const void *conf, const char *pointer, struct why *why)
{
	const struct conf *c = conf;
	int asked = (c->truncate >= 0) + (c->gzip >= 0) + (c->patch != NULL) +
	    (c->content_type != NULL) + c->html;
	const char *name;
	json_t *v;

	if (asked != 1)
		return why_set(why, ERR_SYNTAX,
		    "%s: expected exactly one of truncate, patch, gzip_broken, "
		    "content_type and html",
		    pointer);
	if (c->how >= 0 && c->truncate < 0)
		return why_set(why, ERR_SYNTAX,
		    "%s/how: found %s, expected it beside truncate alone",
		    pointer, how_names[c->how]);
	if (c->patch &&
	    (json_object_size(c->patch) == 0 ||
	        json_object_size(c->patch) > PATCH_MAX))
		return why_set(why, ERR_RANGE,
		    "%s/patch: expected 1 to %d JSON pointers", pointer,
		    PATCH_MAX);
	json_object_foreach(c->patch, name, v)
		if (!jspan_is_pointer(name))
			return why_set(why, ERR_SYNTAX,
			    "%s/patch: found \"%.60s\", expected a JSON "
			    "pointer",
			    pointer, name);
	return headertext_check("content-type", c->content_type, pointer,
	    "content_type", why);
}

/* ---- patch */

static enum edit_result
patch(struct edit *e, struct slice json, struct buf *out)
{
	const struct conf *c = shot_conf(e->shot);
	struct splices s = { .n = 0 };
	const char *pointer;
	json_t *v;

	json_object_foreach(c->patch, pointer, v) {
		char *text = json_dumps(v, JSON_COMPACT | JSON_ENCODE_ANY);

		edit_set(&s, json, pointer, slice_of(text));
		free(text);
	}
	if (!e->detail && s.n)
		e->detail = json_pack("{sO}", "patch", c->patch);
	return edit_apply(&s, json, out);
}

static const struct editor patcher = {
	.edit_bytes = sizeof(struct edit),
	.missing = "no such member in the answer that would be another",
	.on_whole = patch,
	.on_event = patch,
};

static struct stage *
new_patch(struct shot *s, struct exchange *x)
{
	return editstage_new(s, x, &patcher);
}

/* ---- the others */

static struct stage *
new_truncate(struct shot *s, struct exchange *x)
{
	const struct conf *c = shot_conf(s);

	return truncate_stage_new(s, x, (uint64_t)c->truncate,
	    c->how < 0 ? ITEM_END_FIN : (enum item_end)c->how);
}

static struct stage *
new_gzip(struct shot *s, struct exchange *x)
{
	const struct conf *c = shot_conf(s);

	return gzip_stage_new(s, x, (enum gzip_kind)c->gzip);
}

static struct stage *
new_content_type(struct shot *s, struct exchange *x)
{
	const struct conf *c = shot_conf(s);
	struct answer_head *a = exchange_answer(x);
	const char *was = answer_head_get(a, "content-type");

	if (was && strcmp(was, c->content_type) == 0)
		shot_bypass(s, "it has that content type already");
	else if (shot_fire(s,
	             json_pack("{ss ss}", "content_type", c->content_type,
	                 "was", was ? was : ""))) {
		answer_head_remove(a, "content-type");
		answer_head_add(a, "content-type", c->content_type);
	}
	return NULL;
}

static struct stage *
on_answer(struct shot *s, struct exchange *x)
{
	const struct conf *c = shot_conf(s);
	const struct {
		bool is_asked;
		struct stage *(*make)(struct shot *s, struct exchange *x);
	} kinds[] = {
		{ c->truncate >= 0, new_truncate },
		{ c->patch != NULL, new_patch },
		{ c->gzip >= 0, new_gzip },
		{ c->content_type != NULL, new_content_type },
		{ c->html, html_stage_new },
	};
	size_t i = 0;

	/* check() has seen to it that one is. */
	while (!kinds[i].is_asked)
		i++;
	return kinds[i].make(s, x);
}

const struct fault_type fault_body = {
	.name = "body",
	.about = "a body that is not what its head says",
	.is_piped = true,
	FAULT_CONF,
	.defaults = defaults,
	.check = check,
	.schema = "{\"oneOf\":[{\"required\":[\"truncate\"]},{\"required\":["
	          "\"patch\"]},{\"required\":[\"gzip_broken\"]},{\"required\":["
	          "\"content_type\"]},"
	          "{\"required\":[\"html\"],\"properties\":{\"html\":{"
	          "\"const\":true}}}],\"dependencies\":{\"how\":["
	          "\"truncate\"]},"
	          "\"properties\":{\"patch\":{\"minProperties\":1,"
	          "\"maxProperties\":16,"
	          "\"propertyNames\":{\"pattern\":\"^/([^~]|~[01])*$\"}}}}",
	.on_answer = on_answer,
};
