import { describe, expect, test } from 'vitest'
import { readOpenclaw } from './openclaw.rules.ts'

const header = {
  type: 'session',
  version: 3,
  id: '41d7e0aa-9b1c-4b8e-b1a5-5f3f6a9d2c10',
  timestamp: '2026-11-16T08:00:00.000Z',
  cwd: '/home/dev/.openclaw/workspace',
}
const text = (words: string) => ({ type: 'text', text: words })
let second = 0

function entry(type: string, id: string, parentId: string | null, more: object): object {
  second += 1
  const timestamp = `2026-11-16T08:00:${String(second % 60).padStart(2, '0')}.000Z`
  return { type, id, parentId, timestamp, ...more }
}

const user = (id: string, parent: string | null, content: unknown, more: object = {}) =>
  entry('message', id, parent, { message: { role: 'user', content, timestamp: 1_794_816_000_000, ...more } })
const assistant = (id: string, parent: string | null, content: unknown, more: object = {}) =>
  entry('message', id, parent, {
    message: {
      role: 'assistant',
      content,
      provider: 'anthropic',
      model: 'claude-opus-5',
      stopReason: 'stop',
      ...more,
    },
  })
const fileOf = (...entries: object[]) => [header, ...entries].map((each) => JSON.stringify(each)).join('\n')
const read = (...entries: object[]) => readOpenclaw(`${fileOf(...entries)}\n`)
const wordsOf = (...entries: object[]) =>
  read(...entries).messages.map(({ role, text }) => `${role}: ${text}`)

describe('what was said', () => {
  test('texts of both sides come in order, with id and time, and the header names the session', () => {
    second = 0
    const transcript = read(
      entry('model_change', 'm0', null, { provider: 'anthropic', modelId: 'claude-opus-5' }),
      entry('thinking_level_change', 't0', 'm0', { thinkingLevel: 'low' }),
      entry('custom', 'x0', 't0', { customType: 'model-snapshot', data: {} }),
      user('u1', 'x0', 'The nightly job runs at two.'),
      assistant('a1', 'u1', [
        { type: 'thinking', thinking: 'Two at night.' },
        text('Noted.'),
        text('Anything else?'),
      ]),
    )
    expect(transcript).toEqual({
      external_id: header.id,
      messages: [
        {
          id: 'u1',
          role: 'person',
          text: 'The nightly job runs at two.',
          sent_at: '2026-11-16T08:00:04.000Z',
        },
        { id: 'a1', role: 'agent', text: 'Noted.', sent_at: '2026-11-16T08:00:05.000Z' },
        { id: 'a1#1', role: 'agent', text: 'Anything else?', sent_at: '2026-11-16T08:00:05.000Z' },
      ],
      skipped: { bookkeeping: 4, thinking: 1 },
      is_cut: false,
    })
  })

  test('calls, results and commands of tools are of the role tool', () => {
    expect(
      wordsOf(
        assistant('a1', null, [{ type: 'toolCall', id: 'c1', name: 'exec', arguments: { command: 'ls' } }]),
        entry('message', 'r1', 'a1', {
          message: {
            role: 'toolResult',
            toolCallId: 'c1',
            toolName: 'exec',
            content: [text('a.txt')],
            isError: false,
          },
        }),
        entry('message', 'b1', 'r1', {
          message: { role: 'bashExecution', command: 'git status', output: 'clean', exitCode: 0 },
        }),
      ),
    ).toEqual(['tool: exec: {"command":"ls"}', 'tool: exec: a.txt', 'tool: git status: clean'])
  })

  test('summaries, texts of extensions and other sessions are system text', () => {
    expect(
      wordsOf(
        user('u1', null, 'Report from the other session.', { provenance: { kind: 'inter_session' } }),
        user('u2', 'u1', 'Mine.', { provenance: { kind: 'external_user' } }),
        entry('compaction', 'c1', 'u2', {
          summary: 'Goal: ship.',
          firstKeptEntryId: 'u2',
          tokensBefore: 50_000,
        }),
        entry('branch_summary', 's1', 'c1', { fromId: 'u1', summary: 'Tried Redis.' }),
        entry('custom_message', 'x1', 's1', {
          customType: 'openclaw.runtime-context',
          content: 'Sender: web',
          display: false,
        }),
        entry('message', 'h1', 'x1', { message: { role: 'compactionSummary', summary: 'Goal again.' } }),
        entry('message', 'h2', 'h1', { message: { role: 'custom', content: [text('From a hook.')] } }),
      ),
    ).toEqual([
      'system: Report from the other session.',
      'person: Mine.',
      'system: Goal: ship.',
      'system: Tried Redis.',
      'system: Sender: web',
      'system: Goal again.',
      'system: From a hook.',
    ])
  })

  test('what was delivered to a channel is not said twice', () => {
    const transcript = read(
      assistant('a1', null, [text('The build is green.')]),
      assistant('a2', 'a1', [text('The build is green.')], {
        provider: 'openclaw',
        model: 'delivery-mirror',
      }),
    )
    expect(transcript.messages).toHaveLength(1)
    expect(transcript.skipped).toEqual({ bookkeeping: 1, delivery_copy: 1 })
  })
})

describe('branches and copies', () => {
  const rewound = [
    user('u1', null, 'Add a cache.'),
    assistant('a1', 'u1', [text('In Redis?')]),
    user('u2', 'a1', 'Yes.'),
    assistant('a2', 'u2', [text('Redis it is.')]),
  ]

  test('of a rewound session only the last branch counts', () => {
    const transcript = read(
      ...rewound,
      entry('branch_summary', 's1', 'a1', { fromId: 'a2', summary: 'Tried Redis.' }),
      user('u3', 's1', 'No, in memory.'),
    )
    expect(transcript.messages.map(({ id }) => id)).toEqual(['u1', 'a1', 's1', 'u3'])
    expect(transcript.skipped).toEqual({ bookkeeping: 1, other_branch: 2 })
  })

  test('a leaf says where the session goes on', () => {
    const { messages } = read(...rewound, entry('leaf', 'l1', 'a1', { targetId: 'a1' }))
    expect(messages.map(({ id }) => id)).toEqual(['u1', 'a1'])
  })

  test('a record that was written twice counts once', () => {
    const first = user('u1', null, 'Ship it.')
    expect(read(first, first)).toMatchObject({ messages: [{ id: 'u1' }], skipped: { duplicate: 1 } })
  })

  test('files of version 1 have no ids and are read in order', () => {
    const { version: _, ...old } = header
    const lines = [
      old,
      {
        type: 'message',
        timestamp: '2026-11-16T08:00:01.000Z',
        message: { role: 'user', content: 'Hello.' },
      },
      {
        type: 'message',
        message: { role: 'assistant', content: [text('Hi.')], timestamp: 1_794_816_002_000 },
      },
    ]
    expect(readOpenclaw(lines.map((each) => JSON.stringify(each)).join('\n')).messages).toEqual([
      { id: null, role: 'person', text: 'Hello.', sent_at: '2026-11-16T08:00:01.000Z' },
      { id: null, role: 'agent', text: 'Hi.', sent_at: '2026-11-16T08:00:02.000Z' },
    ])
  })
})

describe('damaged and unknown lines', () => {
  test('a broken last line is a file still being written; one before it is counted', () => {
    const whole = fileOf(user('u1', null, 'Whole.'))
    expect(readOpenclaw(`${whole}\n{"type":"mess`)).toMatchObject({ messages: [{ id: 'u1' }], is_cut: true })
    const after = JSON.stringify(user('u2', 'lost', 'After.'))
    expect(readOpenclaw(`${whole}\n{"type":"mess\n${after}`)).toMatchObject({
      messages: [{ id: 'u1' }, { id: 'u2' }],
      skipped: { broken_line: 1 },
      is_cut: false,
    })
  })

  test('records, roles and blocks nobody knows are counted and never fatal', () => {
    expect(
      read(
        entry('hologram', 'h1', null, {}),
        entry('message', 'h2', 'h1', { message: { role: 'constructor', content: 'x' } }),
        entry('message', 'h3', 'h2', { message: null }),
        user('u1', 'h3', [{ type: 'hologram' }, { type: 'image', data: '' }, text('Seen.')]),
      ),
    ).toMatchObject({
      messages: [{ id: 'u1', text: 'Seen.' }],
      skipped: { bookkeeping: 1, unknown_record: 3, unknown_block: 1, attachment: 1 },
    })
  })

  test.each(['', 'null', '[1]', '{'])('nothing comes of %j', (jsonl) => {
    expect(readOpenclaw(jsonl)).toMatchObject({ external_id: null, messages: [] })
  })
})
