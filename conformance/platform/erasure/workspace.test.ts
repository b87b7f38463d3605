import { useServer } from '@crewhall/testkit/test-server.ts'
import { verifyData } from '@crewhall/testkit/verify-data.ts'
import { beforeAll, expect, test } from 'vitest'
import { type Body, erasureEnv, newWord, operator, type Person, useErasureWorld } from './erasure-world.ts'
import { everything, placesOf, rowsOfBrand } from './everything.ts'

const server = useServer('product', erasureEnv)
const world = useErasureWorld(server)

const words = {
  workspace: newWord('workspace'),
  board: newWord('board'),
  column: newWord('column'),
  card: newWord('card'),
  notes: newWord('notes'),
  comment: newWord('comment'),
  guest: newWord('guestcomment'),
  run: newWord('run'),
  page: newWord('page'),
  space: newWord('space'),
  hook: newWord('hook'),
  invited: newWord('invited'),
  position: newWord('position'),
  token: newWord('token'),
  agent: newWord('agent'),
  agent_id: newWord('agentid'),
  agent_name: newWord('agentname'),
  service: newWord('service'),
  memory: newWord('memory'),
  earlier_memory: newWord('earliermemory'),
  deleted_memory: newWord('deletedmemory'),
  vector: newWord('vector'),
  desk: newWord('desk'),
  desk_use: newWord('deskuse'),
  hire: newWord('hire'),
}

let eve: Person
let fred: Person
let gus: Person
let board: Body

/** One with history, one that waits for its vector, one that has it, and one that left a tombstone. */
async function addMemories(by: Person, brand_id: number, agent_id: string, of = ''): Promise<void> {
  const { made, keyed, admin } = world
  const add = (title: string) =>
    made(by, 'POST', '/memory/memories', { agent_id, kind: 'fact', title: of || title, body: 'B' }, keyed())
  const changed = await add(words.earlier_memory)
  await made(by, 'PATCH', `/memory/memories/${changed.id}`, { title: of || words.memory }, keyed())
  const { id } = await add('With a vector')
  await admin.query(
    `with done as (delete from memory.embedding_queue where brand_id = $1 and memory_id = $2)
     insert into memory.embeddings (brand_id, memory_id, agent_id, model, dimension, text_hash, vector)
     values ($1, $2, $3, $4, 2, '', '[1,0]')`,
    [brand_id, id, agent_id, of || words.vector],
  )
  const gone = await add(words.deleted_memory)
  await made(by, 'DELETE', `/memory/memories/${gone.id}`)
}

beforeAll(async () => {
  const { made, signUp, join, newBoard, keyed } = world
  eve = await signUp('Eve', `W ${words.workspace}`)
  ;[fred, gus] = [await signUp('Fred'), await signUp('Gus')]
  await made(eve, 'POST', '/webhooks', {
    url: 'http://127.0.0.1:9/hook',
    events: ['*'],
    description: words.hook,
  })
  await join(eve, fred)
  await world.givePhoto(eve, fred)
  await made(eve, 'PATCH', `/brands/${eve.home}/members/${fred.id}`, { position: words.position })
  await made(eve, 'POST', `/brands/${eve.home}/invitations`, { email: `${words.invited}@example.test` })
  await world.orderDesk(fred, { name: words.desk, description: words.desk_use })
  // Whether a worker builds it before the erasure, meanwhile or never is left to chance.
  const reviewer = 'db36c3fb-73e4-4434-b95c-e2dc0c9d4593'
  const grant = { brand_id: eve.home, comp_reason: words.hire }
  await made(operator, 'POST', `/employees/${reviewer}/hire`, grant)
  board = await newBoard(fred, words.board)
  await made(fred, 'POST', `/board/boards/${board.id}/columns`, { name: words.column, status: 'done' })
  const tasks = `/board/boards/${board.id}/tasks`
  const parent = await made(fred, 'POST', tasks, { title: words.card, notes: words.notes }, keyed())
  const child = await made(fred, 'POST', tasks, { title: 'Child' })
  await world.attach(fred, parent.id)
  await made(fred, 'PUT', `/board/tasks/${parent.id}/relations/parent/${child.id}`)
  await made(fred, 'PUT', `/board/tasks/${parent.id}/relations/blocks/${child.id}`)
  await made(fred, 'POST', `/board/tasks/${parent.id}/comments`, { body: words.comment })
  const issued = { name: words.token, scopes: ['brand:read'], agent: words.agent }
  const { token } = await made(fred, 'POST', `/brands/${eve.home}/tokens`, issued)
  const by = { token: String(token) }
  await made(by, 'POST', `/board/tasks/${parent.id}/claim`, {})
  const run = await made(by, 'POST', `/board/tasks/${parent.id}/runs`, {})
  await made(by, 'PATCH', `/board/runs/${run.id}`, { summary: words.run })
  const { agent_id } = words
  await made(eve, 'POST', '/agents', { agent_id, name: words.agent_name })
  const bound = await made(fred, 'POST', `/brands/${eve.home}/tokens`, {
    name: 'Bound',
    scopes: [],
    agent_id,
  })
  // As a module that takes on agents leaves it.
  const { rows: services } = await world.admin.query<{ id: number }>(
    `insert into identity.people (email, full_name, kind) values ($1, $2, 'service') returning id`,
    [`${words.service}@service.invalid`, words.service],
  )
  await world.admin.query(
    `insert into identity.memberships (brand_id, person_id, role, status, agent_id) values ($1, $2, 'member', 'service', $3)`,
    [eve.home, services[0]?.id, agent_id],
  )
  const byAgent = { token: String(bound.token) }
  await made(byAgent, 'POST', `/brands/${eve.home}/tokens`, { name: 'Issued by the agent', scopes: [] })
  await made(byAgent, 'POST', `/board/tasks/${child.id}/comments`, { body: 'By the agent' })
  await addMemories(fred, eve.home, agent_id)
  const space = await made(fred, 'POST', '/docs/spaces', { name: words.space })
  await made(fred, 'POST', `/docs/spaces/${space.id}/pages`, { title: 'Page', body: words.page })
  await made(eve, 'POST', `/docs/spaces/${space.id}/guests`, { email: gus.email, role: 'viewer' })
  await made(eve, 'POST', `/board/boards/${board.id}/guests`, { email: gus.email, role: 'commenter' })
  const shared = `/board/shared/${board.id}/tasks/${parent.id}/comments`
  await made(gus, 'POST', shared, { body: words.guest })
  // Gus has a workspace of his own, with the same things in it.
  const own = await newBoard(gus, 'Own')
  await made(gus, 'POST', `/board/boards/${own.id}/tasks`, { title: 'Own card' }, keyed())
  await made(gus, 'POST', '/agents', { agent_id: 'own-agent', name: 'Own agent' })
  await addMemories(gus, gus.home, 'own-agent', 'Of Gus')
  await world.givePhoto(gus)
  await world.orderDesk(gus, { name: 'Own desk', description: 'Of Gus' })
})

/** Without what a worker does anyway: it looks for code in memories, and notes how far it has looked. */
async function keptRows(admin: Parameters<typeof rowsOfBrand>[0], brand_id: number) {
  const rows = await rowsOfBrand(admin, brand_id)
  const { 'memory.code_link_queue': _, 'memory.code_walks': __, 'memory.code_mentions': ___, ...kept } = rows
  return kept
}

test('K12: after the erasure of a workspace nothing that was its own is kept, and of others nothing is gone', async () => {
  const { admin } = world
  const before = await everything(server.database, admin)
  for (const [what, word] of Object.entries(words)) expect(placesOf(before, word), what).not.toEqual([])
  const objects = (kept: ReadonlyMap<string, string>, brand_id: number) =>
    [...kept.keys()].filter(
      (place) =>
        /^object (?:member-photos|desk-photos|attachments)\/(\d+)\//.exec(place)?.[1] === String(brand_id),
    )
  expect(objects(before, eve.home)).toHaveLength(3)
  const others = await keptRows(admin, gus.home)
  const memory = ['embedding_queue', 'embeddings', 'history', 'memories', 'tombstones']
  const tables = memory.map((table) => `memory.${table}`)
  expect(Object.keys(others)).toEqual(expect.arrayContaining(tables))
  expect(Object.keys(await rowsOfBrand(admin, eve.home))).toEqual(expect.arrayContaining(tables))

  const path = `/brands/${eve.home}/erasure`
  const wrong = await world.call(eve, 'POST', path, { name: 'Another' })
  expect(wrong).toEqual({ status: 409, body: { detail: 'The name does not match the workspace' } })
  expect((await world.call(fred, 'POST', path, { name: `W ${words.workspace}` })).status).toBe(403)
  const asked = await world.call<{ erasure: { due_at: string } }>(
    ...([eve, 'POST', path, { name: `W ${words.workspace}` }] as const),
  )
  expect(asked).toMatchObject({ status: 202, body: { erasure: { status: 'scheduled' } } })
  // Seven days by default, in which all goes on.
  const days = (Date.parse(asked.body.erasure.due_at) - Date.now()) / 86_400_000
  expect(Math.round(days)).toBe(7)
  expect((await world.call(fred, 'GET', `/board/boards/${board.id}`)).status).toBe(200)

  await admin.query('update identity.brand_erasures set due_at = now() where brand_id = $1', [eve.home])
  await admin.query(`update jobs.schedules set next_at = now() where name = 'identity.start-erasures'`)
  const worker = await server.start('worker')
  await world.done(`brands/${eve.home}`)
  await worker.stop()

  const after = await everything(server.database, admin)
  for (const [what, word] of Object.entries(words)) expect(placesOf(after, word), what).toEqual([])
  expect(objects(after, eve.home)).toEqual([])
  expect(objects(after, gus.home)).toHaveLength(2)
  expect(await keptRows(admin, gus.home)).toEqual(others)
  // Numbers stay, and what was done with them.
  const left = Object.keys(await rowsOfBrand(admin, eve.home)).map((table) =>
    table.replace(/_(p\d+|head)$/, ''),
  )
  expect([...new Set(left)].sort()).toEqual([
    'identity.brand_erasures',
    'platform.audit_entries',
    'platform.audit_marks',
  ])
  const { rows } = await admin.query<{ action: string; target: string; actor_person_id: number }>(
    `select action, target, actor_person_id from platform.audit_entries
     where brand_id = $1 and action = 'member.position_changed'`,
    [eve.home],
  )
  expect(rows).toEqual([
    { action: 'member.position_changed', target: `member:${fred.id}`, actor_person_id: eve.id },
  ])
  expect((await verifyData(server.database.url)).code).toBe(0)
})

test('K12: its people keep their accounts, and nobody gets into it any more', async () => {
  const { body } = await world.call<{ memberships: Body[]; brand_id: number | null }>(fred, 'GET', '/me')
  expect(body).toMatchObject({ brand_id: null, memberships: [{ brand_id: fred.home }] })
  expect((await world.call(gus, 'GET', `/board/shared/${board.id}`)).status).toBe(404)
  expect((await world.call(fred, 'PUT', '/me/brand', { brand_id: eve.home })).status).toBe(404)
  const { body: mine } = await world.call<{ memberships: Body[] }>(eve, 'GET', '/me')
  expect(mine.memberships).toEqual([])
})
