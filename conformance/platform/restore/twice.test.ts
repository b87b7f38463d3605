import { signUp } from '@crewhall/testkit/people.ts'
import { useServer } from '@crewhall/testkit/test-server.ts'
import { expect, test } from 'vitest'
import { RestoredServer } from './restored-server.ts'

const server = useServer('product')
const restored = new RestoredServer(server)

interface Numbers {
  readonly timeline: number
  readonly epoch: number
  readonly version: number
}
const numbers = async (): Promise<Numbers | undefined> =>
  (
    await server.sql<Numbers>(
      `select (select max(number) from platform.timelines) as timeline,
         (select max(auth_epoch)::float8 from identity.brands) as epoch,
         (select max(version) from identity.sessions) as version`,
    )
  )[0]

test('a second restore, to a moment before the first, gives out no number of the first again', async () => {
  await signUp((path, init) => server.get(path, init))
  await server.api.stop()
  const before = await numbers()
  const given: (Numbers | undefined)[] = []
  const owner = await server.connection('owner')
  await owner.query(`select set_config('app.system', 'on', false)`)
  for (const moment of [await restored.now(), await restored.now()]) {
    expect(await restored.restore(moment, ['--without-amcheck'])).toMatchObject({ code: 0 })
    given.push(await numbers())
    // Backups know nothing of it.
    await owner.query('delete from platform.timelines where number > 1')
    await owner.query('update identity.brands set auth_epoch = $1', [before?.epoch])
    await owner.query('update identity.sessions set version = $1', [before?.version])
  }
  for (const key of ['timeline', 'epoch', 'version'] as const) {
    const [was = 0, is = 0, then = 0] = [before?.[key], given[0]?.[key], given[1]?.[key]]
    expect([key, is > was, then > is]).toEqual([key, true, true])
  }
})
