import { useServer } from '@crewhall/testkit/test-server.ts'
import { verifyData } from '@crewhall/testkit/verify-data.ts'
import { expect, test } from 'vitest'
import { lessonText, SyncedWorkspace } from './synced-world.ts'

const server = useServer('product')

test('verify-data names a planted error in each derived column of a lesson', async () => {
  const work = await SyncedWorkspace.open(server)
  const { id: project } = await work.projects.add()
  await work.sync(project, { 'v/closure': lessonText(), 'v/stale': lessonText(), 'v/status': lessonText() })
  const rows = await work.world.sql<{ id: string }>(
    'select id from lessons.lessons where project_id = $1 order by slug',
    [project],
  )
  const [closure = '', stale = '', status = ''] = rows.map(({ id }) => id)
  await work.world.sql(
    `insert into lessons.anchor_ups (brand_id, lesson_id, nid, dist, is_pinned, created_at)
     select brand_id, id, 1, 0, false, created_at from lessons.lessons where id = $1`,
    [closure],
  )
  await work.world.sql(`update lessons.lessons set stale_in = 'abc' where id = $1`, [stale])
  await work.world.sql(`update lessons.lessons set status = 'retired' where id = $1`, [status])
  const { code, output } = await verifyData(server.database.url)
  expect(code).toBe(1)
  const told = output.split('\n').filter((line) => line.includes('should be'))
  expect(told.map((line) => line.split(' (')[0]).sort()).toEqual([
    `lessons.anchor_ups.closure of ${closure}`,
    `lessons.lessons.stale_in of ${stale}`,
    `lessons.lessons.status of ${status}`,
  ])
})
