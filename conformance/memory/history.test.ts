import { useSharedServer } from '@crewhall/testkit/shared-server.ts'
import { beforeAll, expect, test } from 'vitest'
import { type Memory, MemoryWorkspace } from './memory-world.ts'

interface Change {
  readonly version: number
  readonly action: string
  readonly reason: string | null
  readonly actor: { readonly kind: string; readonly id: string; readonly name: string }
  readonly before: Record<string, unknown> | null
  readonly after: Record<string, unknown> | null
}
interface History {
  readonly changes: readonly Change[]
  readonly next_before: number | null
}

const server = useSharedServer('product')
let work: MemoryWorkspace
beforeAll(async () => {
  work = await MemoryWorkspace.open(server)
})
const history = async (id: string, query = '') =>
  (await work.call<History>('GET', `/memories/${id}/history${query}`)).body
const restore = (id: string, version: number) =>
  work.call<Memory>('POST', `/memories/${id}/restore`, { version })
/** What a restoration brings back; the rest tells of the restoration itself. */
const content = ({
  version: _,
  updated_at: __,
  updated_by: ___,
  is_locked: ____,
  ...rest
}: Record<string, unknown>) => rest

test('every change names who, why, what was and what is', async () => {
  const { id } = await work.add({ title: 'One' })
  await work.change(id, { title: 'Two', reason: 'Counted again' })
  await work.call('POST', `/memories/${id}/verify`, { reason: 'Looked' })
  await work.call('DELETE', `/memories/${id}?reason=Wrong`)
  const { changes, next_before } = await history(id)
  expect(next_before).toBeNull()
  expect(changes.map(({ version, action, reason }) => [version, action, reason])).toEqual([
    [4, 'deleted', 'Wrong'],
    [3, 'verified', 'Looked'],
    [2, 'updated', 'Counted again'],
    [1, 'created', null],
  ])
  const actor = { kind: 'member', id: String(work.person_id), name: 'Ann Example', on_behalf_of: null }
  expect(changes.map((change) => change.actor)).toEqual(changes.map(() => actor))
  const titles = changes.map(({ before, after }) => [before?.title ?? null, after?.title ?? null])
  expect(titles).toEqual([
    ['Two', null],
    ['Two', 'Two'],
    ['One', 'Two'],
    [null, 'One'],
  ])
})

test('the history is read page by page, each change once', async () => {
  const { id } = await work.add()
  for (let n = 0; n < 6; n += 1) await work.change(id, { title: `Title ${n}` })
  const found: number[] = []
  for (let query = '?limit=3'; ; ) {
    const { changes, next_before } = await history(id, query)
    found.push(...changes.map(({ version }) => version))
    if (next_before === null) break
    query = `?limit=3&before=${next_before}`
  }
  expect(found).toEqual([7, 6, 5, 4, 3, 2, 1])
})

test('C18: any change is undone byte for byte, and so is the undoing', async () => {
  const { id } = await work.add({
    title: '  é\u0301 "quoted"\n',
    confidence: 0.1 + 0.2,
    tags: ['x', 'x'],
    description: '',
  })
  await work.age(id, 40)
  const states: Record<string, unknown>[] = []
  const note = async () => states.push((await work.call('GET', `/memories/${id}`)).body)
  await note()
  for (const change of [
    { title: 'Another', tags: [] },
    { importance: 'critical' },
    { status: 'archived', description: 'D' },
    { confidence: 0.7, kind: 'decision' },
    { importance: 'low' },
    { status: 'active', body: '\u{1F600}\u2028\t' },
  ]) {
    await work.change(id, change)
    await note()
  }
  for (const at of [0, 5, 2, 6, 1, 3, 4]) {
    const { status, body } = await restore(id, at + 1)
    expect([status, content({ ...body })]).toEqual([200, content(states[at] ?? {})])
  }
})

test('C18: a deleted memory is brought back with its times, found again, and its tombstone is gone', async () => {
  const made = await work.add({ title: 'Wolfram', body: 'Brought back' })
  await work.call('DELETE', `/memories/${made.id}`)
  const tombstones = () =>
    work.world.sql('select text_hash from memory.tombstones where brand_id = $1 and memory_id = $2', [
      work.brand_id,
      made.id,
    ])
  expect(await tombstones()).toHaveLength(1)
  const back = await restore(made.id, 1)
  const { possible_duplicate_of: _, ...before } = made
  expect(content({ ...back.body })).toEqual(content(before))
  expect(back.body.version).toBe(3)
  expect((await work.search({ query: 'wolfram' })).body.count).toBe(1)
  expect(await tombstones()).toEqual([])
  expect((await history(made.id)).changes.map(({ action }) => action)).toEqual([
    'restored',
    'deleted',
    'created',
  ])
})

test('there is nothing to restore at a deletion, at a version that was never, and of a memory that was never', async () => {
  const { id } = await work.add()
  await work.call('DELETE', `/memories/${id}`)
  expect((await restore(id, 2)).status).toBe(409)
  expect((await restore(id, 3)).status).toBe(404)
  expect((await restore(id, 0)).status).toBe(422)
})

test('the last 100 changes are kept', async () => {
  const { id } = await work.add()
  await work.world.sql('update memory.memories set version = 100 where id = $1', [id])
  await work.change(id, { title: 'The 101st' })
  expect((await history(id)).changes.map(({ version }) => version)).toEqual([101])
  expect(await restore(id, 100)).toMatchObject({ status: 404 })
})

test('M6: what a person writes or edits is locked against automation; what an agent writes is not, and has no tombstone', async () => {
  const { person_id, brand_id } = work
  const token = await work.tokenWith('memory:read', 'memory:write')
  await work.world.sql(
    `update identity.tokens set agent = 'Bot' where brand_id = $1 and person_id = $2
       and token_hash = sha256(convert_to($3, 'UTF8'))`,
    [brand_id, person_id, token],
  )
  const agent = new MemoryWorkspace(server, { brand_id, person_id, token, agent: work.agent })
  const made = await agent.add({ title: 'By an agent' })
  expect(made).toMatchObject({ is_locked: false, created_by: { kind: 'agent', name: 'Bot' } })
  expect((await agent.change(made.id, { title: 'Again' })).body.is_locked).toBe(false)
  expect((await work.change(made.id, { tags: ['seen'] })).body.is_locked).toBe(true)
  expect((await agent.change(made.id, { title: 'And again' })).body.is_locked).toBe(true)
  await agent.call('DELETE', `/memories/${made.id}`)
  expect(await work.world.sql('select 1 from memory.tombstones where memory_id = $1', [made.id])).toEqual([])
})

test('streams and webhooks learn of every change by ids and fixed words', async () => {
  const { id } = await work.add()
  await work.change(id, { title: 'T' })
  await work.call('DELETE', `/memories/${id}`)
  await restore(id, 1)
  const rows = await work.world.sql<{ type: string; data: object }>(
    'select type, data from platform.workspace_events where brand_id = $1 and subject_id = $2 order by created_at',
    [work.brand_id, id],
  )
  const data = { agent_id: work.agent, kind: 'fact', status: 'active' }
  expect(rows).toEqual([
    { type: 'memory.created', data: { ...data, version: 1 } },
    { type: 'memory.updated', data: { ...data, version: 2 } },
    { type: 'memory.deleted', data: { ...data, version: 3 } },
    { type: 'memory.restored', data: { ...data, version: 4 } },
  ])
})
