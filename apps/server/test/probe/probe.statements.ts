import { sqlStatement, statement } from '#platform/db/statement.ts'

interface Tables {
  'probe.rows': { id: number; name: string; created_at: string }
}

export const findRow = statement<Tables, { id: number }>()((db, p) =>
  db.selectFrom('probe.rows').select(['id', 'name', 'created_at']).where('id', '=', p.id),
)
export const listNewest = statement<Tables, { limit: number }>()((db, p) =>
  db.selectFrom('probe.rows').select(['id', 'name', 'created_at']).orderBy('id', 'desc').limit(p.limit),
)
export const insertRow = sqlStatement<{ name: string }, { id: number; name: string; created_at: string }>(
  'insert into probe.rows (name) values ($1) returning id, name, created_at',
  'name',
)
export const lockRoom = sqlStatement<{ id: number }, unknown>(
  `select pg_advisory_xact_lock(hashtext('room'), $1)`,
  'id',
)
export const countSeats = sqlStatement<{ id: number }, { taken: number }>(
  'select count(*)::int as taken from probe.seats where room_id = $1',
  'id',
)
export const insertSeat = sqlStatement<{ id: number }, unknown>(
  'insert into probe.seats (room_id) values ($1)',
  'id',
)
export const sleep = sqlStatement<{ seconds: number }, unknown>('select pg_sleep($1)', 'seconds')
export const readBrand = sqlStatement<object, { brand: string | null }>(
  `select nullif(current_setting('app.brand_id', true), '') as brand`,
)
export const insertMark = sqlStatement<{ key: string }, unknown>(
  'insert into probe.marks (key) values ($1)',
  'key',
)
export const insertEffect = sqlStatement<{ key: string; waited_ms: number }, unknown>(
  'insert into probe.effects (key, waited_ms) values ($1, $2)',
  'key',
  'waited_ms',
)
export const insertAttempt = sqlStatement<{ key: string; attempt: number }, unknown>(
  'insert into probe.attempts (key, attempt) values ($1, $2)',
  'key',
  'attempt',
)
export const insertTick = sqlStatement<{ pid: number }, unknown>(
  'insert into probe.ticks (pid) values ($1)',
  'pid',
)
