import { useServer } from '@crewhall/testkit/test-server.ts'
import { verifyData } from '@crewhall/testkit/verify-data.ts'
import { beforeAll, expect, test } from 'vitest'
import { type Body, erasureEnv, newWord, operator, type Person, useErasureWorld } from './erasure-world.ts'
import { everything, placesOf, rowsOfBrand } from './everything.ts'

const server = useServer('product', erasureEnv)
const world = useErasureWorld(server)

/** Words that are a person's own: who they are, and what nobody else has a part in. */
const own = {
  name: newWord('annname'),
  address: newWord('annmail'),
  mail_name: newWord('annbox'),
  position: newWord('annposition'),
  token: newWord('anntoken'),
  workspace: newWord('annhome'),
  card: newWord('anncard'),
  page: newWord('annpage'),
  memory: newWord('annmemory'),
  view: newWord('annview'),
}
/** What they wrote where others read and answer: it stays with the workspace. */
const shared = {
  card: newWord('sharedcard'),
  view: newWord('sharedview'),
  comment: newWord('sharedcomment'),
  page: newWord('sharedpage'),
  memory: newWord('sharedmemory'),
  friend: newWord('friend'),
}

let ann: Person
let bob: Person
let carol: Person
let dave: Person
let board: Body
let card: Body
let foreign: Body

beforeAll(async () => {
  const { made, signUp, join, newBoard, keyed } = world
  ann = await signUp(`Ann ${own.name}`, `Home of ${own.workspace}`, `${own.address}@example.test`)
  ;[bob, carol, dave] = [await signUp('Bob'), await signUp('Carol'), await signUp('Dave')]
  // Alone at home.
  const home = await newBoard(ann, 'Home')
  await made(ann, 'POST', `/board/boards/${home.id}/tasks`, { title: own.card }, keyed())
  const shelf = await made(ann, 'POST', '/docs/spaces', { name: 'Shelf' })
  await made(ann, 'POST', `/docs/spaces/${shelf.id}/pages`, { title: 'Page', body: own.page })
  await world.admin.query(
    `insert into identity.agents (brand_id, agent_id, name) select unnest($1::int[]), 'bot', 'Bot'`,
    [[ann.home, bob.home]],
  )
  const note = { agent_id: 'bot', kind: 'fact', body: 'A note' }
  await made(ann, 'POST', '/memory/memories', { ...note, title: own.memory }, keyed())
  await world.givePhoto(ann)
  await made(ann, 'PUT', '/me/mail/address', { name: own.mail_name })
  // A member of Bob's workspace, whose every change is told to a webhook.
  await world.watch(bob)
  await join(bob, ann)
  await made(bob, 'POST', `/brands/${bob.home}/invitations`, {
    email: `${shared.friend}@example.test`,
  })
  await world.givePhoto(bob, ann)
  await made(bob, 'PATCH', `/brands/${bob.home}/members/${ann.id}`, { position: own.position }, keyed())
  board = await newBoard(ann, 'Work')
  const tasks = `/board/boards/${board.id}/tasks`
  const worker = { kind: 'member', id: String(ann.id) }
  card = await made(ann, 'POST', tasks, { title: shared.card, assignee: worker }, keyed())
  await made(ann, 'POST', `/board/tasks/${card.id}/comments`, { body: shared.comment }, keyed())
  // In the inbox of each other.
  await made(bob, 'POST', tasks, { title: 'For Ann', assignee: worker }, keyed())
  const forBob = { kind: 'member', id: String(bob.id) }
  await made(ann, 'POST', tasks, { title: 'For Bob', assignee: forBob }, keyed())
  await made(ann, 'PUT', '/me/inbox/mail', { mode: 'daily' }, keyed())
  const view = { name: own.view, filters: { q: own.view } }
  // Without a key: for a day, keys hold what was answered.
  await made(ann, 'POST', '/board/views', view)
  await made(ann, 'POST', '/board/views', { name: shared.view, filters: {}, shared: true }, keyed())
  const checklist = `/board/tasks/${card.id}/checklist`
  const { items } = await made(ann, 'POST', checklist, { checklist: ['Look'] }, keyed())
  const [item] = items as unknown as { id: string }[]
  await made(ann, 'PATCH', `/board/checklist-items/${item?.id}`, { done: true }, keyed())
  await world.attach(ann, card.id)
  await made(ann, 'POST', `/board/tasks/${card.id}/claim`, {}, keyed())
  await made(ann, 'POST', `/board/tasks/${card.id}/runs`, {}, keyed())
  const issued = { name: own.token, scopes: ['brand:read'], agent: 'Builder' }
  const { token } = await made(ann, 'POST', `/brands/${bob.home}/tokens`, issued)
  await made({ token: String(token) }, 'POST', tasks, { title: 'Made by an agent' }, keyed())
  const space = await made(bob, 'POST', '/docs/spaces', { name: 'Space' })
  await made(ann, 'POST', `/docs/spaces/${space.id}/pages`, { title: shared.page, body: '' })
  const first = await made(ann, 'POST', '/memory/memories', { ...note, title: 'First' }, keyed())
  await made(ann, 'PATCH', `/memory/memories/${first.id}`, { title: shared.memory }, keyed())
  const gone = await made(ann, 'POST', '/memory/memories', { ...note, title: 'Deleted' }, keyed())
  await world.admin.query(
    `insert into memory.proposals (brand_id, id, agent_id, kind, reason, memory_id, content, digest)
     values ($1, gen_random_uuid(), 'bot', 'change', 'locked', $2, '{}', '')`,
    [bob.home, gone.id],
  )
  await made(ann, 'DELETE', `/memory/memories/${gone.id}`, undefined, keyed())
  // A guest of Carol's, who has left since: no row tells any more that Ann was there.
  await world.watch(carol)
  foreign = await newBoard(carol, 'Shared')
  await made(
    carol,
    'POST',
    `/board/boards/${foreign.id}/guests`,
    { email: ann.email, role: 'editor' },
    keyed(),
  )
  const guest = `/board/shared/${foreign.id}/tasks`
  const theirs = await made(ann, 'POST', guest, { title: 'Made by a guest' })
  await made(ann, 'POST', `${guest}/${theirs.id}/comments`, { body: 'Said by a guest' })
  await made(carol, 'DELETE', `/board/boards/${foreign.id}/guests/${ann.id}`)
  // Dave knows her by an invitation alone, and has work of his own.
  await made(dave, 'POST', `/brands/${dave.home}/invitations`, { email: ann.email })
  await made(
    dave,
    'POST',
    `/board/boards/${(await newBoard(dave, 'Own')).id}/tasks`,
    { title: 'Own card' },
    keyed(),
  )
  // Guesses, links, and a job that gave up.
  await world.call(ann, 'POST', '/auth/sign-in', { email: ann.email, password: 'wrong guess' })
  await world.call(ann, 'POST', '/auth/password-reset', { email: ann.email })
  const actor = { kind: 'member', id: String(ann.id), name: ann.name, on_behalf_of: null }
  await world.admin.query(`insert into pgboss.job (name, data, output) values ('jobs.dead', $1, $2)`, [
    { origin: 'x', attempt: 1, payload: { brand_id: bob.home, actor } },
    { message: `550 ${ann.email} user unknown` },
  ])
})

test('K12: after the erasure of a person nothing that is kept tells who they were', async () => {
  const { admin } = world
  const before = await everything(server.database, admin)
  // Without this the test would pass where nothing had ever been.
  for (const [what, word] of Object.entries({ ...own, ...shared }))
    expect(placesOf(before, word), what).not.toEqual([])
  expect(placesOf(before, own.name).map((place) => place.replace(/_p\d+$|_head$/, ''))).toEqual(
    expect.arrayContaining([
      'boards.activity',
      'boards.attachments',
      'boards.cards',
      'boards.checklist_items',
      'boards.comments',
      'boards.runs',
      'docs_spaces.pages',
      'identity.people',
      'memory.history',
      'memory.memories',
      'memory.proposals',
      'memory.tombstones',
      'pgboss.job_common',
      'platform.audit_entries',
      'platform.idempotency_keys',
      'webhooks.deliveries',
    ]),
  )
  expect(placesOf(before, own.address)).toEqual(expect.arrayContaining(['workspaces.invitations']))
  expect([...before.keys()].filter((place) => place.startsWith('object member'))).toHaveLength(2)
  const daves = await rowsOfBrand(admin, dave.home)

  expect(await world.call(operator, 'POST', `/admin/people/${ann.id}/erasure`)).toMatchObject({
    status: 202,
    body: { erasure: { status: 'scheduled' } },
  })
  const worker = await server.start('worker')
  await world.done(`people/${ann.id}`)
  await world.done(`brands/${ann.home}`)
  await worker.stop()

  const after = await everything(server.database, admin)
  for (const [what, word] of Object.entries(own)) expect(placesOf(after, word), what).toEqual([])
  for (const [what, word] of Object.entries(shared)) expect(placesOf(after, word), what).not.toEqual([])
  expect([...after.keys()].filter((place) => place.startsWith('object member'))).toEqual([])
  const wanted = await admin.query('select from inbox.mail_settings where person_id = $1', [ann.id])
  expect(wanted.rowCount).toBe(0)
  // Of another workspace only the invitation to her is gone.
  const { 'workspaces.invitations': _, ...kept } = daves
  expect(withoutHer(await rowsOfBrand(admin, dave.home))).toEqual(withoutHer(kept))
  expect((await verifyData(server.database.url)).code).toBe(0)
})

/** The audit of Dave's invitation names her no more; all else of his is as it was. */
const withoutHer = (rows: Record<string, string[]>) =>
  Object.fromEntries(
    Object.entries(rows).map(([table, all]) => [
      table,
      all.map((row) => row.replaceAll(`${own.address}@example.test`, 'Former member')),
    ]),
  )

test('K12: boards and docs keep what was said, by a former member', async () => {
  const { body } = await world.call(bob, 'GET', `/board/tasks/${card.id}`)
  const former = { kind: 'member', id: String(ann.id), name: 'Former member' }
  expect(body).toMatchObject({ title: shared.card, assignee: former, created_by: former })
  const { body: comments } = await world.call<{ items: unknown[] }>(
    ...([bob, 'GET', `/board/tasks/${card.id}/comments`] as const),
  )
  expect(comments).toMatchObject({ items: [{ body: shared.comment, author: former }] })
  const { body: feed } = await world.call<{ items: Body[] }>(
    ...([carol, 'GET', `/board/activity/boards/${foreign.id}`] as const),
  )
  const added = feed.items.find(({ action }) => action === 'guest.added')
  expect(added).toMatchObject({ data: { user_id: ann.id, name: 'Former member' } })
})

test('K12: the audit keeps ids, and tells of the erasure with ids alone', async () => {
  const { body } = await world.call<{ items: Body[] }>(bob, 'GET', `/brands/${bob.home}/audit?limit=100`)
  const hers = body.items.filter(({ actor }) => (actor as { user_id: number }).user_id === ann.id)
  expect(hers.length).toBeGreaterThan(0)
  for (const { actor } of hers) expect(actor).toMatchObject({ user_id: ann.id, name: null })
  expect(body.items.map(({ target }) => target)).toContain(`member:${ann.id}`)
  const { body: platform } = await world.call<{ items: Body[] }>(
    ...([operator, 'GET', `/admin/audit?person=${ann.id}`] as const),
  )
  expect(platform.items.map(({ action }) => action)).toEqual(
    expect.arrayContaining(['person.erasure_scheduled', 'person.erasure_started', 'person.erased']),
  )
  expect(JSON.stringify(platform.items)).not.toContain('127.0.0.1')
})

test('K12: nobody signs in as the person, and the mail name is nobody’s for a year', async () => {
  expect((await world.call(ann, 'GET', '/me')).status).toBe(401)
  const again = { email: ann.email, password: 'correct horse battery' }
  expect((await world.call(bob, 'POST', '/auth/sign-in', again)).status).toBe(401)
  const wanted = { name: own.mail_name }
  expect((await world.call(bob, 'PUT', '/me/mail/address', wanted)).status).toBe(409)
  const { body } = await world.call(bob, 'GET', `/me/mail/address/availability?name=${own.mail_name}`)
  expect(body).toMatchObject({ available: false })
  await world.admin.query(`update mailboxes.withheld_names set withheld_until = now()`)
  expect((await world.call(bob, 'PUT', '/me/mail/address', wanted)).status).toBe(200)
  // The address itself is free: whoever has it may sign up with it.
  expect((await world.signUp('Another Ann', 'Anew', ann.email)).id).not.toBe(ann.id)
})
