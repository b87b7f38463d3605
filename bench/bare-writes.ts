import pg from 'pg'

export interface BareBoard {
  readonly brand_id: number
  readonly board_id: string
  readonly column_id: string
}

export interface Written {
  readonly per_second: number
  readonly p50_ms: number
  readonly p99_ms: number
}

const actor = JSON.stringify({ kind: 'member', id: '1', name: 'Ann Example', on_behalf_of: null })
const title = 'Add the export of invoices of part 7 for team 3, as agreed in the review'

/**
 * The same rows as a created card leaves, by the driver alone: no HTTP, no caller, no validation, no answer.
 * Each writer has a connection of its own and two round trips a card.
 */
export async function writeBare(
  url: string,
  boards: readonly BareBoard[],
  { writers, seconds }: { readonly writers: number; readonly seconds: number },
): Promise<Written> {
  const [first] = boards
  const clients = Array.from(
    { length: writers },
    () =>
      new pg.Client({
        connectionString: url,
        options: `-c app.brand_id=${first?.brand_id} -c TimeZone=UTC`,
        pipeline: true,
      } as pg.ClientConfig),
  )
  await Promise.all(clients.map((client) => client.connect()))
  const took: number[] = []
  const end = performance.now() + seconds * 1000
  try {
    await Promise.all(
      clients.map(async (client, writer) => {
        for (let turn = writer; performance.now() < end; turn += 1) {
          const began = performance.now()
          await writeCard(client, boards[turn % boards.length] as BareBoard)
          took.push(performance.now() - began)
        }
      }),
    )
  } finally {
    await Promise.all(clients.map((client) => client.end()))
  }
  took.sort((a, b) => a - b)
  const at = (share: number) => took[Math.floor(took.length * share)] ?? Number.NaN
  return { per_second: took.length / seconds, p50_ms: at(0.5), p99_ms: at(0.99) }
}

async function writeCard(client: pg.Client, { brand_id, board_id, column_id }: BareBoard): Promise<void> {
  const [, taken] = await Promise.all([
    client.query('begin'),
    client.query<{ number: number }>({
      name: 'number',
      text: `update boards.boards set next_number = next_number + 1, card_count = card_count + 1
        where brand_id = $1 and id = $2 returning next_number - 1 as number`,
      values: [brand_id, board_id],
    }),
  ])
  const number = taken.rows[0]?.number ?? 0
  const id = crypto.randomUUID()
  // Keys of one length, so that the next is always the last.
  const rank = `d${String(number).padStart(8, '0')}`
  await Promise.all([
    client.query({
      name: 'card',
      text: `insert into boards.cards (brand_id, board_id, id, number, column_id, rank, title, status, task_type,
          reporter, created_by, updated_by) values ($1, $2, $3, $4, $5, $6, $7, 'pending', 'coding', $8, $8, $8)`,
      values: [brand_id, board_id, id, number, column_id, rank, title, actor],
    }),
    client.query({
      name: 'texts',
      text: 'insert into boards.card_texts (brand_id, card_id) values ($1, $2)',
      values: [brand_id, id],
    }),
    client.query({
      name: 'count',
      text: 'update boards.columns set card_count = card_count + 1 where brand_id = $1 and id = $2',
      values: [brand_id, column_id],
    }),
    client.query({
      name: 'activity',
      text: `insert into boards.activity (brand_id, board_id, created_at, action, card_id, actor, data)
        values ($1, $2, platform.clock_now(), 'task.created', $3, $4, $5)`,
      values: [
        brand_id,
        board_id,
        id,
        actor,
        JSON.stringify({ ref: `BD-${number}`, title, column: 'To do' }),
      ],
    }),
    client.query('commit'),
  ])
}
