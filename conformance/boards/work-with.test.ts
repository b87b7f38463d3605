import { seedIndex } from '@crewhall/testkit/seeded-index.ts'
import { useSharedServer } from '@crewhall/testkit/shared-server.ts'
import { beforeAll, beforeEach, expect, test } from 'vitest'
import { type Board, BoardWorkspace } from './board-workspace.ts'

// The probe fills the ports as well: `probe:3` in a text asks for three lessons, `probe:broken` breaks both providers.

const server = useSharedServer('probe')
let workspace: BoardWorkspace
let agent: BoardWorkspace
let board: Board
let memory: { id: string; version: number }

const tokenWith = async (scopes: string[], agent_id?: string): Promise<string> => {
  const { owner } = workspace
  const made = await server.get(`/api/v1/brands/${owner.brand_id}/tokens`, {
    method: 'POST',
    headers: { cookie: owner.cookie, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'a', scopes, ...(agent_id === undefined ? {} : { agent_id }) }),
  })
  return ((await made.json()) as { token: string }).token
}
const agentWith = async (scopes: string[], agent_id?: string) =>
  workspace.as(await tokenWith(scopes, agent_id))

beforeAll(async () => {
  workspace = await BoardWorkspace.open(server)
  const { brand_id, cookie } = workspace.owner
  const made = await server.get('/api/v1/projects', {
    method: 'POST',
    headers: { cookie, 'content-type': 'application/json' },
    body: '{"name":"Engine"}',
  })
  const project_id = ((await made.json()) as { id: string }).id
  await server.sql(
    `insert into code_index.repositories (brand_id, project_id, url, generation)
     values ($1, $2, 'https://git.example/engine.git', 1)`,
    [brand_id, project_id],
  )
  await seedIndex(await server.connection('superuser'), { brand_id, project_id }, ['src/main.ts'])
  board = await workspace.board({ project_id })
  for (const agent_id of ['builder', 'other'])
    await server.sql('insert into identity.agents (brand_id, agent_id, name) values ($1, $2, $2)', [
      brand_id,
      agent_id,
    ])
  const headers = { authorization: `Bearer ${await tokenWith(['memory:read', 'memory:write'])}` }
  const keep = async (agent_id: string, title: string) => {
    const answer = await server.get(`/api/v1/memory/memories`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify({
        agent_id,
        kind: 'fact',
        title,
        body: `${title}: mind the carry. ${'x'.repeat(3000)}`,
      }),
    })
    expect(answer.status).toBe(201)
    return (await answer.json()) as { id: string; version: number }
  }
  memory = await keep('builder', 'Adding with the crankshaft')
  await keep('other', 'Adding with the crankshaft, of another agent')
  agent = await agentWith(['memory:read', 'code:read'], 'builder')
})
beforeEach(async () => {
  // Nothing is left over from a test before.
  await server.sql('update boards.cards set archived_at = now() where board_id = $1', [board.id])
})

interface Work {
  claim: { task_id: string; epoch: number } | null
  run: { id: string } | null
  context: {
    title: string
    lessons?: { id: string; body: string }[]
    memories?: { id: string; title: string; body: string }[]
    cut: { field: string }[]
  } | null
  missing?: object
}
const both = { with: ['lessons', 'memories'], budget_bytes: 16_384 }
const next = (body: object = both, by = agent, query = '', headers = {}) =>
  by.call<Work>('POST', `/work:next${query}`, { worker: 'one', ...body }, headers)
const card = (instructions = 'Change probe:3') =>
  workspace.card(board, { title: 'The crankshaft adds wrongly', instructions })
const knewOf = async (task_id: string | undefined, by = agent) => {
  const path = `/tasks/${task_id}/runs?include=knew`
  const { body } = await by.call<{ items: { knew: Record<string, unknown> | null }[] }>('GET', path)
  return body.items[0]?.knew
}

test('lessons and the memories of its own agent come with the card, and are kept as what it knew', async () => {
  await card()
  const { status, body } = await next()
  expect([status, body.missing]).toEqual([200, undefined])
  expect(body.context?.lessons).toHaveLength(3)
  expect(body.context?.memories?.map(({ id }) => id)).toEqual([memory.id])
  expect(body.context?.memories?.[0]?.body).toHaveLength(1200)
  expect(body.context?.cut.map(({ field }) => field)).toContain('memories.0.body')
  const knew = await knewOf(body.claim?.task_id)
  expect(knew).toMatchObject({ memories: [{ id: memory.id, version: memory.version }] })
  expect(knew?.lessons).toEqual(
    body.context?.lessons?.map(({ id }) => ({ id, version: expect.stringMatching(/^[0-9a-f]{16}$/) })),
  )
  // Those who may not read memories are not told which there are.
  const plain = await knewOf(body.claim?.task_id, workspace)
  expect([plain?.version, plain?.lessons, plain?.memories]).toEqual([1, undefined, undefined])
})

test('the context stays within its budget', async () => {
  await card(`probe:50 ${'x'.repeat(30_000)}`)
  const { body } = await next({ ...both, budget_bytes: 2048 })
  expect(Buffer.byteLength(JSON.stringify(body.context))).toBeLessThanOrEqual(2048)
  expect(body.context?.lessons?.length ?? 0).toBeLessThanOrEqual(10)
})

test('a token that may not read them, or has no agent, gets the card and is told', async () => {
  const given = async (by: BoardWorkspace) => {
    await card()
    const { status, body } = await next(both, by)
    expect([status, body.claim === null]).toEqual([200, false])
    return [body.context?.lessons?.length, body.context?.memories?.length, body.missing]
  }
  const none = { lessons: 'scope_missing', memories: 'scope_missing' }
  expect(await given(await agentWith([], 'builder'))).toEqual([undefined, undefined, none])
  const some = { lessons: 'scope_missing' }
  expect(await given(await agentWith(['memory:read'], 'builder'))).toEqual([undefined, 1, some])
  const nobody = await agentWith(['memory:read', 'code:read'])
  expect(await given(nobody)).toEqual([3, undefined, { memories: 'no_agent' }])
})

test('what is away or broken keeps nobody from a card, and is said', async () => {
  await card('probe:down')
  expect((await next()).body.missing).toEqual({ lessons: 'code_index_unavailable' })
  await card('probe:broken')
  const { status, body } = await next()
  const missing = { lessons: 'code_index_unavailable', memories: 'memory_unavailable' }
  expect([status, body.missing, body.context?.title]).toEqual([200, missing, 'The crankshaft adds wrongly'])
  expect(await knewOf(body.claim?.task_id)).toMatchObject({ missing })
  expect((await next()).body).toEqual({ claim: null, run: null, context: null })
})

test('a dry run takes nothing and says what it leaves out; a key takes one card, and the second answer is the first', async () => {
  const { id } = await card()
  const tried = await next(both, agent, '?dry_run=true')
  expect(tried.body.missing).toEqual({ lessons: 'dry_run', memories: 'dry_run' })
  const key = { 'idempotency-key': `with-${id}` }
  const first = await next(both, agent, '', key)
  expect(first.body.context?.memories).toHaveLength(1)
  expect(await next(both, agent, '', key)).toEqual(first)
  expect((await workspace.call<{ runs_count: number }>('GET', `/tasks/${id}`)).body.runs_count).toBe(1)
  expect((await next({ with: ['secrets'] })).status).toBe(400)
})
