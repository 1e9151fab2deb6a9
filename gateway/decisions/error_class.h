/*
 * What a provider's error means, whoever the provider is: from its status,
 * its code or type, and what it says.  The status alone does not tell a
 * request that is too long for this model from one that is wrong, nor "slow
 * down" from "you have no money left".
 *
 * Pure.
 */
#ifndef GATEWAY_ERROR_CLASS_H
#define GATEWAY_ERROR_CLASS_H

#include "base/slice.h"

enum error_class {
	ERROR_CLASS_NONE, /* the status says all that is known */
	ERROR_CLASS_CONTEXT,
	ERROR_CLASS_POLICY,
	ERROR_CLASS_QUOTA,
	ERROR_CLASS_OVERLOAD,
	ERROR_CLASS_NCLASSES
};

/* body: as it came, JSON or not. */
enum error_class error_class_of(int status, struct slice body);

#endif
