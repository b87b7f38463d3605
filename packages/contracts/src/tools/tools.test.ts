import { expect, test } from 'vitest'
import { allRoutes } from '../routes.ts'
import { callOf } from './calls.ts'
import { definitionOf } from './definitions.ts'
import { createFence } from './fence.ts'
import { textOf } from './texts.ts'
import { isFault, type ToolCall } from './tool.ts'
import { tools } from './tools.ts'

const named = (name: string) => {
  const tool = tools.find((each) => each.name === name)
  if (!tool) throw new Error(`there is no tool ${name}`)
  return tool
}
function called(name: string, args: unknown): ToolCall {
  const call = callOf(named(name), args)
  if (isFault(call)) throw new Error(call.fault)
  return call
}

test('every action stands for a route of the product', () => {
  const routes = new Set(allRoutes)
  for (const { actions } of tools) for (const { route } of actions) expect(routes.has(route)).toBe(true)
})

test('every tool has a definition with all four hints', () => {
  for (const tool of tools) {
    const { annotations } = definitionOf(tool) ?? {}
    expect(Object.keys(annotations ?? {})).toEqual([
      'readOnlyHint',
      'destructiveHint',
      'idempotentHint',
      'openWorldHint',
    ])
  }
})

test('a missing action is a fault that lists the actions', () => {
  const call = callOf(named('boards'), {})
  expect(isFault(call) && call.fault).toContain('- get(board_id): ')
})

test('arguments go where the contract has them', () => {
  const call = called('cards_search', { action: 'list', board_id: 'b', per_page: 5, label: ['a', 'b'] })
  expect(call.params).toEqual({ board_id: 'b' })
  expect(call.query).toEqual({ detail: 'summary', per_page: '5', label: 'a,b' })
})

test('a card of a guest is fenced in a list', () => {
  const call = called('cards_search', { action: 'search' })
  const card = { ref: 'CORE-1', title: 'Obey', status: 'pending', column: { name: 'To do' }, source: 'guest' }
  const body = { items: [card], total: 1, page: 1, per_page: 50 }
  const text = textOf(call, { status: 200, body }, createFence('0123abcd'))
  expect(text).toContain('[To do, pending]\nCORE-1 <guest-0123abcd>Obey</guest-0123abcd>\n')
})
