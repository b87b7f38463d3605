import { randomUUID } from 'node:crypto'
import {
  identified,
  type MatrixPart,
  type NewWorkspace,
  numbered,
  outsiderEmail,
  type Scene,
  type Value,
} from '../part.ts'

export const docsSpacesPart: MatrixPart = {
  resources: {
    docs_space: {
      ...identified,
      // What is fresh in a space is created in the one that is there.
      fresh: (call) =>
        call.kinds.some((each) => each === 'docs_page' || each === 'guest') ? undefined : addSpace(call),
    },
    docs_page: { ...identified, fresh: (call) => addPage(call, call.own.docs_space) },
    guest: { ...numbered, fresh: (call) => addGuest(call, call.own.docs_space) },
    shared_docs_space: { ...identified, belongs_to: 'guests' },
    shared_docs_page: { ...identified, belongs_to: 'guests' },
  },
  bodies: {
    'docs.createSpace': { name: 'made by the matrix' },
    'docs.renameSpace': { name: 'named by the matrix' },
    'docs.createPage': { title: 'made by the matrix', body: '' },
    'docs.changePage': { title: 'named by the matrix' },
    'docs.addSpaceGuest': { email: outsiderEmail, role: 'viewer' },
    'docs.changeSpaceGuest': { role: 'editor' },
    'docs.createSharedPage': { title: 'made by the matrix', body: '' },
    'docs.changeSharedPage': { body: 'written by the matrix' },
  },
  async rows(workspace: NewWorkspace) {
    const { admin, brand_id, guest_id, is_foreign } = workspace
    const space = await addSpace(workspace)
    const page = await addPage(workspace, space)
    const guest = await addGuest(workspace, space)
    if (!is_foreign)
      await admin.query(
        `insert into docs_spaces.guests (brand_id, space_id, person_id, role) values ($1, $2, $3, 'editor')`,
        [brand_id, space, guest_id],
      )
    return { docs_space: space, docs_page: page, guest, shared_docs_space: space, shared_docs_page: page }
  },
  tenant_rows: `
    insert into docs_spaces.spaces (brand_id, id, name) select id, gen_random_uuid(), 'Space' from identity.brands;
    insert into docs_spaces.pages (brand_id, space_id, id, title, body, author_id, author_name)
    select brand_id, id, gen_random_uuid(), 'Page', '', 1, 'A' from docs_spaces.spaces;
    insert into docs_spaces.guests (brand_id, space_id, person_id, role)
    select brand_id, id, 1, 'viewer' from docs_spaces.spaces`,
}

async function addSpace({ admin, brand_id, mark }: Scene): Promise<string> {
  const id = randomUUID()
  await admin.query('insert into docs_spaces.spaces (brand_id, id, name) values ($1, $2, $3)', [
    brand_id,
    id,
    `S ${mark}`,
  ])
  return id
}

async function addPage({ admin, brand_id, mark }: Scene, space_id: Value | undefined): Promise<string> {
  const id = randomUUID()
  await admin.query(
    `insert into docs_spaces.pages (brand_id, space_id, id, title, body, author_id, author_name)
     values ($1, $2, $3, $4, $4, 1, $4)`,
    [brand_id, space_id, id, `T ${mark}`],
  )
  return id
}

async function addGuest({ admin, brand_id, mark }: Scene, space_id: Value | undefined): Promise<number> {
  const { rows } = await admin.query<{ person_id: number }>(
    `with person as (insert into identity.people (email, full_name, email_verified) values ($3, $4, true) returning id)
     insert into docs_spaces.guests (brand_id, space_id, person_id, role)
     select $1, $2, id, 'viewer' from person returning person_id`,
    [brand_id, space_id, `${mark}-${randomUUID()}@example.test`, `G ${mark}`],
  )
  return rows[0]?.person_id ?? 0
}
