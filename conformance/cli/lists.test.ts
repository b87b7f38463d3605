import { useSharedServer } from '@crewhall/testkit/shared-server.ts'
import { beforeAll, expect, test } from 'vitest'
import { listCommands } from '../../tools/gen/cli-lists.ts'
import { ToolWorkspace } from '../gateway/tool-world.ts'
import { type CommandLine, useCommandLine } from './command-line.ts'

const server = useSharedServer('product')
const newPerson = useCommandLine()
let person: CommandLine
beforeAll(async () => {
  const workspace = await ToolWorkspace.open(server)
  const board = await workspace.board()
  await workspace.card(board, { title: 'One of a list' })
  person = newPerson({
    CREWHALL_HOST: server.api.url,
    CREWHALL_TOKEN: workspace.by.token,
    CREWHALL_BOARD: board.id,
  })
})

/** Some at a time: most of each is the start of a process. */
async function inLanes<Item>(items: readonly Item[], work: (item: Item) => Promise<void>): Promise<void> {
  const rest = items.values()
  const lane = async () => {
    for (const item of rest) await work(item)
  }
  await Promise.all([lane(), lane(), lane()])
}

test('every list says which fields it has, and asks nobody for it', async () => {
  const all = await listCommands()
  expect(all.length).toBeGreaterThan(35)
  const nobody = newPerson({ CREWHALL_HOST: 'http://127.0.0.1:2', CREWHALL_TOKEN: 'x'.repeat(40) })
  const wrong: unknown[] = []
  await inLanes(all, async ({ words, needs, fields }) => {
    const ended = await nobody.run([...words.split(' '), ...Array<string>(needs).fill('x'), '--json'])
    if (ended.code !== 0 || ended.out !== `${fields.join('\n')}\n`) wrong.push([words, ended])
  })
  expect(wrong).toEqual([])
})

test('every list that needs no argument prints exactly the fields that were asked for', async () => {
  const reads = (await listCommands()).filter(({ needs, route }) => needs === 0 && route.method === 'GET')
  expect(reads.length).toBeGreaterThan(15)
  const filled: string[] = []
  const wrong: unknown[] = []
  await inLanes(reads, async ({ words, fields, route }) => {
    const asked = fields.toReversed()
    const ended = await person.run([...words.split(' '), '--json', asked.join(',')])
    if (route.auth.kind === 'session') {
      const told = JSON.parse(ended.err) as object
      if (ended.code !== 4 || Object.keys(told).join() !== 'error,detail,status,request_id')
        wrong.push([words, ended])
      return
    }
    if (ended.code !== 0) return void wrong.push([words, ended])
    const items = JSON.parse(ended.out) as object[]
    if (items.length > 0) filled.push(words)
    for (const item of items) if (Object.keys(item).join() !== asked.join()) wrong.push([words, item])
  })
  expect(wrong).toEqual([])
  expect(filled).toEqual(
    expect.arrayContaining(['board list', 'card list', 'card search', 'token list', 'member list']),
  )
})
