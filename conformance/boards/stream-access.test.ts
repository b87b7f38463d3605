import { json, newToken } from '@crewhall/testkit/people.ts'
import type { ServerProcess } from '@crewhall/testkit/server-process.ts'
import { useServer } from '@crewhall/testkit/test-server.ts'
import { createVirtualClock } from '@crewhall/testkit/virtual-clock.ts'
import { waitFor } from '@crewhall/testkit/wait-for.ts'
import { bearer } from '@crewhall/testkit/world/call.ts'
import { World } from '@crewhall/testkit/world/world.ts'
import { beforeAll, expect, onTestFinished, test } from 'vitest'
import { type Board, BoardWorkspace } from './board-workspace.ts'
import { Listener } from './stream-calls.ts'

const server = useServer('product')
const at = new World(server)
let workspace: BoardWorkspace
let board: Board
let second: ServerProcess
beforeAll(async () => {
  workspace = await BoardWorkspace.open(server)
  board = await workspace.board()
  second = await server.start('api')
})

const query = () => `board_ids=${board.id}`
/** At the process that nothing is changed through. */
async function listen(headers: Record<string, string>, url = second.url): Promise<Listener> {
  const listener = await Listener.open(url, query(), { headers })
  onTestFinished(() => listener.close())
  return listener.ready()
}
const titles = ({ entries }: Listener) => entries.map(({ data }) => (data.data as { title?: string }).title)
const tokenOf = () => newToken((path, init) => server.get(path, init), workspace.owner, [])
const revoke = async (id: string) => {
  const path = `/api/v1/brands/${workspace.owner.brand_id}/tokens/${id}`
  const response = await server.get(path, { method: 'DELETE', headers: { cookie: workspace.owner.cookie } })
  if (response.status !== 200) throw new Error(`revoking was answered ${response.status}`)
}
const newMember = () => at.join(workspace.owner.brand_id, 'member')

test('nothing that happens after a token was revoked is told to it, 50 times of 50 amid other changes', async () => {
  const noise = { isOn: true }
  const card = await workspace.card(board)
  const makeNoise = async () => {
    for (let n = 0; noise.isOn; n += 1) await workspace.patch(card, { title: `Noise ${n}` })
  }
  const making = makeNoise()
  const round = async (n: number) => {
    const { id, token } = await tokenOf()
    const listener = await listen(bearer(token))
    await listener.count(3)
    await revoke(id)
    await workspace.card(board, { title: `After ${n}` })
    await listener.over()
    return titles(listener).filter((title) => title === `After ${n}`).length
  }
  const told: number[] = []
  for (let n = 0; n < 50; n += 5) {
    told.push(...(await Promise.all(Array.from({ length: 5 }, (_, lane) => round(n + lane)))))
  }
  noise.isOn = false
  await making
  expect(told).toEqual(Array.from({ length: 50 }, () => 0))
})

test('a read that was under way when a token was revoked tells nothing of what happened after', async () => {
  const { id, token } = await tokenOf()
  const listener = await listen(bearer(token))
  const client = await server.connection('superuser')
  onTestFinished(() => client.end())
  // Nothing can be read from the feed now. The stream finds that the board has changed, and waits for its read.
  await client.query('begin; lock table boards.activity in access exclusive mode')
  await at.sql('update boards.boards set last_activity_at = clock_timestamp() where id = $1', [board.id])
  await waitFor(async () => {
    const waiting = await at.sql(
      `select from pg_locks where not granted and relation = 'boards.activity'::regclass`,
    )
    return waiting.length === 1
  }, 30_000)
  await revoke(id)
  await at.sql('update boards.boards set last_activity_at = clock_timestamp() where id = $1', [board.id])
  await client.query(
    `insert into boards.activity (brand_id, board_id, created_at, action, actor, data)
     select brand_id, id, last_activity_at, 'task.created',
       '{"kind":"system","id":"x","name":"x","on_behalf_of":null}', '{"title":"After"}'
     from boards.boards where id = $1`,
    [board.id],
  )
  await client.query('commit')
  await listener.over()
  expect(titles(listener)).toEqual([])
})

test('a caller that is let in still hears what a revoked one does not', async () => {
  const listener = await listen(bearer((await tokenOf()).token))
  const revoked = await tokenOf()
  await revoke(revoked.id)
  await workspace.card(board, { title: 'Still told' })
  await listener.count(1)
  expect(titles(listener)).toEqual(['Still told'])
})

test('a member who is removed hears nothing of what follows', async () => {
  const member = await newMember()
  const listener = await listen(bearer(await at.newToken(member)))
  await at.sql(`update identity.memberships set status = 'removed' where brand_id = $1 and person_id = $2`, [
    member.brand_id,
    member.person_id,
  ])
  await workspace.card(board, { title: 'Not for them' })
  await listener.over()
  expect(titles(listener)).toEqual([])
})

test('a session that is signed out hears nothing of what follows', async () => {
  const member = await newMember()
  const headers = { cookie: await at.newCookie(member.person_id, member.brand_id) }
  const listener = await listen(headers)
  expect((await server.get('/api/v1/auth/sign-out', { method: 'POST', headers })).status).toBeLessThan(300)
  await workspace.card(board)
  await listener.over()
  expect(titles(listener)).toEqual([])
})

test('a session that turns to another workspace hears nothing more of the first', async () => {
  const member = await newMember()
  const { brand_id } = await at.join(await at.newBrand(), 'member', member.person_id)
  const headers = { cookie: await at.newCookie(member.person_id, member.brand_id) }
  const listener = await listen(headers)
  const response = await server.get('/api/v1/me/brand', { ...json({ brand_id }, headers), method: 'PUT' })
  expect([response.status, await response.text()]).toEqual([200, expect.any(String)])
  await workspace.card(board)
  await listener.over()
  expect(titles(listener)).toEqual([])
})

test('a token that has come to its end hears nothing of what follows', async () => {
  const clock = createVirtualClock(server.database.name)
  onTestFinished(() => clock.close())
  const api = await server.start('api', clock.env)
  const member = await newMember()
  const listener = await listen(bearer(await at.newToken(member)), api.url)
  await clock.advance(25 * 60 * 60 * 1000)
  await workspace.card(board)
  await listener.over()
  expect(titles(listener)).toEqual([])
  await clock.advance(-25 * 60 * 60 * 1000)
})

test('a silent stream of a revoked token ends with the next sign of life, which others get', async () => {
  const quiet = await workspace.board()
  const { id, token } = await tokenOf()
  const [revoked, kept] = await Promise.all(
    [token, workspace.token].map((each) =>
      Listener.open(second.url, `board_ids=${quiet.id}`, { headers: bearer(each) }),
    ),
  )
  await revoke(id)
  await revoked?.over(20_000)
  await kept?.until(({ comments }) => comments.includes('keepalive'), 20_000)
  expect([revoked?.comments, kept?.is_over]).toEqual([[], false])
  kept?.close()
})
