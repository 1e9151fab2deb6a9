#!/bin/sh
# The demonstration, in one command: see demo/README.md.
exec sh "$(dirname "$0")/demo/demo.sh" "$@"
