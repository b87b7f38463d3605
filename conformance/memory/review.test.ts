import { useSharedServer } from '@crewhall/testkit/shared-server.ts'
import { beforeAll, describe, expect, test } from 'vitest'
import { type Memory, MemoryWorkspace, nowhere } from './memory-world.ts'
import { draft, origin, type Proposal, propose } from './proposal-world.ts'

const server = useSharedServer('product')
let work: MemoryWorkspace
beforeAll(async () => {
  work = await MemoryWorkspace.open(server)
})

const decide = (id: string, verdict: 'approve' | 'reject', body: object = {}) =>
  work.call<Proposal>('POST', `/proposals/${id}/${verdict}`, body)
const memory = async (id: string) => (await work.call<Memory>('GET', `/memories/${id}`)).body
const tombstones = (id: string) =>
  work.world.sql('select cause from memory.tombstones where brand_id = $1 and memory_id = $2', [
    work.brand_id,
    id,
  ])

describe('a proposed memory', () => {
  test('M12: is shown with the words it comes from, and approved it is a memory of the person, with that provenance', async () => {
    const id = await propose(work)
    const found = await work.call<Proposal>('GET', `/proposals/${id}`)
    expect(found).toMatchObject({ status: 200, body: { id, state: 'open', content: draft, origin } })
    const { status, body } = await decide(id, 'approve')
    expect(status).toBe(200)
    expect(body).toMatchObject({ state: 'approved', kept: null, decided_by: { id: String(work.person_id) } })
    const made = body.made_memory_id ?? ''
    expect(await memory(made)).toMatchObject({ title: 'Proposed', is_locked: true, tags: ['build'] })
    const { body: why } = await work.call('GET', `/memories/${made}/provenance`)
    expect(why).toMatchObject({ provenance: [{ ...origin, decision: 'new', other_memory_id: null }] })
  })

  test('a verdict given again changes nothing, and the other one comes too late', async () => {
    const [yes, no] = [await propose(work), await propose(work)]
    const approved = await decide(yes, 'approve')
    const rejected = await decide(no, 'reject')
    expect(rejected.body).toMatchObject({ state: 'rejected', made_memory_id: null })
    expect(await decide(yes, 'approve')).toEqual(approved)
    expect(await decide(no, 'reject')).toEqual(rejected)
    const late = { status: 409, body: { detail: 'The proposal has been decided differently' } }
    expect(await decide(yes, 'reject')).toMatchObject(late)
    expect(await decide(no, 'approve')).toMatchObject(late)
  })

  test('C17: rejected, its text is kept as one that must not come back', async () => {
    const id = await propose(work)
    await decide(id, 'reject')
    expect(await tombstones(id)).toEqual([{ cause: 'rejected' }])
  })

  test('keep is only for conflicts', async () => {
    const id = await propose(work)
    expect(await decide(id, 'approve', { keep: 'new' })).toMatchObject({
      status: 422,
      body: { detail: 'keep: is only for conflicts' },
    })
    expect((await work.call<Proposal>('GET', `/proposals/${id}`)).body.state).toBe('open')
  })

  test('an agent cannot decide', async () => {
    const id = await propose(work)
    const token = await work.tokenWith('memory:write')
    await work.world.sql(
      `update identity.tokens set agent = 'A bot' where brand_id = $1 and token_hash = sha256(convert_to($2, 'UTF8'))`,
      [work.brand_id, token],
    )
    expect(await work.call('POST', `/proposals/${id}/approve`, {}, { token })).toMatchObject({
      status: 403,
      body: { detail: 'Only a person can decide on a proposal, not an agent' },
    })
  })
})

describe('a proposed change', () => {
  const content = { body: 'The build takes four minutes.' }

  test('approved, it is an edit of the person, and can be undone', async () => {
    const before = await work.add()
    const id = await propose(work, {
      kind: 'change',
      reason: 'edited_file',
      memory_id: before.id,
      content,
      base: before,
    })
    expect((await decide(id, 'approve')).status).toBe(200)
    expect(await memory(before.id)).toMatchObject({
      ...content,
      title: before.title,
      version: 2,
      is_locked: true,
    })
    const restored = await work.call<Memory>('POST', `/memories/${before.id}/restore`, { version: 1 })
    expect(restored.body.body).toBe(before.body)
  })

  test('does not overwrite what was written since', async () => {
    const before = await work.add()
    const id = await propose(work, { kind: 'change', memory_id: before.id, content, base: before })
    await work.change(before.id, { body: 'The build takes seven minutes.' })
    expect(await decide(id, 'approve')).toMatchObject({ status: 409 })
    expect((await memory(before.id)).body).toBe('The build takes seven minutes.')
    expect((await decide(id, 'reject')).status).toBe(200)
  })

  test('of a memory that is deleted there is nothing left to decide', async () => {
    const { id: memory_id } = await work.add()
    const id = await propose(work, { kind: 'change', memory_id, content })
    await work.call('DELETE', `/memories/${memory_id}`)
    expect((await work.call<Proposal>('GET', `/proposals/${id}`)).body.state).toBe('rejected')
  })
})

describe('a conflict', () => {
  const stored = async () => {
    const [old, other] = [await work.add({ title: 'Old' }), await work.add({ title: 'New' })]
    const id = await propose(work, { kind: 'conflict', memory_id: old.id, other_memory_id: other.id })
    const states = async () =>
      [await memory(old.id), await memory(other.id)].map((each) => [each.status, each.superseded_by])
    return { id, old, other, states }
  }

  test('C20: the one that is not kept is archived and names the other', async () => {
    const one = await stored()
    await decide(one.id, 'approve', { keep: 'new' })
    expect(await one.states()).toEqual([
      ['archived', one.other.id],
      ['active', null],
    ])
    const two = await stored()
    await decide(two.id, 'approve', { keep: 'old' })
    expect(await two.states()).toEqual([
      ['active', null],
      ['archived', two.old.id],
    ])
    await work.change(two.other.id, { status: 'active' })
    expect(await two.states()).toEqual([
      ['active', null],
      ['active', null],
    ])
  })

  test.each([
    ['approve', { keep: 'both' }],
    ['reject', {}],
  ] as const)('both stay after %s %j', async (verdict, body) => {
    const { id, states } = await stored()
    expect((await decide(id, verdict, body)).status).toBe(200)
    expect(await states()).toEqual([
      ['active', null],
      ['active', null],
    ])
  })

  test('with a text that is not stored yet: kept, it becomes a memory, and else it must not come back', async () => {
    const old = await work.add({ title: 'Old' })
    const asked = { kind: 'conflict', reason: 'locked', memory_id: old.id } as const
    const [first, second] = [await propose(work, asked), await propose(work, asked)]
    expect((await decide(first, 'approve', { keep: 'old' })).body).toMatchObject({
      kept: 'old',
      made_memory_id: null,
    })
    expect(await tombstones(first)).toEqual([{ cause: 'rejected' }])
    const { made_memory_id } = (await decide(second, 'approve', { keep: 'new' })).body
    expect(await memory(old.id)).toMatchObject({ status: 'archived', superseded_by: made_memory_id })
    expect(await memory(made_memory_id ?? '')).toMatchObject({ status: 'active', body: draft.body })
  })

  test('wants to know what to keep, and another choice later is too late', async () => {
    const { id } = await stored()
    expect(await decide(id, 'approve')).toMatchObject({
      status: 422,
      body: { detail: 'keep: must be old, new or both for a conflict' },
    })
    await decide(id, 'approve', { keep: 'both' })
    expect((await decide(id, 'approve', { keep: 'both' })).status).toBe(200)
    expect((await decide(id, 'approve', { keep: 'old' })).status).toBe(409)
  })
})

test('proposals are listed page by page, newest first, by state, kind and agent', async () => {
  const own = await MemoryWorkspace.open(server)
  await own.newAgent('other-bot')
  const { id: memory_id } = await own.add()
  const made: string[] = []
  for (let n = 0; n < 5; n += 1) made.push(await propose(own))
  const conflict = await propose(own, { kind: 'conflict', memory_id })
  const other = await propose(own, { agent: 'other-bot' })
  await own.call('POST', `/proposals/${made[0]}/reject`, {})
  type Page = { proposals: Proposal[]; next_cursor: string | null }
  const list = async (query: string) => {
    const ids: string[] = []
    for (let cursor = ''; ; ) {
      const { body } = await own.call<Page>('GET', `/proposals?limit=2${query}${cursor}`)
      ids.push(...body.proposals.map(({ id }) => id))
      if (body.next_cursor === null) return ids
      cursor = `&cursor=${encodeURIComponent(body.next_cursor)}`
    }
  }
  const open = [other, conflict, ...made.slice(1).toReversed()]
  expect(await list('')).toEqual(open)
  expect(await list('&kind=conflict')).toEqual([conflict])
  expect(await list('&agent_id=other-bot')).toEqual([other])
  expect(await list('&state=rejected')).toEqual([made[0]])
  expect((await own.call('GET', '/proposals?cursor=x')).status).toBe(422)
})

test('AUTH-31: a proposal of another workspace is missing, as one that never was', async () => {
  const foreign = await MemoryWorkspace.open(server)
  const id = await propose(foreign)
  for (const [method, path] of [
    ['GET', ''],
    ['POST', '/approve'],
    ['POST', '/reject'],
  ] as const) {
    const body = method === 'POST' ? {} : undefined
    const [theirs, none] = [id, nowhere].map((each) => work.call(method, `/proposals/${each}${path}`, body))
    expect(await theirs).toEqual(await none)
    expect(await none).toMatchObject({ status: 404, body: { detail: 'Proposal not found' } })
  }
  expect(await work.call('GET', `/memories/${nowhere}/provenance`)).toMatchObject({ status: 404 })
  expect((await foreign.call<Proposal>('GET', `/proposals/${id}`)).body.state).toBe('open')
})
