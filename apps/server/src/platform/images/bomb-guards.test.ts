import { segment } from '@crewhall/testkit/pictures/picture-jpeg.ts'
import { expect, test } from 'vitest'
import { coefficientBytes } from '#platform/images/bomb-guards.ts'

/** The start of a JPEG of 8000 by 6000 whose components have these sampling factors. */
const startOf = (...factors: readonly number[]): Buffer =>
  Buffer.concat([
    Buffer.from([0xff, 0xd8]),
    segment(0xe0, Buffer.from('JFIF\0')),
    Buffer.from([0xff]),
    segment(
      0xc2,
      Buffer.from([
        8,
        6000 >> 8,
        6000 & 255,
        8000 >> 8,
        8000 & 255,
        factors.length,
        ...factors.flatMap((factor, n) => [n + 1, factor, 0]),
      ]),
    ),
    Buffer.alloc(20),
  ])

test.for([
  ['grey', [0x11], 96],
  ['colour in full', [0x11, 0x11, 0x11], 288],
  ['colour at half the width', [0x21, 0x11, 0x11], 192],
  ['colour at half of both', [0x22, 0x11, 0x11], 144],
  ['all in full, said with larger numbers', [0x22, 0x22, 0x22], 288],
  ['more colour than light', [0x11, 0x22, 0x22], 216],
  ['factors of nothing', [0, 0, 0], Number.NaN],
] as const)('K18: 48 megapixels of %s are held in so many MB', ([, factors, mb]) => {
  expect(coefficientBytes(startOf(...factors)) / 1_000_000).toBe(mb)
})

test('K18: a picture whose frame cannot be read is held in more than there is', () => {
  const whole = startOf(0x11)
  expect(coefficientBytes(whole.subarray(0, 12))).toBe(Number.POSITIVE_INFINITY)
  expect(coefficientBytes(Buffer.from('ffd80000000000000000000000', 'hex'))).toBe(Number.POSITIVE_INFINITY)
})
