import { randomUUID } from 'node:crypto'
import type pg from 'pg'

/** A board with two columns, three cards in the first of them and a comment on the middle one. */
export interface MatrixBoard {
  readonly board_id: string
  readonly column_id: string
  readonly other_column_id: string
  readonly card_id: string
  readonly first_card_id: string
  readonly last_card_id: string
  readonly comment_id: string
  readonly run_id: string
}

export async function createMatrixBoard(
  admin: pg.Client,
  brand_id: number,
  mark: string,
): Promise<MatrixBoard> {
  const board_id = await freshBoard(admin, brand_id, mark)
  const place = { brand_id, board_id, mark }
  const column_id = await freshColumn(admin, place, 'a0')
  const other_column_id = await freshColumn(admin, place, 'a1')
  const card = (rank: string) => freshCard(admin, { ...place, column_id }, rank)
  const [first_card_id, card_id, last_card_id] = [await card('a0'), await card('a1'), await card('a2')]
  const comment_id = await freshComment(admin, brand_id, card_id, mark)
  const run_id = await freshRun(admin, brand_id, card_id)
  const cards = { card_id, first_card_id, last_card_id }
  return { board_id, column_id, other_column_id, ...cards, comment_id, run_id }
}

/** A board of that workspace, for a call that may put it away. */
export async function freshBoard(admin: pg.Client, brand_id: number, mark: string): Promise<string> {
  const id = randomUUID()
  const letters = [...randomUUID().replaceAll('-', '').slice(0, 10)]
  const key = letters.map((letter) => String.fromCharCode(65 + Number.parseInt(letter, 16))).join('')
  await admin.query(
    `insert into boards.boards (brand_id, id, key, name, board_type) values ($1, $2, $3, $4, 'kanban')`,
    [brand_id, id, key, `B ${mark}`],
  )
  await admin.query('insert into boards.board_ids (id) values ($1)', [id])
  await freshColumn(admin, { brand_id, board_id: id, mark }, 'Zz')
  return id
}

interface Place {
  readonly brand_id: number
  readonly board_id: string
  readonly mark: string
}

/** An empty column, for a call that may remove it. */
export async function freshColumn(
  admin: pg.Client,
  { brand_id, board_id, mark }: Place,
  rank = `b0${randomUUID().replaceAll('-', '')}1`,
): Promise<string> {
  const id = randomUUID()
  await admin.query(
    `insert into boards.columns (brand_id, board_id, id, name, name_key, status, rank)
     values ($1, $2, $3, $4, $4, 'pending', $5)`,
    [brand_id, board_id, id, `c ${mark} ${id}`, rank],
  )
  return id
}

/** A card of that column, for a call that may change it. */
export async function freshCard(
  admin: pg.Client,
  { brand_id, board_id, column_id, mark }: Place & { column_id: string },
  rank = `b0${randomUUID().replaceAll('-', '')}1`,
): Promise<string> {
  const id = randomUUID()
  const actor = JSON.stringify({ kind: 'member', id: '1', name: `A ${mark}`, on_behalf_of: null })
  await admin.query(
    `with board as (
       update boards.boards set next_number = next_number + 1, card_count = card_count + 1
       where brand_id = $1 and id = $2 returning next_number
     ), in_column as (
       update boards.columns set card_count = card_count + 1 where brand_id = $1 and id = $4
     )
     insert into boards.cards (brand_id, board_id, id, number, column_id, rank, title, status, task_type,
       reporter, created_by, updated_by)
     select $1, $2, $3, next_number - 1, $4, $5, $6, 'pending', 'coding', $7, $7, $7 from board`,
    [brand_id, board_id, id, column_id, rank, `T ${mark}`, actor],
  )
  await admin.query('insert into boards.card_texts (brand_id, card_id, notes) values ($1, $2, $3)', [
    brand_id,
    id,
    `N ${mark}`,
  ])
  return id
}

/** A comment of everybody's, for a call that may change it. */
export async function freshComment(
  admin: pg.Client,
  brand_id: number,
  card_id: string,
  mark: string,
  person_id = 1,
): Promise<string> {
  const id = randomUUID()
  const author = JSON.stringify({ kind: 'member', id: String(person_id), name: 'A', on_behalf_of: null })
  await admin.query(
    'insert into boards.comments (brand_id, id, card_id, body, author) values ($1, $2, $3, $4, $5)',
    [brand_id, id, card_id, `C ${mark}`, author],
  )
  return id
}

/** A run that goes on, for a call that may end it. */
export async function freshRun(admin: pg.Client, brand_id: number, card_id: string): Promise<string> {
  const id = randomUUID()
  await admin.query(
    `insert into boards.runs (brand_id, id, card_id, number, started_by)
     select $1, $2, $3, coalesce(max(number), 0) + 1, '{"kind":"member","id":"1","name":"A","on_behalf_of":null}'
     from boards.runs where brand_id = $1 and card_id = $3`,
    [brand_id, id, card_id],
  )
  return id
}

/** A claim on that card with epoch 1, for a call that may end it. */
export async function freshClaim(admin: pg.Client, brand_id: number, card_id: string): Promise<string> {
  const id = randomUUID()
  await admin.query(
    `update boards.cards set claim_id = $3, claim_epoch = 1, claim_holder = created_by,
       claim_expires_at = now() + interval '1 hour'
     where brand_id = $1 and id = $2`,
    [brand_id, card_id, id],
  )
  return id
}
