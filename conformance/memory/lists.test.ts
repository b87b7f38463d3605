import { useSharedServer } from '@crewhall/testkit/shared-server.ts'
import { expect, test } from 'vitest'
import { type Memory, MemoryWorkspace } from './memory-world.ts'

const server = useSharedServer('product')
const fresh = () => MemoryWorkspace.open(server)

interface Page {
  readonly memories: readonly Memory[]
  readonly next_cursor: string | null
}
interface Stats {
  readonly total_active: number
  readonly by_kind: Readonly<Record<string, number>>
  readonly avg_confidence: number
}

const stats = async (work: MemoryWorkspace, query = '') =>
  (await work.call<Stats>('GET', `/memories/stats${query}`)).body
const none = { total_active: 0, total_archived: 0, total_merged: 0, by_kind: {}, avg_confidence: 0 }

test('MEMO-48 MEMO-49 MEMO-50 MEMO-G16: statistics count by status, and active ones by kind, of all agents or of one', async () => {
  const work = await fresh()
  expect(await stats(work)).toEqual(none)
  const second = await work.newAgent('second')
  for (const [kind, agent_id, confidence] of [
    ['fact', work.agent, 0.9],
    ['fact', work.agent, 0.5],
    ['decision', second, 0.1],
  ] as const)
    await work.add({ kind, agent_id, confidence })
  for (const status of ['archived', 'merged', 'merged']) {
    const { id } = await work.add({ kind: 'learning', confidence: 0 })
    await work.world.sql('update memory.memories set status = $2 where id = $1', [id, status])
  }
  expect(await stats(work)).toEqual({
    total_active: 3,
    total_archived: 1,
    total_merged: 2,
    by_kind: { fact: 2, decision: 1 },
    avg_confidence: 0.5,
  })
  expect(await stats(work, `?agent_id=${second}`)).toEqual({
    ...none,
    total_active: 1,
    by_kind: { decision: 1 },
    avg_confidence: 0.1,
  })
  expect(await stats(await fresh())).toEqual(none)
})

test('MEMO-09 MEMO-10: the average is of what the memories are worth now', async () => {
  const work = await fresh()
  const { id } = await work.add()
  await work.age(id, 28)
  await work.add({ importance: 'critical' })
  expect((await stats(work)).avg_confidence).toBeCloseTo((0.7379 + 0.8) / 2, 3)
})

async function walk(work: MemoryWorkspace, path: string): Promise<string[]> {
  const found: string[] = []
  for (let cursor = ''; ; ) {
    const { status, body } = await work.call<Page>('GET', `${path}${cursor}`)
    expect(status).toBe(200)
    found.push(...body.memories.map(({ title }) => title))
    if (body.next_cursor === null) return found
    cursor = `&cursor=${body.next_cursor}`
  }
}

test('memories are listed newest first, page by page, each once, of every status or of one', async () => {
  const work = await fresh()
  const second = await work.newAgent('second')
  const made: string[] = []
  for (let n = 0; n < 7; n += 1) {
    const kind = ['fact', 'decision'][n % 2]
    const { id, title } = await work.add({ title: `M${n}`, kind, agent_id: n === 6 ? second : work.agent })
    made.unshift(title)
    if (n === 3) await work.change(id, { status: 'archived' })
  }
  expect(await walk(work, '/memories?limit=2')).toEqual(made)
  expect(await walk(work, '/memories?limit=2&status=active')).toEqual(made.filter((title) => title !== 'M3'))
  expect(await walk(work, '/memories?limit=2&status=archived&kinds=decision')).toEqual(['M3'])
  expect(await walk(work, `/memories?limit=2&agent_id=${second}`)).toEqual(['M6'])
  expect(await walk(work, '/memories?limit=1&kinds=fact')).toEqual(['M6', 'M4', 'M2', 'M0'])
  const { body } = await work.call<Page>('GET', '/memories?limit=1')
  expect(body.memories[0]).not.toHaveProperty('body')
})

test('a cursor of another workspace, of another list or of nobody is refused', async () => {
  const [work, other] = [await fresh(), await fresh()]
  for (const each of [work, other]) for (let n = 0; n < 2; n += 1) await each.add()
  const { next_cursor } = (await other.call<Page>('GET', '/memories?limit=1')).body
  for (const cursor of [next_cursor, 'x', ''])
    expect(await work.call('GET', `/memories?cursor=${cursor}`)).toEqual({
      status: 422,
      body: { detail: 'cursor: must be a next_cursor of this list' },
    })
  expect((await other.call('GET', `/memories/expiring?cursor=${next_cursor}`)).status).toBe(422)
})

test('what search will soon leave out is listed in time, the next one first', async () => {
  const work = await fresh()
  const second = await work.newAgent('second')
  const weeks = { 'in two weeks': 46.5, 'in three weeks': 45.5, gone: 49, 'in ten weeks': 38 }
  for (const [title, age] of Object.entries(weeks)) await work.age((await work.add({ title })).id, age * 7)
  await work.age((await work.add({ title: 'critical', importance: 'critical' })).id, 46 * 7)
  await work.age((await work.add({ title: 'of another', agent_id: second })).id, 46 * 7)
  expect(await walk(work, '/memories/expiring?limit=1')).toEqual([
    'in two weeks',
    'of another',
    'in three weeks',
  ])
  expect(await walk(work, `/memories/expiring?limit=1&agent_id=${work.agent}`)).toEqual([
    'in two weeks',
    'in three weeks',
  ])
  expect(await walk(work, '/memories/expiring?limit=5&within_days=100')).toHaveLength(4)
})
