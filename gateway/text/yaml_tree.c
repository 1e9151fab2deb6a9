/*
 * libyaml's event stream becomes a tree by a cursor: `at` is the open
 * container, a scalar in a map waits in `key` until its value comes.  No
 * recursion anywhere: walking goes by the up and next links.
 */
#include "gateway/text/yaml_tree.h"

#include "base/jscan.h"
#include "base/mem.h"
#include "gateway/text/jput.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

struct ytree {
	char *name;
	struct ynode *documents, *last_document;
	struct ynode *all; /* every node, for freeing */
	unsigned nodes;
};

struct cursor {
	struct ytree *tree;
	struct ynode *at; /* the open container, NULL between documents */
	unsigned depth;
	char *key; /* owned until its value comes */
	unsigned line;
	struct why *why;
};

static enum err take_events(struct cursor *c, yaml_parser_t *parser);

enum err
ytree_parse(const char *name, const char *text, size_t n, struct ytree **ret,
    struct why *why)
{
	struct cursor c = { .why = why };
	yaml_parser_t parser;
	enum err e;

	if (n > YNODE_FILE_MAX)
		return why_set(why, ERR_TOOBIG, "%s: more than %u bytes", name,
		    YNODE_FILE_MAX);
	if (!yaml_parser_initialize(&parser))
		return why_set(why, ERR_ENV, "%s: no YAML parser", name);
	yaml_parser_set_encoding(&parser, YAML_UTF8_ENCODING);
	yaml_parser_set_input_string(&parser, (const unsigned char *)text, n);
	c.tree = xcalloc(1, sizeof *c.tree);
	c.tree->name = xstrdup(name);
	e = take_events(&c, &parser);
	yaml_parser_delete(&parser);
	free(c.key);
	if (e != ERR_OK) {
		ytree_free(c.tree);
		return e;
	}
	*ret = c.tree;
	return ERR_OK;
}

void
ytree_free(struct ytree *t)
{
	struct ynode *n, *next;

	if (!t)
		return;
	for (n = t->all; n; n = next) {
		next = n->all;
		free(n->key);
		free(n->text);
		free(n);
	}
	free(t->name);
	free(t);
}

const struct ynode *
ytree_documents(const struct ytree *t)
{
	return t->documents;
}

/* ---- building */

static enum err
refuse(struct cursor *c, enum err e, const char *what)
{
	return why_set(c->why, e, "%s:%u: %s", c->tree->name, c->line, what);
}

/* Hangs n under parent (or makes it a document) as the last child. */
static void
link_node(struct ytree *t, struct ynode *parent, struct ynode *n)
{
	struct ynode **last = parent ? &parent->last : &t->last_document;
	struct ynode **first = parent ? &parent->first : &t->documents;

	if (*last)
		(*last)->next = n;
	else
		*first = n;
	*last = n;
	n->up = parent;
	if (parent)
		n->index = parent->n++;
	n->all = t->all;
	t->all = n;
	t->nodes++;
}

static struct ynode *
add_node(struct cursor *c, enum ynode_kind kind)
{
	struct ynode *n = xcalloc(1, sizeof *n);

	n->kind = kind;
	n->line = c->line;
	n->key = c->key;
	c->key = NULL;
	link_node(c->tree, c->at, n);
	return n;
}

static enum err
open_node(struct cursor *c, enum ynode_kind kind)
{
	if (c->at && c->at->kind == YNODE_MAP && !c->key)
		return refuse(c, ERR_SYNTAX, "a key must be a plain word");
	if (++c->depth > YNODE_DEPTH_MAX)
		return refuse(c, ERR_TOOBIG, "nested too deep");
	c->at = add_node(c, kind);
	return ERR_OK;
}

static void
close_node(struct cursor *c)
{
	if (!c->at)
		return;
	c->at = c->at->up;
	c->depth--;
}

static enum err
take_scalar(struct cursor *c, const yaml_event_t *ev)
{
	const char *text = (const char *)ev->data.scalar.value;
	struct ynode *n;

	/* Who reads it as a C string would see less than stands there. */
	if (strlen(text) != ev->data.scalar.length)
		return refuse(c, ERR_SYNTAX, "a NUL byte in a text");
	if (c->at && c->at->kind == YNODE_MAP && !c->key) {
		if (ynode_get(c->at, text))
			return why_set(c->why, ERR_SYNTAX,
			    "%s:%u: %s: the key stands twice", c->tree->name,
			    c->line, text);
		c->key = xstrdup(text);
		return ERR_OK;
	}
	n = add_node(c, YNODE_SCALAR);
	n->text = xstrdup(text);
	n->plain = ev->data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
	return ERR_OK;
}

static bool
has_anchor_or_tag(const yaml_event_t *ev)
{
	switch ((int)ev->type) {
	case YAML_SCALAR_EVENT:
		return ev->data.scalar.anchor || ev->data.scalar.tag;
	case YAML_SEQUENCE_START_EVENT:
		return ev->data.sequence_start.anchor ||
		    ev->data.sequence_start.tag;
	case YAML_MAPPING_START_EVENT:
		return ev->data.mapping_start.anchor ||
		    ev->data.mapping_start.tag;
	default:
		return ev->type == YAML_ALIAS_EVENT;
	}
}

static enum err
take_event(struct cursor *c, const yaml_event_t *ev)
{
	c->line = (unsigned)ev->start_mark.line + 1;
	if (c->tree->nodes >= YNODE_NODES_MAX)
		return refuse(c, ERR_TOOBIG, "too many nodes");
	if (has_anchor_or_tag(ev))
		return refuse(c, ERR_SYNTAX,
		    "anchors, aliases and tags are not taken");
	switch ((int)ev->type) {
	case YAML_SCALAR_EVENT:
		return take_scalar(c, ev);
	case YAML_SEQUENCE_START_EVENT:
		return open_node(c, YNODE_SEQ);
	case YAML_MAPPING_START_EVENT:
		return open_node(c, YNODE_MAP);
	case YAML_SEQUENCE_END_EVENT:
	case YAML_MAPPING_END_EVENT:
		close_node(c);
		return ERR_OK;
	default:
		return ERR_OK;
	}
}

static enum err
take_events(struct cursor *c, yaml_parser_t *parser)
{
	yaml_event_t ev;
	enum err e = ERR_OK;
	bool more = true;

	while (more && e == ERR_OK) {
		if (!yaml_parser_parse(parser, &ev))
			return why_set(c->why, ERR_SYNTAX, "%s:%zu: %s%s%s",
			    c->tree->name, parser->problem_mark.line + 1,
			    parser->problem ? parser->problem : "not YAML",
			    parser->context ? ", " : "",
			    parser->context ? parser->context : "");
		more = ev.type != YAML_STREAM_END_EVENT;
		e = take_event(c, &ev);
		yaml_event_delete(&ev);
	}
	return e;
}

/* ---- reading */

const struct ynode *
ynode_get(const struct ynode *map, const char *key)
{
	if (!map || map->kind != YNODE_MAP)
		return NULL;
	for (const struct ynode *n = map->first; n; n = n->next)
		if (strcmp(n->key, key) == 0)
			return n;
	return NULL;
}

bool
ynode_is_null(const struct ynode *n)
{
	return n->kind == YNODE_SCALAR && n->plain &&
	    (n->text[0] == '\0' || strcmp(n->text, "~") == 0 ||
	        strcmp(n->text, "null") == 0);
}

void
ynode_path(const struct ynode *n, char out[YNODE_PATH_MAX])
{
	const struct ynode *chain[YNODE_DEPTH_MAX + 1];
	struct buf path;
	size_t depth = 0;
	enum err e = ERR_OK;

	for (; n->up && depth <= YNODE_DEPTH_MAX; n = n->up)
		chain[depth++] = n;
	buf_init(&path, YNODE_PATH_MAX - 1);
	while (depth > 0 && e == ERR_OK) {
		n = chain[--depth];
		e = n->key
		    ? buf_addf(&path, "%s%s", path.len ? "." : "", n->key)
		    : buf_addf(&path, "[%u]", n->index);
	}
	snprintf(out, YNODE_PATH_MAX, "%s", path.len ? path.data : "top level");
	buf_done(&path);
}

static enum err
put_scalar(const struct ynode *n, struct buf *out)
{
	struct jscan s;
	enum jscan_token t;

	if (n->plain && ynode_is_null(n))
		return buf_adds(out, "null");
	jscan_init(&s, slice_of(n->text));
	/* What YAML calls a number and JSON does not (0x10, .5) stays a
	 * text. */
	t = n->plain ? jscan_next(&s) : JSCAN_STRING;
	if ((t == JSCAN_NUMBER || t == JSCAN_TRUE || t == JSCAN_FALSE) &&
	    jscan_next(&s) == JSCAN_END)
		return buf_adds(out, n->text);
	return jput_string(out, slice_of(n->text));
}

static enum err
put_opening(const struct ynode *n, struct buf *out)
{
	enum err e = ERR_OK;

	if (n->index > 0)
		e = buf_addc(out, ',');
	if (n->key && e == ERR_OK)
		e = jput_string(out, slice_of(n->key));
	if (n->key && e == ERR_OK)
		e = buf_addc(out, ':');
	return e;
}

static enum err
put_node(const struct ynode *n, struct buf *out)
{
	if (n->kind == YNODE_SCALAR)
		return put_scalar(n, out);
	return buf_addc(out, n->kind == YNODE_MAP ? '{' : '[');
}

static enum err
put_closing(const struct ynode *n, struct buf *out)
{
	return buf_addc(out, n->kind == YNODE_MAP ? '}' : ']');
}

/* The node after n in the order of the file, closing what ends on the way;
 * NULL when root itself has ended. */
static const struct ynode *
step_json(const struct ynode *n, const struct ynode *root, struct buf *out,
    enum err *e)
{
	if (n->first)
		return n->first;
	if (n->kind != YNODE_SCALAR)
		*e = put_closing(n, out);
	while (n != root && !n->next && *e == ERR_OK) {
		n = n->up;
		*e = put_closing(n, out);
	}
	return n == root || *e != ERR_OK ? NULL : n->next;
}

enum err
ynode_json(const struct ynode *root, struct buf *out)
{
	const struct ynode *n = root;
	enum err e = put_node(n, out);

	while (e == ERR_OK && (n = step_json(n, root, out, &e)))
		if ((e = put_opening(n, out)) == ERR_OK)
			e = put_node(n, out);
	return e;
}
