/*
 * The shared object that a compiler made of a kernel, read before it is
 * loaded.
 *
 * Loading is already running: initialisers, resolvers of indirect functions
 * and relocations that write where they like are the loader's to carry out.
 * A kernel needs none of these, so an object is a list of what it does need,
 * and one with anything else is not loaded.  Pure.
 */
#ifndef LAB_OBJECT_GATE_H
#define LAB_OBJECT_GATE_H

#include "base/err.h"
#include <stddef.h>

/* ERR_DENIED: *why says what it has; ERR_SYNTAX: it is no such object. */
enum err object_check(const void *bytes, size_t n, struct why *why);

#endif
