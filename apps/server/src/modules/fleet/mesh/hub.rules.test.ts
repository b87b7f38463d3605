import { describe, expect, test } from 'vitest'
import { keysHeard, stepsOfComparison, stepsOfDelta } from './hub.rules.ts'

const nowhere = () => null

describe('a delta', () => {
  test('adds a peer, which is not known to be anywhere', () => {
    const delta = { wg_key: 'a', address: 'fd00::1', old_wg_key: null, like_wg_key: null }
    expect(stepsOfDelta(delta, nowhere)).toEqual([{ key: 'a', address: 'fd00::1', endpoint: null }])
  })

  test('removes a peer', () => {
    const delta = { wg_key: null, address: null, old_wg_key: 'a', like_wg_key: null }
    expect(stepsOfDelta(delta, nowhere)).toEqual([{ key: 'a', is_removed: true }])
  })

  test('replaces a key: the new one is where the old one was, and comes before the old one goes', () => {
    const delta = { wg_key: 'b', address: 'fd00::1', old_wg_key: 'a', like_wg_key: null }
    expect(stepsOfDelta(delta, (key) => (key === 'a' ? '192.0.2.1:1' : null))).toEqual([
      { key: 'b', address: 'fd00::1', endpoint: '192.0.2.1:1' },
      { key: 'a', is_removed: true },
    ])
  })

  test('lets in a key beside the one in use: without an address, and where that one is', () => {
    const delta = { wg_key: 'b', address: null, old_wg_key: null, like_wg_key: 'a' }
    expect(stepsOfDelta(delta, (key) => (key === 'a' ? '192.0.2.1:1' : null))).toEqual([
      { key: 'b', address: null, endpoint: '192.0.2.1:1' },
    ])
  })

  test('gives the address to a key that was heard, and leaves it where it was heard', () => {
    const delta = { wg_key: 'b', address: 'fd00::1', old_wg_key: 'a', like_wg_key: null }
    expect(stepsOfDelta(delta, (key) => (key === 'a' ? '192.0.2.1:1' : '192.0.2.9:9'))).toEqual([
      { key: 'b', address: 'fd00::1', endpoint: null },
      { key: 'a', is_removed: true },
    ])
  })
})

test('a key that waits counts as heard after a handshake', () => {
  const found = [
    { key: 'a', handshake_at: 7 },
    { key: 'b', handshake_at: 0 },
    { key: 'c', handshake_at: 9 },
  ]
  expect(keysHeard(['b', 'c', 'd'], found)).toEqual(['c'])
})

describe('a comparison', () => {
  const peer = (key: string, allowed: string[], endpoint: string | null = null) => ({
    key,
    endpoint,
    allowed_ips: allowed,
  })

  test('leaves what is right as it is', () => {
    expect(
      stepsOfComparison(
        [{ wg_key: 'a', address: 'fd00::1', next_wg_key: null }],
        [peer('a', ['fd00::1/128'])],
        () => '192.0.2.1:1',
      ),
    ).toEqual([])
  })

  test('removes strangers, adds who is missing where it was last seen, and mends addresses', () => {
    const wanted = [
      { wg_key: 'a', address: 'fd00::1', next_wg_key: null },
      { wg_key: 'b', address: 'fd00::2', next_wg_key: null },
      { wg_key: 'c', address: 'fd00::3', next_wg_key: null },
    ]
    const found = [
      peer('x', ['fd00::1/128']),
      peer('b', ['fd00::2/128', 'fd00::3/128'], '192.0.2.2:2'),
      peer('c', ['::/0']),
    ]
    expect(stepsOfComparison(wanted, found, (key) => `saved-${key}`)).toEqual([
      { key: 'x', is_removed: true },
      { key: 'a', address: 'fd00::1', endpoint: 'saved-a' },
      { key: 'b', address: 'fd00::2', endpoint: null },
      { key: 'c', address: 'fd00::3', endpoint: 'saved-c' },
    ])
  })

  test('has a key that waits beside the one in use, without an address, and leaves it so', () => {
    const wanted = [{ wg_key: 'a', address: 'fd00::1', next_wg_key: 'b' }]
    const inUse = peer('a', ['fd00::1/128'], '192.0.2.1:1')
    expect(stepsOfComparison(wanted, [inUse], nowhere)).toEqual([
      { key: 'b', address: null, endpoint: '192.0.2.1:1' },
    ])
    expect(stepsOfComparison(wanted, [inUse, peer('b', [], '192.0.2.1:1')], nowhere)).toEqual([])
  })
})
