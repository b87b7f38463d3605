#!/bin/sh
# Takes out of installed packages what no program loads: their own tests, types, source maps and notes.
# Licences and notices stay.
set -eu
folder=$1
find "$folder" -depth -type d \( -name test -o -name tests -o -name __tests__ -o -name bench -o -name benchmark \
  -o -name benchmarks -o -name fixtures -o -name .github \) \
  -exec rm -rf {} +
find "$folder" -type f \( -name '*.d.ts' -o -name '*.d.mts' -o -name '*.d.cts' -o -name '*.map' -o -name '*.tsbuildinfo' \
  -o -name '*.test.*' -o -name '*.spec.js' -o -iname 'readme*' -o -iname 'changelog*' -o -iname 'history.md' \) -delete
# Sources in TypeScript lie beside what was made of them, and Node runs none in this folder.
find "$folder" -type f \( -name '*.ts' -o -name '*.mts' -o -name '*.cts' -o -name '*.tsx' \) -delete
find "$folder" -type d -empty -delete
