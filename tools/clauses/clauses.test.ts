import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { findIds, leadingIds, parseClauses } from './clause-list.ts'
import { run } from './clauses.ts'

const spec = `# Clauses

## SYS — System

- **SYS-01** Health answers. — trap: a trap
- **SYS-02** Info answers, see AUTH-01.
- **SYS-G1** (gap) What when down? Recommend a word.

## AUTH — Authentication

- **AUTH-01** A token is sent.

## Counts

- **C1** A contradiction (SYS-01).
`

type Titles = Record<string, 'passed' | 'failed' | 'skipped'>
const reportOf = (titles: Titles) => {
  const assertionResults = Object.entries(titles).map(([fullName, status]) => ({
    title: fullName.replace(/^.* > /, ''),
    fullName,
    status,
  }))
  return JSON.stringify({ testResults: [{ name: 'a.test.ts', assertionResults }] })
}

const plant = (files: Record<string, string>) => {
  const folder = mkdtempSync(join(tmpdir(), 'clauses-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const root = join(folder, 'project')
  for (const [path, text] of Object.entries({ 'tools/clauses/keep': '', ...files })) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), text)
  }
  return root
}

const runIn = (root: string, ...args: string[]) => {
  const lines: string[] = []
  return { code: run(args, root, (line) => lines.push(line)), lines }
}

const beside = '../shared/spec/clauses.md'
const allPassed: Titles = { 'health > SYS-01, SYS-02 answer': 'passed', 'SYS-G1 tells a word': 'passed' }
const judge = (titles: Titles, ...areas: string[]) =>
  runIn(plant({ [beside]: spec, '.reports/vitest.json': reportOf(titles) }), ...areas)

test('the list is read with area, gap and text, and without the sections that are no area', () => {
  expect(parseClauses(spec)).toEqual([
    { id: 'SYS-01', area: 'SYS', gap: false, text: 'Health answers. — trap: a trap' },
    { id: 'SYS-02', area: 'SYS', gap: false, text: 'Info answers, see AUTH-01.' },
    { id: 'SYS-G1', area: 'SYS', gap: true, text: 'What when down? Recommend a word.' },
    { id: 'AUTH-01', area: 'AUTH', gap: false, text: 'A token is sent.' },
  ])
  expect(() => parseClauses(`${spec}\n## SYS — Again\n- **SYS-01** x`)).toThrow('SYS-01 is listed twice')
  expect(() => parseClauses('# nothing')).toThrow('no clause found')
})

test('ids are found only whole', () => {
  expect(findIds('SYS-01, SYS-G1 and XSYS-02 SYS-03x UTF-8', ['SYS'])).toEqual(['SYS-01', 'SYS-G1'])
  expect(findIds('SYS-08 to SYS-11, SYS-G1 to SYS-G2: to SYS-03', ['SYS'])).toEqual([
    ...['SYS-08', 'SYS-09', 'SYS-10', 'SYS-11'],
    ...['SYS-G1', 'SYS-G2', 'SYS-03'],
  ])
  expect(findIds('SYS-05 to AUTH-07, SYS-09 to SYS-08', ['SYS', 'AUTH'])).toEqual([
    ...['SYS-05', 'AUTH-07'],
    'SYS-09',
  ])
  expect(leadingIds('SYSS-01 AUTH-G2: a SHA-256 sum, LES-03')).toEqual(['SYSS-01', 'AUTH-G2'])
  expect(leadingIds('UTF-8 names')).toEqual([])
})

describe('coverage', () => {
  test('is whole when each clause has a passed test, in a group title or its own', () => {
    const { code, lines } = judge(allPassed, 'SYS')
    expect(lines).toEqual(['SYS covered 2 of 2, gaps 1 of 1'])
    expect(code).toBe(0)
  })

  test.each(['failed', 'skipped'] as const)('is short when the only test of a clause is %s', (status) => {
    const { code, lines } = judge(
      { ...allPassed, 'SYS-01, SYS-02 answer': status, 'health > SYS-01, SYS-02 answer': status },
      'SYS',
    )
    expect(lines).toEqual(['SYS covered 0 of 2, gaps 1 of 1', '  uncovered: SYS-01 SYS-02'])
    expect(code).toBe(1)
  })

  test('is short when one of several tests of a clause failed', () => {
    const { code, lines } = judge({ ...allPassed, 'SYS-02 again': 'failed' }, 'SYS')
    expect(lines[1]).toBe('  uncovered: SYS-02')
    expect(code).toBe(1)
  })

  test('of an area that was not named does not decide', () => {
    expect(judge({}).code).toBe(0)
    expect(judge(allPassed, 'SYS').code).toBe(0)
    expect(judge(allPassed, 'SYS', 'AUTH').code).toBe(1)
  })

  test('is not asked of what comes later, and all else still is', () => {
    const titles: Titles = { 'SYS-01 a': 'passed' }
    const { code, lines } = judge(titles, 'SYS', '--later', 'SYS-02 to SYS-03, SYS-G1')
    expect(lines).toEqual(['SYS covered 1 of 1, gaps 0 of 0', 'later: SYS-02 SYS-03 SYS-G1'])
    expect(code).toBe(0)
    expect(judge({}, 'SYS', '--later', 'SYS-02, SYS-G1').code).toBe(1)
  })

  test('of a gap may come from a decision record, of a clause not', () => {
    const files = { [beside]: spec, 'docs/decisions/0001-a.md': 'SYS-G1 and SYS-02 are settled.' }
    const root = plant({ ...files, '.reports/vitest.json': reportOf({ 'SYS-01 a': 'passed' }) })
    const { code, lines } = runIn(root, 'SYS')
    expect(lines).toEqual(['SYS covered 1 of 2, gaps 1 of 1', '  uncovered: SYS-02'])
    expect(code).toBe(1)
  })

  test('is merged from several reports, and other JSON among them is passed over', () => {
    const root = plant({
      [beside]: spec,
      '.reports/a.json': reportOf({ 'SYS-01 a': 'passed', 'SYS-G1 a': 'passed' }),
      '.reports/b.json': reportOf({ 'SYS-02 a': 'passed' }),
      '.reports/load.json': '{"requests":1}',
    })
    expect(runIn(root, 'SYS', '--report', '.reports/*.json').code).toBe(0)
    expect(runIn(root, 'SYS', '--report', '.reports/a.json,.reports/b.json').code).toBe(0)
    expect(runIn(root, 'SYS', '--report', '.reports/a.json').code).toBe(1)
  })

  test('is nothing without a report', () => {
    const { code, lines } = runIn(plant({ [beside]: spec }), 'SYS')
    expect(lines.slice(0, 2)).toEqual([
      'no test report at .reports/vitest.json,.reports/e2e.json',
      'SYS covered 0 of 2, gaps 0 of 1',
    ])
    expect(code).toBe(1)
  })
})

test.each(['SYS-99 answers', 'health > SYSS-01 answers', 'a title with AUTH-1 inside'])(
  // By number: the title of this test is itself read for ids when the whole report is judged.
  'a title with an id that is no clause fails, example %#',
  (title) => {
    const { code, lines } = judge({ ...allPassed, [title]: 'passed' }, 'SYS')
    expect(lines.at(-1)).toContain(`is no clause, in the title "${title}"`)
    expect(code).toBe(1)
  },
)

test('an unknown area exits with 2', () => {
  const { code, lines } = judge(allPassed, 'SYS', 'NOPE')
  expect(lines).toEqual(['unknown area NOPE; known are SYS AUTH'])
  expect(code).toBe(2)
})

describe('the copy', () => {
  const copyPath = 'tools/clauses/clauses.json'

  test('is written on demand and serves where the list is away', () => {
    const root = plant({ [beside]: spec, '.reports/vitest.json': reportOf(allPassed) })
    expect(runIn(root, '--update-copy').code).toBe(0)
    expect(JSON.parse(readFileSync(join(root, copyPath), 'utf8'))).toEqual(parseClauses(spec))
    rmSync(join(root, beside))
    expect(runIn(root, 'SYS').code).toBe(0)
  })

  test('with other ids than the list fails and tells what to do', () => {
    const copy = JSON.stringify(parseClauses(spec.replace('SYS-02', 'SYS-03')))
    const { code, lines } = runIn(plant({ [beside]: spec, [copyPath]: copy }), 'SYS')
    expect(lines).toEqual([
      'SYS-02 is missing in the copy',
      'SYS-03 is only in the copy',
      'run with --update-copy',
    ])
    expect(code).toBe(1)
  })

  test('does not stand in for a list that was asked for by path', () => {
    const root = plant({ [copyPath]: JSON.stringify(parseClauses(spec)), 'other.md': spec })
    expect(runIn(root, '--spec', 'other.md').code).toBe(0)
    expect(() => runIn(root, '--spec', 'missing.md')).toThrow('ENOENT')
    expect(() => runIn(plant({}))).toThrow('neither a clause list nor its copy')
  })
})
