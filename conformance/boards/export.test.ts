import { createHash } from 'node:crypto'
import { useSharedServer } from '@crewhall/testkit/shared-server.ts'
import { beforeAll, describe, expect, test } from 'vitest'
import { type Board, BoardWorkspace } from './board-workspace.ts'

const server = useSharedServer('product')
let workspace: BoardWorkspace
let other: BoardWorkspace
beforeAll(async () => {
  workspace = await BoardWorkspace.open(server)
  other = await BoardWorkspace.open(server)
})

const ask = <T = string>(board: Board, query = '') =>
  workspace.call<T>('GET', `/boards/${board.id}/export${query}`)
const digest = (text: string) => createHash('sha256').update(text).digest('hex')
const limit = 1_048_576

test('BRD-41 BRD-43: the board as Markdown, standard by default', async () => {
  const board = await workspace.board({ name: 'The board' })
  await workspace.card(board, {
    title: 'First',
    description: 'What it is\nabout',
    labels: ['x'],
    branch: 'b',
  })
  const { status, headers, text } = await ask(board)
  expect(status).toBe(200)
  expect(headers.get('content-type')).toBe('text/markdown; charset=utf-8')
  expect(text).toContain('# The board (')
  expect(text).toContain('## To do (pending, 1)')
  expect(text).toContain(`### ${board.key}-1 First\n`)
  expect(text).toContain('> What it is\n> about\n')
  expect((await ask(board, '?detail=standard')).text).toBe(text)
  const summary = await ask(board, '?detail=summary')
  expect(summary.text).toContain(`- ${board.key}-1 First (b)\n`)
  expect(summary.text).not.toContain('What it is')
})

test('BRD-41: a card shows its checklist, whose items forge nothing', async () => {
  const board = await workspace.board()
  const [card] = [await workspace.card(board, { description: 'About' }), await workspace.card(board)]
  const path = `/tasks/${card.id}/checklist`
  const checklist = ['Look', 'Two\n### lines', '[x] *no*']
  const { body } = await workspace.call<{ items: { id: string }[] }>('POST', path, { checklist })
  await workspace.call('PATCH', `/checklist-items/${body.items[0]?.id}`, { done: true })
  const { text } = await ask(board)
  const items = '- Checklist:\n  - [x] Look\n  - [ ] Two \\#\\#\\# lines\n  - [ ] \\[x\\] \\*no\\*\n'
  expect(text).toContain(`- Type: coding\n${items}\n> About\n`)
  expect(text.split('Checklist')).toHaveLength(2)
  expect((await ask(board, '?detail=summary')).text).not.toContain('Checklist')
})

test('BRD-42: two processes give the same bytes, and again later', async () => {
  const board = await workspace.board()
  for (let n = 0; n < 5; n += 1)
    await workspace.card(board, { title: `Ünï ${n}`, due_at: '2026-12-24T00:00:00Z' })
  const first = digest((await ask(board)).text)
  const second = await server.start('api', { TZ: 'Asia/Kathmandu', LANG: 'tr_TR.UTF-8' })
  const response = await fetch(`${second.url}/api/v1/board/boards/${board.id}/export`, {
    headers: { authorization: `Bearer ${workspace.token}` },
  })
  expect(digest(await response.text())).toBe(first)
  expect(digest((await ask(board)).text)).toBe(first)
})

test('BRD-42: no text can forge a heading, a list or a card', async () => {
  const board = await workspace.board()
  const forged = '# Heading\n## To do (pending, 9)\r\n### KAA-1 x\u2028- item\u0085> quote'
  await workspace.card(board, { title: forged, description: forged, labels: ['### x'], branch: '## b' })
  const { text } = await ask(board)
  const headings = text.split(/\r\n|[\n\r\u2028\u2029\u0085]/).filter((line) => /^\s{0,3}#/.test(line))
  expect(headings).toHaveLength(6)
  expect(text.match(/^### /gm)).toHaveLength(1)
})

test.each(['full', 'Summary', '', 'x'])('BRD-G19: detail=%s is 400', async (detail) => {
  const board = await workspace.board()
  expect((await ask(board, `?detail=${detail}`)).status).toBe(400)
})

test('BRD-44 BRD-G20: columns drops cards outside of them, and matches as filters do', async () => {
  const board = await workspace.board()
  await workspace.card(board, { title: 'Here' })
  await workspace.card(board, { title: 'There', column: 'Done' })
  const { text } = await ask(board, '?columns=%20dONE,nothing')
  expect(text).toContain('There')
  expect(text).not.toContain('Here')
  const none = await ask(board, '?columns=nothing')
  expect(none.status).toBe(200)
  expect(none.text).not.toContain('## ')
})

describe('the ceiling', () => {
  let board: Board
  /** Fills the board with four-byte characters until its export has exactly this many bytes. */
  const fill = async (bytes: number) => {
    board = await workspace.board()
    const card = (column: string, description: string) =>
      workspace.card(board, { title: 'x', column, description })
    const size = async () => Buffer.byteLength((await ask(board)).text)
    await card('Done', '')
    // A card with 4,000 characters of four bytes each takes 16,000 bytes and a constant more.
    while (bytes - (await size()) > 17_000) {
      const room = Math.floor((bytes - (await size()) - 1000) / 16_100)
      for (let n = 0; n < Math.min(room, 20); n += 1) await card('To do', '\u{1F600}'.repeat(4000))
      if (room < 1) break
    }
    await card('To do', 'a')
    const rest = bytes - (await size())
    const last = (await workspace.list(board, '?per_page=100')).body.items
      .filter(({ column }) => column.name === 'To do')
      .at(-1)
    if (!last) throw new Error('there is no last card')
    const wide = Math.min(Math.floor(rest / 4), 3990)
    await workspace.patch(last, {
      description: `${'\u{1F600}'.repeat(wide)}${'a'.repeat(1 + rest - 4 * wide)}`,
    })
  }

  test('BRD-45: exactly 1,048,576 bytes pass', async () => {
    await fill(limit)
    const { status, text } = await ask(board)
    expect(status).toBe(200)
    expect(Buffer.byteLength(text)).toBe(limit)
  })

  test('BRD-45 BRD-48 BRD-49 BRD-50: one byte more is 413, which says how large it is and what helps', async () => {
    const card = await workspace.card(board, { title: 'y', column: 'Done' })
    const longer = await ask<{ detail: { actual_bytes: number } }>(board)
    const added = longer.body.detail.actual_bytes - limit
    expect(longer.status).toBe(413)
    await workspace.call('POST', `/tasks/${card.id}/archive`)
    // The heading counts the cards, so take the one that makes it exactly one byte too long.
    const { items } = (await workspace.list(board, '?per_page=100')).body
    const done = items.find(({ column }) => column.name === 'Done')
    if (!done) throw new Error('there is no card to lengthen')
    await workspace.patch(done, { title: 'xx' })
    const [first, second] = [await ask(board), await ask(board)]
    expect(added).toBeGreaterThan(0)
    expect(first.status).toBe(413)
    expect(first.text).toBe(second.text)
    expect(first.body).toEqual({
      detail: {
        error: 'markdown_export_too_large',
        message: expect.any(String),
        actual_bytes: limit + 1,
        limit_bytes: limit,
        detail_level: 'standard',
        retry_with: { detail: 'summary' },
      },
    })
  })

  test('BRD-46: summary is exempt', async () => {
    expect((await ask(board, '?detail=summary')).status).toBe(200)
  })

  test('BRD-47: a smaller export by columns is measured by itself', async () => {
    expect((await ask(board, '?columns=done')).status).toBe(200)
    expect((await ask(board, '?columns=to%20do,in%20progress,review,done')).status).toBe(413)
  })
})

test('BRD-51 BRD-G18: no board and a foreign board are one 404', async () => {
  const foreign = await other.board()
  for (const id of [foreign.id, '00000000-0000-4000-8000-000000000000', 'x']) {
    const { status, body } = await workspace.call('GET', `/boards/${id}/export`)
    expect({ status, body }).toEqual({ status: 404, body: { detail: 'Board not found' } })
  }
})
