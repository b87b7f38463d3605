import type { TestHost } from '@crewhall/testkit/hosts/test-host.ts'
import { load } from 'js-yaml'
import { beforeAll, expect, test } from 'vitest'
import { identityOn, install, type OrderedDesk, useDeskService } from './desk-service.ts'

const service = useDeskService()
let host: TestHost
let desk: OrderedDesk
beforeAll(async () => {
  host = service.first
  desk = await service.order()
  await install(host, desk)
  await service.becomes(desk.workstation_id, 'ready')
})

const steps = [
  ['run_installer', 'Run the installer'],
  ['wg_register', 'Join the network'],
  ['sidecar_up', 'Start the sidecar'],
  ['ready', 'Ready for work'],
] as const

interface Stall {
  readonly step: (typeof steps)[number][0]
  readonly state: 'pending' | 'failed'
  readonly reason: string
  readonly hint: string
}

/** The whole checklist to the letter, in all three formats. */
async function expectStall(id: string, { step, state, reason, hint }: Stall): Promise<void> {
  const place = steps.findIndex(([key]) => key === step)
  const wanted = steps.map(([key, title], n) => {
    if (n < place) return { key, title, state: 'done', reason: null, hint: null, done: true }
    if (n === place) return { key, title, state, reason, hint, done: false }
    return { key, title, state: 'blocked', reason: `blocked_by:${step}`, hint: null, done: false }
  })
  expect((await service.show(id)).body.onboarding_steps).toEqual(wanted)
  const yaml = load((await service.show(id, '?format=yaml')).text) as { onboarding_steps: unknown }
  expect(yaml.onboarding_steps).toEqual(wanted)
  const marks: Readonly<Record<string, string>> = { done: 'x', pending: ' ', failed: '!', blocked: '-' }
  const lines = wanted.flatMap((each) => [
    `- [${marks[each.state]}] ${each.title}: ${[each.state, each.reason].filter(Boolean).map(asCode).join(', ')}`,
    ...(each.hint === null ? [] : [`  ${each.hint}`]),
  ])
  const { text } = await service.show(id, '?format=md')
  expect(text.replaceAll(/\\(.)/g, '$1')).toContain(`\n${lines.join('\n')}\n`)
}

const asCode = (word: string | null): string => `\`${word}\``

test('check 10, DESK-62: behind a firewall that lets nothing out, the checklist waits for the installer, and goes on when it is open', async () => {
  const closed = await service.newHost()
  const { install_command, workstation_id: id } = await service.order()
  const rules =
    'table inet closed { chain out { type filter hook output priority 0; policy drop; oif lo accept; }; }'
  await closed.must('nft --file -', { input: rules })
  const { output } = await closed.run(`timeout 10 bash -c ${JSON.stringify(install_command)}`)
  expect(output).toBe('')
  await expectStall(id, {
    step: 'run_installer',
    state: 'pending',
    reason: 'awaiting_callback',
    hint: 'Run the install command on the machine as root. If you have run it, check that the machine may connect out over HTTPS.',
  })
  await closed.must('nft delete table inet closed')
  await closed.must(install_command)
  await service.becomes(id, 'ready')
})

test('check 10, DESK-63: on a machine that hosts another desk, the checklist says so, and that desk goes on undisturbed', async () => {
  const before = await identityOn(host)
  const other = await service.order()
  const { code, output } = await host.run(other.install_command)
  expect([code, output]).toEqual([7, expect.stringContaining(`hosts the desk ${desk.workstation_id}`)])
  await expectStall(other.workstation_id, {
    step: 'sidecar_up',
    state: 'failed',
    reason: 'misrouted',
    hint: 'This machine hosts another desk. Run the install command on a machine of its own, or release the other desk first.',
  })
  expect(await identityOn(host)).toBe(before)
  expect((await service.show(desk.workstation_id)).body.status).toBe('ready')
})

test('check 10, DESK-64: a desk whose sidecar was stopped is unreachable, and ready when it runs again', async () => {
  await host.must('systemctl stop crewhall-sidecar')
  await service.becomes(desk.workstation_id, 'unreachable')
  await expectStall(desk.workstation_id, {
    step: 'sidecar_up',
    state: 'failed',
    reason: 'unreachable',
    hint: 'The sidecar has stopped answering. Check that the machine is on and online, then `systemctl restart crewhall-sidecar`.',
  })
  await host.must('systemctl start crewhall-sidecar')
  await service.becomes(desk.workstation_id, 'ready')
})
