import { expect, test } from 'vitest'
import { isForeignOrigin } from './origins.rules.ts'

const product = new URL('https://crew.example')
const local = new URL('http://127.0.0.1:8400')

test.each([
  [undefined, false],
  ['https://crew.example', false],
  ['http://crew.example', true],
  ['https://crew.example:444', true],
  ['https://crew.example.evil.example', true],
  ['http://localhost:8400', true],
  ['null', true],
])('a page of %s is foreign to the product: %s', (origin, is) => {
  expect(isForeignOrigin(origin, product)).toBe(is)
})

test.each([
  ['http://127.0.0.1:8400', false],
  ['http://localhost:5173', false],
  ['http://[::1]:80', false],
  ['http://localhost.evil.example', true],
  ['http://evil.example:8400', true],
  ['null', true],
  ['', true],
])('a page of %s is foreign to the machine of a developer: %s', (origin, is) => {
  expect(isForeignOrigin(origin, local)).toBe(is)
})
