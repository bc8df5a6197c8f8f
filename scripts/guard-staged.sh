#!/bin/sh
# The hook of .pre-commit-hooks.yaml: builds Umpire once in this checkout, then judges the staged files of the folder that it is run in.
# `language: node` cannot: pre-commit takes what `npm pack` prints for a file name, and npm prints the names of the scripts that build.
root=$(CDPATH= cd -- "$(dirname -- "$0")/.." && pwd) || exit 1
if [ ! -f "$root/dist/umpire.cjs" ]; then
  (cd "$root" && npm install --no-save --include=dev --no-audit --no-fund && npm run build) >&2 || exit 1
fi
exec node "$root/dist/umpire.cjs" guard --staged
