import { DeskCaller } from '@crewhall/testkit/desk-caller.ts'
import { type SidecarProcess, useSidecars } from '@crewhall/testkit/sidecar-process.ts'
import { useServer } from '@crewhall/testkit/test-server.ts'
import { waitFor } from '@crewhall/testkit/wait-for.ts'
import { beforeAll, expect, test } from 'vitest'
import { join } from './desk-agent.ts'
import { DeskWorkspace } from './desk-workspace.ts'

const env = { DESK_NETWORKS: '127.0.0.0/8', DESK_CHECK_INTERVAL_MS: '300' }
const server = useServer('product', env)
const sidecars = useSidecars()
let at: DeskWorkspace
beforeAll(async () => {
  at = await DeskWorkspace.open(server)
})

const limitMs = 60_000
const order = ['run_installer', 'wg_register', 'sidecar_up', 'ready'] as const

interface Stall {
  readonly step: (typeof order)[number]
  readonly state: 'pending' | 'failed'
  readonly reason: string
}

/** Waits for this stall, and holds the whole checklist to it, in JSON and in Markdown. */
async function expectStall(id: string, { step, state, reason }: Stall): Promise<void> {
  const place = order.indexOf(step)
  const wanted = order.map((key, n) => {
    if (n < place) return [key, 'done', null, true]
    return n === place ? [key, state, reason, false] : [key, 'blocked', `blocked_by:${step}`, false]
  })
  const { onboarding_steps: steps } = await waitFor(async () => {
    const { body } = await at.show(id)
    return body.onboarding_steps[place]?.reason === reason && body
  }, limitMs)
  expect(steps.map(({ key, state, reason, done }) => [key, state, reason, done])).toEqual(wanted)
  expect(steps.map(({ hint }) => hint !== null)).toEqual(order.map((_, n) => n === place))
  const marks = wanted.map(
    ([, state]) => ({ done: 'x', pending: ' ', failed: '!', blocked: '-' })[String(state)],
  )
  const lines = (await at.show(id, '?format=md')).text.split('\n').filter((line) => /^- \[.\] /.test(line))
  expect(lines.map((line) => line[3])).toEqual(marks)
  expect(lines[place]).toContain(`\`${state}\`, \`${reason}\``)
}

test('check 10, DESK-29, DESK-53, DESK-57 to DESK-61, DESK-63, DESK-64, DESK-G18 to DESK-G20: every stall has its one cause', async () => {
  const seen: string[] = []
  const stalls = async (id: string, stall: Stall) => {
    await expectStall(id, stall)
    seen.push(stall.reason)
  }
  const silent = await at.ordered({ name: 'Silent' })
  await stalls(silent.workstation_id, {
    step: 'run_installer',
    state: 'pending',
    reason: 'awaiting_callback',
  })

  const joined = await at.ordered({ name: 'Joined' })
  expect((await join(server.get, new DeskCaller(joined.workstation_id, joined.pat))).status).toBe(200)
  await stalls(joined.workstation_id, { step: 'wg_register', state: 'pending', reason: 'awaiting_wg_peer' })

  // No worker checks yet, so that the sidecar is heard and not asked.
  const desks: { id: string; sidecar: SidecarProcess }[] = []
  for (const name of ['One', 'Two']) {
    const { workstation_id: id, pat } = await at.ordered({ name })
    desks.push({ id, sidecar: await sidecars.start({ server_url: server.api.url, env_id: id, pat }) })
  }
  const [one, two] = desks as [(typeof desks)[0], (typeof desks)[0]]
  await stalls(one.id, { step: 'sidecar_up', state: 'pending', reason: 'awaiting_first_health_check' })
  await at.change(one.id, { status: 'suspended' })
  await stalls(one.id, { step: 'sidecar_up', state: 'pending', reason: 'suspended' })
  await at.change(one.id, { status: 'provisioned' })

  await server.start('worker')
  await waitFor(async () => (await at.list()).items.filter(({ ready }) => ready).length === 2, limitMs)
  await at.change(one.id, { sidecar_url: two.sidecar.place.url })
  await stalls(one.id, { step: 'sidecar_up', state: 'failed', reason: 'misrouted' })
  await two.sidecar.kill()
  await stalls(two.id, { step: 'sidecar_up', state: 'failed', reason: 'unreachable' })
  console.log(`${seen.length} stalls, each with one hint: ${seen.join(', ')}`)
})
