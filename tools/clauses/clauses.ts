import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { type Clause, compareIds, findIds, listAreas, parseClauses } from './clause-list.ts'
import { type AreaCoverage, findUnknownIds, measureCoverage } from './coverage.ts'
import { findReports, readReports } from './test-report.ts'

const copyPath = 'tools/clauses/clauses.json'
const defaultSpec = '../shared/spec/clauses.md'
const defaultReport = '.reports/vitest.json,.reports/e2e.json'

type Print = (line: string) => void

const readSpec = (root: string, spec: string | undefined): Clause[] | undefined => {
  const path = resolve(root, spec ?? defaultSpec)
  // Only the default may be absent: a checkout on its own has the copy and nothing beside it.
  if (spec === undefined && !existsSync(path)) return undefined
  return parseClauses(readFileSync(path, 'utf8'))
}

const readCopy = (root: string): Clause[] | undefined =>
  existsSync(join(root, copyPath)) ? JSON.parse(readFileSync(join(root, copyPath), 'utf8')) : undefined

const readDecisions = (root: string): string =>
  globSync('docs/decisions/*.md', { cwd: root })
    .map((path) => readFileSync(join(root, path), 'utf8'))
    .join('\n')

const printArea = (print: Print, { area, clauses, gaps }: AreaCoverage): void => {
  print(`${area} covered ${clauses.covered} of ${clauses.total}, gaps ${gaps.covered} of ${gaps.total}`)
  const uncovered = [...clauses.uncovered, ...gaps.uncovered]
  if (uncovered.length > 0) print(`  uncovered: ${uncovered.join(' ')}`)
}

const readOptions = (args: string[]) =>
  parseArgs({
    args,
    allowPositionals: true,
    options: {
      spec: { type: 'string' },
      report: { type: 'string' },
      // Of areas that are named: what is not built yet.
      later: { type: 'string', default: '' },
      'update-copy': { type: 'boolean', default: false },
    },
  })

interface Asked {
  readonly areas: readonly string[]
  readonly later: string
  readonly report: string
}

const judge = (root: string, all: Clause[], { areas, later, report }: Asked, print: Print): number => {
  const put_off = new Set(findIds(later, listAreas(all)))
  const clauses = all.filter(({ id }) => !put_off.has(id))
  const reports = findReports(root, report)
  if (reports.length === 0) print(`no test report at ${report}`)
  const results = readReports(root, reports)
  const coverage = measureCoverage(clauses, results, readDecisions(root))
  const named = coverage.filter(({ area }) => areas.includes(area))
  for (const each of areas.length === 0 ? coverage : named) printArea(print, each)
  if (put_off.size > 0) print(`later: ${[...put_off].join(' ')}`)
  const unknown = findUnknownIds(all, results)
  for (const line of unknown) print(line)
  const isShort = named.some((each) => each.clauses.uncovered.length + each.gaps.uncovered.length > 0)
  return isShort || unknown.length > 0 ? 1 : 0
}

export const run = (args: string[], root: string, print: Print): number => {
  const { values, positionals } = readOptions(args)
  const spec = readSpec(root, values.spec)
  if (values['update-copy']) {
    if (spec === undefined) throw new Error(`no clause list at ${defaultSpec}`)
    writeFileSync(join(root, copyPath), `${JSON.stringify(spec, null, 2)}\n`)
    print(`${copyPath}: ${spec.length} entries`)
    return 0
  }
  const copy = readCopy(root)
  const differences = spec && copy ? compareIds(spec, copy) : []
  if (differences.length > 0) {
    for (const line of [...differences, 'run with --update-copy']) print(line)
    return 1
  }
  const clauses = spec ?? copy
  if (clauses === undefined) throw new Error('neither a clause list nor its copy was found')
  const unknownAreas = positionals.filter((area) => !listAreas(clauses).includes(area))
  if (unknownAreas.length > 0) {
    print(`unknown area ${unknownAreas.join(' ')}; known are ${listAreas(clauses).join(' ')}`)
    return 2
  }
  const { later, report = defaultReport } = values
  return judge(root, clauses, { areas: positionals, later, report }, print)
}

if (import.meta.main) {
  try {
    process.exitCode = run(process.argv.slice(2), resolve(import.meta.dirname, '../..'), console.log)
  } catch (error) {
    console.error(error instanceof Error ? error.message : error)
    process.exitCode = 2
  }
}
