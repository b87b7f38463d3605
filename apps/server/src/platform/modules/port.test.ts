import { expect, test } from 'vitest'
import { fill, Ports, port } from '#platform/modules/port.ts'

test('a list that was taken early holds what is provided later, each port its own', () => {
  const [names, numbers] = [port<string>('names'), port<number>('numbers')]
  const ports = new Ports()
  const taken = ports.of(names)
  ports.add([fill(names, 'a'), fill(numbers, 1, 2)])
  ports.add([fill(names, 'b')])
  expect(taken).toEqual(['a', 'b'])
  expect(ports.of(numbers)).toEqual([1, 2])
})

test('a port takes only what it is for', () => {
  const numbers = port<number>('numbers')
  // @ts-expect-error a text is no number
  fill(numbers, 'a')
  expect(new Ports().of(numbers)).toEqual([])
})
