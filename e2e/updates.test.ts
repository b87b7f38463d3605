import { randomInt } from 'node:crypto'
import { startFairTime } from '@crewhall/testkit/fair-time.ts'
import type { TestHost } from '@crewhall/testkit/hosts/test-host.ts'
import { scaled } from '@crewhall/testkit/rounds.ts'
import { waitFor } from '@crewhall/testkit/wait-for.ts'
import { beforeAll, expect, test } from 'vitest'
import { install, type OrderedDesk, useDeskService } from './desk-service.ts'

const service = useDeskService()
let host: TestHost
let desk: OrderedDesk
let id = ''
let own = ''
beforeAll(async () => {
  host = service.first
  desk = await service.order()
  id = desk.workstation_id
  await install(host, desk)
  await service.becomes(id, 'ready')
  own = await running()
})

const limitMs = 120_000

/** The version that the link points to. */
const running = async () =>
  /sidecar\/versions\/([^-]+)-/.exec(await host.must('readlink -f /opt/crewhall/sidecar/current'))?.[1] ?? ''

/** Waits until the last update is in this state; any other end is an error. */
const until = (state: string) =>
  waitFor(async () => {
    const update = await service.update(id)
    if (update.state !== state && ['done', 'failed'].includes(update.state))
      throw new Error(`the update ended as ${update.state}: ${update.error}`)
    return update.state === state && update
  }, limitMs)

/** The next report comes at once, and the command with it. */
const hurry = () => host.must('systemctl restart crewhall-sidecar')

const swapLimitS = 10

test(`check 23, UPD-09: an update waits for the build on the machine, and begins within ${swapLimitS} s of its end`, async () => {
  await host.must(
    'systemd-run --unit a-build /opt/crewhall/bin/crewhall-sidecar build sh -c "until [ -e /root/go ]; do sleep 0.1; done; echo built > /root/built"',
  )
  await waitFor(async () => (await host.must('ls /var/lib/crewhall/builds')) !== '', limitMs)
  await service.publish('98.0.1')
  await service.requestUpdate(id)
  await hurry()
  const log = 'journalctl --unit crewhall-sidecar --output cat'
  await waitFor(async () => (await host.must(log)).includes('an update waits for builds'), limitMs)
  expect((await host.run('/opt/crewhall/bin/crewhall-sidecar build true')).code).toBe(75)
  expect(await running()).toBe(own)
  expect((await host.run('systemctl is-active a-build')).output.trim()).toBe('active')
  const elapsed = startFairTime()
  await host.must('touch /root/go')
  await waitFor(async () => (await running()) === '98.0.1', limitMs)
  const waited = elapsed() / 1000
  expect(await host.must('cat /root/built')).toBe('built')
  expect(await until('done')).toMatchObject({ error: null, from_version: own, to_version: '98.0.1' })
  await service.becomes(id, 'ready')
  await waitFor(
    async () => (await host.run('/opt/crewhall/bin/crewhall-sidecar build true')).code === 0,
    limitMs,
  )
  console.log(`swapped ${waited.toFixed(1)} s after the build had ended`)
  expect(waited).toBeLessThanOrEqual(swapLimitS)
})

const rollbackLimitS = 90

test(`check 23: a version that crashes on the machine is taken back, and the desk is ready within ${rollbackLimitS} s`, async () => {
  const before = await running()
  await service.publish(
    '98.1.0',
    (code) => `if (process.argv[2] === 'run') { console.log('bad'); process.exit(3) }\n${code}`,
  )
  await service.requestUpdate(id)
  await hurry()
  const elapsed = startFairTime()
  const log = "journalctl --unit crewhall-sidecar --output cat | grep -c '^bad$'"
  await waitFor(async () => (await host.run(log)).output.trim() === '2', limitMs)
  const { error, to_version } = await until('failed')
  expect([error, to_version]).toEqual([
    'The new version ended with code 3 2 times, and was taken back',
    before,
  ])
  await service.becomes(id, 'ready')
  const took = elapsed() / 1000
  console.log(`crashed twice, taken back and ready ${took.toFixed(1)} s after the request`)
  expect(took).toBeLessThanOrEqual(rollbackLimitS)
  expect(await running()).toBe(before)
  expect(await host.must('systemctl show --property NRestarts --value crewhall-sidecar')).toBe('0')
})

test('check 23: a bundle with one flipped byte is refused by the machine', async () => {
  const before = await running()
  await service.publish('98.1.1', undefined, { is_flipped: true })
  await service.requestUpdate(id)
  await hurry()
  expect((await until('failed')).error).toBe('The file does not have the digest that was signed')
  expect(await running()).toBe(before)
})

/** In the order of an update, from its command to its report. */
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
const cuts = scaled(points.length, 3)
/** As many, spread over all of them. */
const chosen = Array.from(
  { length: cuts },
  (_, n) => points[Math.floor(((n + 0.5) * points.length) / cuts)] ?? '',
)

/** Shorter than for people, and long enough for a step of its own. */
const shortenProbation = () =>
  host.must(
    `grep -q probation_s /etc/crewhall/sidecar.json || sed -i 's/"root_key"/"probation_s": 1, "root_key"/' /etc/crewhall/sidecar.json`,
  )

const trials = scaled(100, 4)
const longestBuildS = 1

test(`check 23: ${trials} random updates of a machine that builds all the time kill no build, and bad ones are taken back or refused`, async () => {
  await shortenProbation()
  // Each build says that it has begun and that it has ended. One that may not begin is told so with 75.
  await host.must('cat > /root/builder; systemd-run --unit builder sh /root/builder', {
    input: `while [ ! -e /root/enough ]; do
      /opt/crewhall/bin/crewhall-sidecar build sh -c 'echo >> /root/begun; sleep 0.'$(od -An -N1 -tu1 /dev/urandom | tr -d ' ')'; echo >> /root/ended'
      code=$?; [ $code = 0 ] || [ $code = 75 ] || echo $code >> /root/broken
      sleep 0.3
    done\n`,
  })
  const kinds = ['good', 'good', 'flipped', 'crashing'] as const
  const seen = { good: 0, flipped: 0, crashing: 0 }
  const waits: number[] = []
  const readyAgain: number[] = []
  for (let n = 0; n < trials; n += 1) {
    const kind = trials > kinds.length ? kinds[randomInt(kinds.length)] : kinds[n]
    if (!kind) throw new Error('there are four')
    seen[kind] += 1
    const [from, to] = [await running(), `98.3.${n}`]
    const crash = (code: string) => `if (process.argv[2] === 'run') process.exit(3)\n${code}`
    await service.publish(to, kind === 'crashing' ? crash : undefined, { is_flipped: kind === 'flipped' })
    await service.requestUpdate(id)
    await hurry()
    const elapsed = startFairTime()
    if (kind === 'good') {
      await waitFor(async () => (await running()) === to, limitMs)
      waits.push(elapsed() / 1000)
      await until('done')
    } else {
      const { error } = await until('failed')
      expect(error, to).toMatch(kind === 'flipped' ? /digest/ : /ended with code 3/)
      expect(await running(), to).toBe(from)
      await service.becomes(id, 'ready')
      readyAgain.push(elapsed() / 1000)
    }
  }
  await host.must('touch /root/enough')
  await waitFor(
    async () => (await host.run('systemctl is-active builder')).output.trim() !== 'active',
    limitMs,
  )
  const lines = async (file: string) => Number(await host.must(`cat ${file} 2>/dev/null | wc -l`))
  const [begun, ended] = [await lines('/root/begun'), await lines('/root/ended')]
  const most = (times: readonly number[]) => Math.max(0, ...times).toFixed(1)
  console.log(
    `${JSON.stringify(seen)}: ${begun} builds begun, ${ended} ended; swapped at most ${most(waits)} s after the command, ready again after ${most(readyAgain)} s`,
  )
  expect(begun).toBeGreaterThan(0)
  expect(ended).toBe(begun)
  expect(await lines('/root/broken')).toBe(0)
  expect(Math.max(0, ...waits)).toBeLessThanOrEqual(swapLimitS + longestBuildS)
  expect(Math.max(0, ...readyAgain)).toBeLessThanOrEqual(rollbackLimitS)
})

test(`check 23: the power of the machine is cut at ${cuts} of ${points.length} steps of an update, and each time a sidecar starts and ends it`, async () => {
  const plan = '/root/plan'
  const unit = '/etc/systemd/system/crewhall-sidecar.service.d'
  await host.must(`mkdir -p ${unit}; : > ${plan}; cat > ${unit}/plan.conf; systemctl daemon-reload`, {
    input: `[Service]\nEnvironment=TEST_FAULT_POINTS=@${plan}\n`,
  })
  await shortenProbation()
  const seen: string[] = []
  for (const [n, point] of chosen.entries()) {
    const [from, to] = [await running(), `98.4.${n}`]
    await service.publish(to)
    await service.requestUpdate(id)
    await host.must(`echo '${point}:stop@1' > ${plan}`)
    await hurry()
    await waitFor(
      async () => /^T/m.test(await host.must("ps -eo stat=,args= | awk '/sidecar[.]mjs/'")),
      limitMs,
    )
    await host.must(`: > ${plan}; sync`)
    await host.cutPower()
    await host.boot()
    const came = await running()
    expect([from, to], point).toContain(came)
    seen.push(`${point}: ${came} when the machine was up`)
    await service.becomes(id, 'ready')
    expect(await until('done'), point).toMatchObject({ error: null, to_version: to })
    expect(await running(), point).toBe(to)
    await waitFor(
      async () => (await host.run('/opt/crewhall/bin/crewhall-sidecar build true')).code === 0,
      limitMs,
    )
  }
  console.log(`${cuts} of ${points.length} cuts, each followed by a finished update:\n${seen.join('\n')}`)
})
