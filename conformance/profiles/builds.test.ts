import { useSharedServer } from '@crewhall/testkit/shared-server.ts'
import { bearer } from '@crewhall/testkit/world/call.ts'
import { beforeAll, expect, test } from 'vitest'
import { ProfileWorkspace } from './profile-workspace.ts'

// What a build would start with, asked for by the route that shows it. Cards and desks call the same function.

const server = useSharedServer('product')
let workspace: ProfileWorkspace
beforeAll(async () => {
  workspace = await ProfileWorkspace.open(server)
})

interface Settings {
  profile_key: string | null
  profile_version: string | null
  skipped: string | null
  model: string | null
  effort: string | null
  limits: { max_turns: number | null; max_steps: number | null; wall_minutes: number }
  env: Record<string, string> | null
}

async function build(profile: unknown, desk: Record<string, unknown>): Promise<Settings> {
  const agent_context = profile === undefined ? {} : { profile, other: ['anything'] }
  const path = '/api/v1/factory/build-settings'
  const { status, body } = await workspace.call<Settings>(
    'POST',
    path,
    { agent_context, desk },
    bearer(workspace.member),
  )
  expect(status).toBe(200)
  return body
}

const claude = { coder: 'claude_code' }
const ownDefaults = { profile_key: null, profile_version: null, model: null, effort: null, env: null }
const minutes = async (profile: string, desk: Record<string, unknown>) =>
  (await build(profile, desk)).limits.wall_minutes

test('PROF-69: the card names the profile in agent_context.profile', async () => {
  const { version } = await workspace.read('codex.coding')
  expect(await build('codex.coding', { coder: 'codex' })).toMatchObject({
    profile_key: 'codex.coding',
    profile_version: version,
    skipped: null,
    effort: 'medium',
  })
  expect(await build(undefined, claude)).toMatchObject({ ...ownDefaults, skipped: 'not_named' })
})

test('PROF-70: a desk with another coder skips the profile and builds with its own defaults', async () => {
  expect(await build('claude.hard', { coder: 'codex' })).toEqual({
    ...ownDefaults,
    skipped: 'other_coder',
    fallback_model: null,
    limits: { max_turns: null, max_steps: null, wall_minutes: 120 },
  })
})

test.each([['claude.none'], [''], ['__proto__'], [7], [null], [{ key: 'claude.hard' }], [['claude.hard']]])(
  'PROF-71 PROF-G13: the profile %j fails no build',
  async (profile) => {
    const settings = await build(profile, claude)
    expect(settings).toMatchObject(ownDefaults)
    expect(settings.skipped).not.toBeNull()
    expect(settings.limits.wall_minutes).toBe(120)
  },
)

test('PROF-71: a coder that the workspace closed fails no build either', async () => {
  await workspace.open('pi', false)
  expect(await build('pi.hard', { coder: 'pi' })).toMatchObject({ ...ownDefaults, skipped: 'not_found' })
  await workspace.open('pi', true)
})

test('PROF-72, VER-02: a build that starts after a change gets it, one that started before keeps what it got', async () => {
  const before = await build('claude.design', claude)
  await workspace.put('claude.design', { effort: 'low', limit_value: 11 })
  const after = await build('claude.design', claude)
  expect(before).toMatchObject({ effort: 'high', limits: { max_turns: 160 } })
  expect(after).toMatchObject({ effort: 'low', limits: { max_turns: 11 } })
  expect(after.profile_version).not.toBe(before.profile_version)
  expect(after.profile_version).toBe((await workspace.read('claude.design')).version)
})

test('PROF-73: the build gets the longer of the two limits and never more than the ceiling', async () => {
  expect(await minutes('claude.hard', { ...claude, limit_minutes: 60 })).toBe(180)
  expect(await minutes('claude.hard', { ...claude, limit_minutes: 200 })).toBe(200)
  expect(await minutes('claude.hard', { ...claude, limit_minutes: 60, ceiling_minutes: 90 })).toBe(90)
  expect(await minutes('claude.hard', { ...claude, limit_minutes: 300 })).toBe(240)
})

test('PROF-74: the limit of the desk is 120 minutes unless its owner changed it', async () => {
  expect(await minutes('claude.docs', claude)).toBe(120)
  expect(await minutes('claude.docs', { ...claude, limit_minutes: 45 })).toBe(45)
})

test('PROF-75: the ceiling is 240 minutes by default', async () => {
  expect(await minutes('claude.docs', { ...claude, limit_minutes: 100_000 })).toBe(240)
  expect(await minutes('claude.docs', { ...claude, limit_minutes: 500, ceiling_minutes: 600 })).toBe(500)
})

test('PROF-76: a profile without a time limit takes that of the desk, cut at the ceiling', async () => {
  expect(await minutes('claude.docs', { ...claude, limit_minutes: 7 })).toBe(7)
  expect(await minutes('claude.docs', { ...claude, limit_minutes: 100, ceiling_minutes: 30 })).toBe(30)
})

test('the env of openhands reaches its builds', async () => {
  const { env } = await workspace.read('openhands.hard')
  expect((await build('openhands.hard', { coder: 'openhands' })).env).toEqual(env)
})
