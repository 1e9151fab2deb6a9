/* The Makefile knows the sources.  A file of its own, so that a change of any of
 * them compiles nothing else anew. */
#include "agent/telling/build_id.h"

#ifndef BUILD_ID
#define BUILD_ID "unknown"
#endif

const char *
build_id(void)
{
	return BUILD_ID;
}
