import { describe, expect, test } from 'vitest'
import { readClaudeCode } from './claude-code.rules.ts'

const session = '6f1c2b9a-53de-4c0f-8a11-0d2f7be0c001'
let minute = 0

/** A line as the program writes it; what a test is about stands in `more`. */
function line(type: string, uuid: string, parent: string | null, more: object): string {
  minute += 1
  return JSON.stringify({
    parentUuid: parent,
    isSidechain: false,
    userType: 'external',
    cwd: '/home/dev/shop',
    sessionId: session,
    version: '2.1.81',
    gitBranch: 'main',
    type,
    uuid,
    timestamp: `2026-11-16T09:${String(minute % 60).padStart(2, '0')}:00.000Z`,
    ...more,
  })
}

const user = (uuid: string, parent: string | null, content: unknown, more: object = {}) =>
  line('user', uuid, parent, { message: { role: 'user', content }, ...more })
const assistant = (
  uuid: string,
  parent: string | null,
  block: object,
  message: object = {},
  more: object = {},
) =>
  line('assistant', uuid, parent, {
    requestId: `req_${uuid}`,
    message: {
      id: `msg_${uuid}`,
      type: 'message',
      role: 'assistant',
      model: 'claude-opus-5',
      content: [block],
      ...message,
    },
    ...more,
  })
const text = (words: string) => ({ type: 'text', text: words })
const read = (...lines: string[]) => readClaudeCode(`${lines.join('\n')}\n`)
const wordsOf = (...lines: string[]) => read(...lines).messages.map(({ role, text }) => `${role}: ${text}`)

describe('what was said', () => {
  test('texts of both sides come in order, with id and time; thinking is left out', () => {
    minute = 0
    const transcript = read(
      user('u1', null, 'Invoices must carry the VAT number.'),
      assistant('a1', 'u1', { type: 'thinking', thinking: 'Where is the template?', signature: 'c2ln' }),
      assistant('a2', 'a1', text('I add it to the template.')),
    )
    expect(transcript).toEqual({
      external_id: session,
      messages: [
        {
          id: 'u1',
          role: 'person',
          text: 'Invoices must carry the VAT number.',
          sent_at: '2026-11-16T09:01:00.000Z',
        },
        { id: 'a2', role: 'agent', text: 'I add it to the template.', sent_at: '2026-11-16T09:03:00.000Z' },
      ],
      skipped: { thinking: 1 },
      is_cut: false,
    })
  })

  test('calls of tools and their results are of the role tool, also when a result has blocks', () => {
    const blocks = [
      { type: 'tool_result', tool_use_id: 'toolu_1', content: '3 passed' },
      {
        type: 'tool_result',
        tool_use_id: 'toolu_2',
        content: [text('export const a = 1'), { type: 'image' }],
      },
      { type: 'tool_result', tool_use_id: 'toolu_3', content: null },
    ]
    expect(
      wordsOf(
        assistant('a1', null, {
          type: 'tool_use',
          id: 'toolu_1',
          name: 'Bash',
          input: { command: 'npm test' },
        }),
        user('u1', 'a1', blocks, { toolUseResult: { stdout: '3 passed', stderr: '' } }),
      ),
    ).toEqual(['tool: Bash: {"command":"npm test"}', 'tool: 3 passed', 'tool: export const a = 1'])
  })

  test('several parts of one record have ids of their own', () => {
    const { messages } = read(user('u1', null, [text('First.'), text('Second.')]))
    expect(messages.map(({ id }) => id)).toEqual(['u1', 'u1#1'])
  })

  test('what a person types while the agent works is theirs; what a program or a peer queues is not', () => {
    const queued = (uuid: string, more: object) =>
      line('attachment', uuid, 'u1', {
        attachment: { type: 'queued_command', prompt: `From ${uuid}.`, ...more },
      })
    const transcript = read(
      user('u1', null, 'Rename the table.'),
      queued('q1', { commandMode: 'prompt', origin: { kind: 'human' } }),
      queued('q2', { commandMode: 'task-notification' }),
      queued('q3', { commandMode: 'prompt', origin: { kind: 'peer' } }),
      queued('q4', { commandMode: 'prompt', isMeta: true }),
      line('attachment', 'q5', 'u1', { attachment: { type: 'hook_additional_context', content: ['noise'] } }),
    )
    expect(transcript.messages.map(({ text }) => text)).toEqual(['Rename the table.', 'From q1.'])
    expect(transcript.skipped).toEqual({ attachment: 4 })
  })

  test('hints, errors and notes of the program are system text', () => {
    expect(
      wordsOf(
        user('u1', null, 'Caveat: local commands follow.', { isMeta: true }),
        assistant('a1', 'u1', text('API Error: 529'), { model: '<synthetic>' }, { isApiErrorMessage: true }),
        line('system', 's1', 'a1', { subtype: 'local_command', content: 'Set model', level: 'info' }),
        line('system', 's2', 's1', { subtype: 'turn_duration', durationMs: 88_000 }),
      ),
    ).toEqual(['system: Caveat: local commands follow.', 'system: API Error: 529', 'system: Set model'])
  })
})

describe('compaction', () => {
  test('the summary is system text, and what was said before the boundary is not lost', () => {
    expect(
      wordsOf(
        user('u1', null, 'Use port 5433 for tests.'),
        assistant('a1', 'u1', text('Done.')),
        line('system', 'c1', null, {
          subtype: 'compact_boundary',
          logicalParentUuid: 'a1',
          content: 'Conversation compacted',
          compactMetadata: { trigger: 'auto', preTokens: 167_393 },
        }),
        user('u2', 'c1', 'This session is being continued from a previous one.', {
          isCompactSummary: true,
          isVisibleInTranscriptOnly: true,
        }),
        user('u3', 'u2', 'Now the docs.'),
      ),
    ).toEqual([
      'person: Use port 5433 for tests.',
      'agent: Done.',
      'system: Conversation compacted',
      'system: This session is being continued from a previous one.',
      'person: Now the docs.',
    ])
  })

  test('a boundary whose parent stayed in another file continues the record before it', () => {
    expect(
      wordsOf(
        user('u1', null, 'Before.'),
        line('system', 'c1', null, { subtype: 'compact_boundary', logicalParentUuid: 'elsewhere' }),
        user('u2', 'c1', 'After.'),
      ),
    ).toEqual(['person: Before.', 'person: After.'])
  })
})

describe('branches and copies', () => {
  test('of a rewound conversation only the last branch counts', () => {
    const transcript = read(
      user('u1', null, 'Add a cache.'),
      assistant('a1', 'u1', text('In Redis?')),
      user('u2', 'a1', 'Yes, in Redis.'),
      assistant('a2', 'u2', text('Redis it is.')),
      user('u3', 'a1', 'No, in memory.'),
      assistant('a3', 'u3', text('In memory then.')),
    )
    expect(transcript.messages.map(({ id }) => id)).toEqual(['u1', 'a1', 'u3', 'a3'])
    expect(transcript.skipped).toEqual({ other_branch: 2 })
  })

  test('a result that comes late on a branch of its own does not take the answer with it', () => {
    expect(
      wordsOf(
        user('u1', null, 'Check both.'),
        assistant('a1', 'u1', { type: 'tool_use', id: 't1', name: 'Read', input: {} }, { id: 'msg_1' }),
        assistant('a2', 'a1', { type: 'tool_use', id: 't2', name: 'Grep', input: {} }, { id: 'msg_1' }),
        user('r2', 'a2', [{ type: 'tool_result', tool_use_id: 't2', content: 'two' }]),
        assistant('a3', 'r2', text('Both are fine.')),
        line('progress', 'p1', 'a1', { data: { type: 'hook_progress' } }),
      ).filter((words) => !words.startsWith('tool')),
    ).toEqual(['person: Check both.', 'agent: Both are fine.'])
  })

  test('work of subagents is left out and counted, and breaks no chain', () => {
    const transcript = read(
      user('u1', null, 'Find the bug.'),
      user('s1', null, 'You are a searcher.', { isSidechain: true, agentId: 'a1b2', sessionId: 'other' }),
      assistant(
        's2',
        's1',
        text('Found it.'),
        {},
        { isSidechain: true, agentId: 'a1b2', sessionId: 'other' },
      ),
      assistant('a1', 'u1', text('It is in the parser.')),
    )
    expect(transcript.messages.map(({ id }) => id)).toEqual(['u1', 'a1'])
    expect(transcript.skipped).toEqual({ sidechain: 2 })
    expect(transcript.external_id).toBe(session)
  })

  test('a line that was carried over, and a block of a request made again, count once', () => {
    const first = user('u1', null, 'Ship it.')
    const transcript = read(
      first,
      first,
      assistant('a1', 'u1', text('Shipping.'), { id: 'msg_7' }),
      assistant('a2', 'a1', text('Shipping.'), { id: 'msg_7' }),
      assistant('a3', 'a1', text('Shipped.'), { id: 'msg_7' }),
    )
    expect(transcript.messages.map(({ text }) => text)).toEqual(['Ship it.', 'Shipping.', 'Shipped.'])
    expect(transcript.skipped).toEqual({ duplicate: 2 })
  })

  test('a circle of parents ends', () => {
    expect(wordsOf(user('u1', 'u2', 'One.'), user('u2', 'u1', 'Two.'))).toEqual([
      'person: One.',
      'person: Two.',
    ])
  })
})

describe('damaged and unknown lines', () => {
  const whole = user('u1', null, 'Whole.')

  test('a broken last line is a file still being written', () => {
    expect(readClaudeCode(`${whole}\n{"type":"user","uuid":"u2","mess`)).toMatchObject({
      skipped: {},
      is_cut: true,
    })
    expect(readClaudeCode(`${whole}\n{"type":"us\n`)).toMatchObject({ is_cut: true })
    expect(readClaudeCode(whole)).toMatchObject({ is_cut: false })
  })

  test('a broken line in the middle is counted, and what was said before it stays', () => {
    const transcript = read(whole, '{"type":"assistant","uuid":"a1"', user('u2', 'a1', 'After.'))
    expect(transcript.messages.map(({ text }) => text)).toEqual(['Whole.', 'After.'])
    expect(transcript).toMatchObject({ skipped: { broken_line: 1 }, is_cut: false })
  })

  test('records and blocks nobody knows are counted and never fatal', () => {
    const transcript = read(
      '[]',
      '7',
      '{"type":"marble"}',
      '{"uuid":5,"type":7,"message":null}',
      '{"type":"summary","summary":"Old title","leafUuid":"x"}',
      '{"type":"file-history-snapshot","messageId":"u1","snapshot":{}}',
      '{"type":"queue-operation","operation":"enqueue","content":"Ship it."}',
      user('u0', null, { odd: true }),
      user('u1', 'u0', [{ type: 'hologram' }, null, 'text', { type: 'image', source: {} }, text('Seen.')]),
    )
    expect(transcript.messages.map(({ text }) => text)).toEqual(['Seen.'])
    expect(transcript.skipped).toEqual({
      broken_line: 2,
      unknown_record: 2,
      bookkeeping: 3,
      unknown_block: 1,
      attachment: 1,
    })
  })

  test.each(['', '\n\n', '\ufeff', '{'])('nothing comes of %j', (jsonl) => {
    expect(readClaudeCode(jsonl)).toMatchObject({ external_id: null, messages: [] })
  })

  test.each(['yesterday', 5e15, '2026-13-45T99:00:00Z', null])('a time of %j is none', (timestamp) => {
    expect(read(user('u1', null, 'Hi.', { timestamp })).messages[0]?.sent_at).toBeNull()
  })
})

test('a hundred thousand lines on many branches are read in linear time', () => {
  const lines = Array.from({ length: 100_000 }, (_, at) =>
    JSON.stringify({ type: 'user', uuid: `u${at}`, parentUuid: `u${at >> 1}`, message: { content: 'Hi.' } }),
  )
  expect(readClaudeCode(lines.join('\n')).messages).toHaveLength(18)
})
