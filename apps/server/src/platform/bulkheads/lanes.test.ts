import { expect, test } from 'vitest'
import { type Lane, type LaneLimits, Lanes } from '#platform/bulkheads/lanes.ts'

const one: LaneLimits = {
  all: { places: 1, kept_free: 0 },
  later: { places: 1, kept_free: 0 },
  waiting: 6,
  waiting_per_owner: 4,
}
const patient = new AbortController().signal
const overloaded = { name: 'Outage', part: 'model', reason: 'overloaded' }

/** Takes places one after the other and notes who came when. */
function diary(lanes: Lanes) {
  const order: string[] = []
  const take = async (lane: Lane, owner: string, name: string) => {
    const leave = await lanes.take(lane, owner, patient)
    order.push(name)
    await new Promise(setImmediate)
    leave()
  }
  return { order, take }
}

test('what somebody waits for comes before background work', async () => {
  const lanes = new Lanes('model', one)
  const { order, take } = diary(lanes)
  await Promise.all([
    take('later', 'a', 'job 1'),
    take('later', 'a', 'job 2'),
    take('later', 'b', 'job 3'),
    take('now', 'a', 'search 1'),
    take('now', 'b', 'search 2'),
  ])
  expect(order).toEqual(['job 1', 'search 1', 'search 2', 'job 2', 'job 3'])
})

test('owners take turns', async () => {
  const { order, take } = diary(new Lanes('model', one))
  const all = ['a1', 'a2', 'a3', 'b1', 'b2', 'c1'].map((name) => take('now', name.charAt(0), name))
  await Promise.all(all)
  expect(order).toEqual(['a1', 'a2', 'b1', 'c1', 'a3', 'b2'])
})

test('an owner with too many that wait is refused, and so is anybody when the lane is full', async () => {
  const lanes = new Lanes('model', one)
  const leave = await lanes.take('now', 'a', patient)
  const controller = new AbortController()
  const waiting = ['a', 'a', 'a', 'a', 'b'].map((owner) => lanes.take('now', owner, controller.signal))
  await expect(lanes.take('now', 'a', patient)).rejects.toMatchObject(overloaded)
  waiting.push(lanes.take('now', 'c', controller.signal))
  await expect(lanes.take('now', 'd', patient)).rejects.toMatchObject(overloaded)
  // Background work has a queue of its own.
  const job = lanes.take('later', 'd', controller.signal)
  expect(lanes.waiting).toBe(7)
  controller.abort(new Error('gave up'))
  for (const each of [...waiting, job]) await expect(each).rejects.toThrow('gave up')
  expect(lanes.waiting).toBe(0)
  leave()
  await (await lanes.take('now', 'a', patient))()
})

test('one owner leaves places to others, and background work leaves places to callers', async () => {
  const lanes = new Lanes('model', {
    ...one,
    all: { places: 3, kept_free: 1 },
    later: { places: 1, kept_free: 0 },
  })
  const taken: string[] = []
  const take = (lane: Lane, owner: string, name: string) =>
    lanes.take(lane, owner, patient).then((leave) => {
      taken.push(name)
      return leave
    })
  const first = await take('now', 'a', 'a1')
  await take('now', 'a', 'a2')
  void take('now', 'a', 'a3')
  void take('later', 'b', 'job b')
  void take('later', 'c', 'job c')
  await new Promise(setImmediate)
  expect(taken).toEqual(['a1', 'a2', 'job b'])
  first()
  await new Promise(setImmediate)
  // The place that is free is kept for an owner that has none, and job b holds the only one for background work.
  expect(taken).toEqual(['a1', 'a2', 'job b'])
  await take('now', 'd', 'd1')
})

test('a place is given back once, however often it is given back', async () => {
  const lanes = new Lanes('model', one)
  const leave = await lanes.take('now', 'a', patient)
  leave()
  leave()
  await lanes.take('now', 'a', patient)
  const controller = new AbortController()
  const next = lanes.take('now', 'a', controller.signal)
  expect(lanes.waiting).toBe(1)
  controller.abort(new Error('gave up'))
  await expect(next).rejects.toThrow('gave up')
})
