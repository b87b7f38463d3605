import { randomUUID } from 'node:crypto'
import { race } from '@crewhall/testkit/race.ts'
import { roundsFor } from '@crewhall/testkit/rounds.ts'
import { seedIndex } from '@crewhall/testkit/seeded-index.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { codeNamedIn } from '#modules/code-index'
import { systemCtx } from '#platform/ctx/ctx.ts'
import { brandStatement, sql } from '#platform/db/statement.ts'
import { CodeIndexBed } from '../../../../test/code-index-bed.ts'
import { insertLinks } from './code-links.store.ts'
import { linkFollower } from './follow.service.ts'
import { Linker } from './linker.service.ts'

let bed: CodeIndexBed
beforeAll(async () => {
  bed = await CodeIndexBed.open()
  await bed.admin.query(`insert into identity.agents (brand_id, agent_id, name) values ($1, 'bot', 'Bot')`, [
    bed.brand_id,
  ])
})
afterAll(() => bed.close())

interface Round {
  readonly project_id: string
  readonly path: string
  readonly nid: number
  readonly node_id: string
  readonly memory_id: string
}

/** A file, and a memory that names it. */
async function setup(): Promise<Round> {
  const project_id = await bed.newProject()
  const path = `src/${randomUUID()}.ts`
  const nodes = await seedIndex(bed.admin, { brand_id: bed.brand_id, project_id }, [path])
  const node_id = nodes.get(path) ?? ''
  const { rows } = await bed.admin.query<{ nid: number }>('select nid from code_index.nodes where id = $1', [
    node_id,
  ])
  const memory_id = randomUUID()
  await bed.admin.query(
    `insert into memory.memories (brand_id, id, agent_id, kind, title, body, text_hash, created_by, updated_by)
     values ($1, $2, 'bot', 'fact', 'T', $3, '', '{}', '{}')`,
    [bed.brand_id, memory_id, path],
  )
  return { project_id, path, nid: rows[0]?.nid ?? 0, node_id, memory_id }
}

const takeOut = brandStatement<{ nid: number }, unknown>(
  (p) => sql`update code_index.nodes set is_live = false, removed_in = 'c2', parent_nid = null
   where brand_id = ${p.brand_id} and nid = ${p.nid}`,
)

/** An index without the file becomes visible. */
const publish = ({ project_id, path, nid, node_id }: Round) =>
  bed.ctx.tx(async (ctx) => {
    await ctx.db.run(takeOut, { nid })
    const index = { project_id, version: 2, commit_id: 'c2' }
    const places = { old_path: path, old_symbol: '', path, symbol: '' }
    await linkFollower.nodesChanged(ctx, index, [
      {
        version: 2,
        nid,
        node_id,
        kind: 'file',
        change: 'removed',
        ...places,
        commit_id: 'c2',
        removed_step: 1,
      },
    ])
    await linkFollower.indexShown?.(ctx, index)
  })

const look = () =>
  new Linker().look(systemCtx(bed.parts.ctx, bed.parts.log, { kind: 'system', name: 'test' }))

/** The naive twin: it finds the code, and links to it. */
async function lookNaively({ path, memory_id, project_id }: Round): Promise<void> {
  const found = await codeNamedIn(bed.ctx, [path], project_id)
  await bed.ctx.tx((ctx) =>
    insertLinks(ctx, {
      memory_ids: found.map(() => memory_id),
      mentions: found.map(({ mention }) => mention),
      project_ids: found.map((code) => code.project_id),
      nids: found.map(({ nid }) => nid),
      node_ids: found.map(({ node_id }) => node_id),
      kinds: found.map(({ kind }) => kind),
      paths: found.map((code) => code.path),
      symbols: found.map(({ symbol }) => symbol),
    }),
  )
}

const racing = (rounds: number, isTwin: boolean, link: (round: Round) => Promise<void>) =>
  race<Round>({
    rounds,
    isTwin,
    clients: 2,
    setup,
    act: (round, client) => (client === 0 ? publish(round) : link(round)),
    async verdict({ memory_id, nid }, outcomes) {
      if (outcomes.some(({ status }) => status === 'rejected')) return 'one failed'
      const { rows } = await bed.admin.query(
        'select from memory.code_links where memory_id = $1 and nid = $2 and removed_in is null',
        [memory_id, nid],
      )
      return rows.length === 0 ? undefined : 'a link to code that is gone'
    },
  })

const rounds = roundsFor(200, 0.3)

test(`a memory is linked while an index takes its code out, ${rounds} rounds: no link says that it is there`, async () => {
  expect(await racing(rounds, false, look)).toEqual({ rounds, wrong: 0, examples: [] })
})

test('the naive twin links to code that is gone', async () => {
  expect((await racing(rounds, true, lookNaively)).wrong).toBeGreaterThan(0)
})
