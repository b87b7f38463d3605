import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { cookieOf, json } from '@crewhall/testkit/people.ts'
import { root } from '@crewhall/testkit/server-process.ts'
import { useServer } from '@crewhall/testkit/test-server.ts'
import { waitFor } from '@crewhall/testkit/wait-for.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'

const server = useServer('product', { PUBLIC_URL: 'http://crewhall.test' })
const folder = mkdtempSync(join(tmpdir(), 'demo-'))
const stateFile = join(folder, 'state.json')
beforeAll(() => server.start('worker'))
afterAll(() => rmSync(folder, { recursive: true }))

interface State {
  readonly brand_id: number
  readonly email: string
  readonly password: string
  readonly boards: Readonly<Record<string, string>>
}
const readState = () => JSON.parse(readFileSync(stateFile, 'utf8')) as State

/** The command as somebody types it, on this server. */
function startDemo(...more: string[]) {
  const args = ['tools/demo/demo.ts', '--base-url', server.api.url, '--state', stateFile, ...more]
  // No database: who has none has no platform admin either, and saves the start of a program.
  const env = { PATH: process.env.PATH ?? '' }
  const child = spawn(process.execPath, args, { cwd: root, env })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (bytes) => (output += bytes))
  const ended = once(child, 'close').then(([code]) => code as number | null)
  return { child, ended, output: () => output }
}

/** The workspace as the person of the demo sees it, with what the demo has printed. */
async function signIn(output: string) {
  const email = /E-mail {2,}(\S+)/.exec(output)?.[1]
  const password = /Password {2,}(\S+)/.exec(output)?.[1]
  const signedIn = await server.get('/api/v1/auth/sign-in', json({ email, password }))
  const cookie = cookieOf(signedIn)
  return async <T>(path: string): Promise<T> => {
    const response = await server.get(`/api/v1${path}`, { headers: { cookie } })
    expect(response.status, path).toBe(200)
    return (await response.json()) as T
  }
}

interface Card {
  readonly ref: string
  readonly status: string
  readonly comments_count: number
  readonly usage_cost_micros: number
}

test('the demo makes a team that is at work within moments, goes on where it was, and leaves others alone', async () => {
  const filled = startDemo('--still')
  expect(await filled.ended, filled.output()).toBe(0)
  const read = await signIn(filled.output())
  const { brand_id, boards } = readState()
  const { members } = await read<{ members: unknown[] }>(`/brands/${brand_id}/members`)
  expect(members).toHaveLength(4)
  const { items } = await read<{ items: Card[] }>(`/board/boards/${boards.DSP}/tasks?per_page=100`)
  const statuses = ['pending', 'in_progress', 'blocked', 'review', 'done']
  expect([...new Set(items.map(({ status }) => status))].sort()).toEqual(statuses.sort())
  expect(items.some(({ comments_count }) => comments_count > 2)).toBe(true)
  expect(items.reduce((sum, card) => sum + card.usage_cost_micros, 0)).toBeGreaterThan(10_000_000)
  expect((await read<{ items: unknown[] }>('/me/inbox')).items.length).toBeGreaterThan(2)
  expect((await read<{ spaces: unknown[] }>('/docs/spaces')).spaces).toHaveLength(2)
  const { items: hooks } = await read<{ items: { id: string }[] }>('/webhooks')
  const deliveries = `/webhooks/${hooks[0]?.id}/deliveries`
  await waitFor(async () => {
    const { items } = await read<{ items: { last_error: string | null }[] }>(deliveries)
    return items.some(({ last_error }) => last_error !== null)
  }, 30_000)

  const crew = startDemo('--pace', '30')
  await waitFor(() => crew.output().includes('asks for a review'), 120_000)
  crew.child.kill('SIGINT')
  expect(await crew.ended, crew.output()).toBe(0)
  expect(crew.output()).not.toContain('Making a workspace')
  expect(readState().brand_id).toBe(brand_id)
  // Who stops gives back what it holds, and takes its keys along.
  const { items: atWork } = await read<{ items: Card[] }>('/board/working-now')
  // The claim with which the workspace was made, of one that waits, ends by itself.
  expect(atWork.filter(({ ref }) => ref !== 'DSP-11')).toEqual([])
  const { tokens } = await read<{ tokens: unknown[] }>(`/brands/${brand_id}/tokens`)
  expect(tokens).toEqual([])

  // A file that names a workspace with other boards.
  writeFileSync(stateFile, JSON.stringify({ ...readState(), boards: { DSP: crypto.randomUUID() } }))
  const refused = startDemo()
  expect(await refused.ended).toBe(1)
  expect(refused.output()).toContain('is not the one that this demo has made')
})
