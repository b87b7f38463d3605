import { useSharedServer } from '@crewhall/testkit/shared-server.ts'
import { expect, test } from 'vitest'
import { useGuests } from '../workspaces/guests/guests-world.ts'
import { type Card, type Cards, cardMissing, useSharedBoards } from './shared-boards.ts'

const world = useGuests(useSharedServer('product'))
const { sharedBoard, asMember } = useSharedBoards(world)

const titlesOf = ({ body }: { body: Cards }) => body.items.map(({ title }) => title)

test('GST-01: a guest finds cards of the shared board by what guests see, and no other cards', async () => {
  const { brand, board_id, session, tasks, card } = await sharedBoard('viewer')
  const hidden = await world.newBoard(brand)
  await asMember(brand, 'POST', `/boards/${hidden}/tasks`, {
    title: 'Open the hidden door',
    labels: ['door'],
  })
  await asMember(brand, 'POST', `/boards/${board_id}/tasks`, { title: 'Paint it', priority: 'low' })
  await asMember(brand, 'POST', `/tasks/${card.id}/comments`, { body: 'The locksmith came' })
  const find = (query: string) => world.call<Cards>(session, 'GET', `${tasks}?${query}`)
  for (const query of [
    'q=door',
    'q=open+doo',
    'q=opne',
    'q=shut',
    'q=locksmith',
    'label=door',
    'label=door&detail=full',
  ])
    expect([query, titlesOf(await find(query))]).toEqual([query, ['Open the door']])
  expect(titlesOf(await find('sort=-created'))).toEqual(['Paint it', 'Open the door'])
  expect(titlesOf(await find('priority=low'))).toEqual(['Paint it'])
  // Texts for agents are not among the words.
  for (const word of ['secret', 'instructions', 'hidden'])
    expect(titlesOf(await find(`q=${word}`))).toEqual([])
})

test('what guests are not shown is nothing that they can ask by', async () => {
  const { session, tasks } = await sharedBoard('viewer')
  const all = await world.call<Cards>(session, 'GET', tasks)
  for (const query of ['claimed=true', 'assignee=me', 'created_by=none', 'delegate=none', 'parent=none']) {
    const { status, body } = await world.call<Cards>(session, 'GET', `${tasks}?${query}`)
    expect([query, status, body]).toEqual([query, 200, all.body])
  }
})

test('a guest names a card by its ref, on the shared board only', async () => {
  const { brand, session, tasks, card } = await sharedBoard('editor')
  const hidden = await world.newBoard(brand)
  const { body: other } = await asMember<Card>(brand, 'POST', `/boards/${hidden}/tasks`, { title: 'Hidden' })
  const byRef = `${tasks}/${String(card.ref).toLowerCase()}`
  expect((await world.call<Card>(session, 'GET', byRef)).body.id).toBe(card.id)
  expect((await world.call(session, 'PATCH', byRef, { priority: 'low' })).status).toBe(200)
  expect((await world.call(session, 'POST', `${byRef}/comments`, { body: 'Hello' })).status).toBe(201)
  expect((await world.call<Cards>(session, 'GET', `${byRef}/comments`)).body.total).toBe(1)
  for (const ref of [other.ref, 'NONE-1'])
    for (const [method, path, body] of [
      ['GET', '', undefined],
      ['PATCH', '', { priority: 'low' }],
      ['GET', '/comments', undefined],
      ['POST', '/comments', { body: 'Hello' }],
    ] as const) {
      const { status, body: answer } = await world.call(session, method, `${tasks}/${ref}${path}`, body)
      expect({ status, body: answer }).toEqual(cardMissing)
    }
})
