import { readFileSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { judgePatterns } from './judge-patterns.ts'
import { checkPatterns, type Judged } from './pattern-check.ts'
import { scanPatterns } from './pattern-scan.ts'
import { report } from './repo-files.ts'

/**
 * Judging all patterns takes five minutes, so the verdicts are kept in a file that is reviewed and committed. `--judge`
 * adds those of new patterns; without it the file is compared with the sources.
 */
const root = resolve(import.meta.dirname, '../..')
const path = resolve(import.meta.dirname, 'patterns.json')
const { literals, built } = scanPatterns(root)
let judged = JSON.parse(readFileSync(path, 'utf8')) as Judged
if (process.argv.includes('--judge')) {
  judged = await judgePatterns(literals.keys(), judged)
  writeFileSync(path, `${JSON.stringify(judged, null, 2)}\n`)
}
const violations = checkPatterns(literals, judged)
const counts = `${literals.size} literals, ${judged.slow.length} of them bounded by their callers`
process.exitCode = report(
  violations,
  `patterns: ${counts}, ${built} built at run time not judged, ${violations.length} violations`,
)
