import { existsSync, readFileSync } from 'node:fs'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { scaled } from '@crewhall/testkit/rounds.ts'
import { type SidecarPlace, type SidecarProcess, useSidecars } from '@crewhall/testkit/sidecar-process.ts'
import { useServer } from '@crewhall/testkit/test-server.ts'
import { waitFor } from '@crewhall/testkit/wait-for.ts'
import { beforeAll, expect, test } from 'vitest'
import { asVersion, useSignedBundles } from './signed-bundles.ts'
import { limitMs, running, SupervisedMachines } from './supervised-machines.ts'
import { UpdatedMachines } from './updated-machines.ts'

const bundles = useSignedBundles()
const server = useServer('product', { DESK_NETWORKS: '127.0.0.0/8', SIDECAR_BUNDLE_DIR: bundles.folder })
const sidecars = useSidecars()
let desks: SupervisedMachines
let own = ''
const newVersion = '98.0.9'
let newer = ''
beforeAll(async () => {
  const machines = await UpdatedMachines.open(server)
  desks = new SupervisedMachines({ server_url: server.api.url, bundles, sidecars, machines })
  own = JSON.parse(await readFile('apps/sidecar/package.json', 'utf8')).version
  newer = await asVersion(sidecars.file, newVersion)
})

/** In the order of an update: fetched and unpacked, verified, barred, swapped, restarted, on probation, reported. */
const points = [
  'update.accepted',
  'update.fetched',
  'update.unpacked',
  'update.verified',
  'update.barred',
  'update.told',
  'update.noted',
  'update.swapped',
  'update.resumed',
  'update.heard',
  'update.proven',
  'update.reported',
  'update.forgotten',
]
/** What dies: the sidecar alone, or the machine with its supervisor. */
const deaths = ['sidecar', 'machine'] as const
const cases = points.flatMap((point) => deaths.map((death) => ({ point, death })))
const rounds = scaled(cases.length, 5)
/** As many, spread over all of them. */
const chosen = Array.from({ length: rounds }, (_, at) => cases[Math.floor((at * cases.length) / rounds)])

/** A supervisor with its sidecar, one of which freezes at this point. */
async function frozenAt(point: string, place: SidecarPlace) {
  const plan = join(place.folder, 'plan')
  await writeFile(plan, `${point}:stop@1`)
  const supervisor = desks.supervise({ ...place, env: { ...place.env, TEST_FAULT_POINTS: `@${plan}` } })
  const frozen = await waitFor(() => familyOf(supervisor).find((pid) => stateOf(pid) === 'T'), limitMs)
  // Whoever is started next goes on.
  await writeFile(plan, '')
  return { supervisor, frozen }
}

const familyOf = ({ child: { pid = 0 } }: SidecarProcess): number[] => {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
  return [pid, ...children.split(' ').filter(Boolean).map(Number)]
}
const stateOf = (pid: number): string | undefined =>
  existsSync(`/proc/${pid}/stat`)
    ? /\) (\w) /.exec(readFileSync(`/proc/${pid}/stat`, 'utf8'))?.[1]
    : undefined

async function kill(pid: number): Promise<void> {
  process.kill(pid, 'SIGKILL')
  await waitFor(() => [undefined, 'Z'].includes(stateOf(pid)), limitMs)
}

/** The supervisor that is there afterwards. */
async function die(
  death: (typeof deaths)[number],
  place: SidecarPlace,
  { supervisor, frozen }: Awaited<ReturnType<typeof frozenAt>>,
): Promise<SidecarProcess> {
  if (death === 'sidecar') {
    await kill(frozen)
    return supervisor
  }
  const family = familyOf(supervisor)
  // All of them before the end is waited for: they hold its output open.
  const ended = supervisor.kill()
  for (const pid of family) if (![undefined, 'Z'].includes(stateOf(pid))) await kill(pid)
  await ended
  return desks.supervise(place)
}

const leftOver = async ({ folder, state_dir }: SidecarPlace) => ({
  update: existsSync(join(state_dir, 'update.json')),
  versions: (await readdir(join(folder, 'install', 'versions'))).length,
})

test(`UPD-G8: in ${rounds} of ${cases.length} cases a sidecar or its machine dies between two steps of an update, and the update is done all the same`, async () => {
  await bundles.publish(newer)
  const seen: string[] = []
  for (const each of chosen) {
    if (!each) throw new Error('there is a case for each round')
    const { id, place } = await desks.requested()
    const supervisor = await die(each.death, place, await frozenAt(each.point, place))
    // Whichever of the two has come up, it serves health and reports.
    const { version } = await waitFor(() => running(place), limitMs)
    expect([own, newVersion]).toContain(version)
    seen.push(`${each.point} ${each.death}: ${version}`)
    const done = await desks.until(id, 'done')
    expect(done, each.point).toMatchObject({ error: null, from_version: own, to_version: newVersion })
    expect((await running(place)).version).toBe(newVersion)
    await waitFor(async () => !(await leftOver(place)).update, limitMs)
    await waitFor(async () => (await desks.build(place, 'true').ended) === 0, limitMs)
    expect((await leftOver(place)).versions).toBe(2)
    expect(supervisor.logs('took back the new version')).toEqual([])
    await supervisor.stop()
  }
  console.log(`${rounds} of ${cases.length} deaths, each followed by a finished update:\n${seen.join('\n')}`)
}, 600_000)

test('UPD-G8: a supervisor that dies while it takes a version back leaves the old one, which says in the end that it failed', async () => {
  await bundles.publish(`if (process.argv[2] === 'run') { process.exit(3) }\n${newer}`)
  const { id, place } = await desks.requested()
  const supervisor = await die('machine', place, await frozenAt('update.taken-back', place))
  const failed = await desks.until(id, 'failed')
  expect(failed.error).toBe('The new version ended with code 3 2 times, and was taken back')
  expect(failed.to_version).toBe(own)
  expect((await running(place)).version).toBe(own)
  await waitFor(async () => (await desks.build(place, 'true').ended) === 0, limitMs)
  await supervisor.stop()
})
