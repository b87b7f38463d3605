import { type AnyRoute, takesKey } from '@crewhall/contracts/route.ts'
import { allRoutes } from '@crewhall/contracts/routes.ts'
import { expect, test } from 'vitest'
import { z } from 'zod'

/** Names of fields that hold what nobody but the caller may know. */
const isSecret = (name: string): boolean => /(^|_)(password|secret|token|pat|private_key)$/.test(name)

/** Every field of what a route takes, however deep. */
function fieldsOf({ body }: AnyRoute): string[] {
  if (!body) return []
  const found: string[] = []
  JSON.stringify(z.toJSONSchema(body, { io: 'input', unrepresentable: 'any' }), (key, value) => {
    if (key === 'properties') found.push(...Object.keys(value as object))
    return value
  })
  return found
}
const secretive = allRoutes.filter((route) => fieldsOf(route).some(isSecret))

test('the contracts have bodies with secrets', () => {
  expect(secretive.map(({ id }) => id)).toContain('workspaces.setMemberPassword')
})

test('S7 no route whose body holds a secret takes an Idempotency-Key', () => {
  expect(secretive.filter(takesKey).map(({ id }) => id)).toEqual([])
})
