import { hash } from 'node:crypto'
import { globSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { judgeScripts } from '@crewhall/testkit/script-judge.ts'
import { type CheckLine, share } from '../memory/check-line.ts'
import { BenchRepository, installed } from './bench-repository.ts'
import { edgesOf, indexOnce } from './indexer.ts'

const check = 'judge'
/** Installed packages that ship their sources, and whether the bars hold for them. */
const subjects = [
  { name: 'openai', is_judged: true },
  { name: 'zod', is_judged: false },
] as const

/** For each package. Files come in an order that has nothing to do with their names, so any part of them is a fair one. */
const mostMs = 100_000

/** Our edges beside what the checker of TypeScript says of the same files. `report` gets the differences. */
export async function* checkJudge(report: string | undefined): AsyncGenerator<CheckLine> {
  for (const { name, is_judged } of subjects) yield* await judged(name, is_judged, report)
}

async function judged(name: string, isJudged: boolean, report: string | undefined): Promise<CheckLine[]> {
  const files = globSync(`${name}/src/**/*.ts`, { cwd: installed })
    .filter((path) => !/\.d\.ts$|\/tests?\//.test(path))
    .sort()
  const folder = mkdtempSync(join(tmpdir(), 'crewhall-judge-'))
  try {
    const repository = new BenchRepository(join(folder, 'repository.git'))
    const commit = repository.commit([...files, `${name}/package.json`])
    const { graph } = await indexOnce(repository.git_dir, commit, new Map())
    const strewn = files.toSorted((a, b) => (hash('sha256', a) < hash('sha256', b) ? -1 : 1))
    const truth = judgeScripts(installed, strewn, mostMs)
    const ours = (kind: string) =>
      [...edgesOf(graph, kind)].filter((edge) => truth.files.has(edge.replace(/[# ].*$/, '')))
    const calls = ours('call').filter((edge) => !truth.open_calls.has(edge))
    const found = [
      compared('imports', new Set(ours('import')), truth.imports, [0.98, 0.98]),
      compared('calls', new Set(calls), truth.calls, [0.9, 0.8]),
    ]
    if (report) writeFileSync(join(report, `judge-${name}.json`), JSON.stringify(found, undefined, 1))
    return found.map(({ what, precision, recall, bars, size }) => ({
      check,
      what: `${what} of ${name} (${truth.files.size} of ${files.length} files), precision / recall`,
      measured: `${share(precision)} / ${share(recall)} of ${size}`,
      ...(isJudged
        ? {
            bar: bars.map(share).join(' / '),
            is_met: precision >= bars[0] && recall >= bars[1],
            is_promise: true,
          }
        : { informational: 'beside the package that is judged' }),
    }))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function compared(
  what: string,
  ours: ReadonlySet<string>,
  truth: ReadonlySet<string>,
  bars: [number, number],
) {
  const hits = ours.intersection(truth).size
  return {
    what,
    bars,
    size: truth.size,
    precision: hits / ours.size,
    recall: hits / truth.size,
    wrong: [...ours.difference(truth)],
    missed: [...truth.difference(ours)],
  }
}
