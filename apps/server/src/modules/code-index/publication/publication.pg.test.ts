import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { join } from 'node:path'
import { scaled } from '@crewhall/testkit/rounds.ts'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { type IndexFollower, isReady, type NodeChange, walk } from '#modules/code-index'
import type { BrandTx } from '#platform/ctx/ctx.ts'
import { bedEnv, CodeIndexBed } from '../../../../test/code-index-bed.ts'
import { toyGraph } from '../../../../test/toy-graph.ts'
import { ToyRepository } from '../../../../test/toy-repository.ts'
import { readHistory } from '../identity/history.service.ts'
import { factsCache } from '../nodes/facts-cache.service.ts'
import { collectStored, readStored } from '../nodes/stored-index.service.ts'
import { prepareIndex } from './prepare.service.ts'
import { openIndex, publishIndex } from './publication.service.ts'

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

async function index(
  project_id: string,
  repository: ToyRepository,
  followers: readonly IndexFollower[] = [],
) {
  const commit = repository.head()
  const { epoch, commit_id } = await openIndex(bed.ctx, project_id)
  const history = await readHistory(repository.reader, commit_id, commit)
  const stored = await collectStored(readStored(bed.ctx, project_id))
  const plan = await prepareIndex(stored, toyGraph(repository, commit), history, async () => [])
  const publication = { project_id, run_id: randomUUID(), epoch, commit_id: commit, history: history.kind }
  return publishIndex(bed.ctx, publication, plan, followers)
}

/** What readers see, by places and not by ids. */
async function seen(project_id: string) {
  const { rows: nodes } = await bed.admin.query<{ nid: number; id: string; place: string }>(
    `select nid, id, kind || ' ' || path || '#' || symbol as place from code_index.nodes
     where project_id = $1 and is_live order by path collate "C", symbol collate "C"`,
    [project_id],
  )
  const places = new Map(nodes.map(({ nid, place }) => [nid, place]))
  const { rows: edges } = await bed.admin.query<{ src: number; kind: number; dst: number }>(
    `select e.src, e.kind, e.dst from code_index.edges e join code_index.nodes n on n.brand_id = e.brand_id and n.nid = e.src
     where n.project_id = $1`,
    [project_id],
  )
  const { rows: state } = await bed.admin.query<{ version: number; commit_id: string | null }>(
    'select version, commit_id from code_index.indexes where project_id = $1',
    [project_id],
  )
  return {
    ids: nodes.map(({ id, place }) => `${place} ${id}`),
    edges: edges.map(({ src, kind, dst }) => `${places.get(src)} ${kind} ${places.get(dst)}`).sort(),
    version: state[0]?.version,
    commit_id: state[0]?.commit_id,
  }
}

const expected = (repository: ToyRepository) =>
  toyGraph(repository, repository.head()).nodes.map(
    ({ kind, path, symbol }) => `${['folder', 'file', 'symbol'].indexOf(kind)} ${path}#${symbol}`,
  )

async function leftovers(): Promise<number> {
  const { rows } = await bed.admin.query<{ count: string }>(
    `select (select count(*) from code_index.staged_nodes) + (select count(*) from code_index.staged_edges)
       + (select count(*) from code_index.staged_runs) as count`,
  )
  return Number(rows[0]?.count)
}

/** Two states of a repository that differ in every way a plan can. */
function changing(): { repository: ToyRepository; change(): void } {
  const repository = newRepository()
  const text = (n: number) =>
    `# ${n}\ndef f${n}:\n  a body with many words for ${n}, long enough to be told\n  and more of it\n`
  for (let n = 0; n < 12; n += 1)
    repository.write(`src/f${n}.toy`, `${text(n)}import src/f${(n + 1) % 12}.toy\n`)
  repository.commit()
  return {
    repository,
    change() {
      repository.git('mv', 'src/f0.toy', 'moved.toy')
      repository.git('rm', '-q', 'src/f1.toy')
      repository.write('src/f2.toy', `${text(2)}import src/f9.toy\n`)
      repository.write('src/new.toy', text(99))
      repository.commit()
    },
  }
}

/** Publishes in a process of its own, which ends itself at the named point. */
async function publishAndDie(project_id: string, repository: ToyRepository, point: string): Promise<string> {
  const here = (path: string) => JSON.stringify(join(import.meta.dirname, path))
  const source = `
    import { randomUUID } from 'node:crypto'
    import { loadConfig } from ${here('../../../config.ts')}
    import { createParts } from ${here('../../../parts.ts')}
    import { systemCtx } from ${here('../../../platform/ctx/ctx.ts')}
    import { readHistory } from ${here('../identity/history.service.ts')}
    import { collectStored, readStored } from ${here('../nodes/stored-index.service.ts')}
    import { prepareIndex } from ${here('./prepare.service.ts')}
    import { openIndex, publishIndex } from ${here('./publication.service.ts')}
    import { toyGraph } from ${here('../../../../test/toy-graph.ts')}
    import { ToyRepository } from ${here('../../../../test/toy-repository.ts')}
    const repository = new ToyRepository(${JSON.stringify(repository.dir)})
    const parts = await createParts(loadConfig(process.env), 'worker')
    const ctx = systemCtx(parts.ctx, parts.log, { kind: 'system', name: 'test' }).forBrand(${bed.brand_id})
    const project_id = ${JSON.stringify(project_id)}
    const commit = repository.head()
    const { epoch, commit_id } = await openIndex(ctx, project_id)
    const history = await readHistory(repository.reader, commit_id, commit)
    const stored = await collectStored(readStored(ctx, project_id))
    const plan = await prepareIndex(stored, toyGraph(repository, commit), history, async () => [])
    const publication = { project_id, run_id: randomUUID(), epoch, commit_id: commit, history: history.kind }
    await publishIndex(ctx, publication, plan, [])
    await parts.close()`
  const child = spawn(process.execPath, ['--input-type=module', '--eval', source], {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { ...bedEnv(bed.database), TEST_FAULT_POINTS: `${point}:kill@1` },
  })
  let said = ''
  child.stderr.on('data', (bytes) => {
    said += bytes
  })
  const [code, signal] = await once(child, 'close')
  return signal ?? `ended with ${code} ${said.slice(0, 2000)}`
}

const before = ['opened', 'staging', 'staged', 'applied', 'remembered', 'followed']
const killRounds = scaled(20, 1)

/** More rows than are cleared at once. */
function manySymbols(): { repository: ToyRepository; change(): void } {
  const repository = newRepository()
  const symbols = (file: number) =>
    Array.from({ length: 110 }, (_, n) => `def s${file}x${n}:\n  pass\n`).join('')
  for (let file = 0; file < 50; file += 1) repository.write(`src/f${file}.toy`, symbols(file))
  repository.commit()
  let at = 'src'
  return {
    repository,
    change() {
      const to = at === 'src' ? 'moved' : 'src'
      repository.git('mv', at, to)
      repository.commit()
      at = to
    },
  }
}

test.each([...before, 'published', 'clearing'])(
  'IDX-G4: a run that is killed at %s leaves the last index or the new one, and the next run ends equal',
  async (point) => {
    for (let round = 0; round < killRounds; round += 1) {
      const project = await bed.newProject()
      const { repository, change } = point === 'clearing' ? manySymbols() : changing()
      await index(project, repository)
      const old = await seen(project)
      change()
      expect(await publishAndDie(project, repository, `code-index.${point}`)).toBe('SIGKILL')
      const left = await seen(project)
      if (before.includes(point)) expect(left).toEqual(old)
      else expect(left).toMatchObject({ version: 2, commit_id: repository.head() })
      if (point === 'clearing') expect(await leftovers()).toBeGreaterThan(0)
      await index(project, repository)
      const next = await seen(project)
      expect(next.ids.map((text) => text.slice(0, -37))).toEqual(expected(repository))
      expect(next.edges).toHaveLength(toyGraph(repository, repository.head()).edges.length)
      expect(await leftovers()).toBe(0)
    }
  },
  600_000,
)

test('IDX-G4: a first index that is killed half-way is seen by nobody, and the next run ends equal', async () => {
  for (let round = 0; round < killRounds; round += 1) {
    const project = await bed.newProject()
    const { repository } = changing()
    expect(await publishAndDie(project, repository, 'code-index.written')).toBe('SIGKILL')
    expect((await seen(project)).ids).not.toEqual([])
    expect(await isReady(bed.ctx, project)).toBe(false)
    repository.git('mv', 'src/f3.toy', 'elsewhere.toy')
    repository.commit()
    await index(project, repository)
    expect((await seen(project)).ids.map((text) => text.slice(0, -37))).toEqual(expected(repository))
    expect(await isReady(bed.ctx, project)).toBe(true)
    expect(await leftovers()).toBe(0)
  }
}, 600_000)

test('a run that another one has overtaken publishes nothing', async () => {
  const project = await bed.newProject()
  const { repository } = changing()
  const { epoch } = await openIndex(bed.ctx, project)
  const stored = await collectStored(readStored(bed.ctx, project))
  const history = await readHistory(repository.reader, null, repository.head())
  const plan = await prepareIndex(stored, toyGraph(repository, repository.head()), history, async () => [])
  await index(project, repository)
  const old = await seen(project)
  const publication = {
    project_id: project,
    run_id: randomUUID(),
    epoch,
    commit_id: 'late',
    history: 'first' as const,
  }
  await expect(publishIndex(bed.ctx, publication, plan, [])).rejects.toMatchObject({ reason: 'superseded' })
  expect(await seen(project)).toEqual(old)
})

test('an index that loses half of what git has left alone is refused, and one that git explains is not', async () => {
  const project = await bed.newProject()
  const { repository } = changing()
  await index(project, repository)
  const old = await seen(project)
  const { epoch, commit_id } = await openIndex(bed.ctx, project)
  const stored = await collectStored(readStored(bed.ctx, project))
  const history = await readHistory(repository.reader, commit_id, repository.head())
  const graph = toyGraph(repository, repository.head())
  const poor = { ...graph, nodes: graph.nodes.slice(0, 6), edges: [] }
  const plan = await prepareIndex(stored, poor, history, async () => [])
  const publication = {
    project_id: project,
    run_id: randomUUID(),
    epoch,
    commit_id: 'x',
    history: history.kind,
  }
  await expect(publishIndex(bed.ctx, publication, plan, [])).rejects.toMatchObject({ reason: 'nodes_lost' })
  expect(await seen(project)).toEqual(old)
  repository.git('rm', '-q', '-r', 'src')
  repository.write('one.toy', '')
  repository.commit()
  await index(project, repository)
  expect((await seen(project)).ids).toHaveLength(2)
})

test('followers are told of moved and removed nodes inside the transaction that makes the index visible', async () => {
  const project = await bed.newProject()
  const { repository, change } = changing()
  const told: NodeChange[] = []
  const visible: unknown[] = []
  const note = async (ctx: BrandTx, changes: readonly NodeChange[]) => {
    told.push(...changes)
    await factsCache(ctx, 'follower').put([[`seen ${told.length}`, 'x']])
    visible.push((await seen(project)).version, (await factsCache(bed.ctx, 'follower').get(['seen 4'])).size)
  }
  const follower: IndexFollower = { nodesChanged: (ctx, _, changes) => note(ctx, changes) }
  await index(project, repository, [follower])
  expect(told).toEqual([])
  change()
  const failing: IndexFollower = {
    async nodesChanged(ctx, _, changes) {
      await note(ctx, changes)
      throw new Error('the follower has failed')
    },
  }
  const old = await seen(project)
  await expect(index(project, repository, [failing])).rejects.toThrow('the follower has failed')
  expect(await seen(project)).toEqual(old)
  expect((await factsCache(bed.ctx, 'follower').get(['seen 4'])).size).toBe(0)
  told.length = 0
  await index(project, repository, [follower])
  expect(told.map(({ change, old_path, path, symbol }) => [change, old_path, path, symbol]).sort()).toEqual([
    ['moved', 'src/f0.toy', 'moved.toy', ''],
    ['moved', 'src/f0.toy', 'moved.toy', 'f0'],
    ['removed', 'src/f1.toy', 'src/f1.toy', ''],
    ['removed', 'src/f1.toy', 'src/f1.toy', 'f1'],
  ])
  // Nobody else saw anything of it before the commit.
  expect(visible).toEqual([1, 0, 1, 0])
  expect(await seen(project)).toMatchObject({ version: 2 })
  expect((await factsCache(bed.ctx, 'follower').get(['seen 4'])).size).toBe(1)
})

test('IDX-G4: whoever reads while indexes are published sees one of them as a whole', async () => {
  const project = await bed.newProject()
  const repository = newRepository()
  const write = (round: number) => {
    for (let n = 0; n < 20; n += 1)
      repository.write(`r${round}/f${n}.toy`, `# ${round} ${n}\nimport r${round}/hub.toy\n`)
    repository.write(`r${round}/hub.toy`, `# hub ${round}\n`)
    if (round > 0) repository.git('rm', '-q', '-r', '--ignore-unmatch', `r${round - 1}`)
    repository.commit()
  }
  write(0)
  await index(project, repository)
  let isOver = false
  const query = { depth: 2, kinds: ['import', 'contains'], direction: 'both', hub_cap: 200 } as const
  const reads: string[] = []
  const reading = (async () => {
    const { rows } = await bed.admin.query<{ id: string }>(
      `select id from code_index.nodes where project_id = $1 and path = ''`,
      [project],
    )
    const root = rows[0]?.id ?? ''
    while (!isOver) {
      const walked = await walk(bed.ctx, project, { paths: [], node_ids: [root] }, query)
      const nodes = [...(walked?.reached.values() ?? [])]
      const tops = new Set(nodes.filter(({ path }) => path !== '').map(({ path }) => path.split('/')[0]))
      reads.push(`${[...tops].join()} ${nodes.length}`)
    }
  })()
  for (let round = 1; round <= 5; round += 1) {
    write(round)
    await index(project, repository)
  }
  isOver = true
  await reading
  expect(new Set(reads).size).toBeGreaterThan(1)
  for (const read of reads) expect(read).toMatch(/^r\d 23$/)
})

test('what one workspace has cached, no other one gets', async () => {
  const other = bed.in(await bed.newBrand())
  await factsCache(bed.ctx, '1').put([['blob.ts', '{"mine":1}']])
  expect(await factsCache(other, '1').get(['blob.ts'])).toEqual(new Map())
  expect(await factsCache(bed.ctx, '2').get(['blob.ts'])).toEqual(new Map())
  expect(await factsCache(bed.ctx, '1').get(['blob.ts', 'none'])).toEqual(
    new Map([['blob.ts', '{"mine":1}']]),
  )
})
