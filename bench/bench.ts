import { readFileSync, writeFileSync } from 'node:fs'
import { availableParallelism, totalmem } from 'node:os'
import { restoreDurability } from '@crewhall/testkit/durability.ts'
import { setup as bundlePrograms } from '../tools/build/bundle-programs.ts'
import { benchBoards } from './boards-bench.ts'
import { benchCode, shortCode, wholeCode } from './code/code-bench.ts'
import { benchDesks } from './desks/desks-bench.ts'
import { benchHttp } from './http-bench.ts'
import { benchJobs, type Drain } from './jobs-bench.ts'
import { benchLessons } from './lessons/lessons-bench.ts'
import { median } from './median.ts'
import { type CheckLine, verdictOf } from './memory/check-line.ts'
import { benchMemory, benchMemoryScale, scaled, short, whole } from './memory/memory-bench.ts'
import { benchWrites } from './writes-bench.ts'

/**
 * `npm run bench` measures ours against the bare engines in one run. `-- --quick` takes fewer and shorter
 * rounds, `-- --smoke` one, which shows errors and no figures; `-- --keep` writes the result to docs/performance.md. `-- boards` measures boards instead, by default
 * on a database of the size they have to bear, `-- writes` created cards and `-- memory` search in memories: see the
 * README.
 */
const kept = 'docs/performance.md'
const given = (flag: string) => process.argv.find((each) => each.startsWith(`--${flag}=`))?.split('=')[1]
const smoke = process.argv.includes('--smoke')
const quick = smoke || process.argv.includes('--quick')
// Without figures it may run beside tests, which do not wait for the disk.
if (!smoke) await restoreDurability()
await bundlePrograms()
if (process.argv.includes('boards')) await boards()
else if (process.argv.includes('writes')) await writes()
else if (process.argv.includes('memory')) await memory()
else if (process.argv.includes('code')) await code()
else if (process.argv.includes('lessons')) await lessons()
else if (process.argv.includes('desks')) await desks()
else await engines()

async function boards(): Promise<void> {
  const { lines, searches } = await benchBoards({
    scale: Number(given('scale') ?? (quick ? 0.005 : 1)),
    searches: quick ? 5 : 100,
    rounds: Number(given('rounds') ?? (quick ? 1 : 5)),
    seconds: Number(given('seconds') ?? (quick ? 1 : 2)),
    text_times: process.argv.includes('--text-times'),
    database: given('database'),
    only: quick ? /^(?!.*of 50,)/ : undefined,
  })
  console.log(
    [
      row(
        'Call, 32 connections',
        'bare, requests/s',
        'ours',
        'of bare',
        'p50 ms',
        'p99 ms',
        'CPU µs: bare',
        'ours',
      ),
      row(...Array.from({ length: 8 }, () => '---')),
      ...lines.map(({ name, bare, ours, ratio }) =>
        row(
          name,
          bare.rps.toFixed(0),
          ours.rps.toFixed(0),
          ratio.toFixed(2),
          ours.p50_ms.toFixed(1),
          ours.p99_ms.toFixed(1),
          bare.cpu_us.toFixed(0),
          ours.cpu_us.toFixed(0),
        ),
      ),
      '',
      row('Search, one after the other', 'found', 'bare p95 ms', 'ours p50', 'ours p95', 'of bare'),
      row(...Array.from({ length: 6 }, () => '---')),
      ...searches.map(({ name, found, bare_p95_ms, ours_p50_ms, ours_p95_ms }) =>
        row(
          name,
          String(found),
          bare_p95_ms.toFixed(1),
          ours_p50_ms.toFixed(1),
          ours_p95_ms.toFixed(1),
          (ours_p95_ms / bare_p95_ms).toFixed(2),
        ),
      ),
      '',
    ].join('\n'),
  )
}

async function writes(): Promise<void> {
  const lines = await benchWrites(quick ? 1 : 5, quick ? 2 : 5)
  console.log(
    [
      row('Created cards, two API processes', 'bare, a second', 'ours', 'of bare', 'p50 ms', 'p99 ms'),
      row(...Array.from({ length: 6 }, () => '---')),
      ...lines.map(({ name, bare, ours, ratio }) =>
        row(
          name,
          bare.per_second.toFixed(0),
          ours.per_second.toFixed(0),
          ratio.toFixed(2),
          ours.p50_ms.toFixed(1),
          ours.p99_ms.toFixed(1),
        ),
      ),
      '',
    ].join('\n'),
  )
}

async function memory(): Promise<void> {
  const only = given('only')
  const isScale = process.argv.some((each) => each.startsWith('--scale'))
  const wants = isScale
    ? benchMemoryScale(scaled(Number(given('scale') ?? 1)))
    : benchMemory({ ...(quick ? short : whole), ...(only ? { only: new RegExp(only) } : {}) })
  await showChecks(await wants)
}

async function code(): Promise<void> {
  const only = given('only')
  const size = quick ? shortCode : wholeCode
  const number = (flag: 'files' | 'nodes' | 'pairs' | 'seed') => Number(given(flag) ?? size[flag])
  await showChecks(
    benchCode({
      files: number('files'),
      nodes: number('nodes'),
      rounds: size.rounds,
      pairs: number('pairs'),
      seed: number('seed'),
      repositories: given('repositories')?.split(','),
      report: given('report'),
      only: only ? new RegExp(only) : undefined,
    }),
  )
}

async function lessons(): Promise<void> {
  const nodes = Number(given('nodes') ?? (quick ? 20_000 : 1_000_000))
  const rounds = Number(given('rounds') ?? (quick ? 10 : 100))
  await showChecks(await benchLessons({ nodes, rounds, judges_times: !quick }))
}

async function desks(): Promise<void> {
  const number = (flag: string, whole: number, short: number) =>
    Number(given(flag) ?? (quick ? short : whole))
  await showChecks(
    benchDesks({
      desks: number('desks', 10_000, 300),
      interval_ms: number('interval', 30_000, 1000),
      // Ten minutes with --seconds=600: a desk is checked as often a minute in either.
      seconds: number('seconds', 60, 10),
      left_alone: number('left', 2000, 100),
      left_interval_ms: number('left-interval', 6000, 500),
      beats: number('beats', 100, 5),
      rows: number('rows', 1_000_000, 10_000),
      only: new RegExp(given('only') ?? ''),
    }),
  )
}

/** Each line as soon as it is known, so that a run which is cut off has shown what it found. */
async function showChecks(lines: Iterable<CheckLine> | AsyncIterable<CheckLine>): Promise<void> {
  console.log(row('Check', 'What', 'Measured', 'Bar', 'Reached'))
  console.log(row(...Array.from({ length: 5 }, () => '---')))
  for await (const line of lines) {
    console.log(row(line.check, line.what, line.measured, line.bar ?? '', verdictOf(line)))
    // Figures depend on the machine; promises do not.
    if (line.is_promise && !line.is_met) process.exitCode = 1
  }
}

async function engines(): Promise<void> {
  const http = await benchHttp(smoke ? 1 : quick ? 7 : 15, quick ? 1 : 2)
  const jobs = smoke ? await benchJobs(1, 1000, 200) : await benchJobs(quick ? 3 : 7)
  const speed = (drains: readonly Drain[]) => median(drains.map(({ jobs_per_s }) => jobs_per_s)).toFixed(0)
  const cost = (drains: readonly Drain[]) => median(drains.map(({ cpu_us }) => cpu_us)).toFixed(0)
  const text = [
    row('Route, 32 connections', 'requests/s', 'of bare', 'p50 ms', 'p99 ms', 'CPU µs a request'),
    row('---', '---', '---', '---', '---', '---'),
    ...http.map(({ name, rps, ratio, p50_ms, p99_ms, cpu_us }) =>
      row(name, rps.toFixed(0), ratio.toFixed(2), p50_ms.toFixed(1), p99_ms.toFixed(1), cpu_us.toFixed(0)),
    ),
    '',
    row('Jobs that do nothing', 'jobs/s', 'of bare', 'CPU µs a job'),
    row('---', '---', '---', '---'),
    row('bare: pg-boss', speed(jobs.bare), '1.00', cost(jobs.bare)),
    row('ours', speed(jobs.ours), jobs.ratio.toFixed(2), cost(jobs.ours)),
    '',
    row('Enqueue in a transaction, 4 at a time', 'a second'),
    row('---', '---'),
    row('one plain insert', jobs.enqueue.insert.toFixed(0)),
    row('bare: pg-boss', jobs.enqueue.bare.toFixed(0)),
    row('ours', jobs.enqueue.ours.toFixed(0)),
    '',
  ].join('\n')
  console.log(text)
  if (process.argv.includes('--keep')) writeFileSync(kept, `${heading()}${text}${writtenByHand()}`)
}

function row(...cells: (string | number)[]): string {
  return `| ${cells.join(' | ')} |`
}

/** Sections after the tables are kept. */
function writtenByHand(): string {
  const before = readFileSync(kept, 'utf8')
  const at = before.indexOf('\n## ')
  return at === -1 ? '' : before.slice(at)
}

function heading(): string {
  const machine = `${availableParallelism()} cores and ${Math.round(totalmem() / 2 ** 30)} GiB`
  const day = new Date().toISOString().slice(0, 10)
  return [
    '# Performance',
    '',
    `Measured on ${day} on a machine with ${machine}, which also ran PostgreSQL and the load, by`,
    '`npm run bench -- --keep`. Ratios are medians over rounds in which the contestants took turns. The machine',
    'is shared: absolute numbers move by half from minute to minute, ratios by a fifth. How it is measured:',
    '[bench](../bench/README.md).',
    '',
    '',
  ].join('\n')
}
