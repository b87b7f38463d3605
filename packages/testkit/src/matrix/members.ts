import { randomUUID } from 'node:crypto'
import { readServiceFacts } from '@crewhall/services/facts.ts'
import type pg from 'pg'

/** A member of that workspace, for a call that may end the membership or the sessions. Answers their id. */
export async function freshMember(admin: pg.Client, brand_id: number, mark: string): Promise<number> {
  // An address that takes mail: some calls send a letter and tell when it could not be sent.
  const email = `${randomUUID()}@${readServiceFacts().mail.domain}`
  const { rows } = await admin.query<{ id: number }>(
    `with person as (insert into identity.people (email, full_name, email_verified) values ($2, $3, true) returning id),
     password as (insert into identity.passwords (person_id, password_hash) select id, 'none' from person),
     membership as (insert into identity.memberships (brand_id, person_id, role) select $1, id, 'member' from person)
     select id from person`,
    [brand_id, email, `P ${mark}`],
  )
  return rows[0]?.id ?? 0
}

/** An open invitation of that workspace, for a call that may close it. Answers its id. */
export async function freshInvitation(admin: pg.Client, brand_id: number, mark: string): Promise<number> {
  const { rows } = await admin.query<{ id: number }>(
    `insert into workspaces.invitations (brand_id, email, role, expires_at)
     values ($1, $2, 'member', now() + interval '1 day') returning id`,
    [brand_id, `${mark}-${randomUUID()}@example.test`],
  )
  return rows[0]?.id ?? 0
}
