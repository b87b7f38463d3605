import { useServer } from '@crewhall/testkit/test-server.ts'
import { World } from '@crewhall/testkit/world/world.ts'
import { describe, expect, test } from 'vitest'
import { adminEnv, featureVerbs, keys } from './feature-verbs.ts'

const server = useServer('product', adminEnv)
const at = new World(server)
const { newAdmin, join, read, put, operate } = featureVerbs(at)
const untouched = { source: 'plan_default', changed_by: null, changed_at: null }
const locked = { status: 409, body: { detail: 'This feature is not included in the workspace plan' } }

describe('the switches of a workspace in which nobody has set one', () => {
  test('FEAT-01: an answer holds new_navigation and switches, and nothing else', async () => {
    const { status, body } = await read(await newAdmin())
    expect([status, Object.keys(body)]).toEqual([200, ['new_navigation', 'switches']])
  })

  test('FEAT-02: a new workspace uses the current navigation, one that stays on the old one says so', async () => {
    const admin = await newAdmin()
    expect((await read(admin)).body.new_navigation).toBe(true)
    await at.sql('insert into workspaces.preferences (brand_id, new_navigation) values ($1, false)', [
      admin.brand_id,
    ])
    expect((await read(admin)).body.new_navigation).toBe(false)
  })

  test('FEAT-03: all four keys are there, also those that are locked', async () => {
    for (const plan of ['free', 'business']) {
      const { body } = await read(await newAdmin(plan))
      expect(Object.keys(body.switches)).toEqual(keys)
    }
  })

  test('FEAT-04, FEAT-05, FEAT-G2: what the plan includes is on, the rest is locked and off', async () => {
    const states = async (plan: string) => {
      const { switches } = (await read(await newAdmin(plan))).body
      return keys.map((key) => [switches[key].on, switches[key].locked_by_plan])
    }
    const [open, shut] = [
      [true, false],
      [false, true],
    ]
    expect(await states('free')).toEqual([open, open, shut, shut])
    expect(await states('team')).toEqual([open, open, open, shut])
    expect(await states('business')).toEqual([open, open, open, open])
  })

  test('FEAT-06, FEAT-09, FEAT-10: they come from the plan, and changed_by and changed_at are there as null', async () => {
    const { switches } = (await read(await newAdmin())).body
    for (const key of keys) expect(switches[key]).toMatchObject(untouched)
  })

  test('FEAT-11, FEAT-G1: each counts one kind of thing, and none of it is 0', async () => {
    const { switches } = (await read(await newAdmin())).body
    expect(keys.map((key) => switches[key].holds)).toEqual([
      { installed_packages: 0 },
      { feed_sources: 0 },
      { machines: 0 },
      { crm_boards: 0 },
    ])
  })
})

describe('format', () => {
  test('FEAT-G4: without it the answer is JSON', async () => {
    const response = await read(await newAdmin())
    expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8')
  })

  test('FEAT-14, FEAT-G4: yaml is the same data as application/yaml', async () => {
    const admin = await newAdmin()
    await put(admin, 'feed', { on: false })
    const { changed_at } = (await read(admin)).body.switches.feed
    const response = await read(admin, '?format=yaml')
    expect([response.status, response.headers.get('content-type')]).toEqual([
      200,
      'application/yaml; charset=utf-8',
    ])
    const nobody = ['    changed_by: null', '    changed_at: null']
    const set = [
      '    changed_by:',
      `      user_id: ${admin.person_id}`,
      '      name: Ann Example',
      `    changed_at: "${changed_at}"`,
    ]
    const part = (key: string, facts: readonly [boolean, boolean, string], who: string[], held: string) => [
      `  ${key}:`,
      // A reader of YAML 1.1 takes a bare `on` for true.
      `    "on": ${facts[0]}`,
      `    locked_by_plan: ${facts[1]}`,
      `    source: ${facts[2]}`,
      ...who,
      '    holds:',
      `      ${held}: 0`,
    ]
    expect(response.text.split('\n')).toEqual([
      'new_navigation: true',
      'switches:',
      ...part('skills', [true, false, 'plan_default'], nobody, 'installed_packages'),
      ...part('feed', [false, false, 'admin'], set, 'feed_sources'),
      ...part('machines', [false, true, 'plan_default'], nobody, 'machines'),
      ...part('crm', [false, true, 'plan_default'], nobody, 'crm_boards'),
      '',
    ])
  })

  test('FEAT-14, FEAT-G4: md is the same data as text/markdown', async () => {
    const response = await read(await newAdmin(), '?format=md')
    expect([response.status, response.headers.get('content-type')]).toEqual([
      200,
      'text/markdown; charset=utf-8',
    ])
    const lines = response.text.split('\n').filter(Boolean)
    const part = (key: string, open: boolean, held: string) => [
      `### ${key}`,
      `- **on**: ${open}`,
      `- **locked_by_plan**: ${!open}`,
      '- **source**: plan\\_default',
      '- **changed_by**: -',
      '- **changed_at**: -',
      '#### holds',
      `- **${held}**: 0`,
    ]
    expect(lines).toEqual([
      '- **new_navigation**: true',
      '## switches',
      ...part('skills', true, 'installed_packages'),
      ...part('feed', true, 'feed_sources'),
      ...part('machines', false, 'machines'),
      ...part('crm', false, 'crm_boards'),
    ])
  })

  test.each(['json', 'YAML', 'Md', '', 'yml', '%20yaml', 'yaml&format=yaml', 'yaml&format=md'])(
    'FEAT-15: format=%s is 422',
    async (format) => {
      const { status, body } = await read(await newAdmin(), `?format=${format}`)
      expect([status, body.detail]).toEqual([422, 'format: must be one of yaml, md'])
    },
  )

  test('FEAT-G8: a change takes no notice of it and answers JSON', async () => {
    const { status, body } = await put(await newAdmin(), 'feed', { on: false }, '?format=json')
    expect([status, body.switches.feed.on]).toEqual([200, false])
  })
})

describe('setting a switch', () => {
  test('FEAT-17: the answer is the whole object, as the next read tells it', async () => {
    const admin = await newAdmin()
    const { status, body } = await put(admin, 'feed', { on: false })
    expect(status).toBe(200)
    expect(Object.keys(body.switches)).toEqual(keys)
    expect(body).toEqual((await read(admin)).body)
  })

  test.each([true, false])('FEAT-20: with on %s it is so afterwards', async (on) => {
    const admin = await newAdmin()
    await put(admin, 'skills', { on: !on })
    await put(admin, 'skills', { on })
    expect((await read(admin)).body.switches.skills.on).toBe(on)
  })

  test('FEAT-08: it says admin also when the value is that of the plan', async () => {
    const admin = await newAdmin()
    expect((await read(admin)).body.switches.skills).toMatchObject({ on: true, source: 'plan_default' })
    await put(admin, 'skills', { on: true })
    expect((await read(admin)).body.switches.skills).toMatchObject({ on: true, source: 'admin' })
  })

  test('FEAT-09, FEAT-21: it names who did it and when', async () => {
    const admin = await newAdmin()
    const [before] = await at.sql<{ now: Date }>('select clock_timestamp() as now')
    await put(admin, 'feed', { on: false })
    const [after] = await at.sql<{ now: Date }>('select clock_timestamp() as now')
    const { source, changed_by, changed_at } = (await read(admin)).body.switches.feed
    expect([source, changed_by]).toEqual(['admin', { user_id: admin.person_id, name: 'Ann Example' }])
    const time = new Date(changed_at ?? '').getTime()
    expect(time).toBeGreaterThanOrEqual(before?.now.getTime() ?? Number.NaN)
    expect(time).toBeLessThanOrEqual(after?.now.getTime() ?? Number.NaN)
  })

  test('FEAT-09: the name is the one that the person has now', async () => {
    const admin = await newAdmin()
    await put(admin, 'feed', { on: false })
    await at.sql(`update identity.people set full_name = 'Ann Renamed' where id = $1`, [admin.person_id])
    const { changed_by } = (await read(admin)).body.switches.feed
    expect(changed_by).toEqual({ user_id: admin.person_id, name: 'Ann Renamed' })
  })

  test('FEAT-09: an admin who has left the workspace is still named', async () => {
    const ann = await newAdmin()
    const ben = await join(ann.brand_id)
    await put(ben, 'feed', { on: false })
    await at.sql(
      `update identity.memberships set status = 'removed' where brand_id = $1 and person_id = $2`,
      [ben.brand_id, ben.person_id],
    )
    const { changed_by } = (await read(ann)).body.switches.feed
    expect(changed_by).toEqual({ user_id: ben.person_id, name: 'Ann Example' })
  })

  test('FEAT-G6: the value that is there already counts as a new setting', async () => {
    const ann = await newAdmin()
    const ben = await join(ann.brand_id)
    const first = (await put(ann, 'feed', { on: false })).body.switches.feed
    const second = (await put(ben, 'feed', { on: false })).body.switches.feed
    expect(second.changed_by?.user_id).toBe(ben.person_id)
    expect(String(second.changed_at) > String(first.changed_at)).toBe(true)
  })

  test('FEAT-21: the other switches stay as they were', async () => {
    const admin = await newAdmin()
    const before = (await read(admin)).body.switches
    const { feed, ...others } = (await put(admin, 'feed', { on: false })).body.switches
    const { feed: old, ...same } = before
    expect(others).toEqual(same)
    expect(feed).not.toEqual(old)
  })

  // There is no dashboard yet. What it will read says off, and the rest of the answer is unchanged.
  test('FEAT-13: a feature that was turned off is told as off to whoever shows the workspace', async () => {
    const admin = await newAdmin()
    const viewer = await join(admin.brand_id, 'member')
    await put(admin, 'skills', { on: false })
    expect((await read(viewer)).body.switches.skills.on).toBe(false)
  })

  test.each(['Skills', 'CRM', 'nothing', 'skills%20', 'on', '%00', 'skills%2Ffeed'])(
    'FEAT-18: the key %s is 422',
    async (key) => {
      const { status, body } = await put(await newAdmin(), key, { on: true })
      expect([status, body.detail]).toEqual([422, 'key: must be one of skills, feed, machines, crm'])
    },
  )

  test('FEAT-19: a body without on is 422', async () => {
    const { status, body } = await put(await newAdmin(), 'feed', {})
    expect([status, body.detail]).toEqual([422, 'on: is required'])
  })

  test.each(['true', 1, 0, null, [true], {}])('FEAT-G5: on %j is 422', async (on) => {
    const admin = await newAdmin()
    expect((await put(admin, 'feed', { on })).status).toBe(422)
    expect((await read(admin)).body.switches.feed).toMatchObject(untouched)
  })
})

describe('a plan that lacks the feature', () => {
  test('FEAT-22: turning on is 409', async () => {
    expect(await put(await newAdmin('team'), 'crm', { on: true })).toMatchObject(locked)
  })

  test('FEAT-23: the refused change leaves a switch that nobody set untouched', async () => {
    const admin = await newAdmin()
    const before = await read(admin)
    expect((await put(admin, 'crm', { on: true })).status).toBe(409)
    expect((await read(admin)).body).toEqual(before.body)
  })

  test('FEAT-23: the refused change leaves a switch that another admin set untouched', async () => {
    const ann = await newAdmin()
    const ben = await join(ann.brand_id)
    const { body } = await put(ann, 'crm', { on: false })
    expect((await put(ben, 'crm', { on: true })).status).toBe(409)
    expect((await read(ann)).body).toEqual(body)
  })

  test('FEAT-24: turning off is 200', async () => {
    const admin = await newAdmin()
    const { status, body } = await put(admin, 'crm', { on: false })
    expect(status).toBe(200)
    expect(body.switches.crm).toMatchObject({ on: false, locked_by_plan: true, source: 'admin' })
  })

  test('FEAT-G7: a feature that is on is locked and off when the workspace moves to it', async () => {
    const admin = await newAdmin('business')
    await put(admin, 'crm', { on: true })
    await operate(`/brands/${admin.brand_id}/plan`, { plan_key: 'free' })
    expect((await read(admin)).body.switches.crm).toMatchObject({
      on: false,
      locked_by_plan: true,
      source: 'admin',
      changed_by: { user_id: admin.person_id },
    })
  })

  test.each([true, false])('FEAT-G7: the choice %s counts again with a plan that has it', async (on) => {
    const admin = await newAdmin('business')
    const { body } = await put(admin, 'crm', { on })
    await operate(`/brands/${admin.brand_id}/plan`, { plan_key: 'free' })
    await operate(`/brands/${admin.brand_id}/plan`, { plan_key: 'business' })
    expect((await read(admin)).body).toEqual(body)
  })

  test('FEAT-G7: a plan that loses the feature locks it in every workspace on it, and nothing is deleted', async () => {
    const plan = { name: 'Passing', desk_cap: 1, source_cap: 1 }
    await at.sql(`insert into identity.plans (key, name, features, desk_cap, source_cap)
                  values ('passing', 'Passing', '{crm}', 1, 1)`)
    const [ann, ben] = [await newAdmin('passing'), await newAdmin('passing')]
    await put(ann, 'crm', { on: true })
    const count = async () => at.sql('select count(*) from workspaces.feature_switches')
    const before = await count()
    await operate('/plans/passing', { ...plan, features: [] })
    for (const admin of [ann, ben]) {
      expect((await read(admin)).body.switches.crm).toMatchObject({ on: false, locked_by_plan: true })
    }
    expect(await count()).toEqual(before)
  })
})
