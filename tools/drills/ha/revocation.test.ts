import type { Get } from '@crewhall/testkit/world/call.ts'
import { expect, test } from 'vitest'
import { Revocation } from './revocation.ts'

const owner = { email: '', password: '', cookie: 'session=1', brand_id: 1, person_id: 1 }
/** An API that makes a token, knows it once, and answers the rest one after the other. */
function answering(...rest: readonly (number | undefined)[]): Get & { left: () => number } {
  const answers = [...rest]
  const get: Get = async (path) => {
    if (path.endsWith('/tokens')) return Response.json({ id: '1', token: 'a' }, { status: 201 })
    const status = answers.shift()
    if (status === undefined) throw new Error('no answer')
    return Response.json({}, { status })
  }
  return Object.assign(get, { left: () => answers.length })
}

test('only 401 says that a revoked token is refused', async () => {
  const get = answering(200, 503, undefined, 401, 502, 401, 200)
  const revocation = await Revocation.prepare(get, owner, [get])
  const stop = new AbortController()
  await revocation.tryUntil(stop.signal, [
    async (path, init) => {
      if (get.left() === 1) stop.abort()
      return get(path, init)
    },
  ])
  const { refused, unanswered, letIn } = revocation
  expect({ refused, unanswered, letIn }).toEqual({ refused: 2, unanswered: 3, letIn: ['200'] })
})
