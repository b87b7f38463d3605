import { randomBytes } from 'node:crypto'
import type { AnyRoute } from '@crewhall/contracts/route.ts'
import { routes } from '@crewhall/contracts/routes.ts'
import { type FuzzCase, fuzzCases } from '@crewhall/testkit/fuzz/fuzz.ts'
import { targetOf } from '@crewhall/testkit/fuzz/fuzz-send.ts'
import fc from 'fast-check'
import type { BenchServer } from '../bench-server.ts'
import { median } from '../median.ts'
import { type CheckLine, ms } from './check-line.ts'
import { atOnce, MemoryCaller, type MemoryHost, type Workspace } from './memory-host.ts'

const shared = 'same-agent'
const rows = 20

/** C26: two workspaces with the same agent id. One calls with everything it could know of the other. */
export async function checkIsolation(
  host: MemoryHost,
  server: BenchServer,
  calls: number,
): Promise<CheckLine[]> {
  const mine = await host.workspace()
  const theirs = await host.workspace()
  const secret = `secret${randomBytes(8).toString('hex')}`
  for (const workspace of [mine, theirs]) await host.addAgents(workspace, [shared])
  await host.addAgents(theirs, ['their-agent'])
  const them = new MemoryCaller(server, theirs)
  const ids: string[] = []
  for (let n = 0; n < rows; n += 1) {
    const agent_id = n % 2 === 0 ? shared : 'their-agent'
    const body = `${secret} body ${n}`
    const memory = { agent_id, kind: 'fact', title: `${secret} ${n}`, body, tags: [secret] }
    ids.push((await them.made<{ id: string }>('POST', '/memories', memory)).id)
  }
  const digest = async () =>
    (
      await host.sql<{ digest: string }>(
        `select md5(string_agg(m::text, '' order by id)) as digest from memory.memories m where brand_id = $1`,
        [theirs.brand_id],
      )
    )[0]?.digest
  const before = await digest()
  const seed = Number.parseInt(randomBytes(4).toString('hex'), 16) >>> 1
  const leaks = await fuzz(server, mine, { ids, secret, calls, seed })
  const isWhole = (await digest()) === before
  const unfiltered = await host
    .bare(mine)
    .query<{ count: number }>('select count(*)::int from memory.memories where brand_id = $1', [
      theirs.brand_id,
    ])
  const seen = unfiltered.rows[0]?.count
  return [
    {
      check: 'C26',
      what: `${calls} fuzzed calls with ids of another workspace (seed ${seed}); its rows without a filter`,
      measured: `${leaks} leaks, its rows ${isWhole ? 'untouched' : 'changed'}; ${seen} seen`,
      bar: '0, untouched; 0',
      is_met: leaks === 0 && isWhole && seen === 0,
      is_promise: true,
    },
    await checkRefusals(new MemoryCaller(server, mine), ids, calls),
  ]
}

async function fuzz(
  { url }: BenchServer,
  { token }: Workspace,
  { ids, secret, calls, seed }: { ids: readonly string[]; secret: string; calls: number; seed: number },
): Promise<number> {
  const all = Object.values<AnyRoute>(routes.memory)
  const each = Math.ceil(calls / all.length)
  const cases = all.flatMap((route) =>
    fc.sample(fuzzCases(route), { numRuns: each, seed }).map((made, at) => ({ route, made, at })),
  )
  let leaks = 0
  await atOnce(8, cases.slice(0, calls), async ({ route, made, at }) => {
    const aimed = at % 2 === 0 ? aim(made, ids[at % ids.length] ?? '') : made
    const response = await fetch(`${url}${targetOf(route, aimed)}`, {
      method: route.method,
      headers: {
        authorization: `Bearer ${token}`,
        ...(aimed.content_type === undefined
          ? {}
          : { 'content-type': aimed.content_type.replaceAll(/[^\x20-\x7E]/g, '') }),
      },
      ...(aimed.body === undefined || route.method === 'GET' ? {} : { body: aimed.body as string }),
    }).catch(() => undefined)
    const text = (await response?.text()) ?? ''
    // What was asked may be repeated, and what was searched for is never sent here.
    if (text.includes(secret) || (response?.status ?? 0) >= 500) {
      leaks += 1
      console.error(
        `C26 ${route.method} ${targetOf(route, aimed)} ${response?.status}: ${text.slice(0, 300)}`,
      )
    }
  })
  return leaks
}

/** The same request, at what belongs to the other. */
function aim(made: FuzzCase, id: string): FuzzCase {
  const agent = id < '8' ? shared : 'their-agent'
  const known: Record<string, string> = { memory_id: id, agent_id: agent }
  const params = Object.fromEntries(
    Object.entries(made.params).map(([name, value]) => [name, known[name] ?? value]),
  )
  return { ...made, params }
}

/** What is not theirs and what is not there look alike, in words and in time. */
async function checkRefusals(
  caller: MemoryCaller,
  ids: readonly string[],
  calls: number,
): Promise<CheckLine> {
  const rounds = Math.min(300, Math.max(20, Math.floor(calls / 40)))
  const missing = '0198b3f0-0000-7000-8000-000000000000'
  const pairs = [
    ['GET', (id: string) => `/memories/${id}`, ids[0] ?? '', missing],
    ['POST', (id: string) => `/agents/${id}/context?format=json`, 'their-agent', 'no-agent'],
  ] as const
  let words = 0
  const gaps: number[] = []
  for (const [method, path, foreign, absent] of pairs) {
    const times: { foreign: number[]; absent: number[] } = { foreign: [], absent: [] }
    for (let n = 0; n < rounds; n += 1) {
      const a = await caller.call(method, path(foreign))
      const b = await caller.call(method, path(absent))
      times.foreign.push(a.ms)
      times.absent.push(b.ms)
      if (a.status !== b.status || a.text !== b.text) words += 1
    }
    gaps.push(Math.abs(median(times.foreign) - median(times.absent)))
  }
  return {
    check: 'C26',
    what: `foreign and missing ids, ${rounds} of each: different responses; gap of the medians`,
    measured: `${words}; ${gaps.map(ms).join(' and ')} ms`,
    bar: '0; 5 ms',
    is_met: words === 0 && Math.max(...gaps) <= 5,
  }
}
