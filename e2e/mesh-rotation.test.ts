import { randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { startFairTime } from '@crewhall/testkit/fair-time.ts'
import { scaled } from '@crewhall/testkit/rounds.ts'
import { waitFor } from '@crewhall/testkit/wait-for.ts'
import { beforeAll, expect, test } from 'vitest'
import { type Member, MeshBed, toWg } from './mesh-bed.ts'
import { useMeshSidecars } from './mesh-sidecars.ts'

const bed = new MeshBed()
const sidecars = useMeshSidecars(bed)
let member: Member
beforeAll(async () => {
  await bed.startHub()
  await bed.startWorker()
  member = await bed.newMember()
})

const peerOf = async (desk_id: string) => {
  const [row] = await bed.server.sql<{ wg_key: string; next_wg_key: string | null; url: string }>(
    `select p.wg_key, p.next_wg_key, d.sidecar_url as url from fleet.mesh_peers p
     join fleet.desks d on d.id = p.desk_id where p.desk_id = $1`,
    [desk_id],
  )
  if (!row) throw new Error('the desk is not in the network')
  return row
}

/** A program for Node: asks ten times a second until a file is there, and prints the longest time without an answer and how many failed. */
const polling = `
  const [url, file] = process.argv.slice(1)
  const { request } = require('node:http')
  let last = performance.now(), gap = 0, asked = 0, failed = 0
  const ask = () => {
    asked += 1
    const begun = performance.now()
    const nonce = require('node:crypto').randomBytes(32).toString('base64url')
    const asking = request(url + '/v1/health?nonce=' + nonce, { agent: false, timeout: 5000 }, (answer) => {
      answer.resume()
      gap = Math.max(gap, performance.now() - Math.max(last, begun - 100))
      last = performance.now()
    })
    asking.on('timeout', () => asking.destroy()).on('error', () => { failed += 1 }).end()
  }
  const timer = setInterval(() => {
    if (!require('node:fs').existsSync(file)) return ask()
    clearInterval(timer)
    setTimeout(() => console.log(JSON.stringify({ asked, failed, gap })), 5500)
  }, 100)`

const rounds = scaled(5, 1)
test(`check 16: a key is replaced ${rounds} times under 10 polls a second; nobody misses the desk`, async () => {
  const desk = await sidecars.newDesk(member)
  const sidecar = sidecars.run(desk.place)
  await desk.isReady()
  for (let round = 1; round <= rounds; round += 1) {
    const before = await peerOf(desk.id)
    const enough = join(desk.place.folder, `enough-${round}`)
    const asking = bed.network.run(process.execPath, '-e', polling, before.url, enough)
    const superuser = await bed.server.connection('superuser')
    await superuser.query(
      `update fleet.mesh_peers set key_since = key_since - interval '31 days' where desk_id = $1`,
      [desk.id],
    )
    const elapsed = startFairTime()
    const after = await waitFor(async () => {
      const now = await peerOf(desk.id)
      return now.wg_key !== before.wg_key && now
    }, 40_000)
    // A while longer: the old key goes, and the desk is asked with the new one.
    await waitFor(async () => !(await bed.peers()).includes(toWg(before.wg_key)), 2000)
    writeFileSync(enough, '')
    const { asked, failed, gap } = JSON.parse(await asking) as { asked: number; failed: number; gap: number }
    console.log(
      `key replaced ${Math.round(elapsed())} ms after its time had come; ${failed} of ${asked} polls failed, none for ${Math.round(gap)} ms`,
    )
    expect(await bed.peers()).toContain(toWg(after.wg_key))
    expect(failed).toBe(0)
  }
  expect(sidecar.logs('this desk has another key in the private network')).toHaveLength(rounds)
  expect((await desk.show()).status).toBe('ready')
  const [row] = await bed.server.sql<{ misses: number }>('select misses from fleet.desks where id = $1', [
    desk.id,
  ])
  expect(row?.misses).toBe(0)
  await waitFor(async () => {
    const ended = await bed.server.sql(
      `select id from fleet.desk_commands where desk_id = $1 and kind = 'rotate_key' and outcome = 'done'`,
      [desk.id],
    )
    return ended.length === rounds
  }, 40_000)
  await sidecar.stop()
})

test('a key that the hub has never heard leaves the one in use as it is', async () => {
  const key = randomBytes(32).toString('base64url')
  const next = randomBytes(32).toString('base64url')
  const { caller, address } = await bed.register(member, key)
  await waitFor(async () => (await bed.peers()).includes(toWg(key)), 2000)
  expect(await bed.beat(caller, { wg_pub: next })).toBe(200)
  await waitFor(async () => (await bed.peers()).includes(toWg(next)), 3000)
  const allowed = await bed.network.run('wg', 'show', bed.device, 'allowed-ips')
  expect(allowed).toContain(`${toWg(key)}\t${address}/128`)
  expect(allowed).toContain(`${toWg(next)}\t(none)`)
})
