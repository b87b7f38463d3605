import { describe, expect, test } from 'vitest'
import { networksOf } from '#platform/outbound/addresses.ts'
import { targetWithin } from '#platform/outbound/target.ts'

const mesh = networksOf(['fd63:7265:7768::/48'])
const local = networksOf(['fd63:7265:7768::/48', '127.0.0.0/8'])

describe('a target within networks', () => {
  test.each([
    'http://[fd63:7265:7768::1]:8787',
    'https://[fd63:7265:7768:ffff::1]/',
    'http://[FD63:7265:7768:0:0:0:0:1]:80/base',
  ])('is %s', (url) => {
    const target = targetWithin(url, mesh)
    expect(target?.is_name).toBe(false)
    expect(target?.mayReach('fd63:7265:7768::2')).toBe(true)
    expect(target?.mayReach('93.184.215.14')).toBe(false)
    expect(target?.mayReach('127.0.0.1')).toBe(false)
  })

  test.each([
    'http://127.0.0.1:8787',
    'http://127.1:8787',
    'http://2130706433/',
    'http://0x7f000001/',
    'http://[::1]/',
    'http://[::ffff:127.0.0.1]/',
    'http://[::]/',
    'http://0/',
    'http://169.254.169.254/latest/meta-data',
    'http://[fd00:ec2::254]/',
    'http://[fe80::1]/',
    'http://[fd63:7265:7769::1]/',
    'http://[64:ff9b::7f00:1]/',
    'http://10.0.0.1/',
    'http://192.168.1.1/',
    'https://93.184.215.14/',
    'https://example.com/',
    'http://localhost:8787/',
    'http://desk.internal/',
    'http://fd63-7265-7768--1.example/',
    'http://user@[fd63:7265:7768::1]/',
    'http://user:word@[fd63:7265:7768::1]/',
    'http://[fd63:7265:7768::1]/?a=1',
    'http://[fd63:7265:7768::1]/#a',
    'http://[fd63:7265:7768::1]@127.0.0.1/',
    'http://[fd63:7265:7768::1%25eth0]/',
    'http:/[fd63:7265:7768::1]/',
    'http:\\\\[fd63:7265:7768::1]\\',
    ' http://[fd63:7265:7768::1]/',
    'http://[fd63:7265:7768::1]/\n',
    'file://localhost/passwd',
    'gopher://[fd63:7265:7768::1]/',
    'ftp://[fd63:7265:7768::1]/',
    'unix:/run/postgresql',
    'javascript:alert(1)',
    '//[fd63:7265:7768::1]/',
    'fd63:7265:7768::1',
    'http://',
    '',
    `http://[fd63:7265:7768::1]/${'a'.repeat(3000)}`,
  ])('is not %j', (url) => expect(targetWithin(url, mesh)).toBeUndefined())

  test('is what the operator has added', () => {
    expect(targetWithin('http://127.0.0.1:8787', local)?.port).toBe(8787)
    // Written otherwise, it is the same address.
    expect(targetWithin('http://2130706433:8787', local)?.host).toBe('127.0.0.1')
    expect(targetWithin('http://localhost:8787', local)).toBeUndefined()
    expect(targetWithin('http://10.0.0.1', local)).toBeUndefined()
  })
})
