import { useSharedServer } from '@crewhall/testkit/shared-server.ts'
import { beforeEach, describe, expect, test } from 'vitest'
import { ProfileWorkspace } from './profile-workspace.ts'

const server = useSharedServer('product')
let workspace: ProfileWorkspace
beforeEach(async () => {
  workspace = await ProfileWorkspace.open(server)
})

const refused = (detail: string) => ({ status: 422, body: { detail } })
const empty = refused('Set at least one override field')
const unknownModel = refused('model must be one of: claude-opus-5-5, claude-sonnet-5')
const unknownEffort = refused('effort must be one of: low, medium, high')
const noLimit = refused("This profile doesn't take a limit choice")
const codexModel = refused("Codex doesn't take a model choice in a profile")
const openHandsModel = refused('OpenHands profiles take their model from the build, not the profile')
const openHandsEffort = refused("OpenHands doesn't take an effort choice in a profile")
const outOfRange = (most: number) =>
  refused(`limit_value must be from 1 up to the platform default of ${most}`)
const above = (value: string, most: number) =>
  refused(
    `${value} is above the platform limit of ${most} for this profile. Lower it, or leave it at the platform default.`,
  )

test('PROF-42 PROF-44 PROF-18: all three settings are changed at once, and the answer is what builds now receive', async () => {
  const before = await workspace.read('claude.hard')
  const { status, body } = await workspace.put('claude.hard', {
    model: 'claude-sonnet-5',
    effort: 'low',
    limit_value: 10,
  })
  expect(status).toBe(200)
  expect(body).toEqual({
    ...before,
    version: body.version,
    model: 'claude-sonnet-5',
    effort: 'low',
    limits: { ...before.limits, max_turns: 10 },
    sources: { model: 'brand', effort: 'brand', limit_value: 'brand' },
  })
  expect(body.version).not.toBe(before.version)
  expect(await workspace.read('claude.hard')).toEqual(body)
})

test('PROF-43: a setting that is not sent keeps its value', async () => {
  await workspace.put('claude.hard', { effort: 'low' })
  await workspace.put('claude.hard', { limit_value: 3 })
  const { body } = await workspace.put('claude.hard', { model: 'claude-sonnet-5' })
  expect(body).toMatchObject({ effort: 'low', limits: { max_turns: 3 }, model: 'claude-sonnet-5' })
})

test('PROF-20: the limit is the turn guard of claude and the step guard of openhands and opencode', async () => {
  expect((await workspace.put('claude.docs', { limit_value: 5 })).body.limits.max_turns).toBe(5)
  for (const key of ['openhands.docs', 'opencode.docs']) {
    const { limits } = (await workspace.put(key, { limit_value: 6 })).body
    expect(limits).toMatchObject({ max_turns: null, max_steps: 6 })
  }
})

test('PROF-05: the version changes with each setting a build receives, and with nothing else', async () => {
  const versions = [(await workspace.read('claude.hard')).version]
  for (const body of [{ effort: 'low' }, { limit_value: 399 }, { model: 'claude-sonnet-5' }]) {
    versions.push((await workspace.put('claude.hard', body)).body.version)
  }
  expect(new Set(versions).size).toBe(4)
  // What is stored now says `brand` where it said `platform`; a build receives the same.
  const before = (await workspace.read('opencode.docs')).version
  expect((await workspace.put('opencode.docs', { effort: 'low' })).body.version).toBe(before)
})

test('PROF-06: when everything is reset, the version is the earlier one', async () => {
  const before = await workspace.read('claude.hard')
  await workspace.put('claude.hard', { model: 'claude-sonnet-5', effort: 'low', limit_value: 10 })
  for (const field of ['model', 'effort', 'limit_value']) await workspace.reset('claude.hard', field)
  expect(await workspace.read('claude.hard')).toEqual(before)
})

test('PROF-G11: a value equal to the platform default is kept as a choice of the workspace', async () => {
  const before = await workspace.read('pi.docs')
  const { body } = await workspace.put('pi.docs', { effort: 'low' })
  expect(body).toEqual({ ...before, sources: { ...before.sources, effort: 'brand' } })
  expect(await workspace.history('pi.docs')).toMatchObject([{ old_value: null, new_value: 'low' }])
})

test.each([[undefined], [{}], ['{}']])(
  'PROF-45: an empty body (%j) sets nothing and is refused',
  async (body) => {
    expect(await workspace.put('claude.hard', body)).toEqual(empty)
  },
)

test.each(['fallback_model', 'tools', 'permissions', 'credentials', 'env'])(
  'PROF-46: %s is platform-only',
  async (field) => {
    const detail = `${field} is platform-only and cannot be overridden`
    for (const value of [null, 'x', {}]) {
      expect(await workspace.put('claude.hard', { [field]: value })).toEqual(refused(detail))
    }
  },
)

test('PROF-47 PROF-G8: the virtual environment of openhands is platform-only', async () => {
  const detail = 'venv is platform-only and cannot be overridden'
  expect(await workspace.put('openhands.hard', { venv: '/opt/venv' })).toEqual(refused(detail))
})

test.each(['wall_minutes', 'limits', 'reason', 'Model', ' model', 'constructor', 'toString', '0', ''])(
  'PROF-48: %j is not an editable field',
  async (field) => {
    const detail = `${field} is not an editable coder profile field`
    expect(await workspace.put('claude.hard', { [field]: 1 })).toEqual(refused(detail))
  },
)

test('PROF-77: the time limit cannot be changed by a workspace', async () => {
  const detail = 'wall_minutes is not an editable coder profile field'
  expect(await workspace.put('claude.hard', { wall_minutes: 60 })).toEqual(refused(detail))
  expect(await workspace.put('claude.hard', { effort: 'low', wall_minutes: 60 })).toEqual(refused(detail))
  expect((await workspace.read('claude.hard')).limits.wall_minutes).toBe(180)
})

test('a field name as long as a book is not sent back whole', async () => {
  const { status, body } = await workspace.put('claude.hard', { ['x'.repeat(100_000)]: 1 })
  expect(status).toBe(422)
  expect(body.detail).toBe(`${'x'.repeat(100)}… is not an editable coder profile field`)
})

test.each(['[]', '"effort"', '7', 'null', '{"effort":', '{"__proto__":{"effort":"low"}}'])(
  'SYS-G4: %s is no object of settings and is 422',
  async (body) => {
    const { status, body: answer } = await workspace.put('claude.hard', body)
    expect(status).toBe(422)
    expect(typeof answer.detail).toBe('string')
  },
)

describe('model', () => {
  test('PROF-49: codex takes none', async () => {
    expect(await workspace.put('codex.coding', { model: 'claude-opus-5-5' })).toEqual(codexModel)
    expect(await workspace.put('codex.coding', { model: 'nonsense' })).toEqual(codexModel)
  })

  test('PROF-50: openhands takes none', async () => {
    expect(await workspace.put('openhands.hard', { model: 'claude-opus-5-5' })).toEqual(openHandsModel)
    expect(await workspace.put('openhands.hard', { model: 7 })).toEqual(openHandsModel)
  })

  test.each(['claude.docs', 'opencode.docs', 'pi.docs'])(
    'PROF-51: %s takes the two models and refuses its own default where that is another',
    async (key) => {
      for (const model of ['claude-opus-5-5', 'claude-sonnet-5']) {
        expect((await workspace.put(key, { model })).body.model).toBe(model)
      }
      expect(await workspace.put(key, { model: 'MiniMax-M3' })).toEqual(unknownModel)
    },
  )

  test.each([['claude-opus-5'], ['Claude-opus-5-5'], [''], [null], [5], [['claude-opus-5-5']], [true]])(
    'PROF-52 PROF-G9: %j is none of them',
    async (model) => expect(await workspace.put('claude.hard', { model })).toEqual(unknownModel),
  )
})

describe('effort', () => {
  test.each(['low', 'medium', 'high'])('PROF-53: %s is accepted', async (effort) => {
    for (const key of ['claude.docs', 'codex.docs', 'opencode.docs', 'pi.docs']) {
      expect((await workspace.put(key, { effort })).body.effort).toBe(effort)
    }
  })

  test('PROF-54: openhands takes none, not even a good one', async () => {
    expect(await workspace.put('openhands.docs', { effort: 'low' })).toEqual(openHandsEffort)
    expect(await workspace.put('openhands.docs', { effort: 'nonsense' })).toEqual(openHandsEffort)
  })

  test.each([['none'], ['High'], ['high '], [null], [1], [{}]])(
    'PROF-55 PROF-G9: %j is refused',
    async (effort) => expect(await workspace.put('codex.hard', { effort })).toEqual(unknownEffort),
  )

  test('PROF-56: max is refused also where it is the default, and only a reset brings it back', async () => {
    expect(await workspace.put('claude.hard', { effort: 'max' })).toEqual(unknownEffort)
    await workspace.put('claude.hard', { effort: 'low' })
    expect(await workspace.put('claude.hard', { effort: 'max' })).toEqual(unknownEffort)
    expect((await workspace.reset('claude.hard', 'effort')).body.effort).toBe('max')
  })
})

describe('limit_value', () => {
  test.each([
    ['claude.hard', 400],
    ['openhands.hard', 500],
    ['opencode.coding', 150],
  ])('PROF-57: %s takes 1 and its platform default of %i', async (key, most) => {
    expect((await workspace.read(key)).platform_defaults.limit_value).toBe(most)
    for (const limit_value of [1, most]) {
      const { status, body } = await workspace.put(key, { limit_value })
      expect(status).toBe(200)
      expect(body.limits.max_turns ?? body.limits.max_steps).toBe(limit_value)
    }
  })

  test.each(['codex.hard', 'pi.docs'])('PROF-58: %s takes none, whatever the number', async (key) => {
    for (const limit_value of [1, 0, 'x', null]) {
      expect(await workspace.put(key, { limit_value })).toEqual(noLimit)
    }
  })

  test.each([['0'], ['-1'], ['-0'], ['2.5'], ['"5"'], ['true'], ['false'], ['null'], ['[5]'], ['1e999']])(
    'PROF-59 PROF-G9: %s is no whole number from 1 on',
    async (value) =>
      expect(await workspace.put('claude.hard', `{"limit_value":${value}}`)).toEqual(outOfRange(400)),
  )

  test.each([
    ['401', '401'],
    ['1000000000000000000000', '1e+21'],
  ])('PROF-60: %s is above the platform default', async (sent, told) =>
    expect(await workspace.put('claude.hard', `{"limit_value":${sent}}`)).toEqual(above(told, 400)),
  )

  test('PROF-G9: 5.0 is 5', async () => {
    const { status, body } = await workspace.put('claude.hard', '{"limit_value":5.0}')
    expect(status).toBe(200)
    expect(body.limits.max_turns).toBe(5)
  })
})

test('PROF-G10: of several faults the first in the published order answers', async () => {
  const all = { limit_value: 0, effort: 'x', model: 'x', strange: 1, env: {} }
  const { env: _, ...unknown } = all
  const { strange: __, ...model } = unknown
  const { model: ___, ...effort } = model
  const { effort: ____, ...limit } = effort
  expect(await workspace.put('claude.hard', all)).toEqual(
    refused('env is platform-only and cannot be overridden'),
  )
  expect(await workspace.put('claude.hard', unknown)).toEqual(
    refused('strange is not an editable coder profile field'),
  )
  expect(await workspace.put('claude.hard', model)).toEqual(unknownModel)
  expect(await workspace.put('claude.hard', effort)).toEqual(unknownEffort)
  expect(await workspace.put('claude.hard', limit)).toEqual(outOfRange(400))
})

test.each([
  ['claude.hard', { effort: 'low', limit_value: 401 }],
  ['claude.hard', { model: 'claude-sonnet-5', effort: 'max' }],
  ['claude.hard', { limit_value: 3, model: 'x' }],
  ['codex.docs', { effort: 'high', model: 'claude-opus-5-5' }],
  ['openhands.docs', { limit_value: 3, effort: 'low' }],
  ['claude.hard', { effort: 'low', strange: 1 }],
  ['claude.hard', { effort: 'low', env: {} }],
])('PROF-61: on %s, %j changes nothing, not even its good half', async (key, body) => {
  const before = await workspace.read(key)
  expect((await workspace.put(key, body)).status).toBe(422)
  expect(await workspace.read(key)).toEqual(before)
  expect(await workspace.history(key)).toEqual([])
})

describe('reset', () => {
  test.each([
    ['model', { model: 'claude-sonnet-5' }],
    ['effort', { effort: 'low' }],
    ['limit_value', { limit_value: 1 }],
  ])('PROF-62 PROF-63: %s goes back to the platform value, the others stay', async (field, body) => {
    const before = await workspace.read('claude.hard')
    const others = { model: 'claude-sonnet-5', effort: 'medium', limit_value: 9 }
    await workspace.put('claude.hard', { ...others, ...body })
    const { status, body: after } = await workspace.reset('claude.hard', field)
    expect(status).toBe(200)
    expect(after.platform_defaults).toEqual(before.platform_defaults)
    const held = { model: after.model, effort: after.effort, limit_value: after.limits.max_turns }
    expect(held).toEqual({ ...others, [field]: { ...before.platform_defaults }[field] })
    expect(after.sources).toEqual({
      model: 'brand',
      effort: 'brand',
      limit_value: 'brand',
      [field]: 'platform',
    })
    expect(await workspace.read('claude.hard')).toEqual(after)
  })

  test('PROF-64: an unchanged setting is answered with the profile and leaves no record', async () => {
    const before = await workspace.read('claude.hard')
    expect(await workspace.reset('claude.hard', 'effort')).toEqual({ status: 200, body: before })
    await workspace.put('claude.hard', { model: 'claude-sonnet-5' })
    expect((await workspace.reset('claude.hard', 'effort')).status).toBe(200)
    expect((await workspace.history('claude.hard')).map(({ field }) => field)).toEqual(['model'])
  })

  test.each(['fallback_model', 'tools', 'permissions', 'credentials', 'env', 'venv'])(
    'PROF-65: %s is platform-only here too',
    async (field) => {
      const detail = `${field} is platform-only and cannot be overridden`
      expect(await workspace.reset('claude.hard', field)).toEqual(refused(detail))
    },
  )

  test.each(['wall_minutes', 'limits', 'Effort', 'constructor', '*'])(
    'PROF-66: %s is not editable here either',
    async (field) => {
      const detail = `${field} is not an editable coder profile field`
      expect(await workspace.reset('claude.hard', field)).toEqual(refused(detail))
    },
  )

  test.each([
    ['codex.hard', 'model', codexModel],
    ['openhands.hard', 'model', openHandsModel],
    ['openhands.hard', 'effort', openHandsEffort],
    ['codex.hard', 'limit_value', noLimit],
    ['pi.hard', 'limit_value', noLimit],
  ])('PROF-67: %s has no %s to reset', async (key, field, answer) => {
    expect(await workspace.reset(key, field)).toEqual(answer)
  })
})
