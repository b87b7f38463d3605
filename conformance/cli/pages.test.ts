import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { useSharedServer } from '@crewhall/testkit/shared-server.ts'
import { waitFor } from '@crewhall/testkit/wait-for.ts'
import { beforeAll, expect, test } from 'vitest'
import { type Board, BoardWorkspace } from '../boards/board-workspace.ts'
import { type CommandLine, useCommandLine } from './command-line.ts'

const server = useSharedServer('product')
const newPerson = useCommandLine()
let workspace: BoardWorkspace
let board: Board
let person: CommandLine
beforeAll(async () => {
  workspace = await BoardWorkspace.open(server)
  board = await workspace.board()
  person = newPerson({
    CREWHALL_HOST: server.api.url,
    CREWHALL_TOKEN: workspace.token,
    CREWHALL_BOARD: board.key,
  })
})

test('piped, open and --web print the address of a card, a board or a page, and call nobody in vain', async () => {
  const card = await workspace.card(board, { title: 'To look at' })
  const at = async (...args: string[]) => (await person.run(args)).out.trim().replace(server.api.url, '')
  const [byRef, byId, chosen, named, inbox, list, missing] = await Promise.all([
    at('open', card.ref.toLowerCase()),
    at('card', 'show', card.id, '--web'),
    at('open'),
    at('board', 'show', board.name, '--web'),
    at('inbox', 'list', '--web'),
    at('card', 'list', '--web'),
    person.run(['open', 'NOSUCH']),
  ])
  expect([byRef, byId]).toEqual([`/dashboard/cards/${card.ref}`, `/dashboard/cards/${card.ref}`])
  expect([chosen, named, list]).toEqual(Array(3).fill(`/dashboard/boards/${board.key}`))
  expect(inbox).toBe('/dashboard/inbox')
  expect(missing.code).toBe(5)
})

test('at a terminal the browser of the person opens it, without their token', async () => {
  const browser = join(person.home, 'browser')
  const seen = join(person.home, 'opened')
  writeFileSync(
    browser,
    `#!/bin/sh\necho "$1" > '${seen}.new'; env >> '${seen}.new'; mv '${seen}.new' '${seen}'\n`,
    {
      mode: 0o755,
    },
  )
  const ended = await person.with({ BROWSER: browser }).onTerminal(['open'])
  expect([ended.code, ended.out]).toEqual([0, `Opening ${server.api.url}/dashboard/boards/${board.key}\n`])
  await waitFor(() => existsSync(seen), 10_000)
  const told = readFileSync(seen, 'utf8')
  expect(told.split('\n')[0]).toBe(`${server.api.url}/dashboard/boards/${board.key}`)
  expect(told).not.toContain(workspace.token)
})

test('an alias stands for a command, takes more words, and never replaces a command', async () => {
  await workspace.card(board, { title: 'Aliased card' })
  const own = person.with({})
  expect((await own.run(['alias', 'set', 'find', 'card search "Aliased card"'])).code).toBe(0)
  const [found, list, fields, taken, open] = await Promise.all([
    own.run(['find', '--json', 'title']),
    own.run(['alias', 'list']),
    own.run(['alias', 'list', '--json']),
    own.run(['alias', 'set', 'card', 'board list']),
    own.run(['alias', 'set', 'broken', 'card list "x']),
  ])
  expect(JSON.parse(found.out)).toEqual([{ title: 'Aliased card' }])
  expect(list.out).toBe('find\tcard search "Aliased card"\n')
  expect(fields.out).toBe('name\nexpansion\n')
  expect([taken.code, open.code]).toEqual([1, 1])
  expect((await own.run(['alias', 'delete', 'find'])).code).toBe(0)
  expect((await own.run(['find'])).code).toBe(1)
  expect((await own.run(['alias', 'delete', 'find'])).code).toBe(5)
})
