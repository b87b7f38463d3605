import { createHash, randomBytes, randomUUID } from 'node:crypto'
import type pg from 'pg'
import { newEmail } from '../people.ts'

export const secretOf = (cookie: string): string => cookie.slice(cookie.indexOf('=') + 1)
export const digestOf = (secret: string): string => createHash('sha256').update(secret).digest('hex')

/** Another session of the same person, for a call that may end it. Returns its cookie. */
export async function cloneSession(admin: pg.Client, cookie: string): Promise<string> {
  const secret = randomBytes(32).toString('base64url')
  await admin.query(
    `insert into identity.sessions (token_hash, person_id, brand_id, expires_at)
     select $2, person_id, brand_id, expires_at from identity.sessions where token_hash = $1`,
    [digestOf(secretOf(cookie)), digestOf(secret)],
  )
  return cookie.replace(/=.*/, `=${secret}`)
}

/** Somebody with the same name and password, signed in for no workspace. Returns their cookie. */
export async function cloneAccount(admin: pg.Client, cookie: string): Promise<string> {
  const secret = randomBytes(32).toString('base64url')
  await admin.query(
    `with caller as (
       select p.id, p.full_name from identity.sessions s join identity.people p on p.id = s.person_id
       where s.token_hash = $1),
     person as (
       insert into identity.people (email, full_name, email_verified) select $3, full_name, true from caller returning id),
     password as (
       insert into identity.passwords (person_id, password_hash)
       select person.id, w.password_hash from person, caller join identity.passwords w on w.person_id = caller.id)
     insert into identity.sessions (token_hash, person_id, expires_at)
     select $2, id, now() + interval '1 day' from person`,
    [digestOf(secretOf(cookie)), digestOf(secret), newEmail()],
  )
  return cookie.replace(/=.*/, `=${secret}`)
}

/** Another session of that person. Returns its id. */
export async function addSession(admin: pg.Client, person_id: number): Promise<number> {
  const { rows } = await admin.query<{ id: string }>(
    `insert into identity.sessions (token_hash, person_id, expires_at)
     values ($1, $2, now() + interval '1 day') returning id`,
    [digestOf(randomUUID()), person_id],
  )
  return Number(rows[0]?.id)
}
