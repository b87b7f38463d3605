import { sql, statement } from '#platform/db/statement.ts'

interface Row {
  readonly id: number
  readonly name: string
  readonly created_at: string
}

export const findRow = statement<{ id: number }, Row>(
  (p) => sql`select id, name, created_at from probe.rows where id = ${p.id}`,
)
export const listNewest = statement<{ limit: number }, Row>(
  (p) => sql`select id, name, created_at from probe.rows order by id desc limit ${p.limit}`,
)
export const insertRow = statement<{ name: string }, { id: number; name: string; created_at: string }>(
  (p) => sql`insert into probe.rows (name) values (${p.name}) returning id, name, created_at`,
)
export const lockRoom = statement<{ id: number }, unknown>(
  (p) => sql`select pg_advisory_xact_lock(hashtext('room'), ${p.id})`,
)
export const countSeats = statement<{ id: number }, { taken: number }>(
  (p) => sql`select count(*)::int as taken from probe.seats where room_id = ${p.id}`,
)
export const insertSeat = statement<{ id: number }, unknown>(
  (p) => sql`insert into probe.seats (room_id) values (${p.id})`,
)
export const sleep = statement<{ seconds: number }, unknown>((p) => sql`select pg_sleep(${p.seconds})`)
export const readBrand = statement<object, { brand: string | null }>(
  () => sql`select nullif(current_setting('app.brand_id', true), '') as brand`,
)
export const insertMark = statement<{ key: string }, unknown>(
  (p) => sql`insert into probe.marks (key) values (${p.key})`,
)
export const insertEffect = statement<{ key: string; waited_ms: number }, unknown>(
  (p) => sql`insert into probe.effects (key, waited_ms) values (${p.key}, ${p.waited_ms})`,
)
export const insertAttempt = statement<{ key: string; attempt: number }, unknown>(
  (p) => sql`insert into probe.attempts (key, attempt) values (${p.key}, ${p.attempt})`,
)
export const insertTick = statement<{ pid: number }, unknown>(
  (p) => sql`insert into probe.ticks (pid) values (${p.pid})`,
)
