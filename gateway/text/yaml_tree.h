/*
 * A configuration file as one generic tree in which every node knows its
 * line and its path, so that whoever reads it can say exactly what is wrong
 * where.  YAML by libyaml's events; JSON is a part of YAML, so one loader
 * reads both.
 *
 * Anchors, aliases and tags are refused, as are a key that stands twice,
 * nesting beyond a cap and files beyond a cap: a configuration needs none of
 * them and hostile ones live on them.
 */
#ifndef GATEWAY_YAML_TREE_H
#define GATEWAY_YAML_TREE_H

#include "base/buf.h"
#include "base/err.h"
#include <stdbool.h>

#define YNODE_DEPTH_MAX 64
#define YNODE_NODES_MAX 100000
#define YNODE_FILE_MAX  (4U << 20)
#define YNODE_PATH_MAX  256

enum ynode_kind { YNODE_SCALAR, YNODE_MAP, YNODE_SEQ };

struct ynode {
	enum ynode_kind kind;
	bool plain;          /* a scalar without quotes: may be a number */
	unsigned line;       /* from 1 */
	char *key;           /* the name in the map above; owned by the tree */
	char *text;          /* of a scalar; owned by the tree */
	unsigned index;      /* place among its siblings */
	unsigned n;          /* children */
	struct ynode *up;    /* NULL at the root of a document */
	struct ynode *first; /* children, in the order of the file */
	struct ynode *next;
	struct ynode *last, *all; /* private: last child, chain of all */
};

struct ytree; /* owns its nodes */

/* name stands for the file in messages. */
enum err ytree_parse(const char *name, const char *text, size_t n,
    struct ytree **ret, struct why *why);
void ytree_free(struct ytree *t); /* NULL-safe */

/* The documents of the file, linked by next; NULL for an empty file. */
const struct ynode *ytree_documents(const struct ytree *t);

const struct ynode *ynode_get(const struct ynode *map, const char *key);
bool ynode_is_null(const struct ynode *n); /* ~, null or nothing */
/* "rules[0].load_balance_targets[1].weight"; "top level" for the root. */
void ynode_path(const struct ynode *n, char out[YNODE_PATH_MAX]);
/* The subtree as compact JSON; plain scalars become numbers and words. */
enum err ynode_json(const struct ynode *root, struct buf *out);

#endif
