import { tools } from '@crewhall/contracts/tools/tools.ts'
import { expect, test } from 'vitest'
import { chosenTools } from './toolsets.rules.ts'

const namesOf = (asked: string | undefined, keys: readonly string[] = []) => {
  const chosen = chosenTools(tools, asked, keys)
  return 'unknown' in chosen ? chosen : chosen.tools.map(({ name }) => name)
}

test('without names the default tools are there, and all packages', () => {
  expect(namesOf(undefined)).toHaveLength(12)
  expect(namesOf(' , ')).toEqual(namesOf(undefined))
  expect(chosenTools(tools, undefined, ['x'])).toMatchObject({ packages: 'all' })
})

test('all is everything in its fixed order', () => {
  expect(namesOf('all')).toEqual(tools.map(({ name }) => name))
  expect(namesOf('memory,all')).toEqual(namesOf('all'))
})

test('a name brings its tools and nothing else but who one is and what there is', () => {
  const found = namesOf('profiles') as readonly string[]
  expect(found).toContain('whoami')
  expect(found).toContain('help')
  expect(found).not.toContain('boards')
  expect(chosenTools(tools, 'crm', ['crm'])).toMatchObject({ packages: new Set(['crm']) })
})

test('an unknown name is told together with those there are, of this caller', () => {
  expect(namesOf('memory,crm', ['shop'])).toMatchObject({
    unknown: 'crm',
    names: expect.arrayContaining(['all', 'default', 'memory', 'boards', 'shop']),
  })
  expect(namesOf(`x${'y'.repeat(500)}`)).toMatchObject({ unknown: `x${'y'.repeat(59)}` })
})
