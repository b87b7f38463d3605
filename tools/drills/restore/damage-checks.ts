import type { Storage } from '@crewhall/server/platform/storage/storage.ts'
import { outside } from '@crewhall/testkit/outside.ts'
import type { BackedUpPostgres } from './backed-up-postgres.ts'

/** Ends a drill's look at the repository: the unit that is shipped finds one damaged and one missing WAL file. */
export async function findDamage(
  postgres: BackedUpPostgres,
  repository: Storage,
): Promise<readonly [undefined, string]> {
  const expectSaid = async (code: number, words: RegExp) => {
    const said = await postgres.runUnit('ExecStartPost')
    const metric = postgres.backupMetrics().includes(`crewhall_backup_verified ${code === 0 ? 1 : 0}`)
    if (said.code !== code || !words.test(said.output) || !metric)
      throw new Error(`verify ended with ${said.code}, wanted ${code}: ${said.output.slice(-400)}`)
  }
  await expectSaid(0, /^ok: /m)
  const objects = await repository.list(outside, 'archive/')
  // Of the lost server: it has an end, and the restored one still writes.
  const segments = objects
    .map(({ key }) => key)
    .filter((key) => /\/00000001[0-9A-F]{16}-[0-9a-f]{40}/.test(key))
  const key = segments[Math.floor(segments.length / 2)] ?? ''
  const whole = await repository.find(outside, key)
  if (!whole || segments.length < 3) throw new Error(`only ${segments.length} WAL files`)
  const bytes = Buffer.from(whole.bytes)
  bytes.write('XXXX', Math.floor(bytes.length / 2))
  await repository.put(outside, key, { ...whole, bytes })
  await expectSaid(1, /verify says: error/)
  await repository.remove(outside, key)
  await expectSaid(1, /WAL is missing between/)
  await repository.put(outside, key, whole)
  await expectSaid(0, /^ok: /m)
  return [undefined, `one of ${segments.length} each, told by the unit and its metric`]
}
