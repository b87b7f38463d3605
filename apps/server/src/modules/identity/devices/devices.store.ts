import type { SystemTx } from '#platform/ctx/ctx.ts'
import { sql, statement } from '#platform/db/statement.ts'

interface Device {
  readonly person_id: number
  readonly digest: string
}

const see = statement<Device, unknown>(
  (p) =>
    sql`update identity.devices set seen_at = platform.now() where person_id = ${p.person_id} and digest = ${p.digest}`,
)
/** Of two at once the second finds that of the first. */
const add = statement<Device, unknown>(
  (p) =>
    sql`insert into identity.devices (person_id, digest) values (${p.person_id}, ${p.digest}) on conflict (person_id, digest) do nothing`,
)
const trim = statement<{ person_id: number; keep: number }, unknown>(
  (p) => sql`delete from identity.devices where person_id = ${p.person_id} and digest in (
     select digest from identity.devices where person_id = ${p.person_id} order by seen_at desc, digest offset ${p.keep})`,
)
const firstUse = statement<{ person_id: number }, unknown>(
  (p) =>
    sql`update identity.passwords set first_used_at = platform.now() where person_id = ${p.person_id} and first_used_at is null`,
)

/** Whether it was known. */
export const updateSeen = async (ctx: SystemTx, device: Device): Promise<boolean> =>
  (await ctx.db.run(see, device)) > 0
/** Whether nobody else was first. */
export const insertDevice = async (ctx: SystemTx, device: Device): Promise<boolean> =>
  (await ctx.db.run(add, device)) > 0
export const deleteOldestDevices = (ctx: SystemTx, person_id: number, keep: number) =>
  ctx.db.run(trim, { person_id, keep })
/** Whether this is the first. */
export const updateFirstUse = async (ctx: SystemTx, person_id: number): Promise<boolean> =>
  (await ctx.db.run(firstUse, { person_id })) > 0
