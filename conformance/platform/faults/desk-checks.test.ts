import { DeskCrowd } from '@crewhall/testkit/desk-crowd.ts'
import { usePrivateServices } from '@crewhall/testkit/private/private-services.ts'
import type { LogLine, ServerProcess } from '@crewhall/testkit/server-process.ts'
import { useServer } from '@crewhall/testkit/test-server.ts'
import { waitFor } from '@crewhall/testkit/wait-for.ts'
import { World } from '@crewhall/testkit/world/world.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'

const services = usePrivateServices()
const server = useServer('product')
const size = 40
const crowd = new DeskCrowd('faults', size)
const patienceMs = 60_000
let worker: ServerProcess
const isWaiting = ({ msg }: LogLine) => msg === 'could not poll for work'

beforeAll(async () => {
  const brand_id = await new World(server).newBrand()
  await crowd.plant(await server.connection('superuser'), [brand_id], await crowd.listen())
  worker = await server.start('worker', {
    REDIS_URL: services.facts.redis.url,
    DESK_NETWORKS: '127.0.0.0/8',
    DESK_CHECK_INTERVAL_MS: '200',
  })
  await waitFor(async () => (await changes()) === size, patienceMs)
})
afterAll(() => crowd.close())

/** Every change of a status is an event. */
const changes = async () =>
  (
    await server.sql(
      `select from platform.workspace_events where type in ('desk.reached', 'desk.lost', 'desk.flapping')`,
    )
  ).length
const rounds = async (count: number) => {
  crowd.forgetAsked()
  await waitFor(() => crowd.least_asked >= count, patienceMs)
}

test.each([
  {
    what: 'killed and started empty',
    break_: async () => {
      await services.signal('redis', 'SIGKILL')
      await services.start('redis')
    },
  },
  {
    what: 'frozen and thawed',
    break_: async () => {
      const seen = worker.logs().filter(isWaiting).length
      await services.signal('redis', 'SIGSTOP')
      // Nobody is asked without the list of who is due.
      await waitFor(() => worker.logs().filter(isWaiting).length > seen, patienceMs)
      await services.signal('redis', 'SIGCONT')
    },
  },
])(
  'check 15, DESK-41: Redis is $what: all desks are checked again, and none is lost',
  async ({ break_ }) => {
    await break_()
    await rounds(5)
    expect(await changes()).toBe(size)
    expect(await server.sql(`select from fleet.desks where state <> 'ready'`)).toEqual([])
  },
  240_000,
)
