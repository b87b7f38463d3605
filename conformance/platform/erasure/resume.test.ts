import { takeOverNow } from '@crewhall/testkit/take-over.ts'
import { useServer } from '@crewhall/testkit/test-server.ts'
import { verifyData } from '@crewhall/testkit/verify-data.ts'
import { expect, test } from 'vitest'
import { erasureEnv, newWord, operator, useErasureWorld } from './erasure-world.ts'
import { everything, placesOf } from './everything.ts'

const server = useServer('product', { ...erasureEnv, JOBS_SUPERVISE_SECONDS: '1' })
const world = useErasureWorld(server)

test('K12: an erasure whose worker is killed goes on where it stopped', async () => {
  const word = newWord('name')
  const [ann, bob] = [await world.signUp(`Ann ${word}`), await world.signUp('Bob')]
  await world.join(bob, ann)
  for (const name of ['One', 'Two']) {
    const board = await world.newBoard(ann, name)
    await world.made(ann, 'POST', `/board/boards/${board.id}/tasks`, { title: 'A card' }, world.keyed())
  }
  await world.givePhoto(bob, ann)
  await world.call(operator, 'POST', `/admin/people/${ann.id}/erasure`)
  const marks: string[] = []
  for (const step of [6, 7]) {
    const doomed = await server.start('worker', { TEST_FAULT_POINTS: `identity.erase-person:kill@${step}` })
    await doomed.ended
    await takeOverNow(server.database.name)
    const { rows } = await world.admin.query<{ mark: string }>(
      `select concat_ws(' ', status, part, position) as mark from identity.person_erasures where person_id = $1`,
      [ann.id],
    )
    marks.push(rows[0]?.mark ?? '')
  }
  // What was done before the crash is not done again.
  expect(marks[0]).toMatch(/^running (fleet|lessons|conversations|memory|docs-spaces|webhooks|boards)/)
  expect(marks[1]).toMatch(
    /^running (lessons|conversations|memory|docs-spaces|webhooks|boards|profiles|mailboxes)/,
  )
  expect(marks[1]).not.toBe(marks[0])
  expect(placesOf(await everything(server.database, world.admin), word)).not.toEqual([])
  const worker = await server.start('worker')
  await world.done(`people/${ann.id}`, 60_000)
  await world.done(`brands/${ann.home}`, 60_000)
  await worker.stop()
  expect(placesOf(await everything(server.database, world.admin), word)).toEqual([])
  expect((await verifyData(server.database.url)).code).toBe(0)
})

test('K12: what was written behind an erasure does not stop it: it starts its pass anew', async () => {
  const eve = await world.signUp('Eve', 'Behind')
  const reviewer = 'db36c3fb-73e4-4434-b95c-e2dc0c9d4593'
  const grant = { brand_id: eve.home, comp_reason: 'Behind' }
  await world.made(operator, 'POST', `/employees/${reviewer}/hire`, grant)
  await world.call(operator, 'POST', `/admin/brands/${eve.home}/erasure`)
  const doomed = await server.start('worker', { TEST_FAULT_POINTS: 'identity.erase-brand:kill@1' })
  await doomed.ended
  const { rows: referring } = await world.admin.query(
    'select step from hires.build_steps where brand_id = $1',
    [eve.home],
  )
  expect(referring).not.toEqual([])
  // As if a build had added them after the erasure had passed: it stands at the hires they refer to.
  await world.admin.query(
    `update identity.brand_erasures set part = 'hires', position = '3' where brand_id = $1 and status = 'running'`,
    [eve.home],
  )
  await takeOverNow(server.database.name)
  const worker = await server.start('worker')
  await world.done(`brands/${eve.home}`, 60_000)
  await worker.stop()
  const { rows: hires } = await world.admin.query('select id from hires.hires where brand_id = $1', [
    eve.home,
  ])
  expect(hires).toEqual([])
})
