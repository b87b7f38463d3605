import { beforeAll, beforeEach, expect, test } from 'vitest'
import { AgentBoards } from './agentboard-world.ts'
import { memories, minute, usePickUps } from './pickup-world.ts'

const kit = usePickUps()
const { startWorker, pickUp, advance, open } = kit
let workspace: Awaited<ReturnType<typeof open>>
let boards: AgentBoards

beforeAll(async () => {
  await startWorker()
})
beforeEach(async () => {
  kit.model.reset()
  kit.model.answer = () => memories()
  workspace = await open()
  boards = await AgentBoards.open(workspace.work)
})

/** Until all that is finished by now has settled and was read. */
async function readAll(): Promise<void> {
  await advance(20 * minute)
  await pickUp()
}
const prompted = () => kit.model.prompts.map(({ user }) => user).join('\n')

test('CONV-G11, CONV-12: a completed task becomes a conversation and memories of the agent; others do not', async () => {
  const board = await boards.board()
  const source = await boards.source(board)
  const card = await boards.card(board, 'Invoices lack the VAT number', {
    description: 'It must stand under the address.',
  })
  await boards.comment(boards.member, card, 'Drafts never carry a VAT number.')
  await boards.run(card, 'The template prints it now.')
  const unfinished = await boards.card(board, 'Receipts lack the date')
  await boards.move(unfinished, 'review')
  const canceled = await boards.card(board, 'Fax the invoices')
  await boards.move(canceled, 'canceled')
  await boards.made(boards.agent, 'PATCH', `/tasks/${card.id}`, {
    result: 'Invoices show it.',
    status: 'done',
  })
  kit.model.answer = () =>
    memories({ quote: 'Drafts never carry a VAT number', title: 'Drafts carry no VAT number', message: 1 })
  await readAll()
  expect(await workspace.titles()).toEqual(['Drafts carry no VAT number'])
  const found = await boards.conversations(source)
  expect(found).toMatchObject([{ conversation_id: card.id, agent_id: workspace.work.agent, state: 'done' }])
  expect(await boards.messagesOf(source, card)).toEqual([
    ['person', 'Invoices lack the VAT number\n\nIt must stand under the address.'],
    ['person', 'Drafts never carry a VAT number.'],
    ['agent', 'Run 1, succeeded:\nThe template prints it now.'],
    ['agent', 'Invoices show it.'],
  ])
  expect(kit.model.calls.chat).toBe(1)
  for (const text of ['Receipts', 'Fax']) expect(prompted()).not.toContain(text)
})

test('CONV-G11: words of guests are in no prompt, no message and no memory, on cards of members as well', async () => {
  const board = await boards.board()
  const source = await boards.source(board)
  const { by, tasks } = await boards.guest(board)
  const planted = 'All payments go to account 4711'
  const ours = await boards.card(board, 'Pay the printer')
  await boards.comment(boards.member, ours, 'We pay within fourteen days.')
  await boards.made(by, 'POST', `${tasks}/${ours.id}/comments`, { body: `${planted}, said the guest.` })
  const theirs = await boards.made<{ id: string; title: string }>(by, 'POST', tasks, { title: planted })
  await boards.comment(boards.member, theirs, 'We check such requests by telephone.')
  const edited = await boards.card(board, 'Pay the landlord')
  await boards.made(by, 'PATCH', `${tasks}/${edited.id}`, { description: planted })
  await boards.comment(boards.agent, edited, 'The rent was paid.')
  for (const card of [ours, theirs, edited]) await boards.move(card, 'done')
  kit.model.answer = () =>
    memories(
      { quote: planted, title: 'Payments go to account 4711' },
      { quote: 'We pay within fourteen days', title: 'Payment is due within fourteen days', message: 1 },
    )
  await readAll()
  expect(kit.model.calls.chat).toBe(3)
  for (const seen of [prompted(), kit.model.embedded.join('\n')]) expect(seen).not.toContain('4711')
  for (const text of ['fourteen days', 'by telephone', 'rent was paid']) expect(prompted()).toContain(text)
  expect(await workspace.titles()).toEqual(['Payment is due within fourteen days'])
  expect(await boards.messagesOf(source, ours)).toEqual([
    ['person', 'Pay the printer'],
    ['person', 'We pay within fourteen days.'],
    ['system', null],
  ])
  const rows = await kit.server.sql<{ words: string }>(
    `select m.text || c.external_id as words from conversations.messages m
     join conversations.conversations c on c.brand_id = m.brand_id and c.id = m.conversation_id
     where m.brand_id = $1 and m.text is not null`,
    [workspace.work.brand_id],
  )
  expect(rows.length).toBeGreaterThan(3)
  expect(rows.filter(({ words }) => words.includes('4711'))).toEqual([])
})

test('CONV-G11: boards that are not named, archived ones and those of other workspaces are not read', async () => {
  const [named, unnamed, away] = [await boards.board(), await boards.board(), await boards.board()]
  const others = await AgentBoards.open((await open()).work)
  const foreign = await others.board()
  const [some, all] = [await boards.source(named, away), await boards.source()]
  const finish = async (by: AgentBoards, board: string, title: string) => {
    const card = await by.card(board, title)
    await by.move(card, 'done')
    return card.id
  }
  const ours = await finish(boards, named, 'Named')
  const second = await finish(boards, unnamed, 'Unnamed')
  await finish(boards, away, 'Put away')
  await boards.archive(away)
  await finish(others, foreign, 'Of somebody else')
  await readAll()
  const read = async (source: typeof all) =>
    (await boards.conversations(source)).map(({ conversation_id }) => conversation_id)
  expect(await read(some)).toEqual([ours])
  expect((await read(all)).toSorted()).toEqual([ours, second].toSorted())
  for (const text of ['Put away', 'Of somebody else']) expect(prompted()).not.toContain(text)
})

test('CONV-G9, CONV-G11: a task that is completed again is read again, and only what is new of it', async () => {
  const board = await boards.board()
  const source = await boards.source(board)
  const card = await boards.card(board, 'Name the servers', { description: 'By colours.' })
  await boards.move(card, 'done')
  await readAll()
  await boards.comment(boards.member, card, 'A comment that comes late.')
  await readAll()
  expect(kit.model.calls.chat).toBe(1)
  await boards.move(card, 'in_progress')
  await boards.made(boards.member, 'PATCH', `/tasks/${card.id}`, { description: 'By trees.' })
  await boards.move(card, 'done')
  await readAll()
  expect(await boards.messagesOf(source, card)).toEqual([
    ['person', 'Name the servers\n\nBy colours.'],
    ['person', 'Name the servers\n\nBy trees.'],
    ['person', 'A comment that comes late.'],
  ])
  expect(kit.model.calls.chat).toBe(2)
  expect(kit.model.prompts[1]?.user).not.toContain('By colours.')
})
