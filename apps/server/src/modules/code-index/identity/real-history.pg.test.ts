import { randomUUID } from 'node:crypto'
import { scaled } from '@crewhall/testkit/rounds.ts'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { CodeIndexBed } from '../../../../test/code-index-bed.ts'
import { IdentityModel } from '../../../../test/identity-model.ts'
import { RandomEdits, seeded } from '../../../../test/random-edits.ts'
import { toyGraph } from '../../../../test/toy-graph.ts'
import { ToyRepository, toySymbols } from '../../../../test/toy-repository.ts'
import { collectStored, readStored } from '../nodes/stored-index.service.ts'
import { prepareIndex } from '../publication/prepare.service.ts'
import { openIndex, publishIndex } from '../publication/publication.service.ts'
import { readHistory } from './history.service.ts'

let bed: CodeIndexBed
beforeAll(async () => {
  bed = await CodeIndexBed.open()
})
afterAll(() => bed.close())

function newRepository(): ToyRepository {
  const repository = new ToyRepository()
  onTestFinished(() => repository.close())
  return repository
}

/** Indexes what the branch is at, as a run does it. */
async function index(project_id: string, repository: ToyRepository) {
  const commit = repository.head()
  const { epoch, commit_id } = await openIndex(bed.ctx, project_id)
  const history = await readHistory(repository.reader, commit_id, commit)
  const stored = await collectStored(readStored(bed.ctx, project_id))
  const graph = toyGraph(repository, commit)
  const plan = await prepareIndex(stored, graph, history, async (asked) =>
    asked.map(({ blob }) => toySymbols(repository.git('cat-file', 'blob', blob)).map(({ name }) => name)),
  )
  const publication = { project_id, run_id: randomUUID(), epoch, commit_id: commit, history: history.kind }
  await publishIndex(bed.ctx, publication, plan, [])
  return { history, graph, plan, commit }
}

interface Row {
  readonly nid: number
  readonly id: string
  readonly kind: number
  readonly path: string
  readonly symbol: string
  readonly parent_nid: number | null
  readonly body_hash: string | null
  readonly import_degree: number
  readonly call_degree: number
  readonly contains_degree: number
  readonly is_live: boolean
  readonly removed_in: string | null
}
const kinds = ['folder', 'file', 'symbol']
const placeOf = ({ kind, path, symbol }: Pick<Row, 'kind' | 'path' | 'symbol'>) =>
  `${kinds[kind]} ${path} ${symbol}`

async function rowsOf(project_id: string): Promise<Row[]> {
  return (await bed.admin.query<Row>('select * from code_index.nodes where project_id = $1', [project_id]))
    .rows
}

/** What a full index would hold, compared with what is stored: places, bodies, edges, and degrees counted anew. */
async function expectEqualToFull(project_id: string, graph: ReturnType<typeof toyGraph>): Promise<void> {
  const live = (await rowsOf(project_id)).filter(({ is_live }) => is_live)
  const stored = live.map((row) => `${placeOf(row)} ${row.body_hash}`).sort()
  expect(stored).toEqual(
    graph.nodes.map((node) => `${node.kind} ${node.path} ${node.symbol} ${node.body_hash}`).sort(),
  )
  const byNid = new Map(live.map((row) => [row.nid, row]))
  const place = (nid: number) => {
    const row = byNid.get(nid)
    return row ? `${row.path}#${row.symbol}` : 'nothing'
  }
  const { rows: edges } = await bed.admin.query<{ src: number; kind: number; dst: number }>(
    `select e.* from code_index.edges e join code_index.nodes n on n.brand_id = e.brand_id and n.nid = e.src
     where n.project_id = $1`,
    [project_id],
  )
  const names = ['import', 'symbol_import', 'call']
  const at = (n: number) => `${graph.nodes[n]?.path}#${graph.nodes[n]?.symbol}`
  expect(edges.map(({ src, kind, dst }) => `${names[kind]} ${place(src)} ${place(dst)}`).sort()).toEqual(
    graph.edges.map(({ kind, from, to }) => `${kind} ${at(from)} ${at(to)}`).sort(),
  )
  for (const row of live) {
    const touching = edges.filter(({ src, dst }) => src === row.nid || dst === row.nid)
    const children = live.filter(({ parent_nid }) => parent_nid === row.nid).length
    expect([row.import_degree, row.call_degree, row.contains_degree]).toEqual([
      touching.filter(({ kind }) => kind < 2).length,
      touching.filter(({ kind }) => kind === 2).length,
      children + (row.parent_nid === null ? 0 : 1),
    ])
  }
}

const commits = scaled(300, 60)
const seeds = [20_261_116, 7, 1_234_567, 99_991, 31_337].slice(0, scaled(5, 1))

test.each(seeds)(
  `IDX-09, LES-06: over ${commits} random commits, ids and removing commits are those of git's own renames (seed %i)`,
  async (seed) => {
    const repository = newRepository()
    const random = seeded(seed)
    const edits = new RandomEdits(repository, random)
    const model = new IdentityModel(repository)
    const project = await bed.newProject()
    edits.start(12)
    const uuids = new Map<number, string>()
    const seen = new Map<string, number>()
    for (let done = 0; done <= commits; ) {
      const { graph, commit, history } = await index(project, repository)
      seen.set(history.kind, (seen.get(history.kind) ?? 0) + 1)
      model.index(commit, graph.nodes)
      const rows = await rowsOf(project)
      const live = new Map(rows.filter(({ is_live }) => is_live).map((row) => [placeOf(row), row]))
      for (const [place, { id }] of model.live) {
        const uuid = live.get(place)?.id
        if (!uuids.has(id) && uuid !== undefined) uuids.set(id, uuid)
        expect([place, uuid]).toEqual([place, uuids.get(id)])
      }
      const dead = rows.filter(({ is_live }) => !is_live).map((row) => [row.id, row.removed_in])
      expect(new Map(dead as [string, string][])).toEqual(
        new Map(model.gone.map(({ id, removed_in }) => [uuids.get(id), removed_in])),
      )
      await expectEqualToFull(project, graph)
      for (let n = 1 + random(5); n > 0; n -= 1) {
        edits.step()
        done += 1
      }
    }
    expect(new Set(uuids.values()).size).toBe(uuids.size)
    expect([...seen.keys()]).toEqual(expect.arrayContaining(['first', 'linear', 'rewritten']))
  },
  600_000,
)

const body = (words: string) =>
  `  ${words} in a line that is long enough\n  ${words} in another line like that\n`
const definition = (name: string, words = name) => `def ${name}:\n${body(words)}`

async function find(project_id: string, path: string, symbol = ''): Promise<Row | undefined> {
  const rows = await rowsOf(project_id)
  return rows.find((row) => row.is_live && row.path === path && row.symbol === symbol)
}
const rowOf = async (project_id: string, id: string | undefined) =>
  (await rowsOf(project_id)).find((row) => row.id === id)

test('IDX-09: a folder that moves with 100 files keeps its id, and all of them keep theirs', async () => {
  const [repository, project] = [newRepository(), await bed.newProject()]
  for (let n = 0; n < 100; n += 1) repository.write(`src/old/f${n}.toy`, `# ${n}\n${definition(`f${n}`)}`)
  repository.write('src/stays.toy', definition('stays'))
  repository.commit()
  await index(project, repository)
  const before = await rowsOf(project)
  repository.git('mv', 'src/old', 'moved')
  repository.commit()
  const { plan } = await index(project, repository)
  expect([plan.created.length, plan.removed.length, plan.moved.length]).toEqual([0, 0, 201])
  for (const { id, path, symbol } of before) {
    const place = path.replace('src/old', 'moved')
    expect(await rowOf(project, id)).toMatchObject({ is_live: true, path: place, symbol })
  }
})

test('IDX-09: a function that goes to another file takes its id along; renamed and edited files keep theirs', async () => {
  const [repository, project] = [newRepository(), await bed.newProject()]
  repository.write('a.toy', `${definition('stays')}${definition('goes')}`)
  repository.write('b.toy', definition('other'))
  repository.commit()
  await index(project, repository)
  const [goes, file, stays] = [
    await find(project, 'a.toy', 'goes'),
    await find(project, 'a.toy'),
    await find(project, 'a.toy', 'stays'),
  ]
  repository.write('a.toy', definition('stays'))
  repository.write('b.toy', `${definition('other')}${definition('goes')}`)
  repository.commit()
  repository.git('mv', 'a.toy', 'c.toy')
  repository.write('c.toy', `# edited\n${definition('stays')}`)
  repository.commit()
  await index(project, repository)
  expect(await find(project, 'b.toy', 'goes')).toMatchObject({ id: goes?.id })
  expect(await find(project, 'c.toy')).toMatchObject({ id: file?.id })
  expect(await find(project, 'c.toy', 'stays')).toMatchObject({ id: stays?.id })
})

test('IDX-09: the third of five commits is named as the one that removed a function, and a revert brings back its id', async () => {
  const [repository, project] = [newRepository(), await bed.newProject()]
  repository.write('a.toy', `${definition('stays')}${definition('goes')}`)
  repository.commit()
  await index(project, repository)
  const goes = await find(project, 'a.toy', 'goes')
  const made = [1, 2, 3, 4, 5].map((n) => {
    const rest = n < 3 ? definition('goes') : ''
    repository.write('a.toy', `# ${n}\n${definition('stays')}${rest}`)
    return repository.commit()
  })
  await index(project, repository)
  expect(await rowOf(project, goes?.id)).toMatchObject({ is_live: false, removed_in: made[2] })
  repository.write('a.toy', `${definition('stays')}${definition('goes')}`)
  repository.commit()
  await index(project, repository)
  expect(await find(project, 'a.toy', 'goes')).toMatchObject({ id: goes?.id, removed_in: null })
  // A file that goes with its folder names the commit for all three.
  repository.write('x/y.toy', definition('y'))
  repository.commit()
  await index(project, repository)
  repository.git('rm', '-q', 'x/y.toy')
  const removing = repository.commit()
  repository.write('a.toy', definition('stays'))
  repository.commit()
  await index(project, repository)
  const gone = (await rowsOf(project)).filter(({ path }) => path.startsWith('x'))
  expect(gone.map(({ is_live, removed_in }) => [is_live, removed_in])).toEqual(
    Array(3).fill([false, removing]),
  )
})

test('IDX-G6: after a forced push ids stay where path and symbol are equal, and what is missing names the indexed commit', async () => {
  const [repository, project] = [newRepository(), await bed.newProject()]
  repository.write('base.toy', definition('base'))
  const root = repository.commit()
  repository.write('a.toy', `${definition('stays')}${definition('goes')}`)
  repository.write('b.toy', definition('b'))
  repository.commit()
  await index(project, repository)
  const [stays, goes, b] = [
    await find(project, 'a.toy', 'stays'),
    await find(project, 'a.toy', 'goes'),
    await find(project, 'b.toy', 'b'),
  ]
  repository.git('reset', '-q', '--hard', root)
  repository.write('a.toy', definition('stays', 'other words'))
  const pushed = repository.commit()
  const { history } = await index(project, repository)
  expect(history.kind).toBe('rewritten')
  expect(await find(project, 'a.toy', 'stays')).toMatchObject({ id: stays?.id })
  expect(await rowOf(project, goes?.id)).toMatchObject({ is_live: false, removed_in: pushed })
  expect(await rowOf(project, b?.id)).toMatchObject({ is_live: false, removed_in: pushed })
})

test.each(['unrelated', 'unknown_base', 'shallow'] as const)(
  'IDX-G6: a history that is %s is named, and ids stay where path and symbol are equal',
  async (kind) => {
    const [repository, project] = [newRepository(), await bed.newProject()]
    const write = (to: ToyRepository, extra: string) => {
      to.write('a.toy', `${definition('stays')}${extra}`)
      to.write('b.toy', definition('b'))
    }
    write(repository, definition('goes'))
    repository.commit()
    await index(project, repository)
    const [stays, goes] = [await find(project, 'a.toy', 'stays'), await find(project, 'a.toy', 'goes')]
    let now = repository
    if (kind === 'unrelated') {
      repository.git('checkout', '-q', '--orphan', 'new')
      write(repository, '')
      repository.commit()
    } else {
      const other = newRepository()
      write(other, '')
      other.commit()
      other.write('c.toy', definition('c'))
      other.commit()
      now = kind === 'shallow' ? cloneOf(other) : other
    }
    const { history, commit } = await index(project, now)
    expect(history.kind).toBe(kind)
    expect(await find(project, 'a.toy', 'stays')).toMatchObject({ id: stays?.id })
    expect(await rowOf(project, goes?.id)).toMatchObject({ is_live: false, removed_in: commit })
  },
)

function cloneOf(repository: ToyRepository): ToyRepository {
  const clone = newRepository()
  clone.git('fetch', '-q', '--depth', '1', `file://${repository.dir}`, 'main')
  clone.git('reset', '-q', '--hard', 'FETCH_HEAD')
  return clone
}
