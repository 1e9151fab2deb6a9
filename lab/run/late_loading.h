/*
 * Loading what PoCL compiled, later than PoCL would.
 *
 * PoCL loads a kernel's shared object as soon as it has linked it, while the
 * linker may still be executed; and loading is already running code, if an
 * object says so.  So PoCL's own calls of dlopen() and dlsym() are led here:
 * while held back, an object is only noted and a function of ours stands in
 * for each of its own.  Once the strict sandbox is closed, each object is
 * read (object.h), then loaded, and the stand-ins lead into it.
 *
 * State of a process, inherited by what it forks.
 */
#ifndef LAB_LATE_LOADING_H
#define LAB_LATE_LOADING_H

#include "base/err.h"
#include <stdbool.h>

/* Leads PoCL's calls here, once it is loaded; they still do what they did.
 * false: there is no PoCL in this process, or it is built otherwise. */
bool late_loading_install(void);

/* From here on, objects of the working folder are held back. */
void late_loading_hold(void);

/*
 * Reads and loads what was held back, and whatever PoCL loads from then on.
 * ERR_DENIED: an object has what a kernel does not need, see object.h;
 * ERR_IO: it cannot be loaded.  Nothing of an object that is refused, or of
 * those after it, has been loaded then.
 */
enum err late_loading_now(struct why *why);

#endif
