import { expect, test } from 'vitest'
import { hubAddressOf, networkOfCell } from './addresses.rules.ts'

test.for([
  ['fd63:7265:7768::/48', 0, 'fd63:7265:7768:0::/64', 'fd63:7265:7768:0::1'],
  ['fd00:1:2::/48', 255, 'fd00:1:2:ff::/64', 'fd00:1:2:ff::1'],
] as const)('%s, cell %i', ([prefix, cell, network, hub]) => {
  expect(networkOfCell(prefix, cell)).toBe(network)
  expect(hubAddressOf(network)).toBe(hub)
})
