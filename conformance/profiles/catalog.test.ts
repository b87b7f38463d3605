import { useSharedServer } from '@crewhall/testkit/shared-server.ts'
import { beforeAll, describe, expect, test } from 'vitest'
import { type Profile, ProfileWorkspace } from './profile-workspace.ts'

const server = useSharedServer('product')
let workspace: ProfileWorkspace
let all: Profile[]
beforeAll(async () => {
  workspace = await ProfileWorkspace.open(server)
  all = await workspace.list()
})

const keyCoders = ['claude', 'codex', 'openhands', 'opencode', 'pi']
const tiers = ['coding', 'docs', 'research', 'design', 'test', 'hard']
const of = (key: string): Profile => {
  const found = all.find((profile) => profile.key === key)
  if (!found) throw new Error(`there is no ${key}`)
  return found
}

test('PROF-01 PROF-02 PROF-G1 PROF-G4 PROF-26: the list is a bare array of 30 profiles, by coder and tier', async () => {
  const { status, body } = await workspace.call<Profile[]>('GET', '/api/v1/factory/coder-profiles')
  expect(status).toBe(200)
  expect(Array.isArray(body)).toBe(true)
  const expected = keyCoders.flatMap((coder) => tiers.map((tier) => `${coder}.${tier}`))
  expect(body.map(({ key }) => key)).toEqual(expected)
})

test('PROF-03: the coder is spelt claude_code where the key says claude', () => {
  for (const { key, coder } of all) {
    const prefix = key.split('.')[0]
    expect(coder).toBe(prefix === 'claude' ? 'claude_code' : prefix)
  }
})

test('PROF-04: a version is sha256 and twelve lowercase hex digits', () => {
  for (const { version } of all) expect(version).toMatch(/^sha256:[0-9a-f]{12}$/)
})

test('PROF-07: a task-type profile is recommended for its task type', () => {
  for (const tier of tiers.slice(0, 5)) {
    for (const coder of keyCoders) expect(of(`${coder}.${tier}`).recommended_for).toEqual([tier])
  }
})

test('PROF-08: a hard profile is recommended by one sentence', () => {
  for (const coder of keyCoders) {
    const { recommended_for } = of(`${coder}.hard`)
    expect(recommended_for).toHaveLength(1)
    expect(recommended_for[0]).toMatch(/^[A-Z][^.]+\.$/)
  }
})

test('PROF-09: codex and openhands name no model, the others do', () => {
  for (const { coder, model } of all) {
    if (coder === 'codex' || coder === 'openhands') expect(model).toBeNull()
    else expect(typeof model).toBe('string')
  }
})

test('PROF-10 PROF-11 PROF-14 PROF-16: effort, fallback, time limit and reason are always there, in their types', () => {
  for (const profile of all) {
    expect(profile).toHaveProperty('effort')
    expect(['string', 'object']).toContain(typeof profile.effort)
    expect(profile).toHaveProperty('fallback_model', null)
    const { wall_minutes } = profile.limits
    expect(wall_minutes === null || typeof wall_minutes === 'number').toBe(true)
    expect(profile.reason).toMatch(/^[A-Z].{20,}\.$/)
  }
})

test('PROF-12: only claude has a turn guard', () => {
  for (const { coder, limits } of all) {
    if (coder === 'claude_code') expect(limits.max_turns).toBeGreaterThan(0)
    else expect(limits.max_turns).toBeNull()
  }
})

test('PROF-13: only openhands and opencode have a step guard', () => {
  for (const { coder, limits } of all) {
    if (coder === 'openhands' || coder === 'opencode') expect(limits.max_steps).toBeGreaterThan(0)
    else expect(limits.max_steps).toBeNull()
  }
})

test('PROF-15: env holds settings for openhands and is null elsewhere', () => {
  for (const { coder, env } of all) {
    if (coder !== 'openhands') expect(env).toBeNull()
    else expect(Object.keys(env ?? {}).length).toBeGreaterThan(0)
  }
})

test('PROF-17 PROF-19: untouched, every source is the platform and the defaults are what holds', () => {
  for (const { sources, platform_defaults, model, effort, limits } of all) {
    expect(sources).toEqual({ model: 'platform', effort: 'platform', limit_value: 'platform' })
    const limit_value = limits.max_turns ?? limits.max_steps
    expect(platform_defaults).toEqual({ model, effort, limit_value })
  }
})

describe('hard profiles', () => {
  const guard = (max_turns: number | null, max_steps: number | null) => ({
    max_turns,
    max_steps,
    wall_minutes: 180,
  })
  test.each([
    ['PROF-21', 'claude.hard', 'claude-opus-5-5', 'max', guard(400, null)],
    ['PROF-22', 'codex.hard', null, 'high', guard(null, null)],
    ['PROF-23', 'openhands.hard', null, 'high', guard(null, 500)],
    ['PROF-24', 'opencode.hard', 'MiniMax-M3', 'high', guard(null, 300)],
    ['PROF-25', 'pi.hard', 'MiniMax-M3', 'high', guard(null, null)],
  ])('%s: %s has the values of the interface', (_, key, model, effort, limits) => {
    expect(of(key)).toMatchObject({ model, effort, limits })
  })
})

test('PROF-G2: the other tiers keep the model, ask for less effort and smaller guards, and take the time of the desk', () => {
  const efforts = ['low', 'medium', 'high', 'max']
  for (const coder of keyCoders) {
    const hard = of(`${coder}.hard`)
    for (const tier of tiers.slice(0, 5)) {
      const { model, effort, limits } = of(`${coder}.${tier}`)
      expect(model).toBe(hard.model)
      expect(efforts.indexOf(effort ?? '')).toBeLessThan(efforts.indexOf(hard.effort ?? ''))
      expect(limits.wall_minutes).toBeNull()
      for (const name of ['max_turns', 'max_steps'] as const) {
        if (hard.limits[name] === null) expect(limits[name]).toBeNull()
        else expect(limits[name]).toBeLessThan(hard.limits[name])
      }
    }
  }
})

test('PROF-28 PROF-G3: the coder narrows the list, in both spellings of claude; an unknown one gives nothing', async () => {
  const codex = await workspace.list('?coder=codex')
  expect(codex.map(({ key }) => key)).toEqual(tiers.map((tier) => `codex.${tier}`))
  const [short, long] = [await workspace.list('?coder=claude'), await workspace.list('?coder=claude_code')]
  expect(short).toHaveLength(6)
  expect(long).toEqual(short)
  expect(await workspace.list('?coder=Codex')).toEqual([])
})

test('PROF-29: a task type selects the profiles that are recommended for it', async () => {
  const docs = await workspace.list('?task_type=docs')
  expect(docs.map(({ key }) => key)).toEqual(keyCoders.map((coder) => `${coder}.docs`))
})

test('PROF-30: a task type that matches nothing gives an empty list', async () => {
  for (const type of ['cooking', '', 'Docs']) {
    const path = `/api/v1/factory/coder-profiles?task_type=${type}`
    expect(await workspace.call('GET', path)).toEqual({ status: 200, body: [] })
  }
})

test('PROF-31: a task type never selects a hard profile, nor does its own sentence', async () => {
  const sentence = of('claude.hard').recommended_for[0] ?? ''
  for (const type of ['hard', sentence]) {
    expect(await workspace.list(`?task_type=${encodeURIComponent(type)}`)).toEqual([])
  }
})

test('PROF-G4: with both filters, both must hold', async () => {
  const found = await workspace.list('?coder=pi&task_type=test')
  expect(found.map(({ key }) => key)).toEqual(['pi.test'])
})

test('PROF-32: one profile is read by its key, as the list shows it', async () => {
  for (const profile of all) expect(await workspace.read(profile.key)).toEqual(profile)
})

test('PROF-04: two processes give equal versions', async () => {
  const other = await server.start('api')
  const response = await fetch(`${other.url}/api/v1/factory/coder-profiles`, {
    headers: { authorization: `Bearer ${workspace.admin}` },
  })
  expect(await response.json()).toEqual(all)
})

test('a list that is answered again is the same to the byte, and JSON', async () => {
  const ask = () =>
    server.get('/api/v1/factory/coder-profiles', { headers: { authorization: `Bearer ${workspace.admin}` } })
  const [first, second] = [await ask(), await ask()]
  expect(second.headers.get('content-type')).toBe('application/json; charset=utf-8')
  expect(first.headers.get('content-type')).toBe('application/json; charset=utf-8')
  expect(await second.text()).toBe(await first.text())
})
