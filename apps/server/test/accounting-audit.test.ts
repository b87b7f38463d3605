import {
  type AnyRoute,
  adminToken,
  isRead,
  platformAdmin,
  route,
  sessionOrAdmin,
  token,
} from '@crewhall/contracts/route.ts'
import { allRoutes } from '@crewhall/contracts/routes.ts'
import { auditedRoutes, unauditedRoutes } from '@crewhall/testkit/catalogue/audit-reviewed.ts'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'

/** Whether a call may change what an admin or the operator alone decides about one workspace. */
function isPrivileged(route: AnyRoute): boolean {
  const { path, auth } = route
  if (isRead(route)) return false
  // The operator names the workspace in the body.
  if (auth.kind === 'session_or_admin') return true
  if (auth.kind === 'platform_admin') return path.includes('{brand_id}')
  return (auth.kind === 'token' || auth.kind === 'session') && auth.role === 'admin'
}

const reviewed = [...Object.keys(auditedRoutes), ...Object.keys(unauditedRoutes)]
const unreviewed = (routes: readonly AnyRoute[]) =>
  routes
    .filter(isPrivileged)
    .map(({ id }) => id)
    .filter((id) => !reviewed.includes(id))

test('every privileged change is reviewed: it is audited, or there is a reason', () => {
  expect(allRoutes.filter(isPrivileged).length).toBeGreaterThan(0)
  expect(unreviewed(allRoutes)).toEqual([])
})

test('the lists name only changes that exist, each once', () => {
  const changes = allRoutes.filter((route) => !isRead(route)).map(({ id }) => id)
  expect(reviewed.filter((id) => !changes.includes(id))).toEqual([])
  expect(new Set(reviewed).size).toBe(reviewed.length)
})

test('actions are named as the log can be asked for them, and reasons are sentences', () => {
  for (const action of Object.values(auditedRoutes)) expect(action).toMatch(/^[a-z_]{1,40}\.[a-z_]{1,40}$/)
  for (const reason of Object.values(unauditedRoutes)) expect(reason.length).toBeGreaterThan(10)
})

describe('a planted route', () => {
  const planted = (more: Partial<AnyRoute>): AnyRoute => ({
    ...route({
      id: 'planted.change',
      method: 'PUT',
      path: '/api/v1/planted/{brand_id}',
      summary: 'Planted',
      auth: adminToken('brand:admin'),
      responses: { 200: z.object({}) },
    }),
    ...more,
  })

  test.each<[string, Partial<AnyRoute>]>([
    ['that needs an admin', {}],
    ['that needs an admin with any scopes', { auth: adminToken() }],
    ['that needs an admin in a session', { auth: { kind: 'session', role: 'admin' } }],
    ['of the operator on a workspace', { auth: platformAdmin() }],
    ['of the operator or a session', { auth: sessionOrAdmin(), path: '/api/v1/planted' }],
    ['that deletes', { method: 'DELETE' }],
  ])('%s is missed on the lists', (_, more) => {
    expect(unreviewed([planted(more)])).toEqual(['planted.change'])
  })

  test.each<[string, Partial<AnyRoute>]>([
    ['that only reads', { method: 'GET' }],
    ['of any member', { auth: token('memory:write') }],
    ['of the operator on no workspace', { auth: platformAdmin(), path: '/api/v1/planted' }],
  ])('%s needs no line', (_, more) => expect(unreviewed([planted(more)])).toEqual([]))
})
