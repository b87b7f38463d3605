import type { Turn } from './turns.ts'

/** A session file of OpenClaw: a header and a tree of records. */
export function openclawFile(session: number, turns: readonly Turn[]): string[] {
  const id = (at: number) => `${session.toString(16).padStart(4, '0')}${at.toString(16).padStart(4, '0')}`
  const began = Date.UTC(2026, 9, 5 + (session % 20), 7)
  const lines = [
    JSON.stringify({
      type: 'session',
      version: 3,
      id: `41d7e0aa-9b1c-4b8e-b1a5-${String(session).padStart(12, '0')}`,
      timestamp: new Date(began).toISOString(),
      cwd: '/home/dev/.openclaw/workspace',
    }),
  ]
  let parentId: string | null = null
  const write = (type: string, more: object): void => {
    const at = lines.length
    lines.push(
      JSON.stringify({
        type,
        id: id(at),
        parentId,
        timestamp: new Date(began + at * 60_000).toISOString(),
        ...more,
      }),
    )
    parentId = id(at)
  }
  const message = (role: string, content: unknown, more: object = {}) =>
    write('message', { message: { role, content, timestamp: began + lines.length * 60_000, ...more } })
  const answer = (content: unknown, more: object = {}) =>
    message('assistant', content, {
      provider: 'anthropic',
      model: 'claude-opus-5',
      stopReason: 'stop',
      ...more,
    })
  write('model_change', { provider: 'anthropic', modelId: 'claude-opus-5' })
  for (const [at, turn] of turns.entries()) {
    if (turn.by === 'person') {
      const text = at % 2 === 0 ? `[Mon 2026-10-05 07:${10 + at} UTC] ${turn.text}` : turn.text
      message('user', at % 3 === 0 ? text : [{ type: 'text', text }])
    } else if (turn.by === 'agent') {
      answer([{ type: 'text', text: at % 2 === 0 ? `[[reply_to_current]] ${turn.text}` : turn.text }])
    } else if (turn.by === 'tool') {
      const call = `call_${session}_${at}`
      answer([{ type: 'toolCall', id: call, name: turn.name, arguments: { command: 'make check' } }])
      const content = [{ type: 'text', text: turn.output }]
      message('toolResult', content, { toolCallId: call, toolName: turn.name, isError: false })
    } else if (at % 3 === 0) {
      answer([{ type: 'thinking', thinking: turn.text }])
    } else if (at % 3 === 1) {
      answer([{ type: 'text', text: turn.text }], { provider: 'openclaw', model: 'delivery-mirror' })
    } else {
      write('compaction', { summary: turn.text, firstKeptEntryId: id(1), tokensBefore: 50_000 })
    }
  }
  return lines
}
