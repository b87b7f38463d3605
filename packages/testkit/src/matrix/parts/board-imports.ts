import { randomUUID } from 'node:crypto'
import type { Scene, Value } from '../part.ts'

/** One that waits, without rows. */
export async function addImport(
  { admin, brand_id, mark }: Scene,
  board_id: Value | undefined,
): Promise<string> {
  const id = randomUUID()
  await admin.query(
    `insert into boards.imports (brand_id, id, board_id, source, file_name, state) values ($1, $2, $3, 'csv', $4, 'draft')`,
    [brand_id, id, board_id, `F ${mark}`],
  )
  return id
}

/** A row of it that waits, and a card that it has made. */
export async function addImported(
  { admin, brand_id, mark }: Scene,
  import_id: string,
  card_id: string,
): Promise<void> {
  const row = {
    row: 2,
    client_ref: 'csv:2',
    card: { title: `R ${mark}` },
    person: null,
    state: null,
    parent: null,
  }
  await admin.query(
    'insert into boards.import_rows (brand_id, import_id, place, client_ref, card) values ($1, $2, 2, $3, $4)',
    [brand_id, import_id, row.client_ref, JSON.stringify(row)],
  )
  await admin.query(
    'insert into boards.import_cards (brand_id, import_id, card_id, place, file_row) values ($1, $2, $3, 1, 1)',
    [brand_id, import_id, card_id],
  )
}
