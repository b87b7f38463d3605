import { expect, test } from 'vitest'
import { CircuitBreaker, type Sign } from '#platform/outage/circuit-breaker.ts'

const limits = { failures: 3, cool_down_ms: 100, longest_ms: 250 }
const refused = { name: 'Outage', part: 'model', reason: 'unreachable' }

class Away extends Error {}

function breaker() {
  let ms = 0
  const changes: boolean[] = []
  const signs = new Map<unknown, Sign>()
  const circuit = new CircuitBreaker({
    part: 'model',
    limits,
    signOf: (error) => signs.get(error) ?? (error instanceof Away ? 'away' : 'unknown'),
    changed: (isOpen) => changes.push(isOpen),
    now: () => ms,
  })
  let calls = 0
  const call = (work: () => Promise<unknown>) =>
    circuit.run(() => {
      calls += 1
      return work()
    })
  const fail = (error: unknown = new Away()) => call(async () => Promise.reject(error))
  return {
    circuit,
    changes,
    signs,
    call,
    fail,
    calls: () => calls,
    wait: (more: number) => {
      ms += more
    },
    async open() {
      for (let n = 0; n < limits.failures; n += 1) await expect(fail()).rejects.toBeInstanceOf(Away)
    },
  }
}

test('after three failures in a row nobody is let through, and nothing is called', async () => {
  const { open, call, calls, changes } = breaker()
  await open()
  await expect(call(async () => 1)).rejects.toMatchObject(refused)
  expect(calls()).toBe(3)
  expect(changes).toEqual([true])
})

test('a success in between starts the count anew', async () => {
  const { fail, call, circuit } = breaker()
  for (let n = 0; n < 2; n += 1) await expect(fail()).rejects.toBeInstanceOf(Away)
  await call(async () => 1)
  for (let n = 0; n < 2; n += 1) await expect(fail()).rejects.toBeInstanceOf(Away)
  expect(circuit.is_open).toBe(false)
})

test('after the cool-down one call is a trial, and closes the circuit when it succeeds', async () => {
  const { open, call, wait, circuit, changes } = breaker()
  await open()
  wait(100)
  const trial = Promise.withResolvers<number>()
  const running = call(() => trial.promise)
  await expect(call(async () => 2)).rejects.toMatchObject(refused)
  trial.resolve(1)
  expect(await running).toBe(1)
  expect(circuit.is_open).toBe(false)
  expect(changes).toEqual([true, false])
  expect(await call(async () => 3)).toBe(3)
})

test('each failed trial doubles the cool-down, up to the longest', async () => {
  const { open, fail, call, wait } = breaker()
  await open()
  for (const coolDown of [100, 200, 250, 250]) {
    wait(coolDown - 1)
    await expect(call(async () => 1)).rejects.toMatchObject(refused)
    wait(1)
    await expect(fail()).rejects.toBeInstanceOf(Away)
  }
})

test('failures of calls that were under way when it opened do not prolong it', async () => {
  const { open, call, wait, circuit } = breaker()
  const late = Promise.withResolvers<never>()
  const underWay = call(() => late.promise)
  await open()
  wait(90)
  late.reject(new Away())
  await expect(underWay).rejects.toBeInstanceOf(Away)
  wait(10)
  expect(await call(async () => 1)).toBe(1)
  expect(circuit.is_open).toBe(false)
})

test('a trial that says nothing leaves the place to the next; one that was heard closes it', async () => {
  const { open, fail, wait, signs, circuit } = breaker()
  await open()
  wait(100)
  const gaveUp = new Error('gave up')
  await expect(fail(gaveUp)).rejects.toBe(gaveUp)
  expect(circuit.is_open).toBe(true)
  const badAnswer = new Error('bad answer')
  signs.set(badAnswer, 'there')
  await expect(fail(badAnswer)).rejects.toBe(badAnswer)
  expect(circuit.is_open).toBe(false)
})
