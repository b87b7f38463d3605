import { execFile } from 'node:child_process'
import * as fs from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { root } from '@crewhall/testkit/server-process.ts'
import { waitFor } from '@crewhall/testkit/wait-for.ts'
import type { CheckLine } from './check-line.ts'
import type { Feed, PickUps } from './pick-ups.ts'
import { type RandomFile, randomFiles } from './random-files.ts'

const hourMs = 3_600_000
const ourLine = /<!-- crewhall:memory begin ([0-9a-f]{16}) -->(?:\r?\n)[\s\S]*<!-- crewhall:memory end \1 -->/

export interface ExportSizes {
  readonly files: number
  /** The gate has run them already. */
  readonly runs_tests: boolean
}

/** C24 and C25: MEMORY.md of many agents, at one hour and the next. */
export async function checkExport(
  pickUps: PickUps,
  dir: string,
  { files, runs_tests }: ExportSizes,
): Promise<CheckLine[]> {
  const exported = new Exports(pickUps, dir)
  // The others mostly wait for the hour.
  const beside = runs_tests ? besideAnother() : undefined
  const lines = [await outside(pickUps, exported, files), await oneFile(pickUps, exported)]
  return beside ? [...lines, await beside] : lines
}

class Exports {
  readonly #pickUps: PickUps
  readonly #dir: string
  constructor(pickUps: PickUps, dir: string) {
    this.#pickUps = pickUps
    this.#dir = dir
  }

  path(feed: Feed, agent: string): string {
    return join(this.#dir, String(feed.workspace.brand_id), agent, 'MEMORY.md')
  }

  write(feed: Feed, agent: string, text: string): void {
    const path = this.path(feed, agent)
    fs.mkdirSync(join(path, '..'), { recursive: true })
    fs.writeFileSync(path, text, 'latin1')
  }

  read(feed: Feed, agent: string): string {
    return fs.readFileSync(this.path(feed, agent), 'latin1')
  }

  /** The next hour, from its beginning to its end. */
  async hour(): Promise<void> {
    const { host } = this.#pickUps
    const count = async () =>
      (await host.sql(`select from pgboss.job where name = 'memory.export' and state = 'completed'`)).length
    const before = await count()
    await this.#pickUps.advance(hourMs)
    await waitFor(async () => {
      const open = await host.sql(
        `select from pgboss.job where name in ('memory.export', 'memory.export-workspace')
           and state in ('created', 'retry', 'active')`,
      )
      return open.length === 0 && (await count()) > before
    }, 300_000)
  }
}

async function outside(pickUps: PickUps, exported: Exports, count: number): Promise<CheckLine> {
  const files = randomFiles(count)
  const nameOf = (at: number) => `writer-${at}`
  const feed = await pickUps.open(files.map((_, at) => nameOf(at)))
  for (const [at, { before, section = '', after }] of files.entries())
    exported.write(feed, nameOf(at), `${before}${section}${after}`)
  const addAll = (title: string) =>
    feed.host.sql(
      `insert into memory.memories (brand_id, id, agent_id, kind, title, body, text_hash, created_by, updated_by)
       select $1, gen_random_uuid(), agent_id, 'fact', $2, 'B', '', '{}', '{}' from identity.agents where brand_id = $1`,
      [feed.workspace.brand_id, title],
    )
  const reasons = async () => {
    const rows = await feed.host.sql<{ agent_id: string; state: string; reason: string | null }>(
      'select agent_id, state, reason from memory.exports where brand_id = $1',
      [feed.workspace.brand_id],
    )
    return new Map(rows.map((row) => [row.agent_id, row]))
  }
  let wrong = 0
  let written = 0
  let refused = 0
  for (const round of ['First', 'Second']) {
    await addAll(round)
    await exported.hour()
    const states = await reasons()
    for (const [at, file] of files.entries()) {
      const state = states.get(nameOf(at))
      const fault = faultOf(file, exported.read(feed, nameOf(at)), state, round)
      if (fault) console.error(`C24 ${round} ${at}: ${fault}`)
      wrong += fault ? 1 : 0
      if (state?.state === 'written') written += 1
      if (state?.state === 'untouched') refused += 1
    }
  }
  const broken = files.filter(({ reason }) => reason !== undefined).length
  return {
    check: 'C24',
    what: `${count} random files, written at two hours: bytes outside of the section changed; written; left alone with a reason for broken markers`,
    measured: `${wrong}; ${written}; ${refused}`,
    bar: `0; ${2 * (count - broken)}; ${2 * broken}`,
    is_met: wrong === 0 && written === 2 * (count - broken) && refused === 2 * broken,
    is_promise: true,
  }
}

function faultOf(
  { before, after, section, reason }: RandomFile,
  now: string,
  state: { readonly state: string; readonly reason: string | null } | undefined,
  title: string,
): string | undefined {
  if (reason !== undefined) {
    if (now !== `${before}${after}`) return 'a file with broken markers was changed'
    return state?.reason === reason ? undefined : `reason ${state?.reason} instead of ${reason}`
  }
  const found = ourLine.exec(now)
  if (!found?.[0].includes(title)) return `nothing was written (${state?.state} ${state?.reason})`
  const [head, tail] = [now.slice(0, found.index), now.slice(found.index + found[0].length)]
  if (section !== undefined) return head === before && tail === after ? undefined : 'bytes around it changed'
  // A new section stands at the end, after a line of its own.
  const isAppended = head.startsWith(before) && /^(?:\r?\n)*$/.test(head.slice(before.length) + tail)
  return isAppended ? undefined : 'bytes before it changed'
}

async function oneFile(pickUps: PickUps, exported: Exports): Promise<CheckLine> {
  const agent = 'build-bot'
  const feed = await pickUps.open([agent])
  const path = exported.path(feed, agent)
  const add = (title: string, body = 'B') =>
    feed.caller.made<{ id: string }>('POST', '/memories', { agent_id: agent, kind: 'fact', title, body })
  const [edited, goes] = [await add('Builds', 'They take nine minutes.'), await add('Goes')]
  await exported.hour()
  const first = fs.statSync(path, { bigint: true })
  await exported.hour()
  const second = fs.statSync(path, { bigint: true })
  const isUnchanged = first.mtimeNs === second.mtimeNs && first.ino === second.ino
  await feed.caller.made('DELETE', `/memories/${goes.id}`)
  exported.write(feed, agent, exported.read(feed, agent).replace('nine minutes', 'ten minutes'))
  await exported.hour()
  const isGone = !exported.read(feed, agent).includes('**Goes**')
  const { proposals } = await feed.caller.made<{ proposals: { memory_id: string; kind: string }[] }>(
    'GET',
    '/proposals',
  )
  const isAsked = proposals.length === 1 && proposals[0]?.memory_id === edited.id
  await feed.host.sql(
    `insert into memory.memories (brand_id, id, agent_id, kind, title, body, text_hash, created_by, updated_by, confidence)
     select $1, gen_random_uuid(), $2, 'fact', repeat('T', n % 300) || n, repeat('ü', n), '', '{}', '{}', n / 1000.0
     from generate_series(1, 400) n`,
    [feed.workspace.brand_id, agent],
  )
  await exported.hour()
  const text = exported.read(feed, agent)
  const lines = text.trimEnd().split('\n').length
  return {
    check: 'C25',
    what: 'nothing new: file untouched; a deleted memory; an edited line; lines and bytes with 400 memories',
    measured: `${isUnchanged ? 'untouched' : 'WRITTEN'}; ${isGone ? 'gone' : 'STILL THERE'}; ${isAsked ? 'a proposal' : 'NO proposal'}; ${lines}, ${text.length}`,
    bar: 'untouched; gone; a proposal; 150, 20000',
    is_met: isUnchanged && isGone && isAsked && lines <= 150 && text.length <= 20_000,
    is_promise: true,
  }
}

const config = join(import.meta.dirname, '../memory-file.config.ts')
/** The program that writes into the same file stands in a test, with a twin that loses lines; this runs that test. */
async function besideAnother(): Promise<CheckLine> {
  const run = promisify(execFile)(
    process.execPath,
    [join(root, 'node_modules/vitest/vitest.mjs'), 'run', '--config', config, '--root', root],
    // As a release runs it: the gate contents itself with a tenth.
    { cwd: root, env: { ...process.env, NO_COLOR: '1', ROUNDS: 'full' }, maxBuffer: 2 ** 24 },
  )
  const { stdout, stderr, code } = await run.then(
    (done) => ({ ...done, code: 0 }),
    (error: { stdout?: string; stderr?: string; code?: number }) => ({
      stdout: error.stdout ?? '',
      stderr: error.stderr ?? String(error),
      code: error.code ?? 1,
    }),
  )
  const told = [...stdout.matchAll(/(\d+) exports against (\d+) times ([a-z ]+): (\d+) met/g)]
  const rounds = told.map(
    ([, exports, times, way, met]) => `${exports} against ${times} × ${way} (${met} met)`,
  )
  const isEnough = told.every(([, exports, times]) => Number(exports) >= 200 && Number(times) >= 200)
  const passed = /Tests\s.*?(\d+) passed/.exec(stdout)?.[1] ?? '0'
  if (code !== 0) console.error(`C25 ${stdout.slice(-2000)}${stderr.slice(-2000)}`)
  return {
    check: 'C25',
    what: 'exports while another program writes the same file without a lock: lost lines, torn reads',
    measured: `${code === 0 ? '0, 0' : 'SOME'}; ${rounds.join(', ')}; ${passed} tests, one with a twin that must lose lines`,
    bar: '0, 0; 200 exports and 200 rewrites of each kind',
    is_met: code === 0 && told.length === 3 && isEnough,
    is_promise: true,
  }
}
