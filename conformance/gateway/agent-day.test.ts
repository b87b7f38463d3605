import type { AnyRoute } from '@crewhall/contracts/route.ts'
import { routes } from '@crewhall/contracts/routes.ts'
import type { McpCaller } from '@crewhall/testkit/mcp/mcp-caller.ts'
import { callRoute } from '@crewhall/testkit/mcp/route-tools.ts'
import { seedIndex } from '@crewhall/testkit/seeded-index.ts'
import { seedLesson } from '@crewhall/testkit/seeded-lessons.ts'
import { useSharedServer } from '@crewhall/testkit/shared-server.ts'
import { beforeAll, expect, test } from 'vitest'
import type { Board } from '../boards/board-workspace.ts'
import { ToolWorkspace } from './tool-world.ts'

// What an agent does in a day, knowing nothing but what tools have told it: ids are read from their texts.

const server = useSharedServer('product')
const agent_id = 'builder'
let work: ToolWorkspace
let board: Board
let agent: McpCaller
beforeAll(async () => {
  work = await ToolWorkspace.open(server)
  const { brand_id } = work.member
  await work.newAgent(agent_id)
  const { id: project_id } = await work.world.made<{ id: string }>(work.by, 'POST', '/api/v1/projects', {
    name: 'Engine',
  })
  await work.world.sql(
    `insert into code_index.repositories (brand_id, project_id, url, generation)
     values ($1, $2, 'https://git.example/engine.git', 1)`,
    [brand_id, project_id],
  )
  const admin = await server.connection('superuser')
  const place = { brand_id, project_id }
  await seedIndex(admin, place, ['src/carry.ts#add', 'src/store.ts'])
  for (let n = 0; n < 20; n += 1)
    await seedLesson(admin, place, {
      slug: `engine/carry-${n}`,
      anchors: ['src/carry.ts'],
      body: `Lesson ${n}: never round before the carry. ${'It went wrong once. '.repeat(20)}`,
    })
  board = await work.board({ project_id })
  const card = await work.card(board, {
    title: 'Mind the carry',
    priority: 'urgent',
    instructions: 'Change src/carry.ts so that `add` carries.',
    acceptance_criteria: '- [ ] 9 + 1 is 10',
  })
  const each = (make: (n: number) => Promise<unknown>) =>
    Promise.all(Array.from({ length: 30 }, (_, n) => make(n)))
  await each((n) => work.card(board, { title: `Other work ${n}`, description: 'Long text. '.repeat(200) }))
  await each((n) =>
    work.world.made(work.by, 'POST', `/api/v1/board/tasks/${card.id}/comments`, {
      body: `Remark ${n}. ${'More of it. '.repeat(100)}`,
    }),
  )
  await each((n) =>
    work.world.made(work.by, 'POST', '/api/v1/memory/memories', {
      agent_id,
      kind: 'fact',
      title: `How we release ${n}`,
      body: `On Tuesdays, by the build number ${n}. ${'And so on. '.repeat(50)}`,
    }),
  )
  for (const package_key of ['boards', 'memory', 'lessons'])
    await work.world.made(work.by, 'POST', '/api/v1/marketplace/installs', {
      package_key,
      agent_ids: [agent_id],
    })
  const token = await work.agentToken(agent_id, ['memory:read', 'memory:write', 'code:read'])
  agent = work.as({ token }, { path: `/mcp/agents/${agent_id}` })
})

/** 25,000 tokens of four bytes each. */
const limit = 100_000

test('an agent finds work, does it and remembers, over MCP alone and in few bytes', async () => {
  const day: string[] = []
  const step = async (name: string, route: AnyRoute, fields: Readonly<Record<string, unknown>> = {}) => {
    const { verdict, said, text } = await callRoute(agent, route, fields)
    if (verdict !== 200) throw new Error(`${name} returned ${verdict}: ${said || text}`)
    const bytes = Buffer.byteLength(text)
    day.push(`${name}: ${bytes} bytes`)
    expect([name, bytes < limit]).toEqual([name, true])
    return said
  }
  const found = (said: string, form: RegExp) => {
    const [, value] = form.exec(said) ?? []
    if (value === undefined) throw new Error(`nothing like ${form} in:\n${said}`)
    return value
  }
  const { boards, memory, lessons } = routes

  const list = await agent.list()
  day.push(`tools/list: ${Buffer.byteLength(list.text)} bytes`)
  const ready = await step('ready work', boards.listReadyCards, { board_id: board.id })
  expect(ready).toContain('Mind the carry')
  const task_id = found(ready, /\b([A-Z]{2,10}-\d+)\b[^\n]*Mind the carry/)
  const claim = await step('claim', boards.claimCard, { task_id, lease_seconds: 900 })
  const epoch = Number(found(claim, /epoch\W+(\d+)/))
  const context = await step('context', boards.readContext, { task_id, include: 'lessons' })
  expect(context).toContain('never round before the carry')
  expect(context).toContain('9 + 1 is 10')
  const run = await step('start of the run', boards.startRun, { task_id, epoch })
  const run_id = found(run, /([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})/)
  const near = await step('lessons near the code', lessons.findNear, {
    project_id: found(
      context + (await step('board', boards.getBoard, { board_id: board.id })),
      /project\w*\W+([0-9a-f-]{36})/,
    ),
    paths: ['src/carry.ts'],
  })
  expect(near).toContain('never round before the carry')
  await step('progress', boards.changeRun, {
    run_id,
    summary: 'The carry is found.',
    usage: { tokens: 1500 },
  })
  await step('comment', boards.addComment, { task_id, body: 'Working on it.' })
  const recalled = await step('recall', memory.recallMemories, { agent_id, query: 'when do we release' })
  expect(recalled).toContain('On Tuesdays')
  await step('end of the run', boards.finishRun, {
    run_id,
    status: 'succeeded',
    summary: 'The carry works.',
    change: { column: 'Done', result: '9 + 1 is 10.' },
    comment: 'Done.',
  })
  const done = await step('the card afterwards', boards.getCard, { task_id })
  expect(done).toMatch(/done/i)
  console.log(`A day over MCP:\n${day.map((line) => `  ${line}`).join('\n')}`)

  const path = `/api/v1/board/tasks/${task_id}`
  expect(await work.world.made(work.by, 'GET', path)).toMatchObject({
    status: 'done',
    result: '9 + 1 is 10.',
  })
})
