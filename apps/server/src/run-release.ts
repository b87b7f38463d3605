import { allJobs } from '@crewhall/contracts/jobs.ts'
import pg from 'pg'

export interface Released {
  readonly timeline: number
  /** Marked, so that nobody sends them by themselves. */
  readonly deliveries: number
  readonly letters: number
  readonly inboxes: number
}

const bite = 5000

/**
 * Lets webhooks and mail out again after a restore: what was queued since. What was restored may have been sent in the time
 * that was lost, and nothing outside the database says that it was not. So it is marked, and stays. Safe to run again.
 */
export async function runRelease(ownerUrl: string): Promise<Released | undefined> {
  const client = new pg.Client({ connectionString: ownerUrl, application_name: 'crewhall-admin' })
  await client.connect()
  try {
    await client.query(`select set_config('app.system', 'on', false)`)
    const { rows } = await client.query<{ number: number; began_at: string; is_held: boolean }>(
      `select number, began_at::text, released_at is null as is_held from platform.timelines
       order by number desc limit 1`,
    )
    const [timeline] = rows
    if (!timeline?.is_held) return undefined
    const deliveries = await inBites(client, markDeliveries, [timeline.began_at, bite])
    const letters = await inBites(client, cancelLetters, [timeline.began_at, bite, mailJobs])
    const inboxes = await inBites(client, passInboxes, [timeline.began_at, bite])
    await client.query('update platform.timelines set released_at = platform.now() where number = $1', [
      timeline.number,
    ])
    return { timeline: timeline.number, deliveries, letters, inboxes }
  } finally {
    await client.end()
  }
}

const mailJobs = allJobs.filter(({ sends_mail }) => sends_mail).map(({ name }) => name)

// One that an admin has queued again since the restore is sent.
const markDeliveries = `update webhooks.deliveries set status = 'failed', next_attempt_at = null, last_error = 'restored'
 where (brand_id, id, created_at) in (
   select brand_id, id, created_at from webhooks.deliveries
   where status = 'pending' and queued_at <= $1::timestamptz order by queued_at limit $2)`
// Those that are by the clock only look for what is due.
const cancelLetters = `update pgboss.job set state = 'cancelled', completed_on = now()
 where (name, id) in (
   select name, id from pgboss.job
   where name = any($3) and state < 'completed' and created_on <= $1::timestamptz limit $2)`
const passInboxes = `update inbox.mail_settings set seen_to = $1::timestamptz
 where (brand_id, person_id) in (
   select brand_id, person_id from inbox.mail_settings where seen_to < $1::timestamptz limit $2)`

/** No statement holds many locks, for requests are served meanwhile. */
async function inBites(client: pg.Client, text: string, values: readonly unknown[]): Promise<number> {
  let sum = 0
  for (let found = bite; found === bite; sum += found)
    found = (await client.query(text, [...values])).rowCount ?? 0
  return sum
}
