import { waitFor } from '@crewhall/testkit/wait-for.ts'
import { expect, test } from 'vitest'
import { Loop } from '#platform/jobs/loop.ts'
import { createLog } from '#platform/log/log.ts'

const log = createLog({ level: 'silent', process_name: 'test' })
const hour = 3_600_000

/** Looks that end when they are told to. */
function looks() {
  let begun = 0
  let end = () => {}
  const look = () => {
    begun += 1
    return new Promise<void>((resolve) => {
      end = resolve
    })
  }
  return { look, begun: () => begun, end: () => end() }
}

test('S12: who is woken looks at once and does not wait for the next time', async () => {
  const { look, begun, end } = looks()
  const loop = new Loop({ name: 'test', every_ms: hour, pause_ms: 0, log, look })
  loop.start()
  loop.wake()
  loop.wake()
  await waitFor(() => begun() === 1, 20_000)
  end()
  await loop.stop()
  expect(begun()).toBe(1)
})

test('S12: who is woken during a look takes another one right after it', async () => {
  const { look, begun, end } = looks()
  const loop = new Loop({ name: 'test', every_ms: hour, pause_ms: 1, log, look })
  loop.start()
  loop.wake()
  await waitFor(() => begun() === 1, 20_000)
  loop.wake()
  expect(begun()).toBe(1)
  end()
  await waitFor(() => begun() === 2, 20_000)
  end()
  await loop.stop()
})

test('it looks by itself too, and goes on after a look that failed', async () => {
  let begun = 0
  const look = async () => {
    begun += 1
    throw new Error('nothing can be seen')
  }
  const loop = new Loop({ name: 'test', every_ms: 1, pause_ms: 0, log, look })
  loop.start()
  await waitFor(() => begun >= 3, 20_000)
  await loop.stop()
  const after = begun
  loop.wake()
  await new Promise(setImmediate)
  expect(begun).toBe(after)
})
