import Fastify from 'fastify'
import { afterAll, expect, test } from 'vitest'
import { ClientBounds } from '#platform/http/limits/client-bounds.ts'
import type { Held } from '#platform/http/limits/guards.ts'
import { moveTo } from '#platform/http/limits/handle-guard.ts'
import { createShedding } from '#platform/http/limits/shedding.ts'
import { createMetrics } from '#platform/metrics/metrics.ts'

const app = Fastify()
afterAll(() => app.close())
const metrics = createMetrics()
const bounds = new ClientBounds(
  { trust_proxy: [], max_sockets: 10, max_sockets_per_network: 0, max_open_per_network: 4 },
  metrics,
)
const { guard } = await createShedding(
  app,
  { max_in_flight: 8, max_event_loop_delay_ms: 60_000, idle: () => 0 },
  metrics,
)
const guards = [bounds, guard]

const held = (network: string): Held => ({
  spec: undefined,
  plain: undefined,
  network,
  handle: undefined,
  is_open: false,
  is_in_flight: false,
  life: undefined,
})
const enter = (network = 'a'): Held => {
  const one = held(network)
  for (const each of guards) if (each.enter({ held: one })) throw new Error('there was no room')
  return one
}
const leave = (one: Held) => {
  for (const each of guards) each.leave(one)
}

test('a request that was moved takes a place of that handle and gives its own back', () => {
  // Two of four are the share of another handle.
  const moved = [enter(), enter()]
  for (const one of moved) expect(moveTo('memory', one, guards)).toBeUndefined()
  const others = [enter(), enter(), enter(), enter()]
  expect(() => enter()).toThrow('there was no room')
  for (const one of [...moved, ...others]) leave(one)
})

test('beyond the share of the handle it is refused, and counted nowhere', () => {
  for (let round = 0; round < 20; round += 1) {
    const all = [enter(), enter(), enter()]
    const refused = all.map((one) => moveTo('memory', one, guards)?.message)
    expect(refused).toEqual([undefined, undefined, 'Too many requests at once'])
    for (const one of all) leave(one)
  }
  // Nothing was counted twice or left behind.
  const all = [enter(), enter(), enter(), enter()]
  for (const one of all) leave(one)
})

test('the process has a share for the handle as well', () => {
  const all = ['a', 'b', 'c', 'd', 'e'].map((network) => enter(network))
  const refused = all.map((one) => moveTo('memory', one, guards) !== undefined)
  expect(refused).toEqual([false, false, false, false, true])
  for (const one of all) leave(one)
})
