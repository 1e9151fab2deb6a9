/*
 * The compiler's header of OpenCL's built-in functions, cut down to what one
 * program names.
 *
 * PoCL reads opencl-c.h, 895 KB and 14,000 declarations, at each build, and
 * that is three quarters of what its front end does.  Every overload of every
 * name that occurs in the program stays, with all that is no function, so
 * that the program means the same; what it cannot mention is left out.  The
 * header's own guard, given as an option, makes PoCL skip the original.
 */
#ifndef LAB_OPENCL_HEADER_H
#define LAB_OPENCL_HEADER_H

#include "base/err.h"

#define HEADER_SKIP_OPTION "-D_OPENCL_H_"

struct header;

/* The header of the PoCL that is loaded in this process.  ERR_NOTFOUND: there
 * is none, or it is not where PoCL installs it.  ERR_SYNTAX: see below. */
enum err header_of_pocl(struct header **ret, struct why *why);

/* text is copied.  ERR_SYNTAX: it does not look like an opencl-c.h. */
enum err header_parse(const char *text, struct header **ret, struct why *why);
void header_free(struct header *h); /* NULL-safe */

/* What stands before program; owned. */
char *header_for(const struct header *h, const char *program);

#endif
