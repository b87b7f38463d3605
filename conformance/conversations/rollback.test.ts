import { waitFor } from '@crewhall/testkit/wait-for.ts'
import { beforeAll, beforeEach, expect, test } from 'vitest'
import { nowhere } from './conversation-world.ts'
import { memories, type Told, usePickUps } from './pickup-world.ts'

const kit = usePickUps()
const { server, startWorker, pickUp, strike, open } = kit
let workspace: Awaited<ReturnType<typeof open>>

beforeAll(async () => {
  await startWorker()
})
beforeEach(async () => {
  kit.model.reset()
  workspace = await open()
})

interface Rollback {
  readonly deleted: number
  readonly restored: number
  readonly withdrawn: number
  readonly left_count: number
  readonly left: readonly { readonly memory_id: string; readonly reason: string }[]
  readonly next_cursor: string | null
}
const roll = (what: string, body: object = {}) => workspace.work.call<Rollback>('POST', what, body)
const ofConversation = (id: string, query = '') => roll(`/conversations/${id}/rollback${query}`)
const ofSource = (query = '', body: object = {}) =>
  roll(`/sources/${workspace.source.id}/rollback${query}`, body)
const nothing = { deleted: 0, restored: 0, withdrawn: 0, left_count: 0, left: [], next_cursor: null }

/** What the model finds in conversations that contain the quote. */
function tell(...told: readonly Told[]): void {
  kit.model.answer = ({ user }) => memories(...told.filter(({ quote }) => user.includes(quote)))
}
/** Everything but who changed it last and how often. */
const exactly = () =>
  server.sql(
    `select id, kind, title, body, tags, importance, status, confidence, anchored_at, verified_at, is_locked,
       superseded_by from memory.memories where brand_id = $1 order by id`,
    [workspace.work.brand_id],
  )
const idOf = async (title: string) =>
  (
    await server.sql<{ id: string }>('select id from memory.memories where brand_id = $1 and title = $2', [
      workspace.work.brand_id,
      title,
    ])
  )[0]?.id ?? ''

const tuesdays = { quote: 'we deploy on Tuesdays only', title: 'Deployments happen on Tuesdays' }
const amber = { quote: 'staging host is called amber', title: 'Staging is called amber' }
const second = [
  'Remember: the staging host is called amber. And we deploy on Tuesdays only, as ever.',
  'The payments service uses Postgres 17 now.',
]
const seventeen = { quote: 'uses Postgres 17 now', title: 'Payments uses Postgres 17', message: 1 }

test('C18: a conversation is rolled back as if it had never been, and a dry run says so without doing it', async () => {
  tell(tuesdays, { quote: 'Postgres 16', title: 'Payments uses Postgres 16' })
  await workspace.send('first', ['From now on we deploy on Tuesdays only.', 'Payments runs Postgres 16.'])
  await pickUp()
  const before = await exactly()
  expect(before).toHaveLength(2)
  kit.model.answer = ({ user }) => {
    const note = /"note":(\d+)[^\n]*Postgres 16/.exec(user)?.[1]
    return memories(tuesdays, amber, {
      ...seventeen,
      decision: 'supersedes',
      existing: Number(note ?? Number.NaN),
    })
  }
  const { id } = await workspace.send('second', second)
  await pickUp()
  const after = await exactly()
  expect(after).toHaveLength(4)
  const counts = { ...nothing, deleted: 2, restored: 2 }
  expect(await ofConversation(id, '?dry_run=true')).toMatchObject({ status: 200, body: counts })
  expect(await exactly()).toEqual(after)
  expect(await ofConversation(id)).toMatchObject({ status: 200, body: counts })
  expect(await exactly()).toEqual(before)
  expect((await ofConversation(id)).body).toEqual(nothing)
  const [event] = await server.sql(
    `select count(*)::int as n from platform.workspace_events where brand_id = $1 and type = 'memory.deleted'`,
    [workspace.work.brand_id],
  )
  expect(event).toEqual({ n: 2 })
})

test('what was rolled back does not come back: the conversation is not read again, nor are its words believed elsewhere', async () => {
  tell(amber, seventeen)
  const { id } = await workspace.send('second', second)
  await pickUp()
  expect(await workspace.titles()).toHaveLength(2)
  expect((await ofConversation(id)).body.deleted).toBe(2)
  await workspace.send('second', second)
  await pickUp()
  expect(kit.model.calls.chat).toBe(1)
  const copy = await workspace.send('a copy', second)
  await pickUp()
  expect(kit.model.calls.chat).toBe(2)
  expect(await workspace.titles()).toEqual([])
  const [attempt] = (await workspace.ledger(copy.id)).ledger
  expect(attempt?.candidates).toMatchObject(Array(2).fill({ decision: 'rejected', reason: 'tombstone' }))
})

test('what was not read yet of a conversation is not read after its rollback, and what is sent later is', async () => {
  tell(tuesdays, amber)
  const { id } = await workspace.send('one', ['Remember: we deploy on Tuesdays only.'])
  await pickUp()
  await workspace.send('one', ['Understood, and the staging host is called amber.'], 1)
  expect(await workspace.ledger(id)).toMatchObject({ state: 'waiting', read_through: 1 })
  expect((await ofConversation(id)).body.deleted).toBe(1)
  expect(await workspace.ledger(id)).toMatchObject({ state: 'done', read_through: 2, next_try_at: null })
  await pickUp()
  expect(kit.model.calls.chat).toBe(1)
  tell({ quote: 'linter is strict', title: 'The linter is strict', message: 2 })
  await workspace.send('one', ['By the way, the linter is strict.'], 2)
  await pickUp()
  expect(await workspace.titles()).toEqual(['The linter is strict'])
})

test('a worker that is reading the conversation meanwhile writes nothing', async () => {
  tell(amber)
  kit.model.delay_ms = 3000
  const { id } = await workspace.send('second', second)
  const picked = (async () => {
    await strike()
    await waitFor(() => kit.model.calls.chat === 1, 30_000)
  })()
  await picked
  expect((await ofConversation(id)).body).toEqual(nothing)
  await waitFor(() => kit.model.open() === 0, 30_000)
  await pickUp()
  const { state, ledger } = await workspace.ledger(id)
  expect(state).toBe('done')
  expect(ledger).toMatchObject([{ outcome: 'lost', produced: 0 }])
  expect(await workspace.titles()).toEqual([])
})

test('C17: what a person has corrected, approved or chosen since stays as it is, and is named', async () => {
  const strict = { quote: 'linter is strict', title: 'The linter is strict' }
  tell(tuesdays, strict)
  await workspace.send('first', ['From now on we deploy on Tuesdays only; the linter is strict.'])
  await pickUp()
  const deleted = await idOf(strict.title)
  expect((await workspace.work.call('DELETE', `/memories/${deleted}`)).status).toBe(204)
  // Near to what was deleted, so a person is asked; against what is there, so a person is asked as well.
  kit.model.answer = ({ user }) => {
    const note = /"note":(\d+)[^\n]*Tuesdays/.exec(user)?.[1]
    return memories(
      { quote: 'linter is very strict', title: 'The linter is a very strict one' },
      {
        quote: 'deploy on Mondays',
        title: 'Deployments happen on Mondays',
        decision: 'conflicts',
        existing: Number(note),
      },
      amber,
      { quote: 'cache is cold', title: 'The cache is cold' },
    )
  }
  const { id } = await workspace.send('second', [
    'The linter is very strict, we deploy on Mondays, the staging host is called amber and the cache is cold.',
  ])
  await pickUp()
  const { proposals } = (
    await workspace.work.call<{ proposals: { id: string; kind: string }[] }>('GET', '/proposals')
  ).body
  expect(proposals.map(({ kind }) => kind).sort()).toEqual(['conflict', 'new'])
  for (const proposal of proposals) {
    const body = proposal.kind === 'conflict' ? { keep: 'new' } : {}
    expect((await workspace.work.call('POST', `/proposals/${proposal.id}/approve`, body)).status).toBe(200)
  }
  await workspace.work.call('PATCH', `/memories/${await idOf(amber.title)}`, {
    body: 'It is called amber-2.',
  })
  const kept = [
    ['The linter is a very strict one', 'approved'],
    ['Deployments happen on Mondays', 'changed_since'],
    ['Staging is called amber', 'changed_since'],
  ] as const
  const { deleted: count, left } = (await ofConversation(id)).body
  expect(count).toBe(1)
  const expected = await Promise.all(
    kept.map(async ([title, reason]) => ({ memory_id: await idOf(title), reason })),
  )
  expect(left).toHaveLength(3)
  expect(left).toEqual(expect.arrayContaining(expected))
  expect((await workspace.titles()).toSorted()).toEqual(kept.map(([title]) => title).toSorted())
})

test('a source is rolled back in calls of a hundred memories; other sources and what was not read stay', async () => {
  const lines = Array.from({ length: 12 }, (_, n) => `rule number ${n + 10} holds`)
  kit.model.answer = ({ user }) => {
    const name = /set (\w+) of rules/.exec(user)?.[1] ?? ''
    return memories(...lines.map((quote) => ({ quote, title: `Of set ${name}, ${quote}` })))
  }
  const names = ['ash', 'birch', 'cedar', 'elm', 'fir', 'hazel', 'larch', 'maple', 'oak']
  for (const name of names)
    await workspace.send(name, [`Here is the set ${name} of rules: ${lines.join(', ')}.`])
  const other = await workspace.work.add()
  await workspace.work.sendMessages(other.id, 'kept', [
    { role: 'person', text: `Here is the set yew of rules: ${lines.join(', ')}.` },
  ])
  await pickUp()
  expect(await workspace.titles()).toHaveLength(120)
  const { id } = await workspace.send('unread', ['Here is the set teak of rules.'])
  const tried = (await ofSource('?dry_run=true')).body
  expect(tried).toMatchObject({ deleted: 100, left: [] })
  const first = (await ofSource()).body
  expect(first).toMatchObject({ deleted: 100, left: [] })
  const cursor = first.next_cursor
  expect(await ofSource('', { cursor })).toMatchObject({ body: { deleted: 8, next_cursor: null } })
  expect(await workspace.titles()).toHaveLength(12)
  expect((await workspace.ledger(id)).state).toBe('waiting')
  const elsewhere = await roll(`/sources/${other.id}/rollback`, { cursor })
  expect(elsewhere).toMatchObject({
    status: 422,
    body: { detail: 'cursor: must be a next_cursor of this rollback' },
  })
})

test('only people roll back, and what is missing or foreign is not found', async () => {
  const { id } = await workspace.send('second', second)
  const paths = [`/conversations/${id}/rollback`, `/sources/${workspace.source.id}/rollback`]
  const token = await workspace.work.tokenWith('memory:write')
  await server.sql(
    `update identity.tokens set agent = 'A bot', expires_at = platform.now() + interval '30 days'
     where brand_id = $1 and token_hash = sha256(convert_to($2, 'UTF8'))`,
    [workspace.work.brand_id, token],
  )
  const foreign = await open()
  for (const path of paths) {
    expect(await workspace.work.call('POST', path, {}, { token })).toMatchObject({
      status: 403,
      body: { detail: 'Only a person can roll back, not an agent' },
    })
    const missing = await workspace.work.call('POST', path.replace(/[0-9a-f-]{36}/, nowhere), {})
    expect(missing.status).toBe(404)
    expect(await foreign.work.call('POST', path, {})).toEqual(missing)
  }
  expect((await workspace.ledger(id)).state).toBe('waiting')
})
