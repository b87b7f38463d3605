import type { Auth } from '@crewhall/contracts/route.ts'
import { type Scope, scopes } from '@crewhall/contracts/scopes.ts'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Caller, effectiveScopes, refusalOfCaller } from './access.rules.ts'

const someScopes: fc.Arbitrary<Scope[]> = fc.subarray([...scopes])
const role = fc.constantFrom('admin' as const, 'member' as const)
const tokenAuth = fc.record({ kind: fc.constant('token' as const), scopes: someScopes, role })
const sessionAuth = fc.record({
  kind: fc.constantFrom('session' as const, 'session_or_admin' as const),
  role,
})
const brand = fc.integer({ min: 1, max: 3 })
const tokenCaller: fc.Arbitrary<Caller> = fc.record({
  brand_id: brand,
  role,
  scopes: someScopes,
  ceiling: someScopes,
})
const sessionCaller: fc.Arbitrary<Caller> = fc.record({
  brand_id: fc.option(brand),
  role,
  scopes: fc.constant(null),
  ceiling: someScopes,
})
const pathBrand = fc.option(fc.constantFrom('1', '2', '3', '01', '1.0', '+1', ' 1', '', 'null', 'abc'), {
  nil: undefined,
})
const anyAuth: fc.Arbitrary<Auth> = fc.oneof(tokenAuth, sessionAuth)
const anyCaller = fc.oneof(tokenCaller, sessionCaller)
const told = (auth: Auth, caller: Caller, path: string | undefined) => {
  const refused = refusalOfCaller(auth, caller, path)
  return refused && [refused.status, refused.detail]
}

test('a path that is not the caller’s brand is one 404, whatever the scopes and roles', () => {
  fc.assert(
    fc.property(anyAuth, anyCaller, pathBrand, (auth, caller, path) => {
      fc.pre(path !== undefined && path !== `${caller.brand_id}`)
      expect(told(auth, caller, path)).toEqual([404, 'Brand not found'])
    }),
  )
})

test('nobody without a brand gets into one, not even by a path that spells nothing', () => {
  fc.assert(
    fc.property(anyAuth, sessionCaller, pathBrand, (auth, caller, path) => {
      expect(told(auth, { ...caller, brand_id: null }, path)).toBeDefined()
    }),
  )
})

test('a missing scope decides before the role, and every missing one is named', () => {
  fc.assert(
    fc.property(tokenAuth, tokenCaller, (auth, caller) => {
      const held = effectiveScopes(caller.scopes ?? [], caller.ceiling ?? [])
      const missing = auth.scopes.filter((scope) => !held.includes(scope))
      fc.pre(missing.length > 0)
      const [status, detail] = told(auth, caller, undefined) ?? []
      expect(status).toBe(403)
      const named = scopes.filter((scope) => String(detail).split(';')[0]?.includes(scope))
      expect(named.toSorted()).toEqual(missing.toSorted())
      const allows = missing.every((scope) => caller.ceiling?.includes(scope))
      expect(String(detail).includes('does not allow')).toBe(!allows)
    }),
  )
})

test('with all scopes the role decides, and only an admin passes where one is asked for', () => {
  fc.assert(
    fc.property(tokenAuth, tokenCaller, (auth, caller) => {
      const full = { ...caller, scopes: [...scopes], ceiling: [...scopes] }
      const isRefused = auth.role === 'admin' && caller.role !== 'admin'
      expect(told(auth, full, `${caller.brand_id}`)).toEqual(
        isRefused ? [403, 'Brand admin access required'] : undefined,
      )
    }),
  )
})

test('scopes say nothing about a session', () => {
  fc.assert(
    fc.property(tokenAuth, sessionCaller, brand, (auth, caller, brand_id) => {
      const admin = { ...caller, brand_id, role: 'admin' as const }
      expect(told(auth, admin, undefined)).toBeUndefined()
    }),
  )
})

test('more scopes or a wider ceiling never turn a pass into a refusal', () => {
  fc.assert(
    fc.property(anyAuth, tokenCaller, pathBrand, someScopes, (auth, caller, path, more) => {
      fc.pre(refusalOfCaller(auth, caller, path) === undefined)
      const wider = {
        ...caller,
        scopes: [...(caller.scopes ?? []), ...more],
        ceiling: [...(caller.ceiling ?? []), ...more],
      }
      expect(refusalOfCaller(auth, wider, path)).toBeUndefined()
    }),
  )
})
