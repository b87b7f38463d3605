import { randomUUID } from 'node:crypto'
import { readServiceFacts } from '@crewhall/services/facts.ts'
import { waitFor } from '@crewhall/testkit/wait-for.ts'
import { afterAll, expect, test } from 'vitest'
import { WakeUps } from '#platform/events/wake-ups.ts'
import { createLog } from '#platform/log/log.ts'
import { createRedis } from '#platform/redis/redis.ts'

const log = createLog({ level: 'silent', process_name: 'test' })
const channel = `test-${randomUUID()}`
const connect = () =>
  createRedis(
    { url: readServiceFacts().redis.url, prefix: 'not-for-channels:', command_timeout_ms: 1000 },
    log,
  )
const publisher = connect()
/** As two processes would have them. */
const [here, there] = [0, 1].map(() => new WakeUps({ publisher, connect, channel, log })) as [
  WakeUps,
  WakeUps,
]
afterAll(() => {
  here.close()
  there.close()
  publisher.disconnect()
})

function counted(wakeUps: WakeUps, ...topics: string[]) {
  const counter = { times: 0, stop: () => {} }
  counter.stop = wakeUps.listen(topics, () => {
    counter.times += 1
  })
  return counter
}

/** The line of a new listener stands when something has come through it. */
async function lined(): Promise<void> {
  const probe = counted(there, 'probe')
  await waitFor(() => {
    here.tell('probe')
    return probe.times > 0
  }, 20_000)
  probe.stop()
}

test('what is told here wakes those who wait for it, here at once and there through Redis', async () => {
  await lined()
  const [own, far, other] = [counted(here, 'a'), counted(there, 'a', 'b'), counted(there, 'c')]
  here.tell('a')
  expect(own.times).toBe(1)
  await waitFor(() => far.times === 1, 20_000)
  here.tell('b')
  await waitFor(() => far.times === 2, 20_000)
  // A process does not hear itself through Redis, and nobody hears what he did not ask for.
  expect([own.times, other.times]).toEqual([1, 0])
})

test('the same said several times in a row goes out once', async () => {
  await lined()
  const [far, end] = [counted(there, 'many'), counted(there, 'end')]
  for (let n = 0; n < 10; n += 1) here.tell('many')
  here.tell('end')
  await waitFor(() => end.times === 1, 20_000)
  expect(far.times).toBe(1)
})

test('who has stopped is not woken, and nothing of it stays', async () => {
  const first = counted(here, 'x', 'y')
  const second = counted(here, 'y')
  first.stop()
  here.wake('y')
  expect([first.times, second.times]).toEqual([0, 1])
  expect(here.topics).not.toContain('x')
  second.stop()
  expect(here.topics).not.toContain('y')
})
