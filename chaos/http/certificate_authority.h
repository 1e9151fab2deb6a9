/*
 * A certificate authority of this machine's own: a folder with ca.pem and
 * ca-key.pem, made on demand, whose leaves a proxy shows to clients that were
 * told to trust it.
 */
#ifndef CHAOS_CERTIFICATE_AUTHORITY_H
#define CHAOS_CERTIFICATE_AUTHORITY_H

#include "base/err.h"
#include <stdbool.h>

struct authority;
struct tls_context; /* base/tls.h */

#define AUTHORITY_CERT "ca.pem"
#define AUTHORITY_KEY  "ca-key.pem"

/* $XDG_DATA_HOME/kf-chaos, or ~/.local/share/kf-chaos; the caller's.  NULL:
 * there is no home. */
char *authority_default_dir(void);

/* Makes what is missing of the folder and its two files, which nobody but the
 * owner may read; *made: there was none. */
enum err authority_make(const char *dir, bool *made, struct why *why);

/* ERR_NOTFOUND: it was not made; ERR_DENIED: others may read its key. */
enum err authority_open(const char *dir, struct authority **ret,
    struct why *why);
void authority_free(struct authority *a); /* NULL-safe */

/* A server that has a certificate for any name.  Borrowed. */
struct tls_context *authority_server(struct authority *a);

#endif
