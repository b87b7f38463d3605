import { scaled } from '@crewhall/testkit/rounds.ts'
import { useSharedServer } from '@crewhall/testkit/shared-server.ts'
import type pg from 'pg'
import { beforeAll, expect, test } from 'vitest'
import { useGuests } from '../workspaces/guests/guests-world.ts'

const server = useSharedServer('product')
const world = useGuests(server)
let client: pg.Client
beforeAll(async () => {
  client = await server.connection('owner')
})

/** A connection of its own tells its counts to everybody only when it is idle; the server is asked after the end. */
async function deadlocks(): Promise<number> {
  await client.query('select pg_stat_clear_snapshot()')
  const { rows } = await client.query<{ deadlocks: string }>(
    'select deadlocks from pg_stat_database where datname = current_database()',
  )
  return Number(rows[0]?.deadlocks)
}

test('K11: a guest who writes while the space is deleted, and whoever deletes it, never wait for each other', async () => {
  const rounds = scaled(40, 15)
  const answers: number[] = []
  const before = await deadlocks()
  for (let round = 0; round < rounds; round += 1) {
    const brand = await world.newBrand()
    const space_id = await world.newSpace(brand)
    const guests = await Promise.all(
      Array.from({ length: 4 }, async () => {
        const guest = await world.newPerson()
        await world.admit(brand, space_id, guest, 'editor')
        return world.sessionOf(guest)
      }),
    )
    const path = `/api/v1/docs/shared/${space_id}/pages`
    const page = { title: 'Mine', body: 'x' }
    const done = await Promise.all([
      ...guests.map((session) => world.call(session, 'POST', path, page)),
      world.call(brand.admin, 'DELETE', `/api/v1/docs/spaces/${space_id}`),
      ...guests.map((session) => world.call(session, 'POST', path, page)),
    ])
    answers.push(...done.map(({ status }) => status))
  }
  expect(answers.filter((status) => ![200, 201, 204, 404].includes(status))).toEqual([])
  expect(await deadlocks()).toBe(before)
})
