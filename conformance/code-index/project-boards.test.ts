import { useSharedServer } from '@crewhall/testkit/shared-server.ts'
import { expect, test } from 'vitest'
import { nowhere, ProjectWorkspace } from './project-world.ts'

const server = useSharedServer('product')
const boards = '/api/v1/board/boards'

interface Board {
  readonly id: string
  readonly project_id: string | null
}

test('a board belongs to a project, its cards say so, and it can be taken out again', async () => {
  const work = await ProjectWorkspace.open(server)
  const { world, admin } = work
  const { id: project_id } = await work.add()
  const board = await world.made<Board>(admin, 'POST', boards, { name: 'Core', key: 'CORE', project_id })
  expect(board.project_id).toBe(project_id)
  const card = await world.made<{ project_id: string }>(admin, 'POST', `${boards}/${board.id}/tasks`, {
    title: 'T',
  })
  expect(card.project_id).toBe(project_id)
  const path = `${boards}/${board.id}`
  expect((await world.made<Board>(admin, 'PATCH', path, { name: 'Kernel' })).project_id).toBe(project_id)
  expect((await world.made<Board>(admin, 'PATCH', path, { project_id: null })).project_id).toBe(null)
  // An archived project is still a project.
  await work.call('POST', `/${project_id}/archive`)
  expect((await world.made<Board>(admin, 'PATCH', path, { project_id })).project_id).toBe(project_id)
})

test('a project of another workspace is refused as one that does not exist', async () => {
  const [work, other] = [await ProjectWorkspace.open(server), await ProjectWorkspace.open(server)]
  const foreign = (await other.add()).id
  const { id } = await work.world.made<Board>(work.admin, 'POST', boards, { name: 'Core', key: 'CORE' })
  const refused = { status: 400, body: { detail: 'project_id: no such project of the workspace' } }
  for (const project_id of [foreign, nowhere]) {
    expect(
      await work.world.call(work.admin, 'POST', boards, { name: 'B', key: 'OTHER', project_id }),
    ).toEqual(refused)
    expect(await work.world.call(work.admin, 'PATCH', `${boards}/${id}`, { project_id })).toEqual(refused)
  }
})
