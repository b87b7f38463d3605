import { type SeededEdge, seedIndex } from '@crewhall/testkit/seeded-index.ts'
import { useSharedServer } from '@crewhall/testkit/shared-server.ts'
import type pg from 'pg'
import { beforeAll, expect, test } from 'vitest'
import { nowhere, ProjectWorkspace } from './project-world.ts'

const server = useSharedServer('product')
let workspace: ProjectWorkspace
let admin: pg.Client
beforeAll(async () => {
  workspace = await ProjectWorkspace.open(server)
  admin = await server.connection('superuser')
})

interface Graph {
  readonly commit: string
  readonly version: number
  readonly nodes: readonly {
    readonly id: string
    readonly kind: string
    readonly path: string
    readonly symbol: string | null
    readonly hops: number
    readonly degree: { readonly import: number; readonly call: number; readonly contains: number }
    readonly hub: boolean
  }[]
  readonly edges: readonly { readonly from: string; readonly to: string; readonly kind: string }[]
  readonly left_out: { readonly nodes: number; readonly edges: number }
}

async function indexed(places: readonly string[], edges: readonly SeededEdge[] = []) {
  const { id } = await workspace.add()
  const ids = await seedIndex(admin, { brand_id: workspace.brand_id, project_id: id }, places, edges)
  return { id, ids }
}

const read = (id: string, query = '', by = workspace.reader) =>
  workspace.call<Graph>('GET', `/${id}/graph${query}`, undefined, by)

test('LES-06: the code around a file has UUIDs, hops, and the edges between what is returned', async () => {
  const { id, ids } = await indexed(
    ['src/a.ts#run', 'src/b.ts#find', 'lib/far.ts'],
    [
      { kind: 'import', from: 'src/a.ts', to: 'src/b.ts' },
      { kind: 'call', from: 'src/a.ts#run', to: 'src/b.ts#find' },
      { kind: 'import', from: 'src/b.ts', to: 'lib/far.ts' },
    ],
  )
  const { status, body } = await read(id, '?path=src/a.ts&depth=1')
  expect(status).toBe(200)
  expect(Object.fromEntries(body.nodes.map(({ id, hops }) => [id, hops]))).toEqual({
    [ids.get('src/a.ts') ?? '']: 0,
    [ids.get('src/b.ts') ?? '']: 1,
    [ids.get('src/a.ts#run') ?? '']: 1,
    [ids.get('src/') ?? '']: 1,
  })
  expect(body.nodes[0]).toEqual({
    id: ids.get('src/a.ts'),
    kind: 'file',
    path: 'src/a.ts',
    symbol: null,
    hops: 0,
    degree: { import: 1, call: 0, contains: 2 },
    hub: false,
  })
  const named = (id: string) => [...ids].find(([, each]) => each === id)?.[0]
  expect(body.edges.map(({ from, to, kind }) => `${kind} ${named(from)} ${named(to)}`).sort()).toEqual([
    'contains src/ src/a.ts',
    'contains src/ src/b.ts',
    'contains src/a.ts src/a.ts#run',
    'import src/a.ts src/b.ts',
  ])
  // Four edges lead on: to the root, to find twice (contained and called), and to far.ts.
  expect(body.left_out).toEqual({ nodes: 0, edges: 4 })
  expect(body).toMatchObject({ version: 1, commit: 'c'.repeat(40) })
  expect((await read(id, '?path=src/b.ts%23find&depth=0')).body.nodes).toMatchObject([{ symbol: 'find' }])
  expect((await read(id)).body.nodes.map(({ path }) => path)).toEqual(['', 'src', 'lib'])
})

test('a graph is cut at 1,000 nodes and says how many are missing; a hub is shown and not followed', async () => {
  const files = Array.from({ length: 1100 }, (_, n) => `many/f${String(n).padStart(4, '0')}.ts`)
  const { id } = await indexed(
    [...files, 'few/one.ts'],
    [{ kind: 'import', from: 'few/one.ts', to: files[0] ?? '' }],
  )
  const { body } = await read(id, '?path=many/&depth=1')
  expect(body.nodes).toHaveLength(1000)
  expect(body.left_out.nodes).toBe(102)
  const near = (await read(id, '?path=few/one.ts&depth=3')).body
  expect(near.nodes.find(({ path }) => path === 'many')).toMatchObject({ hub: true, hops: 2 })
  expect(near.nodes.filter(({ path }) => path.startsWith('many/'))).toHaveLength(1)
})

test('what is not there is refused: a project, an index, a path; and a depth beyond 3', async () => {
  const { id } = await workspace.add()
  expect(await read(id)).toMatchObject({
    status: 409,
    body: { detail: 'The project has no complete index yet' },
  })
  expect(await read(nowhere)).toMatchObject({ status: 404, body: { detail: 'Project not found' } })
  const other = await ProjectWorkspace.open(server)
  const foreign = await read((await indexed(['a.ts'])).id, '', other.reader)
  expect(foreign).toMatchObject({ status: 404, body: { detail: 'Project not found' } })
  const own = await indexed(['a.ts'])
  expect(await read(own.id, '?path=b.ts')).toMatchObject({
    status: 404,
    body: { detail: 'No such code in the index' },
  })
  expect((await read(own.id, '?depth=4')).status).toBe(422)
})
