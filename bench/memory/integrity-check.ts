import { isDeepStrictEqual } from 'node:util'
import { createVirtualClock } from '@crewhall/testkit/virtual-clock.ts'
import type { CheckLine } from './check-line.ts'
import { MemoryCaller, type MemoryHost, type Workspace } from './memory-host.ts'

interface Memory {
  readonly id: string
  readonly version: number
  readonly confidence: number
  readonly [field: string]: unknown
}
interface Change {
  readonly version: number
  readonly action: string
  readonly actor: { readonly name?: string } | null
  readonly reason: string | null
  readonly before: Readonly<Record<string, unknown>> | null
  readonly after: Readonly<Record<string, unknown>> | null
}

const weekMs = 7 * 86_400_000
const undone = 50

/** What a restoration brings back; the rest tells of the restoration itself. */
const contentOf = (memory: Memory): object => {
  const { version: _, updated_at: __, updated_by: ___, is_locked: ____, ...content } = memory
  return content
}

/** C18: each of the last changes is undone, and the memory is what it was before. */
export async function checkUndo(caller: MemoryCaller, agent: string): Promise<CheckLine> {
  const first = { agent_id: agent, kind: 'fact', title: 'Version 0', body: 'Nothing yet.', tags: ['undo'] }
  const { id } = await caller.made<Memory>('POST', '/memories', first)
  const path = `/memories/${id}`
  const states = new Map<number, object>()
  for (let n = 1; n <= undone; n += 1) {
    const { [n % 5]: change } = [
      { body: `Body ${n}\n\ttabs, "quotes" and \u{1F600}` },
      { title: `Title ${n}` },
      { tags: [`tag-${n}`, 'undo'] },
      { confidence: n / 100 },
      { importance: n % 2 === 0 ? 'high' : 'low', description: `Description ${n}` },
    ]
    const { version, ...memory } = await caller.made<Memory>('PATCH', path, {
      ...change,
      reason: `Change ${n}`,
    })
    states.set(version, contentOf({ version, ...memory } as Memory))
  }
  let restored = 0
  for (const [version, state] of [...states].toReversed()) {
    await caller.made('POST', `${path}/restore`, { version, reason: `Back to ${version}` })
    if (isDeepStrictEqual(contentOf(await caller.made<Memory>('GET', path)), state)) restored += 1
  }
  const changes: Change[] = []
  for (let before: number | null = 1_000_000; before !== null; ) {
    const page: { changes: Change[]; next_before: number | null } = await caller.made(
      'GET',
      `${path}/history?limit=20&before=${before}`,
    )
    changes.push(...page.changes)
    before = page.next_before
  }
  // The oldest entry that is kept may have lost what was before it.
  const told = changes.filter(({ actor, reason, before, after }) => actor && reason && before && after).length
  return {
    check: 'C18',
    what: `${undone} changes undone one by one; history names actor, reason, before and after`,
    measured: `${restored} equal, ${told} of ${changes.length} entries complete`,
    bar: `${undone}, all but the creation`,
    is_met: restored === undone && changes.length >= 2 * undone && told >= changes.length - 1,
    is_promise: true,
  }
}

/** C22 and C23, by a clock that is moved. It moves for the whole database, so this comes last. */
export async function checkDecay(host: MemoryHost, workspace: Workspace): Promise<CheckLine[]> {
  const clock = createVirtualClock(host.database.name)
  try {
    const caller = new MemoryCaller(await host.start(clock.env), workspace)
    await host.addAgents(workspace, ['decay'])
    const add = (title: string, importance: string) =>
      caller.made<Memory>('POST', '/memories', {
        agent_id: 'decay',
        kind: 'fact',
        title,
        body: `${title} decays.`,
        confidence: 0.8,
        importance,
      })
    const normal = await add('Normal', 'normal')
    const critical = await add('Critical', 'critical')
    const confidenceOf = async ({ id }: Memory) =>
      (await caller.made<Memory>('GET', `/memories/${id}`)).confidence
    const found = async () => (await caller.found('decay', 'decays', 10)).memories
    const item = async (title: string) => (await found()).find((memory) => memory.title === title)

    let passedMs = 0
    const to = async (ms: number) => {
      await clock.advance(ms - passedMs)
      passedMs = ms
    }
    await to(weekMs)
    const week1 = await confidenceOf(normal)
    for (let n = 0; n < 100; n += 1) await found()
    const isUnchanged = (await confidenceOf(normal)) === week1
    await to(4 * weekMs)
    const week4 = await confidenceOf(normal)
    await to(30 * 86_400_000 - 60_000)
    const isFresh = (await item('Normal'))?.stale === undefined
    await to(30 * 86_400_000 + 60_000)
    const isStale = (await item('Normal'))?.stale === true
    await to(48 * weekMs)
    const isThere = (await item('Normal')) !== undefined
    await to(49 * weekMs)
    const isGone = (await item('Normal')) === undefined
    const { id } = normal
    await caller.made('PATCH', `/memories/${id}`, { title: 'Normal again' })
    const isCleared = (await item('Normal again')) !== undefined && !(await item('Normal again'))?.stale
    await to(520 * weekMs)
    const last = await confidenceOf(critical)
    const isLasting = last === 0.8 && (await item('Critical')) !== undefined

    const near = (value: number, wanted: number) => Math.abs(value - wanted) <= 0.001
    return [
      {
        check: 'C22',
        what: '0.8 after 1 and 4 weeks; leaves search after week 48; critical after 520 weeks; 100 reads between',
        measured: `${week1}, ${week4}; ${isThere && isGone ? 'in week 49' : 'at another time'}; ${last}; ${isUnchanged ? 'no effect' : 'changed by reading'}`,
        bar: '0.784, 0.738 (±0.001); in week 49; 0.8; no effect',
        is_met: near(week1, 0.784) && near(week4, 0.738) && isThere && isGone && isLasting && isUnchanged,
        is_promise: true,
      },
      {
        check: 'C23',
        what: 'stale a minute before 30 days, a minute after, after a change',
        measured: [!isFresh, isStale, !isCleared].join(', '),
        bar: 'false, true, false',
        is_met: isFresh && isStale && isCleared,
        is_promise: true,
      },
    ]
  } finally {
    clock.close()
  }
}
