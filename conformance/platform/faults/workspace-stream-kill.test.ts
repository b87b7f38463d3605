import { json } from '@crewhall/testkit/people.ts'
import type { ServerProcess } from '@crewhall/testkit/server-process.ts'
import { useServer } from '@crewhall/testkit/test-server.ts'
import { waitFor } from '@crewhall/testkit/wait-for.ts'
import { World } from '@crewhall/testkit/world/world.ts'
import { beforeAll, expect, test } from 'vitest'
import { EventWorkspace } from '../events/event-world.ts'
import { ReturningClient } from './returning-client.ts'

const noLimits = { HTTP_RATE_LIMIT_PER_MINUTE: '0', HTTP_RATE_LIMIT_PER_CREDENTIAL: '0' }
const server = useServer('probe', noLimits)
const at = new World(server)
let team: EventWorkspace
let processes: [ServerProcess, ServerProcess]
beforeAll(async () => {
  team = await EventWorkspace.open(server, at)
  processes = [await server.start('api'), await server.start('api')]
})

const urls = () => processes.map(({ url }) => url)
const changes = 400
const writers = 8
const kills = 3

test('E1: a client of the whole workspace that keeps its place is told of everything once and in order, whichever process is killed', async () => {
  const headers = await team.bearer('brand:read')
  const boards = await Promise.all(Array.from({ length: 4 }, () => team.workspace.board()))
  const options = { urls, query: '', headers }
  const careful = new ReturningClient(options)
  const naive = new ReturningClient(options, () => {
    const before = careful.seen.length
    return waitFor(() => careful.seen.length >= before + 5, 60_000)
  })
  await waitFor(() => careful.connections > 0 && naive.connections > 0, 30_000)
  /** Every other change is an event outside of boards. Some that were not answered may have been made as well. */
  const write = async (count: number, begin: number) => {
    let answered = 0
    for (let n = begin; answered < count; n += 1) {
      const board = boards[n % boards.length]
      const path =
        n % 2 === 0
          ? ['/api/v1/probe/events', { subject_id: `${begin}-${n}` }]
          : [`/api/v1/board/boards/${board?.id}/tasks`, { title: `Card ${n}` }]
      const status = await fetch(`${urls()[(n >> 1) % 2]}${path[0]}`, json(path[1], headers)).then(
        (response) => response.text().then(() => response.status),
        () => 0,
      )
      if (status === 201) answered += 1
    }
  }
  const part = changes / (kills + 1)
  for (let turn = 0; turn <= kills; turn += 1) {
    const before = careful.seen.length
    const writing = Promise.all(Array.from({ length: writers }, (_, n) => write(part / writers, n)))
    if (turn < kills) {
      // In the middle of the changes, and the process that it listens to.
      await waitFor(() => careful.seen.length > before + part / 5, 60_000)
      const victim = careful.turn % 2
      await processes[victim]?.kill()
      processes[victim] = await server.start('api')
    }
    await writing
  }
  const boardIds = boards.map(({ id }) => id)
  const inFeeds = await at.sql<{ place: string; id: string }>(
    `select board_id::text as place, 'b' || id as id from boards.activity
     where board_id = any($1::uuid[]) and action <> 'board.created'
     union all select 'log', 'e' || id from platform.workspace_events where brand_id = $2`,
    [boardIds, team.brand_id],
  )
  await waitFor(() => careful.seen.length >= inFeeds.length, 20_000).catch(() => {})
  await Promise.all([careful.stop(), naive.stop()])
  console.log(
    `kept ${inFeeds.length}; careful: ${careful.seen.length} over ${careful.connections} connections; ` +
      `naive: ${new Set(naive.seen).size} over ${naive.connections}`,
  )
  expect(careful.seen).toHaveLength(new Set(careful.seen).size)
  expect(careful.seen.toSorted()).toEqual(inFeeds.map(({ id }) => id).toSorted())
  for (const list of Map.groupBy(inFeeds, ({ place }) => place).values()) {
    const ids = list.map(({ id }) => Number(id.slice(1))).toSorted((a, b) => a - b)
    const own = new Set(list.map(({ id }) => id))
    expect(careful.seen.filter((id) => own.has(id)).map((id) => Number(id.slice(1)))).toEqual(ids)
  }
  expect(inFeeds.length).toBeGreaterThanOrEqual(changes)
  expect(careful.connections).toBeGreaterThan(kills)
  expect(new Set(naive.seen).size).toBeLessThan(inFeeds.length)
})
