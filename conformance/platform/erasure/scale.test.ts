import { scaled } from '@crewhall/testkit/rounds.ts'
import { useServer } from '@crewhall/testkit/test-server.ts'
import { verifyData } from '@crewhall/testkit/verify-data.ts'
import { expect, test } from 'vitest'
import { type Body, erasureEnv, operator, type Person, useErasureWorld } from './erasure-world.ts'

const server = useServer('product', erasureEnv)
const world = useErasureWorld(server)
const cards = scaled(100_000, 6000)

/** Cards that came by no request, each with an entry in the feed that names its maker. */
async function fill(by: Person, board: Body): Promise<void> {
  const { admin } = world
  const actor = JSON.stringify({ kind: 'member', id: String(by.id), name: by.name, on_behalf_of: null })
  const place = [by.home, board.id, actor, cards]
  await admin.query(
    `insert into boards.cards
       (brand_id, board_id, number, column_id, rank, title, status, task_type, reporter, created_by, updated_by)
     select $1, $2, n, k.id, 'g' || lpad(n::text, 7, '0'), 'Card ' || n, k.status, 'coding', $3, $3, $3
     from generate_series(1, $4::int) n,
       (select id, status from boards.columns where board_id = $2 order by rank limit 1) k`,
    place,
  )
  await admin.query(
    `insert into boards.card_texts (brand_id, card_id) select brand_id, id from boards.cards where board_id = $1`,
    [board.id],
  )
  await admin.query(
    `insert into boards.activity (brand_id, board_id, created_at, action, card_id, actor)
     select $1, $2, now() - interval '1 minute' + make_interval(secs => n / 1000000.0), 'task.created', null, $3
     from generate_series(1, $4::int) n`,
    place,
  )
  await admin.query(
    'update boards.boards set card_count = $2, next_number = $2 + 1, last_activity_at = now() where id = $1',
    [board.id, cards],
  )
  await admin.query(
    `update boards.columns set card_count = $2
     where id = (select id from boards.columns where board_id = $1 order by rank limit 1)`,
    [board.id, cards],
  )
  await admin.query('analyze boards.cards, boards.activity')
}

interface Meanwhile {
  readonly answers: number[]
  slowest: number
}

/** Somebody else reads and writes until it is over. */
async function workUntil(by: Person, board: Body, isOver: () => Promise<boolean>): Promise<Meanwhile> {
  const meanwhile: Meanwhile = { answers: [], slowest: 0 }
  const tasks = `/board/boards/${board.id}/tasks`
  while (!(await isOver())) {
    for (const [method, body] of [['POST', { title: 'Meanwhile' }], ['GET']] as const) {
      const began = performance.now()
      const path = method === 'GET' ? `${tasks}?per_page=1` : tasks
      meanwhile.answers.push((await world.call(by, method, path, body)).status)
      meanwhile.slowest = Math.max(meanwhile.slowest, performance.now() - began)
    }
  }
  return meanwhile
}

test(`K12: a person is taken out of ${cards.toLocaleString('en')} cards, and then the workspace erased, while others work`, {
  timeout: 600_000,
}, async () => {
  const [ann, bob, carol] = [
    await world.signUp('Ann'),
    await world.signUp('Bob'),
    await world.signUp('Carol'),
  ]
  await world.join(bob, ann)
  const board = await world.newBoard(bob, 'Big')
  const beside = await world.newBoard(bob, 'Beside')
  const own = await world.newBoard(carol, 'Own')
  await fill({ ...ann, home: bob.home }, board)
  await server.start('worker')
  const isDone = async (path: string) => (await world.erasureOf(path))?.status === 'done'
  const seconds: number[] = []
  const timed = async (work: Promise<Meanwhile>): Promise<Meanwhile> => {
    const began = performance.now()
    const result = await work
    seconds.push((performance.now() - began) / 1000)
    return result
  }

  await world.made(operator, 'POST', `/admin/people/${ann.id}/erasure`)
  // On the very board, whose cards are written meanwhile.
  const first = await timed(workUntil(bob, board, () => isDone(`people/${ann.id}`)))
  const { rows } = await world.admin.query(
    `select from boards.cards where created_by->>'name' = 'Ann'
     union all select from boards.activity where actor->>'name' = 'Ann'`,
  )
  expect(rows).toHaveLength(0)
  expect((await world.call(bob, 'GET', `/board/boards/${beside.id}`)).status).toBe(200)

  await world.made(operator, 'POST', `/admin/brands/${bob.home}/erasure`)
  const second = await timed(workUntil(carol, own, () => isDone(`brands/${bob.home}`)))
  const { rows: left } = await world.admin.query('select from boards.cards where brand_id = $1', [bob.home])
  expect(left).toHaveLength(0)

  for (const { answers, slowest } of [first, second]) {
    expect(answers.filter((status) => status !== 200 && status !== 201)).toEqual([])
    expect(slowest).toBeLessThan(5000)
  }
  expect((await verifyData(server.database.url)).code).toBe(0)
  const told = [first, second].map(({ answers, slowest }, at) => ({
    calls: answers.length,
    slowest_ms: Math.round(slowest),
    seconds: Math.round(seconds[at] ?? 0),
  }))
  console.log(`${cards} cards: ${JSON.stringify(told)}`)
})
