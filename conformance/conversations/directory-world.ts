import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll } from 'vitest'
import type { Conversation, Source, StoredMessage } from './conversation-world.ts'
import { usePickUps } from './pickup-world.ts'

interface Reading {
  readonly last_read_at: string | null
  readonly next_read_at: string | null
  readonly failures: number
  readonly reason: string | null
  readonly skipped: Readonly<Record<string, number>>
}
export type ReadSource = Source & { readonly reading: Reading }

/** A line of a session of Claude Code. */
export const line = (uuid: string, text: string, type: 'user' | 'assistant' = 'user'): string =>
  `${JSON.stringify({
    type,
    uuid,
    parentUuid: null,
    sessionId: 's',
    timestamp: '2026-03-01T10:00:00.000Z',
    message: { role: type, content: [{ type: 'text', text }] },
  })}\n`

/** A server and workers that read directories, and files of workspaces in them. */
export function useDirectories() {
  const root = mkdtempSync(join(tmpdir(), 'crewhall-sessions-'))
  const kit = usePickUps({ CONVERSATIONS_ROOT: root })
  afterAll(() => rmSync(root, { recursive: true, force: true }))

  async function open(more: object = {}) {
    const { work, titles } = await kit.open()
    const home = join(root, String(work.brand_id))
    mkdirSync(join(home, 'sessions'), { recursive: true })
    const { id } = await work.add({ config: { directory: 'sessions' }, ...more })
    const source = async () => (await work.call<ReadSource>('GET', `/sources/${id}`)).body
    const conversations = async () =>
      (
        await work.call<{ conversations: Conversation[] }>('GET', `/conversations?source_id=${id}`)
      ).body.conversations.toReversed()
    return {
      work,
      id,
      home,
      titles,
      source,
      conversations,
      /** Replaces a file of the source. */
      write(path: string, ...lines: readonly string[]): string {
        const file = join(home, 'sessions', path)
        mkdirSync(dirname(file), { recursive: true })
        writeFileSync(file, lines.join(''))
        return file
      },
      /** Texts by name of the conversation. */
      async texts(): Promise<Record<string, (string | null)[]>> {
        const all: Record<string, (string | null)[]> = {}
        for (const each of await conversations()) {
          const messages: readonly StoredMessage[] = await work.messagesOf(each.id)
          all[each.conversation_id] = messages.map(({ text }) => text)
        }
        return all
      },
      async pauses(): Promise<number> {
        const rows = await work.world.sql(
          `select from platform.workspace_events where type = 'source.paused' and subject_id = $1`,
          [id],
        )
        return rows.length
      },
    }
  }
  return { ...kit, kit, root, open }
}
