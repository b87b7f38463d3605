import { randomUUID } from 'node:crypto'
import type pg from 'pg'

interface Place {
  readonly brand_id: number
  readonly board_id: string
  readonly mark: string
}

/** A guest of that board, for a call that may remove them. */
export async function freshBoardGuest(
  admin: pg.Client,
  { brand_id, board_id, mark }: Place,
): Promise<number> {
  const { rows } = await admin.query<{ person_id: number }>(
    `with person as (insert into identity.people (email, full_name, email_verified) values ($3, $4, true) returning id)
     insert into boards.guests (brand_id, board_id, person_id, role)
     select $1, $2, id, 'viewer' from person returning person_id`,
    [brand_id, board_id, `${mark}-${randomUUID()}@example.test`, `G ${mark}`],
  )
  return rows[0]?.person_id ?? 0
}

/** Lets that person onto a board as an editor. */
export async function admitBoardEditor(
  admin: pg.Client,
  { brand_id, board_id }: Omit<Place, 'mark'>,
  person_id: number,
): Promise<void> {
  await admin.query(
    `insert into boards.guests (brand_id, board_id, person_id, role) values ($1, $2, $3, 'editor')`,
    [brand_id, board_id, person_id],
  )
}
