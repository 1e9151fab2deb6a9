/*
 * Which program this is, more closely than its version says: two of one
 * version may word and draw what they derive from a run in other ways.
 */
#ifndef AGENT_BUILD_ID_H
#define AGENT_BUILD_ID_H

/* Sixteen hexadecimal digits, of a hash of the sources: the same of every
 * program that was made of them, with whatever compiler. */
const char *build_id(void);

#endif
