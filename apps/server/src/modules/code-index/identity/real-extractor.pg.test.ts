import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { CodeIndexBed } from '../../../../test/code-index-bed.ts'
import { ToyRepository } from '../../../../test/toy-repository.ts'
import { indexInProcess } from '../graph/index-process.ts'
import { factsCache } from '../nodes/facts-cache.service.ts'
import { collectStored, readStored } from '../nodes/stored-index.service.ts'
import { prepareIndex } from '../publication/prepare.service.ts'
import { openIndex, publishIndex } from '../publication/publication.service.ts'
import { readHistory } from './history.service.ts'

let bed: CodeIndexBed
beforeAll(async () => {
  bed = await CodeIndexBed.open()
})
afterAll(() => bed.close())

async function index(project_id: string, repository: ToyRepository) {
  const commit = repository.head()
  const { epoch, commit_id: from } = await openIndex(bed.ctx, project_id)
  const git_dir = `${repository.dir}/.git`
  const graph = await indexInProcess({ git_dir, commit, cache: factsCache(bed.ctx, 'test') })
  const history = await readHistory(repository.reader, from, commit)
  const stored = await collectStored(readStored(bed.ctx, project_id))
  const plan = await prepareIndex(stored, graph, history, async (asked) =>
    asked.map(({ blob }) =>
      [...repository.git('cat-file', 'blob', blob).matchAll(/function (\w+)/g)].map(([, name = '']) => name),
    ),
  )
  const publication = { project_id, run_id: randomUUID(), epoch, commit_id: commit, history: history.kind }
  await publishIndex(bed.ctx, publication, plan, [])
  return { history: history.kind, renames: history.renames, files_total: graph.files_total }
}

interface Row {
  readonly id: string
  readonly nid: number
  readonly path: string
  readonly symbol: string
  readonly is_live: boolean
  readonly removed_in: string | null
}
const rowsOf = async (project_id: string) =>
  (await bed.admin.query<Row>('select * from code_index.nodes where project_id = $1', [project_id])).rows

/** Places and edges, as a full index of the commit in another process has them. */
async function expectEqualToFull(project_id: string, repository: ToyRepository): Promise<void> {
  const full = await indexInProcess({
    git_dir: `${repository.dir}/.git`,
    commit: repository.head(),
    cache: { get: async () => new Map(), put: async () => {} },
  })
  const live = (await rowsOf(project_id)).filter(({ is_live }) => is_live)
  const place = ({ path, symbol }: { path: string; symbol: string }) => `${path}#${symbol}`
  expect(live.map(place).sort()).toEqual(full.nodes.map(place).sort())
  const { rows: edges } = await bed.admin.query<{ edge: string }>(
    `select e.kind || ' ' || a.path || '#' || a.symbol || ' ' || b.path || '#' || b.symbol as edge from code_index.edges e
     join code_index.nodes a on a.brand_id = e.brand_id and a.nid = e.src
     join code_index.nodes b on b.brand_id = e.brand_id and b.nid = e.dst where a.project_id = $1`,
    [project_id],
  )
  const names = ['import', 'symbol_import', 'call']
  const at = (n: number) => place(full.nodes[n] ?? { path: '', symbol: '' })
  expect(edges.map(({ edge }) => edge).sort()).toEqual(
    full.edges.map(({ kind, from, to }) => `${names.indexOf(kind)} ${at(from)} ${at(to)}`).sort(),
  )
}

const body = (name: string) =>
  `export function ${name}(input: number) {\n  const ${name}Value = input * 41 + 1\n  return ${name}Value.toString().padStart(12, '0')\n}\n`

test('IDX-09: with the real extractor ids survive moves, removals name their commit, and each index equals a full one', async () => {
  const repository = new ToyRepository()
  onTestFinished(() => repository.close())
  const project = await bed.newProject()
  repository.write(
    'src/a.ts',
    `import { other } from './b'\n${body('stays')}${body('goes')}${body('dies')}other()\n`,
  )
  repository.write('src/b.ts', body('other'))
  repository.commit()
  expect(await index(project, repository)).toMatchObject({ history: 'first', files_total: 2 })
  await expectEqualToFull(project, repository)
  const before = new Map((await rowsOf(project)).map((row) => [`${row.path}#${row.symbol}`, row.id]))

  repository.write('src/b.ts', `${body('other')}${body('goes')}`)
  repository.write(
    'src/a.ts',
    `import { other, goes } from './b'\n${body('stays')}${body('dies')}other()\ngoes(1)\n`,
  )
  repository.commit()
  repository.write('src/a.ts', `import { other, goes } from './b'\n${body('stays')}other()\ngoes(1)\n`)
  const removing = repository.commit()
  repository.git('mv', 'src/a.ts', 'src/moved.ts')
  repository.commit()
  expect(await index(project, repository)).toMatchObject({ history: 'linear', renames: 'similar' })
  await expectEqualToFull(project, repository)
  const rows = await rowsOf(project)
  const placeNow = (place: string) => {
    const row = rows.find(({ id }) => id === before.get(place))
    return row?.is_live ? `${row.path}#${row.symbol}` : row?.removed_in
  }
  expect(placeNow('src/a.ts#')).toBe('src/moved.ts#')
  expect(placeNow('src/a.ts#stays')).toBe('src/moved.ts#stays')
  expect(placeNow('src/a.ts#goes')).toBe('src/b.ts#goes')
  expect(placeNow('src/a.ts#dies')).toBe(removing)
})
