import { useSharedServer } from '@crewhall/testkit/shared-server.ts'
import { beforeAll, expect, test } from 'vitest'
import { idsOf, ReadingWorkspace } from './reading-world.ts'

const server = useSharedServer('product')
let work: ReadingWorkspace
beforeAll(async () => {
  work = await ReadingWorkspace.open(server, await server.connection('superuser'))
})

interface Context {
  readonly lessons?: readonly { id: string; hops: number; body: string; pinned: boolean; stale: boolean }[]
  readonly lessons_degraded?: string
  readonly cut: readonly { field: string }[]
}

/** A board of the project with one card. */
async function cardOf(project_id: string | null, fields: object): Promise<string> {
  const board = await work.call<{ id: string; columns: { id: string }[] }>('POST', '/board/boards', {
    name: 'Engine',
    key: Array.from({ length: 8 }, () => 'ABCDEFGHIJ'[Math.floor(Math.random() * 10)]).join(''),
    project_id,
  })
  const card = await work.call<{ id: string }>('POST', `/board/boards/${board.body.id}/tasks`, {
    title: 'A card',
    ...fields,
  })
  if (card.status !== 201) throw new Error(`no card: ${card.status} ${JSON.stringify(card.body)}`)
  return card.body.id
}
const contextOf = async (id: string, query = '?include=lessons') =>
  (await work.call<Context>('GET', `/board/tasks/${id}/context${query}`)).body

async function engine() {
  const project = await work.indexed(
    ['src/main.ts#run', 'src/store.ts#Store.get', 'lib/far.ts'],
    [{ kind: 'import', from: 'src/main.ts', to: 'src/store.ts' }],
  )
  await work.lesson(project.id, 'engine/run', { anchors: ['src/main.ts#run'] })
  await work.lesson(project.id, 'engine/store', { anchors: ['src/store.ts'], body: 'Never trim.' })
  await work.lesson(project.id, 'engine/far', { anchors: ['lib/far.ts'] })
  return project.id
}

test('lessons near the code that a card names are part of its context, nearest first', async () => {
  const project_id = await engine()
  const named = await cardOf(project_id, {
    instructions: 'Change src/main.ts so that `Store.get` is called.',
  })
  const { lessons, lessons_degraded } = await contextOf(named)
  // What is on the start, or on a start, comes before what an import leads to.
  expect(lessons_degraded).toBe(undefined)
  expect(idsOf(lessons ?? []).sort()).toEqual(['engine/run', 'engine/store'])
  const hops = (lessons ?? []).map((each) => each.hops)
  expect(hops).toEqual([...hops].sort())
  expect(lessons?.find(({ id }) => id === 'engine/store')?.body).toBe('Never trim.')
  const listed = await cardOf(project_id, { agent_context: { files: ['lib/far.ts'] } })
  expect(idsOf((await contextOf(listed)).lessons ?? [])).toEqual(['engine/far'])
  const plain = await contextOf(named, '')
  expect(Object.keys(plain)).not.toContain('lessons')
})

test('a card that names no code, and one whose board has no project, have no lessons', async () => {
  const project_id = await engine()
  for (const of of [project_id, null]) {
    const card = await cardOf(of, { instructions: of ? 'Run the store on main.' : 'src/main.ts' })
    const context = await contextOf(card)
    expect([context.lessons, context.lessons_degraded, context.cut]).toEqual([undefined, undefined, []])
  }
})

test('without a complete index that is said', async () => {
  const card = await cardOf(await work.newProject(), { instructions: 'src/main.ts' })
  expect(await contextOf(card)).toMatchObject({ lessons_degraded: 'no_ready_index' })
})
