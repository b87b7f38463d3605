import { useSharedServer } from '@crewhall/testkit/shared-server.ts'
import { call } from '@crewhall/testkit/world/call.ts'
import { beforeAll, expect, test } from 'vitest'
import { useGuests } from '../workspaces/guests/guests-world.ts'
import { type Board, BoardWorkspace, type Card } from './board-workspace.ts'
import { useSharedBoards } from './shared-boards.ts'

const server = useSharedServer('product')
const guests = useGuests(server)
const { sharedBoard, newestOf } = useSharedBoards(guests)
let workspace: BoardWorkspace
let member: BoardWorkspace
let person_id: number
let other: BoardWorkspace
let board: Board
beforeAll(async () => {
  workspace = await BoardWorkspace.open(server)
  const made = await workspace.newMember()
  member = workspace.as(made.token)
  person_id = made.person_id
  other = await BoardWorkspace.open(server)
  board = await workspace.board()
  await server.sql(
    `insert into identity.agents (brand_id, agent_id, name, status, retired_at)
     values ($1, 'build-bot', 'Bot', 'active', null), ($1, 'old-bot', 'Old', 'retired', now())`,
    [workspace.owner.brand_id],
  )
})

const kindsOf = async (by: BoardWorkspace, card: Pick<Card, 'id'>): Promise<string[]> => {
  const path = '/api/v1/me/inbox?limit=100'
  const { body } = await call<{ items: { kind: string; subject: { id: string } }[] }>(
    server.get,
    by,
    'GET',
    path,
  )
  return body.items.filter(({ subject }) => subject.id === card.id).map(({ kind }) => kind)
}
interface Watchers {
  watching: boolean
  items: { user_id: number; name: string }[]
}
const watchers = async (card: Card, by = workspace) =>
  (await by.call<Watchers>('GET', `/tasks/${card.ref}/watchers`)).body
const idsOf = async (card: Card) => (await watchers(card)).items.map(({ user_id }) => user_id).sort()
const comment = (card: Card, body: string, by = workspace) =>
  by.call<{ id: string }>('POST', `/tasks/${card.id}/comments`, { body })
const newest = async () =>
  (await workspace.call<{ items: { mentions?: string[] }[] }>('GET', `/activity/boards/${board.id}?limit=1`))
    .body.items[0]

test('members and agents in a description or comment are told of, the first time, and nobody else', async () => {
  const stranger = other.owner.person_id
  const text = `Ask @member:${person_id}, @member:${stranger}, @agent:build-bot, @agent:old-bot and x@member:${person_id}`
  const card = await workspace.card(board, { description: text })
  const mentions = [`member:${person_id}`, 'agent:build-bot']
  expect(await newest()).toMatchObject({ ref: card.ref, mentions })
  expect(await kindsOf(member, card)).toEqual(['mentioned'])
  expect(await kindsOf(other, card)).toEqual([])
  await workspace.patch(card, { description: `${text}, again` })
  expect(await newest()).not.toHaveProperty('mentions')
  const later = await workspace.card(board)
  await workspace.patch(later, { description: `@member:${person_id}` })
  expect(await newest()).toMatchObject({ mentions: [`member:${person_id}`] })
  expect(await kindsOf(member, later)).toEqual(['mentioned'])
  const third = await workspace.card(board)
  const { body: said } = await comment(third, 'Nobody')
  await workspace.call('PATCH', `/comments/${said.id}`, { body: `@member:${person_id}` })
  expect(await kindsOf(member, third)).toEqual(['mentioned'])
  await comment(third, `@member:${workspace.owner.person_id}`)
  expect(await kindsOf(workspace, third)).toEqual([])
})

test('the words of a guest mention people, and never an agent', async () => {
  const { brand, board_id, card, session, tasks } = await sharedBoard('editor')
  await server.sql(`insert into identity.agents (brand_id, agent_id, name) values ($1, 'build-bot', 'Bot')`, [
    brand.id,
  ])
  const text = `@member:${brand.admin_id} @agent:build-bot`
  const mentions = [`member:${brand.admin_id}`]
  const comments = `${tasks}/${card.id}/comments`
  expect((await guests.call(session, 'POST', comments, { body: text })).status).toBe(201)
  expect(await newestOf(brand, board_id)).toMatchObject({ action: 'task.commented', mentions })
  expect((await guests.call(session, 'POST', tasks, { title: 'Mine', description: text })).status).toBe(201)
  expect(await newestOf(brand, board_id)).toMatchObject({ action: 'task.created', mentions })
  const change = { description: `${text}!` }
  await guests.call(session, 'PATCH', `${tasks}/${card.id}`, change)
  expect(await newestOf(brand, board_id)).toMatchObject({ action: 'task.updated', mentions })
})

test('assignee, reporter, commenters and mentioned watch a card until they leave, and are not added again', async () => {
  const owner = workspace.owner.person_id
  const card = await workspace.card(board)
  expect(await idsOf(card)).toEqual([owner])
  await comment(card, 'I look', member)
  expect(await idsOf(card)).toEqual([owner, person_id].sort())
  await member.patch(card, { blocked_reason: 'Which?' })
  expect(await kindsOf(workspace, card)).toEqual(['asks_you'])
  await workspace.patch(card, { blocked_reason: null, status: 'review' })
  expect(await kindsOf(member, card)).toEqual(['review_wanted'])
  const me = `/tasks/${card.id}/watchers/me`
  expect((await member.call('DELETE', `${me}?dry_run=true`)).status).toBe(200)
  expect((await watchers(card, member)).watching).toBe(true)
  expect((await member.call('DELETE', me)).body).toEqual({ watching: false })
  await comment(card, `Still, @member:${person_id}`, member)
  await comment(card, `Still, @member:${person_id}`)
  await workspace.patch(card, { assignee: { kind: 'member', id: person_id }, status: 'in_progress' })
  expect(await watchers(card, member)).toMatchObject({ watching: false, items: [{ user_id: owner }] })
  await workspace.patch(card, { blocked_reason: 'Which?' })
  expect((await kindsOf(member, card)).sort()).toEqual(['assigned', 'mentioned'])
  expect((await member.call('PUT', me)).body).toEqual({ watching: true })
  expect(await idsOf(card)).toEqual([owner, person_id].sort())
  const foreign = await Promise.all([
    other.call('GET', `/tasks/${card.id}/watchers`),
    other.call('PUT', me),
    other.call('DELETE', me),
  ])
  expect(foreign.map(({ status }) => status)).toEqual([404, 404, 404])
})
