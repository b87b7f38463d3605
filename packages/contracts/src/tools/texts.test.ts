import { describe, expect, test } from 'vitest'
import { callOf } from './calls.ts'
import { createFence } from './fence.ts'
import { helpOf } from './help.ts'
import { maxTextLength } from './pieces.ts'
import { textOf } from './texts.ts'
import { isFault, type KnownToCaller, type Tool, type ToolCall } from './tool.ts'
import { tools } from './tools.ts'

const fence = createFence('5f2c81aa93bd40e7')
function named(name: string): Tool {
  const tool = tools.find((each) => each.name === name)
  if (!tool) throw new Error(`there is no tool ${name}`)
  return tool
}
function called(name: string, args: unknown, known?: KnownToCaller): ToolCall {
  const call = callOf(named(name), args, known)
  if (isFault(call)) throw new Error(call.fault)
  return call
}
const faultOf = (name: string, args: unknown) => {
  const call = callOf(named(name), args)
  return isFault(call) ? call.fault : undefined
}
const told = (call: ToolCall, status: number, body: unknown) => textOf(call, { status, body }, fence)

const cardAt = (n: number, more: object = {}) => ({
  id: '3f8a6c1e-52d4-4b7a-9c0e-1a2b3c4d5e6f',
  ref: `CORE-${n}`,
  title: 'x'.repeat(80),
  status: 'pending',
  column: { id: '3f8a6c1e-52d4-4b7a-9c0e-1a2b3c4d5e6f', name: 'To do' },
  assignee: { kind: 'agent', id: 'builder', name: 'Builder' },
  branch: `feature/card-number-${n}`,
  pr_number: 10_000 + n,
  pr_state: 'open',
  source: 'member',
  ...more,
})
const pageOf = (count: number, more?: object) => ({
  items: Array.from({ length: count }, (_, n) => cardAt(n, more)),
  total: count,
  page: 1,
  per_page: 100,
})

describe('lists of cards', () => {
  const list = called('cards_search', { action: 'list', board_id: 'b', per_page: 100 })

  test('100 summary cards with titles of 80 characters take at most 12 KiB', () => {
    expect(told(list, 200, pageOf(100)).length).toBeLessThanOrEqual(12 * 1024)
    expect(told(list, 200, pageOf(100, { pr_number: null })).length).toBeLessThanOrEqual(12 * 1024)
  })

  test('a line has ref, priority, assignee, title, labels and pull request, and no id', () => {
    const card = cardAt(7, { title: 'Oil\nthe  wheels', priority: 'high', labels: ['ops'] })
    const text = told(list, 200, { items: [card], total: 1, page: 1, per_page: 50 })
    expect(text).toContain(
      'people: @builder Builder (agent)\n[To do, pending]\nCORE-7 high @builder Oil the wheels #ops PR10007 open\n',
    )
    expect(text).not.toContain('3f8a6c1e')
  })

  test('the next page is named exactly, and the last has none', () => {
    const page = { ...pageOf(2), total: 5, page: 2, per_page: 2 }
    expect(told(list, 200, page)).toContain('3 to 4 of 5; for more, repeat this call with page=3\n')
    expect(told(list, 200, { ...page, page: 3 })).not.toContain('for more')
    const walked = { ...pageOf(2), total: 5, page: null, next_cursor: 'abc' }
    expect(told(list, 200, walked)).toContain('for more, repeat this call with cursor=abc\n')
  })

  test('more detail than a summary is told as cards are read one by one', () => {
    const detailed = called('cards_search', { action: 'list', board_id: 'b', detail: 'full' })
    const text = told(detailed, 200, pageOf(2, { plan: 'First this.', description: 'About it.', version: 3 }))
    expect(text.match(/## plan\nFirst this\.\n/g)).toHaveLength(2)
    expect(text.match(/## description\nAbout it\.\n/g)).toHaveLength(2)
  })

  test('nothing found is said', () => {
    expect(told(list, 200, { items: [], total: 0, page: 1, per_page: 50 })).toBe('0 of 0 cards\n')
  })
})

describe('what is too long', () => {
  test('is cut with the rest counted, and read on with offset', () => {
    const args = { action: 'get', task_id: 'CORE-1' }
    const body = { ...cardAt(1), plan: 'p'.repeat(65_536), notes: 'n'.repeat(65_536) }
    const parts: string[] = []
    for (let offset = 0; ; ) {
      const text = told(called('card_read', { ...args, offset }), 200, body)
      expect(text.length).toBeLessThanOrEqual(maxTextLength)
      const [cut, left, , next] =
        /\n\[cut: (\d+) of (\d+) characters are left; for more, repeat this call with offset=(\d+)\]$/.exec(
          text,
        ) ?? []
      parts.push(text.slice(0, text.length - (cut?.length ?? 0)))
      if (cut === undefined) break
      expect(Number(left)).toBeGreaterThan(0)
      offset = Number(next)
    }
    expect(parts).toHaveLength(3)
    expect(parts.join('')).toContain(`## plan\n${'p'.repeat(65_536)}\n## notes\n${'n'.repeat(65_536)}\n`)
  })

  test('is not read on by a write, which would be done again', () => {
    const call = called('card_claim', { action: 'next' })
    expect(faultOf('card_claim', { action: 'next', offset: 5 })).toContain('does not take "offset"')
    const claim = { claim_id: 'c', epoch: 1, expires_at: '2026-01-31T09:30:00.000000Z' }
    const context = {
      ...cardAt(1),
      column: 'To do',
      version: 1,
      claim_epoch: 1,
      cut: [],
      plan: 'p'.repeat(70_000),
    }
    const text = told(call, 200, { claim, run: { id: 'r' }, context })
    expect(text).toMatch(/^claim_id=c epoch=1 until 2026-01-31T09:30:00.000000Z run_id=r\n/)
    expect(text).toContain('characters are left out; what was asked for is done.')
    expect(text.length).toBeLessThanOrEqual(maxTextLength)
  })

  test('an offset behind the end says how long the text is', () => {
    const call = called('card_read', { action: 'get', task_id: 'CORE-1', offset: 99_999 })
    expect(told(call, 200, cardAt(1))).toMatch(/^Nothing after offset 99999: the text has \d+ characters\.$/)
  })
})

describe('refusals', () => {
  const read = called('card_read', { action: 'get', task_id: 'CORE-1' })

  test('are status and reason, and what helps', () => {
    expect(told(read, 404, { detail: 'Task not found' })).toBe(
      '404: Task not found\ncards_search finds cards and their refs.',
    )
    expect(told(read, 403, { detail: 'Scope missing' })).toContain('403: Scope missing\nwhoami')
    expect(told(read, 400, { detail: 'title: is required' })).toContain(
      'help with tool=card_read and action=get',
    )
    expect(told(read, 503, { detail: 'Database unavailable' })).toBe('503: Database unavailable')
  })

  test('with facts tell those as well', () => {
    const detail = {
      error: 'already_claimed',
      message: 'Ada has claimed this card',
      epoch: 3,
      expires_at: null,
    }
    expect(told(read, 409, { detail })).toBe('409: Ada has claimed this card\nepoch: 3\n')
  })
})

describe('calls', () => {
  test('a missing or unknown action lists the actions with what they need', () => {
    expect(faultOf('comments', {})).toMatch(/^action is missing\. Actions of comments:\n- list\(task_id\): /)
    expect(faultOf('comments', { action: 'burn' })).toMatch(/^comments has no action "burn"\./)
    expect(faultOf('comments', { action: '__proto__' })).toContain('- add(task_id, body): ')
  })

  test('an unknown argument and a missing id are told with what the action takes', () => {
    expect(faultOf('comments', { action: 'list', task_id: 'x', colour: 1 })).toContain(
      'does not take "colour"',
    )
    expect(faultOf('comments', { action: 'list' })).toBe('comments list needs task_id. Required: task_id.')
    expect(faultOf('comments', [])).toBe('The arguments must be an object.')
    expect(faultOf('comments', { action: 'list', task_id: { a: 1 } })).toContain('task_id: must be a string')
  })

  test('keys, versions, dry runs and nulls go where they belong', () => {
    const call = called('card_write', {
      ...{ action: 'change', task_id: 'CORE-1', branch: null, return: null },
      ...{ idempotency_key: 'k-1', if_match: 7, dry_run: true },
    })
    expect(call).toMatchObject({
      params: { task_id: 'CORE-1' },
      key: 'k-1',
      if_match: '"7"',
      body: { branch: null },
    })
    expect(call.query).toEqual({ return: 'receipt', dry_run: 'true' })
  })

  test('the workspace and the own memory need not be named, another agent does', () => {
    const known = { brand_id: 4, agent_id: 'builder' }
    expect(called('people', { action: 'members' }, known).params).toEqual({ brand_id: '4' })
    const recall = called('memory', { action: 'recall', query: 'when' }, known)
    expect(recall).toMatchObject({
      params: { agent_id: 'builder' },
      query: { query: 'when', format: 'json' },
    })
    expect(called('memory', { action: 'search', agent_id: 'other' }, known).params).toEqual({
      agent_id: 'other',
    })
    expect(faultOf('workspace', { action: 'retire_agent' })).toContain('needs agent_id')
  })

  test('a body that may be absent is absent', () => {
    expect(called('card_claim', { action: 'claim', task_id: 'CORE-1' }).body).toBeUndefined()
    expect(called('card_write', { action: 'change', task_id: 'CORE-1' }).body).toEqual({})
  })
})

test('help tells of every action what it takes, within the length of a text', () => {
  for (const tool of tools) {
    for (const action of tool.actions) {
      const text = helpOf(tools, { tool: tool.name, action: action.name })
      expect(text).toContain(`Stands for ${action.route.method} ${action.route.path}.`)
      expect(text.length).toBeLessThanOrEqual(maxTextLength)
    }
  }
  expect(helpOf(tools, {}).split('\n')).toHaveLength(tools.length)
  expect(helpOf(tools, { tool: 'nothing' })).toContain('Tools: whoami, boards')
})
