import { createHmac } from 'node:crypto'
import { useServer } from '@crewhall/testkit/test-server.ts'
import { createVirtualClock } from '@crewhall/testkit/virtual-clock.ts'
import { waitFor } from '@crewhall/testkit/wait-for.ts'
import { expect, onTestFinished, test } from 'vitest'
import { attached, openIndexHome } from './index-world.ts'
import { ProjectWorkspace } from './project-world.ts'

const [oldKey, newKey] = ['the-old-key-of-this-installation', 'the-new-key-of-this-installation']
const server = useServer('product', { SIGNING_KEY: oldKey })

/** Tells of a push, signed with a secret. */
async function pushed(url: string, project_id: string, secret: string): Promise<number> {
  const body = JSON.stringify({ ref: 'refs/heads/main' })
  const signature = `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`
  const response = await fetch(`${url}/api/v1/projects/${project_id}/repository/pushed`, {
    method: 'POST',
    body,
    headers: { 'content-type': 'application/json', 'x-hub-signature-256': signature },
  })
  await response.body?.cancel()
  return response.status
}

test('S15: through a rotation of the key the secrets of push hooks work, and afterwards the old key is not needed', async () => {
  const home = await openIndexHome()
  onTestFinished(() => home.close())
  const clock = createVirtualClock(server.database.name)
  onTestFinished(() => clock.close())
  const before = await server.start('api', { ...home.env, SIGNING_KEY: oldKey })
  const get = (path: string, init?: RequestInit) => fetch(`${before.url}${path}`, init)
  const work = await ProjectWorkspace.open({ sql: server.sql, get })
  const id = await attached(work, `${home.git.url}/nothing.git`, { branch: 'main' })
  const { body } = await work.call<{ secret: string }>('POST', `/${id}/repository/push-secret`)
  const { secret } = body
  expect(await pushed(before.url, id, secret)).toBe(202)
  const sealed = async () =>
    (await server.sql<{ push_secret: Buffer }>('select push_secret from code_index.repositories'))[0]
      ?.push_secret
  const first = await sealed()
  if (!first) throw new Error('no secret is stored')
  // The hour may strike at any time; here it strikes when the clock is moved on.
  await server.sql(
    `update jobs.schedules set next_at = platform.now() + interval '50 minutes' where name = 'code-index.reseal-credentials'`,
  )

  const both = { ...home.env, SIGNING_KEY: newKey, SIGNING_KEYS_ACCEPTED: oldKey }
  const [api, worker] = await Promise.all([
    server.start('api', both),
    server.start('worker', { ...both, ...clock.env }),
  ])
  expect(await pushed(api.url, id, secret)).toBe(202)
  expect(await sealed()).toEqual(first)
  await clock.advance(3_600_000)
  await waitFor(async () => !(await sealed())?.equals(first), 60_000)
  await worker.stop()

  const alone = await server.start('api', { ...home.env, SIGNING_KEY: newKey })
  expect(await pushed(alone.url, id, secret)).toBe(202)
  expect(await pushed(alone.url, id, `${secret}x`)).toBe(403)
  // Who has only the old key cannot read it any more.
  expect(await pushed(before.url, id, secret)).not.toBe(202)
})
