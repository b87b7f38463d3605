import { json } from '@crewhall/testkit/people.ts'
import { useServer } from '@crewhall/testkit/test-server.ts'
import { World } from '@crewhall/testkit/world/world.ts'
import { expect, test } from 'vitest'
import { adminEnv, featureVerbs } from '../features/feature-verbs.ts'
import { auditVerbs } from './audit-verbs.ts'

const server = useServer('product', adminEnv)
const at = new World(server)
const { newAdmin, operate } = featureVerbs(at)
const { whole } = auditVerbs(at)

test('what the operator changes with the key stands in the log of the workspace, by nobody in particular', async () => {
  const admin = await newAdmin()
  const target = `brand:${admin.brand_id}`
  const path = `/brands/${admin.brand_id}`
  const subscription = { status: 'active', ends_at: '2030-01-01T00:00:00.000000Z' }
  const scope_ceiling = ['brand:read', 'brand:admin']
  await operate(`${path}/plan`, { plan_key: 'team' })
  await operate(`${path}/subscription`, subscription)
  await operate(`${path}/policy`, { scope_ceiling })
  const entries = await whole(admin)
  expect(entries.map(({ action, target, from, to }) => ({ action, target, from, to }))).toEqual([
    { action: 'brand.plan_changed', target, from: { plan_key: 'free' }, to: { plan_key: 'team' } },
    {
      action: 'brand.subscription_changed',
      target,
      from: { status: 'none', ends_at: null },
      to: subscription,
    },
    {
      action: 'brand.policy_changed',
      target,
      from: { scope_ceiling: expect.arrayContaining(['memory:read']) },
      to: { scope_ceiling },
    },
  ])
  for (const entry of entries) {
    expect(entry).toMatchObject({
      actor: { kind: 'admin_key', user_id: null, name: null },
      credential: { kind: 'admin_key', id: null },
      request_id: expect.stringMatching(/./),
    })
  }
})

test('a platform admin with a session is named', async () => {
  const admin = await newAdmin()
  const person_id = await at.newPerson(true)
  const cookie = await at.newCookie(person_id, null)
  const response = await server.get(`/api/v1/admin/brands/${admin.brand_id}/plan`, {
    ...json({ plan_key: 'team' }, { cookie }),
    method: 'PUT',
  })
  expect(response.status).toBe(200)
  const [entry] = await whole(admin)
  expect(entry).toMatchObject({
    actor: { kind: 'person', user_id: person_id, name: 'Ann Example' },
    credential: { kind: 'session' },
    request_id: response.headers.get('x-request-id'),
  })
})

test('a plan that does not exist is refused and leaves no entry', async () => {
  const admin = await newAdmin()
  await expect(operate(`/brands/${admin.brand_id}/plan`, { plan_key: 'nothing' })).rejects.toThrow('404')
  expect(await whole(admin)).toEqual([])
})
