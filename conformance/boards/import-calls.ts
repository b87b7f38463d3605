import type { Import } from '@crewhall/contracts/boards/imports.ts'
import { formOf } from '@crewhall/testkit/people.ts'
import { waitFor } from '@crewhall/testkit/wait-for.ts'
import { bearer } from '@crewhall/testkit/world/call.ts'
import type { Board, BoardWorkspace } from './board-workspace.ts'

interface Uploaded<T> {
  readonly status: number
  readonly body: T
}

export async function upload<T = Import>(
  workspace: BoardWorkspace,
  board: Board,
  file: string | Uint8Array,
): Promise<Uploaded<T>> {
  const bytes = typeof file === 'string' ? Buffer.from(file) : file
  const response = await workspace.server.get(`/api/v1/board/boards/${board.id}/imports`, {
    method: 'POST',
    headers: bearer(workspace.token),
    body: formOf('file', bytes, 'cards.csv'),
  })
  return { status: response.status, body: (await response.json()) as T }
}

export const importOf = async (workspace: BoardWorkspace, id: string): Promise<Import> =>
  (await workspace.call<Import>('GET', `/imports/${id}`)).body

/** Until it has come to an end. */
export async function ended(workspace: BoardWorkspace, id: string, wait_ms = 60_000): Promise<Import> {
  let seen = await importOf(workspace, id)
  await waitFor(async () => {
    seen = await importOf(workspace, id)
    return ['done', 'failed', 'undone'].includes(seen.state)
  }, wait_ms)
  return seen
}

/** Issues as the REST API of GitHub lists them; every tenth is a pull request. */
export const githubIssues = (count: number): string =>
  JSON.stringify(
    Array.from({ length: count }, (_, at) => ({
      number: at + 1,
      title: `Issue ${at + 1}`,
      body: at % 7 === 0 ? 'Long text. '.repeat(500) : `What is wrong with ${at + 1}`,
      state: at % 3 === 0 ? 'closed' : 'open',
      html_url: `https://github.com/octo/repo/issues/${at + 1}`,
      created_at: '2024-03-01T10:00:00Z',
      user: { login: 'outsider' },
      labels: [{ name: `label ${at % 5}` }, { name: 'bug' }],
      assignees: at % 2 === 0 ? [{ login: 'octocat' }] : [],
      ...(at % 10 === 9 ? { pull_request: { url: 'https://api.github.com/x' } } : {}),
    })),
  )
