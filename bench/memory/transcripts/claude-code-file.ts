import type { Turn } from './turns.ts'

const idOf = (session: number, at: number) =>
  `${String(session).padStart(8, '0')}-0000-4000-8000-${String(at).padStart(12, '0')}`

/** A session file of Claude Code, record by record as the program writes it. */
export function claudeCodeFile(session: number, turns: readonly Turn[]): string[] {
  const lines: string[] = []
  let parent: string | null = null
  let minute = 0
  const sessionId = idOf(session, 0)
  const write = (type: string, more: object, isOn = true): string => {
    const uuid = idOf(session, lines.length + 1)
    minute += 1
    lines.push(
      JSON.stringify({
        parentUuid: parent,
        isSidechain: false,
        userType: 'external',
        cwd: '/home/dev/harbor',
        sessionId,
        version: '2.1.81',
        gitBranch: 'main',
        type,
        uuid,
        timestamp: new Date(Date.UTC(2026, 9, 5 + (session % 20), 8, minute)).toISOString(),
        ...more,
      }),
    )
    if (isOn) parent = uuid
    return uuid
  }
  const user = (content: unknown, more: object = {}) =>
    write('user', { message: { role: 'user', content }, ...more })
  const assistant = (block: object, more: object = {}, isOn = true) =>
    write(
      'assistant',
      {
        requestId: `req_${session}_${lines.length}`,
        message: {
          id: `msg_${session}_${lines.length}`,
          type: 'message',
          role: 'assistant',
          model: 'claude-opus-5',
          content: [block],
        },
        ...more,
      },
      isOn,
    )
  lines.push(JSON.stringify({ type: 'file-history-snapshot', messageId: idOf(session, 1), snapshot: {} }))
  for (const [at, turn] of turns.entries()) {
    if (turn.by === 'person') {
      // What is typed while the agent works is no `user` record.
      if (at % 5 === 4)
        write('attachment', {
          attachment: { type: 'queued_command', commandMode: 'prompt', prompt: turn.text },
        })
      else user(at % 2 === 0 ? turn.text : [{ type: 'text', text: turn.text }])
    } else if (turn.by === 'agent') {
      assistant({ type: 'text', text: turn.text })
    } else if (turn.by === 'tool') {
      const id = `toolu_${session}_${at}`
      assistant({ type: 'tool_use', id, name: turn.name, input: { command: 'make check' } })
      user([{ type: 'tool_result', tool_use_id: id, content: turn.output }])
    } else if (at % 3 === 0) {
      assistant({ type: 'thinking', thinking: turn.text, signature: 'c2ln' })
    } else if (at % 3 === 1) {
      assistant({ type: 'text', text: turn.text }, { isSidechain: true, agentId: `a${at}` }, false)
    } else {
      const logicalParentUuid = parent
      parent = null
      write('system', { subtype: 'compact_boundary', logicalParentUuid, content: 'Conversation compacted' })
      user(turn.text, { isCompactSummary: true, isVisibleInTranscriptOnly: true })
    }
  }
  return lines
}
