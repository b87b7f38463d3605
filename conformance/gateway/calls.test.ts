import { randomUUID } from 'node:crypto'
import { routes } from '@crewhall/contracts/routes.ts'
import { tools } from '@crewhall/contracts/tools/tools.ts'
import { connectMcp, textOf } from '@crewhall/testkit/mcp/mcp-client.ts'
import { callRoute, namedBy, saidBy, toolOf } from '@crewhall/testkit/mcp/route-tools.ts'
import { useSharedServer } from '@crewhall/testkit/shared-server.ts'
import { waitFor } from '@crewhall/testkit/wait-for.ts'
import { beforeAll, describe, expect, test } from 'vitest'
import type { Board, Page } from '../boards/board-workspace.ts'
import { ToolWorkspace } from './tool-world.ts'

const server = useSharedServer('product')
let work: ToolWorkspace
let board: Board
beforeAll(async () => {
  work = await ToolWorkspace.open(server)
  board = await work.board()
})

const { createCard, getCard, addComment, changeCard, archiveBoard } = routes.boards
const titlesOf = async () =>
  (await work.world.made<Page>(work.by, 'GET', `/api/v1/board/boards/${board.id}/tasks`)).items.map(
    ({ title }) => title,
  )

describe('a tool that is called without', () => {
  test.each(tools.filter(({ actions }) => actions.length > 1).map((tool) => [tool.name, tool] as const))(
    'an action: %s names the actions that it has',
    async (name, tool) => {
      for (const args of [{}, { action: 'no_such_action' }]) {
        const { said, is_error } = await work.at('/mcp?toolsets=all').call(name, args)
        expect(is_error).toBe(true)
        for (const { name: action } of tool.actions) expect(said).toContain(action)
      }
    },
  )

  test('an id, or with an argument that it does not take, says what it needs', async () => {
    const { tool, action } = toolOf(getCard)
    const without = await work.mcp.call(tool.name, { action: action.name })
    expect([without.is_error, without.said]).toEqual([true, expect.stringContaining('task_id')])
    const more = await work.mcp.call(tool.name, { action: action.name, task_id: 'CORE-1', wish: 1 })
    expect([more.is_error, more.said]).toEqual([true, expect.stringContaining('"wish"')])
  })
})

test('a refusal is told as over HTTP, with its status and its words', async () => {
  const missing = randomUUID()
  const http = await work.world.call<{ detail: string }>(work.by, 'GET', `/api/v1/board/tasks/${missing}`)
  const { said, is_error } = await callRoute(work.mcp, getCard, { task_id: missing })
  // What may help follows on lines of its own.
  expect([is_error, said.split('\n')[0]]).toEqual([true, `${http.status}: ${http.body.detail}`])
})

test('a key of the caller makes a write happen once; the id of a JSON-RPC request does not', async () => {
  const key = randomUUID()
  const fields = { board_id: board.id, title: `Once ${key}`, idempotency_key: key }
  const all = await Promise.all(
    Array.from({ length: 5 }, () => callRoute(work.as(work.by), createCard, fields)),
  )
  const again = await callRoute(work.mcp, createCard, fields)
  // Whoever came first, one did it. While it runs, the others are told so, as over HTTP, and then what it was told.
  const isMade = ({ verdict, said }: (typeof all)[number]) =>
    verdict === 200 && !said.includes('done before with this key')
  expect(all.filter(isMade)).toHaveLength(1)
  for (const { verdict, said } of all.filter((each) => !isMade(each)))
    expect([verdict, said]).toEqual(verdict === 409 ? [409, expect.any(String)] : [200, again.said])
  expect(again.verdict).toBe(200)
  expect((await titlesOf()).filter((title) => title === fields.title)).toHaveLength(1)
  const other = await callRoute(work.mcp, createCard, { ...fields, title: 'Another body' })
  expect(other.verdict).toBe(422)
  // Every new caller begins with the id 1.
  for (let n = 0; n < 2; n += 1)
    await saidBy(work.as(work.by), createCard, { board_id: board.id, title: 'Twice' })
  expect((await titlesOf()).filter((title) => title === 'Twice')).toHaveLength(2)
})

test('a dry run returns what would be and writes nothing', async () => {
  const card = await work.card(board, { title: 'As it was' })
  const fields = { task_id: card.id, title: 'As it would be' }
  const tried = await saidBy(work.mcp, changeCard, { ...fields, dry_run: true })
  expect(tried).toMatch(/title: .*As it was/)
  expect(tried).toContain('dry run: nothing was written')
  expect(await titlesOf()).not.toContain('As it would be')
  await saidBy(work.mcp, changeCard, fields)
  expect(await titlesOf()).toContain('As it would be')
})

test('a version that is no longer the current one is refused', async () => {
  const card = await work.card(board)
  await saidBy(work.mcp, changeCard, { task_id: card.id, title: 'Second' })
  const { tool, action } = toolOf(changeCard)
  const late = { ...namedBy(action, { task_id: card.id, title: 'Third' }), if_match: card.version }
  expect((await work.mcp.call(tool.name, late)).verdict).toBe(412)
})

test('a caller that hangs up ends the work of its call', async () => {
  const card = await work.card(board)
  const lock = await server.connection('superuser')
  const waiting = async () => {
    await lock.query('select pg_stat_clear_snapshot()')
    const { rowCount } = await lock.query(
      `select from pg_locks l join pg_stat_activity a on a.pid = l.pid
       where not l.granted and a.datname = current_database() and a.application_name = 'crewhall-api'`,
    )
    return rowCount ?? 0
  }
  await lock.query('begin')
  await lock.query('select from boards.boards where id = $1 for update', [board.id])
  const { tool, action } = toolOf(addComment)
  const hangUp = new AbortController()
  const args = namedBy(action, { task_id: card.id, body: 'Too late' })
  const call = work.mcp.call(tool.name, args, { signal: hangUp.signal })
  const ended = expect(call).rejects.toThrow()
  await waitFor(async () => (await waiting()) > 0, 20_000)
  hangUp.abort()
  await ended
  // Long before the deadline of the request, and while the lock is still held.
  await waitFor(async () => (await waiting()) === 0, 10_000)
  await lock.query('rollback')
  const comments = await work.world.made<{ items: unknown[] }>(
    work.by,
    'GET',
    `/api/v1/board/tasks/${card.id}/comments`,
  )
  expect(comments.items).toEqual([])
})

describe('what cannot be taken back', () => {
  const destructive = tools.flatMap((tool) =>
    tool.actions.filter(({ is_destructive }) => is_destructive).map((action) => ({ tool, action })),
  )

  test('is marked, and no tool leaves a hint to the default', async () => {
    expect(destructive.length).toBeGreaterThan(0)
    for (const { name, annotations } of await work.at('/mcp?toolsets=all').tools()) {
      const hints = ['readOnlyHint', 'destructiveHint', 'idempotentHint', 'openWorldHint']
      for (const hint of hints)
        expect([name, hint, typeof annotations?.[hint]]).toEqual([name, hint, 'boolean'])
      const isDestructive = destructive.some(({ tool }) => tool.name === name)
      expect([name, annotations?.destructiveHint]).toEqual([name, isDestructive])
    }
  })

  /** A comment, whose removal asks back, and the call that removes it. */
  async function removable() {
    const card = await work.card(board)
    const path = `/api/v1/board/tasks/${card.id}/comments`
    const { id } = await work.world.made<{ id: string }>(work.by, 'POST', path, { body: 'Here' })
    const { tool, action } = toolOf(routes.boards.removeComment)
    const call = { name: tool.name, arguments: namedBy(action, { comment_id: id }) }
    const isThere = async () =>
      (await work.world.made<{ items: { id: string }[] }>(work.by, 'GET', path)).items.some(
        (each) => each.id === id,
      )
    return { call, isThere }
  }

  test.each([
    ['accept', { confirm: true }, false],
    ['decline', undefined, true],
    ['cancel', undefined, true],
  ] as const)('is asked back for in the newer era: %s', async (answer, content, stays) => {
    const { call, isThere } = await removable()
    const client = await connectMcp(`${server.api.url}/mcp`, work.by, '2026-07-28', {
      capabilities: { elicitation: { form: {} } },
    })
    const asked: string[] = []
    client.setRequestHandler('elicitation/create', ({ params }) => {
      asked.push(params.message)
      return content ? { action: answer, content } : { action: answer }
    })
    const result = await client.callTool(call)
    await client.close()
    expect(asked).toHaveLength(1)
    expect(await isThere()).toBe(stays)
    expect(result.isError ?? false).toBe(stays)
    expect(textOf(result)).not.toBe('')
  })

  test('is done at once for a client that nobody can ask', async () => {
    for (const era of ['2025-11-25', '2026-07-28'] as const) {
      const { call, isThere } = await removable()
      expect((await work.mcp.with({ era }).call(call.name, call.arguments)).verdict).toBe(200)
      expect(await isThere()).toBe(false)
    }
  })

  test('is not done with the consent to something else', async () => {
    const [one, other] = [await removable(), await removable()]
    const mcp = work.mcp.with({ capabilities: { elicitation: { form: {} } } })
    const first = await mcp.call(one.call.name, one.call.arguments)
    const { requestState, inputRequests = {} } = first.result as {
      requestState?: string
      inputRequests?: Record<string, unknown>
    }
    expect(await one.isThere()).toBe(true)
    const inputResponses = Object.fromEntries(
      Object.keys(inputRequests).map((name) => [name, { action: 'accept', content: { confirm: true } }]),
    )
    const params = { requestState, inputResponses }
    const stolen = await mcp.call(other.call.name, other.call.arguments, { params })
    expect(stolen.result?.isError ?? stolen.result?.resultType === 'input_required').toBe(true)
    expect(await other.isThere()).toBe(true)
    expect((await mcp.call(one.call.name, one.call.arguments, { params })).verdict).toBe(200)
    expect(await one.isThere()).toBe(false)
  })
})

test('an archived board is refused to writers with the words of HTTP', async () => {
  const old = await work.board()
  await saidBy(work.mcp, archiveBoard, { board_id: old.id })
  const { verdict, said } = await callRoute(work.mcp, createCard, { board_id: old.id, title: 'Late' })
  const http = await work.world.call<{ detail: string }>(
    work.by,
    'POST',
    `/api/v1/board/boards/${old.id}/tasks`,
    {
      title: 'Late',
    },
  )
  expect([verdict, said]).toEqual([http.status, `${http.status}: ${http.body.detail}`])
})
