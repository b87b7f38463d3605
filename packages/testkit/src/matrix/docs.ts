import { randomUUID } from 'node:crypto'
import type pg from 'pg'

/** Somebody who belongs to no workspace, for a call that lets them in as a guest. */
export const outsiderEmail = 'outsider@example.test'

/** A docs space with a page and a guest. */
export interface Docs {
  readonly space_id: string
  readonly page_id: string
  readonly guest_id: number
}

export async function createDocs(admin: pg.Client, brand_id: number, mark: string): Promise<Docs> {
  const space_id = await freshSpace(admin, brand_id, mark)
  const page_id = await freshPage(admin, { brand_id, space_id, mark })
  return { space_id, page_id, guest_id: await freshGuest(admin, { brand_id, space_id, mark }) }
}

export async function createOutsider(admin: pg.Client): Promise<void> {
  await admin.query(
    `insert into identity.people (email, full_name, email_verified) values ($1, 'Outsider', true)`,
    [outsiderEmail],
  )
}

/** Lets that person into a space as an editor. */
export async function admitEditor(
  admin: pg.Client,
  brand_id: number,
  { space_id }: Docs,
  person_id: number,
): Promise<void> {
  await admin.query(
    `insert into docs_spaces.guests (brand_id, space_id, person_id, role) values ($1, $2, $3, 'editor')`,
    [brand_id, space_id, person_id],
  )
}

/** A space of that workspace, for a call that may delete it. */
export async function freshSpace(admin: pg.Client, brand_id: number, mark: string): Promise<string> {
  const id = randomUUID()
  await admin.query('insert into docs_spaces.spaces (brand_id, id, name) values ($1, $2, $3)', [
    brand_id,
    id,
    `S ${mark}`,
  ])
  return id
}

interface Place {
  readonly brand_id: number
  readonly space_id: string
  readonly mark: string
}

/** A page of that space, for a call that may delete it. */
export async function freshPage(admin: pg.Client, { brand_id, space_id, mark }: Place): Promise<string> {
  const id = randomUUID()
  await admin.query(
    `insert into docs_spaces.pages (brand_id, space_id, id, title, body, author_id, author_name)
     values ($1, $2, $3, $4, $4, 1, $4)`,
    [brand_id, space_id, id, `T ${mark}`],
  )
  return id
}

/** A guest of that space, for a call that may remove them. */
export async function freshGuest(admin: pg.Client, { brand_id, space_id, mark }: Place): Promise<number> {
  const { rows } = await admin.query<{ person_id: number }>(
    `with person as (insert into identity.people (email, full_name, email_verified) values ($3, $4, true) returning id)
     insert into docs_spaces.guests (brand_id, space_id, person_id, role)
     select $1, $2, id, 'viewer' from person returning person_id`,
    [brand_id, space_id, `${mark}-${randomUUID()}@example.test`, `G ${mark}`],
  )
  return rows[0]?.person_id ?? 0
}
