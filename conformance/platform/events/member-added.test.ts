import { json } from '@crewhall/testkit/people.ts'
import type { ServerProcess } from '@crewhall/testkit/server-process.ts'
import { useServer } from '@crewhall/testkit/test-server.ts'
import { World } from '@crewhall/testkit/world/world.ts'
import { beforeAll, expect, onTestFinished, test } from 'vitest'
import type { Listener } from '../../boards/stream-calls.ts'
import { arrived, HookAdmin, hookEnv, useHookWorld, verified } from '../../webhooks/hook-world.ts'
import { EventWorkspace, idsOf, typesOf } from './event-world.ts'

const server = useServer('product', hookEnv)
const at = new World(server)
const hooks = useHookWorld(server)
let second: ServerProcess
beforeAll(async () => {
  second = await server.start('api')
})

const opened = async (listening: Promise<Listener>): Promise<Listener> => {
  const listener = await listening
  onTestFinished(() => listener.close())
  return listener.ready()
}
const kept = (brand_id: number) =>
  at.sql<{ type: string; data: unknown }>(
    'select type, data from platform.workspace_events where brand_id = $1 order by created_at',
    [brand_id],
  )

test('E1: whoever accepts an invitation is told of as member.added, by webhook and on a stream of another process', async () => {
  const team = await EventWorkspace.open(server, at)
  const receiver = await hooks.newReceiver()
  const hook = await new HookAdmin(team.workspace).open(receiver.url, { events: ['member.*'] })
  const worker = await server.start('worker')
  const listener = await opened(team.listen(await team.bearer('brand:read'), '', { url: second.url }))
  const user_id = await team.join('admin')
  await listener.count(1)
  const [told] = listener.entries
  expect(told?.data).toEqual({
    id: expect.stringMatching(/^\d+$/),
    type: 'member.added',
    created_at: expect.any(String),
    subject: { kind: 'member', id: String(user_id) },
    actor: { kind: 'person', id: String(user_id) },
    data: { user_id, role: 'admin', via: 'invitation' },
  })
  const [received] = await arrived(receiver, 1)
  if (!received) throw new Error('nothing came')
  expect(verified(hook.secret, received)).toEqual({
    type: 'member.added',
    timestamp: told?.data.created_at,
    data: told?.data,
  })
  await worker.stop()
})

test('E1: an invitation that a member accepts tells of nobody, and a dead one leaves no event', async () => {
  const team = await EventWorkspace.open(server, at)
  const user_id = await at.newPerson()
  const accept = await team.invite(user_id)
  await at.join(team.brand_id, 'member', user_id)
  await accept()
  await expect(accept()).rejects.toThrow('400')
  expect(await kept(team.brand_id)).toEqual([])
})

test('E1: a guest who becomes a member, a former member who returns and one whom a platform admin put in are told of', async () => {
  const team = await EventWorkspace.open(server, at)
  const board = await team.workspace.board()
  const guest = await at.newPerson()
  await at.sql(
    `insert into boards.guests (brand_id, board_id, person_id, role) values ($1, $2, $3, 'viewer')`,
    [team.brand_id, board.id, guest],
  )
  await team.join('member', guest)
  const path = `/api/v1/brands/${team.brand_id}/members/${guest}`
  expect((await server.get(path, { method: 'DELETE', headers: team.session })).status).toBe(200)
  await team.join('admin', guest)
  expect((await kept(team.brand_id)).map(({ data }) => data)).toEqual([
    { user_id: guest, role: 'member', via: 'invitation' },
    { user_id: guest, role: 'admin', via: 'invitation' },
  ])
  const staff = await at.newCookie(await at.newPerson(true), null)
  const person = await at.newPerson()
  const [{ email } = { email: '' }] = await at.sql<{ email: string }>(
    'select email from identity.people where id = $1',
    [person],
  )
  const made = await server.get(
    '/api/v1/admin/brands',
    json({ name: 'New', plan_key: 'free', admin_email: email }, { cookie: staff }),
  )
  expect(made.status).toBe(201)
  const { id } = (await made.json()) as { id: number }
  expect(await kept(id)).toEqual([
    { type: 'member.added', data: { user_id: person, role: 'admin', via: 'platform_admin' } },
  ])
})

test('E1: events hold ids and words of the interface, and nothing of a name or an address', async () => {
  const team = await EventWorkspace.open(server, at)
  const user_id = await team.join()
  const [row] = await at.sql<{ text: string; email: string; full_name: string }>(
    `select e::text as text, p.email, p.full_name from platform.workspace_events e, identity.people p
     where e.brand_id = $1 and p.id = $2`,
    [team.brand_id, user_id],
  )
  expect(row?.text).not.toContain(row?.email)
  expect(row?.text).not.toContain(row?.full_name)
})

test('E1: a stream without board_ids tells of all boards and of what happens outside of them, once and in order, also after a cut', async () => {
  const team = await EventWorkspace.open(server, at)
  const headers = await team.bearer('brand:read')
  const first = await opened(team.listen(headers))
  const [one, two] = [await team.workspace.board(), await team.workspace.board()]
  await team.workspace.card(one)
  await first.count(3)
  await team.join()
  await first.count(4)
  expect(typesOf(first)).toEqual(['board.created', 'board.created', 'task.created', 'member.added'])
  first.close()
  await team.workspace.card(two)
  await team.join()
  await team.workspace.card(one)
  const back = await opened(team.listen(headers, '', { url: second.url, last_event_id: first.last_id }))
  await back.count(3)
  await team.workspace.card(two)
  await back.count(4)
  expect(typesOf(back)).toEqual(['task.created', 'member.added', 'task.created', 'task.created'])
  // From any place in between, the rest follows and nothing else.
  const all = [...first.entries, ...back.entries]
  for (const [n, { id = '' }] of all.entries()) {
    const again = await opened(team.listen(headers, '', { last_event_id: id }))
    await again.count(all.length - n - 1)
    expect(idsOf(again)).toEqual(all.slice(n + 1).map(({ data }) => String(data.id)))
    again.close()
  }
})

test('E1: types choose among all events, and the place moves on over those that nobody wants', async () => {
  const team = await EventWorkspace.open(server, at)
  const listener = await opened(team.listen(team.session, 'types=member.added'))
  const start = listener.last_id
  const board = await team.workspace.board()
  await listener.until(({ last_id }) => last_id !== start)
  await team.workspace.card(board)
  await team.join()
  await listener.count(1)
  expect(typesOf(listener)).toEqual(['member.added'])
  const unknown = await server.get('/api/v1/events/stream?types=member.painted', { headers: team.session })
  expect([unknown.status, await unknown.json()]).toEqual([400, { detail: 'types.0: must be event types' }])
})

test('E1: a place of one workspace is none of another, nor of its boards', async () => {
  const [team, other] = [await EventWorkspace.open(server, at), await EventWorkspace.open(server, at)]
  const board = await team.workspace.board()
  const place = (await opened(team.listen(team.session))).last_id
  for (const [who, query] of [
    [other, ''],
    [team, `board_ids=${board.id}`],
  ] as const) {
    const listener = await opened(who.listen(who.session, query, { last_event_id: place }))
    expect(listener.told[0]).toMatchObject({ event: 'reset', data: { reason: 'unknown_cursor' } })
  }
})
