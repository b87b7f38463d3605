import { freePort } from '@crewhall/testkit/free-port.ts'
import { scaled } from '@crewhall/testkit/rounds.ts'
import type { ServerProcess } from '@crewhall/testkit/server-process.ts'
import { useServer } from '@crewhall/testkit/test-server.ts'
import { waitFor } from '@crewhall/testkit/wait-for.ts'
import { World } from '@crewhall/testkit/world/world.ts'
import { beforeAll, expect, onTestFinished, test } from 'vitest'
import type { Listener } from '../../boards/stream-calls.ts'
import { EventWorkspace, typesOf } from './event-world.ts'

const port = await freePort()
const server = useServer('product')
const at = new World(server)
let second: ServerProcess
let team: EventWorkspace
beforeAll(async () => {
  second = await server.start('api', { METRICS_PORT: String(port) })
  team = await EventWorkspace.open(server, at)
})

/** At the process that nothing is changed through. */
async function listen(headers: Record<string, string>, query = ''): Promise<Listener> {
  const listener = await team.listen(headers, query, { url: second.url })
  onTestFinished(() => listener.close())
  return listener.ready()
}
const forbidden = 'types: the token lacks the scope for these events'

test('E1: a token without brand:read is told of boards only, and refused when it asks for member events', async () => {
  const headers = await team.bearer()
  const listener = await listen(headers)
  await team.join()
  await team.workspace.board()
  await listener.count(1)
  expect(typesOf(listener)).toEqual(['board.created'])
  const refused = await server.get('/api/v1/events/stream?types=member.added', { headers })
  expect([refused.status, await refused.json()]).toEqual([403, { detail: forbidden }])
})

test('E1: when the policy of the workspace takes the scope away, member events end in the middle of a stream', async () => {
  const other = await EventWorkspace.open(server, at)
  const listener = await other.listen(await other.bearer('brand:read'), '', { url: second.url })
  onTestFinished(() => listener.close())
  await listener.ready()
  await other.join()
  await listener.count(1)
  await at.sql(`update identity.brands set scope_ceiling = '{}' where id = $1`, [other.brand_id])
  await other.join()
  await other.workspace.board()
  await listener.count(2)
  expect(typesOf(listener)).toEqual(['member.added', 'board.created'])
})

test('E1: a member is told until the membership ends, and nothing that happens afterwards', async () => {
  for (let n = 0; n < scaled(20, 8); n += 1) {
    const member = await at.join(team.brand_id, 'member')
    const token = await at.newToken(member, ['brand:read'])
    const listener = await listen({ authorization: `Bearer ${token}` })
    const path = `/api/v1/brands/${team.brand_id}/members/${member.person_id}`
    expect((await server.get(path, { method: 'DELETE', headers: team.session })).status).toBe(200)
    await team.join()
    await listener.over()
    expect(typesOf(listener)).toEqual([])
  }
})

test('E1: a guest and somebody of another workspace hear nothing of this one', async () => {
  const board = await team.workspace.board()
  const guest = await at.newPerson()
  await at.sql(
    `insert into boards.guests (brand_id, board_id, person_id, role) values ($1, $2, $3, 'editor')`,
    [team.brand_id, board.id, guest],
  )
  const cookie = await at.newCookie(guest, null)
  expect((await server.get('/api/v1/events/stream', { headers: { cookie } })).status).toBe(403)
  const other = await EventWorkspace.open(server, at)
  const stranger = await other.listen(other.session, '', { url: second.url })
  onTestFinished(() => stranger.close())
  const mine = await listen(team.session)
  await stranger.ready()
  await team.join()
  await team.workspace.card(board)
  await mine.count(2)
  await other.workspace.board()
  await stranger.count(1)
  expect(typesOf(stranger)).toEqual(['board.created'])
})

test('E1: a caller who hangs up is forgotten, and one who does not read holds up neither writers nor other listeners', async () => {
  const loud = await EventWorkspace.open(server, at)
  const board = await loud.workspace.board()
  const gone = await loud.listen(loud.session, '', { url: second.url })
  const stuck = await fetch(`${second.url}/api/v1/events/stream`, { headers: loud.session })
  onTestFinished(() => stuck.body?.cancel())
  const quiet = await listen(team.session)
  gone.close()
  const writing = Promise.all(
    Array.from({ length: 8 }, async () => {
      for (let n = 0; n < 40; n += 1)
        await loud.workspace.card(board, { title: 'Loud', description: 'x'.repeat(4000) })
    }),
  )
  const delays: number[] = []
  for (let n = 0; n < 20; n += 1) {
    const before = quiet.entries.length
    await team.workspace.board()
    const began = performance.now()
    await quiet.count(before + 1)
    delays.push(performance.now() - began)
  }
  await writing
  const median = delays.toSorted((a, b) => a - b)[10] ?? Number.NaN
  console.log(
    `beside a loud workspace: median ${median.toFixed(1)} ms, slowest ${Math.max(...delays).toFixed(1)} ms`,
  )
  expect(median).toBeLessThan(1000)
  const open = async () => {
    const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text()
    return Number(/^crewhall_http_streams (\d+)$/m.exec(text)?.[1])
  }
  // The one that hung up is gone; the one that does not read and the quiet one are there.
  await waitFor(async () => (await open()) === 2, 30_000)
})
