import { findBoard } from '@crewhall/server/modules/boards/boards/boards.store.ts'
import { countBoardsByIds } from '@crewhall/server/modules/boards/boards/known-boards.store.ts'
import * as cards from '@crewhall/server/modules/boards/card-data/cards.store.ts'
import * as walks from '@crewhall/server/modules/boards/cards/card-walk.store.ts'
import * as master from '@crewhall/server/modules/boards/master/master.store.ts'
import * as activity from '@crewhall/server/modules/boards/writes/activity.store.ts'
import type { BrandCtx } from '@crewhall/server/platform/ctx/ctx.ts'
import { adminUrl } from '@crewhall/testkit/databases.ts'
import type { SeededBoards } from '@crewhall/testkit/seeded-boards.ts'
import { onlySentBy } from '@crewhall/testkit/sent-statements.ts'
import pg from 'pg'
import type { BenchServer } from './bench-server.ts'

/** A call of the product, and the statements it sends for it. */
export interface BoardCall {
  readonly name: string
  readonly path: string
  readonly statements: readonly { readonly name: string; readonly text: string; readonly values: unknown[] }[]
}

let named = 0

export async function boardCalls(
  database: string,
  product: BenchServer,
  headers: Record<string, string>,
  seeded: SeededBoards,
): Promise<BoardCall[]> {
  const { brand_id, big_board, big_count, some_boards } = seeded
  const tasks = `/api/v1/board/boards/${big_board}/tasks`
  const feed = `/api/v1/board/activity/boards/${big_board}`
  const sends = (call: (ctx: BrandCtx) => unknown) => {
    named += 1
    return { name: `s${named}`, ...onlySentBy(brand_id, call) }
  }
  const board = sends((ctx) => findBoard(ctx, big_board))
  const pages = { summary: cards.listSummaryCards, standard: cards.listStandardCards }
  const steps = { summary: walks.listSummaryCardsAfter, standard: walks.listStandardCardsAfter }

  const pageCalls = (['summary', 'standard'] as const).flatMap((detail) =>
    [50, 100].flatMap((per_page) =>
      // On a smaller board the middle, which is where page 500 of 100 is on the big one.
      [1, Math.min(500, Math.floor(big_count / 2 / per_page))].map((page) => ({
        name: `page ${page} of ${per_page}, ${detail}`,
        path: `${tasks}?detail=${detail}&page=${page}&per_page=${per_page}`,
        statements: [
          board,
          sends((ctx) =>
            pages[detail](ctx, { board_id: big_board, offset: (page - 1) * per_page, limit: per_page }),
          ),
        ],
      })),
    ),
  )

  const step = await deepStep(product, headers, tasks, big_count)
  const place = await entriesAfter(database, product, headers, feed, seeded)
  const ids = some_boards.join(',')
  const over = (status: string | null) => ({
    board_ids: some_boards,
    board_type: null,
    name_keys: null,
    status,
    has_pr: null,
    since: null,
  })
  const own = sends((ctx) => countBoardsByIds(ctx, some_boards))
  return [
    ...pageCalls,
    ...(['summary', 'standard'] as const).map((detail) => ({
      name: `100 from the middle by cursor, ${detail}`,
      path: `${tasks}?detail=${detail}&cursor=${step.cursor}&per_page=100`,
      statements: [
        board,
        sends((ctx) => steps[detail](ctx, { board_id: big_board, after: step.after, limit: 100 })),
      ],
    })),
    {
      name: 'activity, newest 50',
      path: `${feed}?limit=50`,
      statements: [board, sends((ctx) => activity.listNewestActivity(ctx, big_board, 50))],
    },
    {
      name: 'activity, 50 after a cursor',
      path: `${feed}?limit=50&since=${place.cursor}`,
      statements: [
        board,
        sends((ctx) =>
          activity.listActivityAfter(ctx, {
            board_id: big_board,
            created_at: place.created_at,
            id: place.id,
            limit: 50,
          }),
        ),
      ],
    },
    {
      name: 'cards of 20 boards, first 50, summary',
      path: `/api/v1/board/master/tasks?board_ids=${ids}&detail=summary&per_page=50`,
      statements: [
        own,
        sends((ctx) => master.listMasterCards(ctx, over(null), { limit: 50, offset: 0 })),
        sends((ctx) => master.countMasterCards(ctx, over(null))),
      ],
    },
    {
      name: 'cards of 20 boards, all in review',
      path: `/api/v1/board/master/tasks?board_ids=${ids}&status=review`,
      statements: [own, sends((ctx) => master.listAllMasterCards(ctx, over('review'), 10_001))],
    },
  ]
}

/** The cursor after half of the board, by walking there. */
async function deepStep(
  product: BenchServer,
  headers: Record<string, string>,
  tasks: string,
  big_count: number,
): Promise<{ cursor: string; after: walks.CardPlace }> {
  let cursor = 'start'
  for (let seen = 0; seen < big_count / 2 - 100; seen += 100) {
    const path = `${tasks}?detail=summary&per_page=100&cursor=${cursor}`
    const response = await fetch(`${product.url}${path}`, { headers })
    cursor = ((await response.json()) as { next_cursor: string }).next_cursor
  }
  // What it says is readable; only its signature cannot be made here.
  const position = Buffer.from(cursor.split('.', 1)[0] ?? '', 'base64url').toString()
  const [done = '', column_id = '', card_rank = '', card_id = '', version = '0'] = position.split('|')
  const place = { column_id, card_rank, card_id, ranks_version: Number(version) }
  return { cursor, after: { done: done === '' ? [] : done.split('.'), ...place } }
}

interface FeedPosition {
  readonly cursor: string
  readonly created_at: string
  readonly id: string
}

/** A cursor that 50 entries follow: taken at the newest, before 50 more are written. */
async function entriesAfter(
  database: string,
  product: BenchServer,
  headers: Record<string, string>,
  feed: string,
  { brand_id, big_board }: SeededBoards,
): Promise<FeedPosition> {
  const response = await fetch(`${product.url}${feed}?limit=1`, { headers })
  const { items, next_cursor } = (await response.json()) as {
    items: { id: string; created_at: string }[]
    next_cursor: string
  }
  const [newest] = items
  if (!newest) throw new Error(`the feed was answered ${response.status} and empty`)
  const client = new pg.Client(adminUrl(database))
  await client.connect()
  try {
    await client.query(
      `insert into boards.activity (brand_id, board_id, created_at, action, card_id, actor, data)
       select brand_id, board_id, $3::timestamptz + n * interval '1 millisecond', action, card_id, actor, data
       from generate_series(1, 50) n, boards.activity
       where brand_id = $1 and board_id = $2 and created_at = $3 and activity.id = $4`,
      [brand_id, big_board, newest.created_at, newest.id],
    )
    await client.query(
      `update boards.boards set last_activity_at = $3::timestamptz + interval '50 milliseconds'
       where brand_id = $1 and id = $2`,
      [brand_id, big_board, newest.created_at],
    )
  } finally {
    await client.end()
  }
  return { cursor: next_cursor, ...newest }
}
