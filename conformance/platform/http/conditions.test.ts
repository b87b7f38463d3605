import { race } from '@crewhall/testkit/race.ts'
import { roundsFor } from '@crewhall/testkit/rounds.ts'
import { useServer } from '@crewhall/testkit/test-server.ts'
import { beforeAll, describe, expect, test } from 'vitest'
import { type Board, BoardWorkspace, type Card } from '../../boards/board-workspace.ts'

const server = useServer('product', { HTTP_RATE_LIMIT_PER_CREDENTIAL: '1000000' })
let workspace: BoardWorkspace
let board: Board
let card: Card

beforeAll(async () => {
  workspace = await BoardWorkspace.open(server)
  board = await workspace.board()
  card = await workspace.card(board)
})

const read = (path: string, headers: Record<string, string> = {}) =>
  workspace.call<Card>('GET', path, undefined, headers)
const tagOf = async (path: string): Promise<string> => (await read(path)).headers.get('etag') ?? ''
const leftOf = ({ headers }: { headers: Headers }) => Number(headers.get('x-ratelimit-remaining'))

describe('a read', () => {
  test('that is unchanged is answered 304 without a body, and does not count against the rate limit', async () => {
    const path = `/tasks/${card.id}`
    const first = await read(path)
    const again = await read(path, { 'if-none-match': first.headers.get('etag') ?? '' })
    expect([again.status, again.text]).toEqual([304, ''])
    expect(again.headers.get('etag')).toBe(first.headers.get('etag'))
    expect(leftOf(again)).toBe(leftOf(first))
  })

  test.each(['/boards', '/tasks/ready'])('of a list has a tag as well: %s', async (end) => {
    const path = end === '/boards' ? end : `/boards/${board.id}${end}`
    const tag = await tagOf(path)
    expect(tag).toMatch(/^"[\w-]{27}"$/)
    expect((await read(path, { 'if-none-match': `"other", W/${tag}` })).status).toBe(304)
  })

  test('that has changed is answered whole with another tag', async () => {
    const path = `/boards/${board.id}/tasks`
    const tag = await tagOf(path)
    await workspace.patch(card, { title: `Changed ${tag.slice(1, 9)}` })
    const { status, headers } = await read(path, { 'if-none-match': tag })
    expect(status).toBe(200)
    expect(headers.get('etag')).not.toBe(tag)
  })

  test('has another tag in another detail', async () => {
    const path = `/boards/${board.id}/tasks`
    expect(await tagOf(`${path}?detail=summary`)).not.toBe(await tagOf(`${path}?detail=full`))
  })
})

describe('a write', () => {
  test('with the tag that was read is done, and tells the next tag, also beside a receipt', async () => {
    const mine = await workspace.card(board)
    const path = `/tasks/${mine.id}`
    const headers = { 'if-match': await tagOf(path) }
    const done = await workspace.call('PATCH', `${path}?return=receipt`, { title: 'Second' }, headers)
    expect(done.status).toBe(200)
    const next = { 'if-match': done.headers.get('etag') ?? '' }
    expect((await workspace.call('PATCH', path, { title: 'Third' }, next)).status).toBe(200)
    expect((await workspace.call('POST', `${path}/archive`, undefined, { 'if-match': '*' })).status).toBe(200)
  })

  test.each([
    ['PATCH', '', { title: 'Too late' }],
    ['POST', '/move', { column: 'Done' }],
    ['POST', '/archive', undefined],
  ])('with an old tag is refused and changes nothing: %s %s', async (method, end, body) => {
    const mine = await workspace.card(board)
    const path = `/tasks/${mine.id}`
    const headers = { 'if-match': await tagOf(path) }
    await workspace.patch(mine, { title: 'In between' })
    const before = await read(path)
    const refused = await workspace.call(method, `${path}${end}`, body, headers)
    expect([refused.status, refused.body]).toEqual([
      412,
      { detail: 'If-Match: the resource has changed; fetch it again' },
    ])
    expect((await read(path)).text).toBe(before.text)
  })

  test.each(['"nonsense"', 'W/"1"', '1'])('with %s, which names no version, is refused', async (tag) => {
    const { status } = await workspace.call(
      'PATCH',
      `/tasks/${card.id}`,
      { title: 'No' },
      { 'if-match': tag },
    )
    expect(status).toBe(412)
  })

  test('with a tag is refused where nothing has a version', async () => {
    const { status, body } = await workspace.call('PATCH', `/boards/${board.id}`, {}, { 'if-match': '"1"' })
    expect([status, body]).toEqual([412, { detail: 'If-Match: this resource has no version' }])
  })

  const lastTitle = /^Writer \d+$/
  const compete = (headersOf: (tag: string) => Record<string, string>) =>
    race<{ mine: Card; tag: string }>({
      rounds: roundsFor(50, 0.5),
      clients: 4,
      setup: async () => {
        const mine = await workspace.card(board)
        return { mine, tag: await tagOf(`/tasks/${mine.id}`) }
      },
      act: async ({ mine, tag }, client) =>
        (await workspace.call('PATCH', `/tasks/${mine.id}`, { title: `Writer ${client}` }, headersOf(tag)))
          .status,
      verdict: async ({ mine }, outcomes) => {
        const won = outcomes.filter((each) => each.status === 'fulfilled' && each.value === 200)
        const { title } = await workspace.read(mine)
        return won.length === 1 && lastTitle.test(title) ? undefined : `${won.length} writers won`
      },
    })

  test('with one tag is done for one of four writers', async () => {
    expect(await compete((tag) => ({ 'if-match': tag }))).toMatchObject({ wrong: 0 })
  })

  test('without a tag is done for all of them, which is what the tag is for', async () => {
    const { rounds, wrong } = await compete(() => ({}))
    expect(wrong).toBe(rounds)
  })
})
