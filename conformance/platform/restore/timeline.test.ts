import { newToken } from '@crewhall/testkit/people.ts'
import { useServer } from '@crewhall/testkit/test-server.ts'
import { bearer, call } from '@crewhall/testkit/world/call.ts'
import { beforeAll, expect, onTestFinished, test } from 'vitest'
import { type Board, BoardWorkspace } from '../../boards/board-workspace.ts'
import { Listener } from '../../boards/stream-calls.ts'
import { HookAdmin, hookEnv } from '../../webhooks/hook-world.ts'

// A restored database counts on from an earlier moment. Whoever stood behind that moment must not read on from there.

const server = useServer('product', hookEnv)
let workspace: BoardWorkspace
let board: Board
let admin: string
beforeAll(async () => {
  workspace = await BoardWorkspace.open(server)
  await server.sql(`update identity.brands set scope_ceiling = '{brand:admin}'`)
  admin = (await newToken((path, init) => server.get(path, init), workspace.owner, ['brand:admin'])).token
  board = await workspace.board()
})

interface Feed {
  readonly items: readonly { id: string }[]
  readonly next_cursor: string
}
type Get = (path: string, token: string) => Promise<{ status: number; body: Feed }>
const getFrom =
  (base: string): Get =>
  async (path, token) => {
    const response = await fetch(`${base}${path}`, { headers: bearer(token) })
    return { status: response.status, body: (await response.json()) as Feed }
  }

test('after a restore no cursor from before it is read on from: feeds say 410, streams reset, pages refuse', async () => {
  const hooks = new HookAdmin(workspace)
  const hook = await hooks.open('https://127.0.0.1:1/')
  for (const title of ['one', 'two', 'three']) await workspace.card(board, { title })
  const before = getFrom(server.api.url)
  const activity = `/api/v1/board/activity/boards/${board.id}`
  const audit = `/api/v1/brands/${workspace.owner.brand_id}/audit`
  const feed = await before(activity, workspace.token)
  const log = await before(audit, admin)
  const newestLog = await before(`${audit}?order=newest_first&limit=1`, admin)
  const deliveries = await hooks.deliveries(hook, '?limit=1')
  expect(deliveries.next_cursor).not.toBeNull()
  const streams = [`board_ids=${board.id}`, '']
  const places = await Promise.all(
    streams.map(async (query) => {
      const listener = await Listener.open(server.api.url, query, { headers: bearer(workspace.token) })
      onTestFinished(() => listener.close())
      return (await listener.ready()).last_id
    }),
  )

  const owner = await server.connection('owner')
  await owner.query(`insert into platform.timelines values (2147483647, now() - interval '1 minute', now())`)
  const restored = await server.start('api')
  const after = getFrom(restored.url)
  const gone = { detail: 'Entries after this cursor have been deleted; start without a cursor' }
  for (const [path, token] of [
    [`${activity}?since=${feed.body.next_cursor}`, workspace.token],
    [`${activity}?before=${feed.body.next_cursor}`, workspace.token],
    [`${audit}?since=${log.body.next_cursor}`, admin],
    [`${audit}?order=newest_first&since=${newestLog.body.next_cursor}`, admin],
  ] as const)
    expect([path, await after(path, token)]).toEqual([path, { status: 410, body: gone }])
  const page = `/api/v1/webhooks/${hook.id}/deliveries?cursor=${deliveries.next_cursor}`
  const get = (path: string, init?: RequestInit) => fetch(`${restored.url}${path}`, init)
  expect((await call(get, workspace.owner, 'GET', page)).status).toBe(422)
  for (const [at, query] of streams.entries()) {
    const listener = await Listener.open(restored.url, query, {
      headers: bearer(workspace.token),
      last_event_id: places[at],
    })
    onTestFinished(() => listener.close())
    await listener.ready()
    expect(listener.told.map(({ event, data }) => [event, data.reason ?? data.resumed])).toEqual([
      ['reset', 'expired_cursor'],
      ['ready', false],
    ])
    // What it is given now is of the new timeline.
    const again = await Listener.open(restored.url, query, {
      headers: bearer(workspace.token),
      last_event_id: listener.last_id,
    })
    onTestFinished(() => again.close())
    await again.ready()
    expect(again.told.map(({ event, data }) => [event, data.resumed])).toEqual([['ready', true]])
  }
  const start = await after(activity, workspace.token)
  expect(start.body.items).toEqual(feed.body.items)
  expect((await after(`${activity}?since=${start.body.next_cursor}`, workspace.token)).status).toBe(200)

  // A process that was there before finds out with its next connection. What it remembers is of the other timeline, so it ends.
  await (await server.connection('superuser')).query(
    `select pg_terminate_backend(pid) from pg_stat_activity
     where datname = current_database() and application_name = 'crewhall-api'`,
  )
  void before(activity, workspace.token).catch(() => {})
  expect(await server.api.ended).toBe(1)
  expect(server.api.logs().some(({ level, msg }) => level === 'fatal' && msg?.includes('restored'))).toBe(
    true,
  )
  await restored.stop()
})

test('the product cannot begin a timeline by itself', async () => {
  const product = await server.connection('application')
  for (const statement of [
    'insert into platform.timelines values (9, now(), now())',
    'update platform.timelines set number = 9',
    'delete from platform.timelines',
  ])
    await expect(product.query(statement)).rejects.toThrow('permission denied')
})
