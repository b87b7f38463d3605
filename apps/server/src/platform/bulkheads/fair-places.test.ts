import fc from 'fast-check'
import { expect, test } from 'vitest'
import { FairPlaces, type Permit, type PlaceLimits } from './fair-places.ts'

const wide = { places: 100, kept_free: 0 }
const limits = (given: Partial<PlaceLimits>): PlaceLimits => ({
  all: wide,
  slow: wide,
  receiver: wide,
  ...given,
})
const never = new AbortController().signal

/** Owners that ask, and the places they got so far, in the order in which they got them. */
function made(given: Partial<PlaceLimits>) {
  const places = new FairPlaces(limits(given))
  const got: { owner: string; place: Permit }[] = []
  let receivers = 0
  const ask = (owner: string, more: { is_slow?: boolean; receiver?: string } = {}) => {
    receivers += 1
    const wanted = { owner, receiver: `r${receivers}`, is_slow: false, ...more }
    return places.take(wanted, never).then((place) => place && got.push({ owner, place }))
  }
  const settled = () => new Promise(setImmediate)
  return { places, got, ask, settled, owners: () => got.map(({ owner }) => owner) }
}

test('S12: the last places are kept for owners that hold none', async () => {
  const { ask, settled, owners } = made({ all: { places: 4, kept_free: 1 } })
  for (let n = 0; n < 6; n += 1) void ask('a')
  await settled()
  expect(owners()).toEqual(['a', 'a', 'a'])
  void ask('b')
  await settled()
  expect(owners()).toEqual(['a', 'a', 'a', 'b'])
})

test('S12: a free place goes to the owner that holds fewest, not to whoever came first', async () => {
  const { got, ask, settled, owners } = made({ all: { places: 3, kept_free: 0 } })
  for (let n = 0; n < 5; n += 1) void ask('a')
  void ask('b')
  void ask('c')
  await settled()
  expect(owners()).toEqual(['a', 'a', 'a'])
  got[0]?.place.leave()
  got[1]?.place.leave()
  await settled()
  expect(owners()).toEqual(['a', 'a', 'a', 'b', 'c'])
})

test('S12: an owner alone uses what there is, and is told to give way when others come', async () => {
  const { got, ask, settled } = made({ all: { places: 4, kept_free: 0 } })
  for (let n = 0; n < 4; n += 1) void ask('a')
  void ask('a')
  await settled()
  expect(got.map(({ place }) => place.is_wanted)).toEqual([false, false, false, false])
  void ask('b')
  await settled()
  expect(got[0]?.place.is_wanted).toBe(true)
  got[0]?.place.leave()
  await settled()
  // Two each would be fair, and only one waits: nobody is asked for more than that.
  expect(got.map(({ owner }) => owner)).toEqual(['a', 'a', 'a', 'a', 'b'])
  expect(got.slice(1).map(({ place }) => place.is_wanted)).toEqual([false, false, false, false])
})

test('S12: the slow have places of their own and no others', async () => {
  const { got, ask, settled, owners } = made({ slow: { places: 2, kept_free: 1 } })
  const slow = { is_slow: true }
  for (let n = 0; n < 3; n += 1) void ask('a', slow)
  void ask('b', slow)
  void ask('c', slow)
  void ask('d')
  await settled()
  expect(owners()).toEqual(['a', 'b', 'd'])
  // A quick place would not help those who wait for a slow one.
  expect(got.map(({ place }) => place.is_wanted)).toEqual([false, false, false])
  got[0]?.place.leave()
  await settled()
  expect(owners()).toEqual(['a', 'b', 'd', 'c'])
})

test('S12: one receiver is not talked to by more than its limit, whoever asks', async () => {
  const { got, ask, settled, owners } = made({ receiver: { places: 2, kept_free: 0 } })
  for (const owner of ['a', 'b', 'c']) void ask(owner, { receiver: 'one' })
  void ask('d')
  await settled()
  expect(owners()).toEqual(['a', 'b', 'd'])
  got[0]?.place.leave()
  await settled()
  expect(owners()).toEqual(['a', 'b', 'd', 'c'])
})

test('whoever gives up leaves the queue, and a place that is left twice counts once', async () => {
  const { places, got, ask, settled, owners } = made({ all: { places: 1, kept_free: 0 } })
  void ask('a')
  const patience = new AbortController()
  const impatient = places.take({ owner: 'b', receiver: 'r', is_slow: false }, patience.signal)
  void ask('c')
  void ask('c')
  await settled()
  patience.abort()
  expect(await impatient).toBe(undefined)
  got[0]?.place.leave()
  got[0]?.place.leave()
  await settled()
  expect(owners()).toEqual(['a', 'c'])
  expect([places.taken, places.waiting]).toEqual([1, 1])
})

test('S12: whatever comes and goes, limits hold, nobody waits in vain, and nothing is left behind', async () => {
  const owner = fc.constantFrom('a', 'b', 'c', 'd')
  const asks = fc.record({ owner, is_slow: fc.boolean(), receiver: fc.constantFrom('x', 'y', 'z') })
  const steps = fc.array(fc.oneof(asks, fc.nat(20)), { maxLength: 80 })
  await fc.assert(
    fc.asyncProperty(steps, async (all) => {
      const { places, got, ask, settled } = made({
        all: { places: 6, kept_free: 2 },
        slow: { places: 3, kept_free: 1 },
        receiver: { places: 4, kept_free: 1 },
      })
      let asked = 0
      for (const step of all) {
        if (typeof step === 'number') got.splice(step, 1)[0]?.place.leave()
        else {
          asked += 1
          void ask(step.owner, step)
        }
        await settled()
        expect(places.taken).toBeLessThanOrEqual(6)
        expect(places.taken).toBe(got.length)
      }
      let served = asked - got.length - places.waiting
      while (got.length > 0) {
        got.shift()?.place.leave()
        served += 1
        await settled()
      }
      expect([places.taken, places.waiting, served]).toEqual([0, 0, asked])
    }),
    { numRuns: 60 },
  )
})
