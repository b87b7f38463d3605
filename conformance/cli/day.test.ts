import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { AnyRoute } from '@crewhall/contracts/route.ts'
import { routes } from '@crewhall/contracts/routes.ts'
import { callRoute } from '@crewhall/testkit/mcp/route-tools.ts'
import { useSharedServer } from '@crewhall/testkit/shared-server.ts'
import { beforeAll, expect, test } from 'vitest'
import { ToolWorkspace } from '../gateway/tool-world.ts'
import { type CommandLine, useCommandLine } from './command-line.ts'

// The same day twice, with two cards that say the same: once by tools, once by commands.
const server = useSharedServer('product')
const newPerson = useCommandLine()
const agent_id = 'builder'
let work: ToolWorkspace
let token: string
beforeAll(async () => {
  work = await ToolWorkspace.open(server)
  await work.newAgent(agent_id)
  token = await work.agentToken(agent_id, ['memory:read', 'memory:write', 'code:read'])
  for (const package_key of ['boards', 'memory', 'lessons'])
    await work.world.made(work.by, 'POST', '/api/v1/marketplace/installs', {
      package_key,
      agent_ids: [agent_id],
    })
  await Promise.all(
    Array.from({ length: 10 }, (_, n) =>
      work.world.made(work.by, 'POST', '/api/v1/memory/memories', {
        agent_id,
        kind: 'fact',
        title: `How we release ${n}`,
        body: `On Tuesdays, by the build number ${n}. ${'And so on. '.repeat(50)}`,
      }),
    ),
  )
})

/** A board with one urgent card, others and remarks. */
async function newBoard() {
  const board = await work.board()
  const card = await work.card(board, {
    title: 'Mind the carry',
    priority: 'urgent',
    instructions: 'Change src/carry.ts so that `add` carries.',
    acceptance_criteria: '- [ ] 9 + 1 is 10',
  })
  await Promise.all(
    Array.from({ length: 10 }, (_, n) =>
      work.card(board, { title: `Other work ${n}`, description: 'Long text. '.repeat(200) }),
    ),
  )
  await Promise.all(
    Array.from({ length: 10 }, (_, n) =>
      work.world.made(work.by, 'POST', `/api/v1/board/tasks/${card.id}/comments`, {
        body: `Remark ${n}. ${'More of it. '.repeat(100)}`,
      }),
    ),
  )
  return { board, card }
}

type Day = Map<string, number>

async function byTools(): Promise<Day> {
  const { board, card } = await newBoard()
  const agent = work.as({ token }, { path: `/mcp/agents/${agent_id}` })
  const day: Day = new Map([['tools, or prime', Buffer.byteLength((await agent.list()).text)]])
  const step = async (name: string, route: AnyRoute, fields: Readonly<Record<string, unknown>>) => {
    const { verdict, said, text } = await callRoute(agent, route, fields)
    if (verdict !== 200) throw new Error(`${name} returned ${verdict}: ${said || text}`)
    day.set(name, Buffer.byteLength(text))
    return said
  }
  const { boards, memory } = routes
  await step('ready work', boards.listReadyCards, { board_id: board.id })
  const taken = await step('next', boards.nextWork, { board_ids: [board.id], lease_seconds: 900 })
  const [, run_id] = /run\w*\W+([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})/.exec(taken) ?? []
  await step('context', boards.readContext, { task_id: card.ref })
  await step('progress', boards.changeRun, { run_id, summary: 'The carry is found.' })
  await step('comment', boards.addComment, { task_id: card.ref, body: 'Working on it.' })
  await step('recall', memory.recallMemories, { agent_id, query: 'when do we release' })
  await step('done', boards.finishRun, {
    run_id,
    status: 'succeeded',
    summary: 'The carry works.',
    change: { status: 'done', result: '9 + 1 is 10.' },
  })
  await step('the card afterwards', boards.getCard, { task_id: card.ref })
  return day
}

async function byCommands(person: CommandLine): Promise<Day> {
  const { board, card } = await newBoard()
  const day: Day = new Map()
  const step = async (name: string, ...args: string[]) => {
    const { code, out, err } = await person.with({ CREWHALL_BOARD: board.key }).run(args)
    expect([name, code, err]).toEqual([name, 0, ''])
    day.set(name, Buffer.byteLength(out))
    return out
  }
  await step('tools, or prime', 'prime')
  expect(await step('ready work', 'card', 'ready')).toContain('Mind the carry')
  expect(await step('next', 'next', '--claim')).toContain('9 + 1 is 10')
  await step('context', 'context')
  await step('progress', 'progress', 'The carry is found.')
  await step('comment', 'card', 'comment', card.ref, 'Working on it.')
  expect(await step('recall', 'memory', 'recall', agent_id, 'when do we release')).toContain('Tuesdays')
  const summary = join(person.home, 'summary.md')
  writeFileSync(summary, 'The carry works.')
  await step('done', 'done', '--summary-file', summary, '--result', '9 + 1 is 10.')
  expect(await step('the card afterwards', 'card', 'show', card.ref)).toMatch(/^status\tdone$/m)
  return day
}

test('an agent works for a day by commands alone, in no more than 1.2 times the bytes of tools', async () => {
  const [tools, commands] = [
    await byTools(),
    await byCommands(newPerson({ CREWHALL_HOST: server.api.url, CREWHALL_TOKEN: token })),
  ]
  const sum = (day: Day) => [...day.values()].reduce((one, other) => one + other, 0)
  const lines = [...commands].map(
    ([name, bytes]) => `  ${name}: ${tools.get(name)} by tools, ${bytes} by commands`,
  )
  console.log(`A day in bytes:\n${lines.join('\n')}\n  in all: ${sum(tools)} and ${sum(commands)}`)
  expect([...commands.keys()]).toEqual([...tools.keys()])
  expect(sum(commands)).toBeLessThanOrEqual(1.2 * sum(tools))
  // Also without what is read only once.
  const rest = (day: Day) => sum(day) - (day.get('tools, or prime') ?? 0)
  expect(rest(commands)).toBeLessThanOrEqual(1.2 * rest(tools))
})
