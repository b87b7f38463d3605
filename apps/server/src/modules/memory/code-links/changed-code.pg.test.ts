import { randomUUID } from 'node:crypto'
import { type PlanNode, planNodes } from '@crewhall/testkit/plan-nodes.ts'
import { scaled } from '@crewhall/testkit/rounds.ts'
import { onlySentBy } from '@crewhall/testkit/sent-statements.ts'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { type BrandCtx, type OutsideBrandCtx, systemCtx } from '#platform/ctx/ctx.ts'
import { CodeIndexBed } from '../../../../test/code-index-bed.ts'
import { RandomEdits, seeded } from '../../../../test/random-edits.ts'
import { indexToy } from '../../../../test/toy-index.ts'
import { ToyRepository, toySymbols } from '../../../../test/toy-repository.ts'
import { queueChanged } from './changed-code.service.ts'
import { findChangedProject, queueNamingAfter } from './changed-code.store.ts'
import { linkFollower } from './follow.service.ts'
import { Linker } from './linker.service.ts'

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

async function newBrand(): Promise<number> {
  const brand_id = await bed.newBrand()
  await bed.admin.query(`insert into identity.agents (brand_id, agent_id, name) values ($1, 'bot', 'Bot')`, [
    brand_id,
  ])
  return brand_id
}
/** One memory for each text, whose title is its number. */
const remember = (brand_id: number, bodies: readonly string[]) =>
  bed.admin.query(
    `insert into memory.memories (brand_id, id, agent_id, kind, title, body, text_hash, created_by, updated_by)
     select $1, gen_random_uuid(), 'bot', 'fact', at - 1, body, '', '{}', '{}'
     from unnest($2::text[]) with ordinality as t (body, at)`,
    [brand_id, bodies],
  )

const count = async (text: string) => (await bed.admin.query(text)).rows.length
/** Until nothing is left to look at. */
async function settle(): Promise<void> {
  const linker = new Linker()
  do await linker.look(systemCtx(bed.parts.ctx, bed.parts.log, { kind: 'system', name: 'test' }))
  while (
    (await count('select from memory.code_link_queue limit 1')) +
      (await count('select from memory.code_projects where walked < shown limit 1')) >
    0
  )
}

interface Link {
  readonly memory: string
  readonly mention: string
  readonly project: number
  readonly path: string
  readonly symbol: string
  readonly removed_in: string | null
}
async function linksOf(brand_id: number, projects: readonly string[]): Promise<Link[]> {
  const { rows } = await bed.admin.query<Link>(
    `select m.title as memory, mention, array_position($2::uuid[], l.project_id) as project, path, symbol, removed_in
     from memory.code_links l join memory.memories m on m.brand_id = l.brand_id and m.id = l.memory_id
     where l.brand_id = $1 order by m.title, mention`,
    [brand_id, projects],
  )
  return rows
}

const commits = scaled(300, 40)
const seeds = [20_261_116, 7, 99_991].slice(0, scaled(3, 1))

test.each(seeds)(
  `over ${commits} random commits, links are what looking at all memories after each index gives (seed %i)`,
  { timeout: scaled(1_200_000, 240_000) },
  async (seed) => {
    const repository = newRepository()
    const random = seeded(seed)
    const edits = new RandomEdits(repository, random)
    edits.start(12)
    const pick = <T>(list: readonly T[]): T => list[random(list.length)] as T
    const mention = () => {
      const path = pick(repository.paths())
      const symbols = toySymbols(repository.read(path)).map(({ name }) => name)
      const name = symbols.length > 0 ? pick(symbols) : 'f1'
      const folder = path.split('/').slice(0, -1).join('/')
      return pick([path, `${path}#${name}`, `\`${name}()\``, folder ? `${folder}/` : path, 'a/never.toy'])
    }
    const text = () => `${mention()}, ${mention()} and ${mention()}.`
    // The second workspace has all of its memories looked at after each index.
    const brands = [await newBrand(), await newBrand()] as const
    // Two projects with the same history, one of which lags behind, so that names are ambiguous at times.
    const projects = await Promise.all(
      brands.map(
        async (brand_id) => [await bed.newProject(brand_id), await bed.newProject(brand_id)] as const,
      ),
    )
    const texts = Array.from({ length: 40 }, text)
    for (const brand_id of brands) await remember(brand_id, texts)
    const seen = { removed: 0, other: 0, links: 0 }
    for (let done = 0, round = 0; done < commits; round += 1) {
      for (let n = random(4); n >= 0; n -= 1, done += 1) edits.step()
      const [changed, body] = [String(random(texts.length)), text()]
      await bed.admin.query('update memory.memories set body = $3 where brand_id = any($1) and title = $2', [
        brands,
        changed,
        body,
      ])
      for (const [at, brand_id] of brands.entries())
        for (const project of projects[at]?.slice(0, round % 3 === 1 ? 2 : 1) ?? [])
          await indexToy(bed.in(brand_id), project, repository, [linkFollower])
      await bed.admin.query(
        `insert into memory.code_link_queue (brand_id, memory_id) select brand_id, id from memory.memories where brand_id = $1
         on conflict do nothing`,
        [brands[1]],
      )
      await settle()
      const [ours, all] = [
        await linksOf(brands[0], projects[0] ?? []),
        await linksOf(brands[1], projects[1] ?? []),
      ]
      expect(ours, `after ${done} commits`).toEqual(all)
      seen.links = Math.max(seen.links, ours.length)
      seen.removed += ours.filter(({ removed_in }) => removed_in !== null).length
      seen.other += ours.filter(
        ({ mention, path }) => mention.includes('.toy') && !mention.startsWith(path),
      ).length
    }
    // Each of these is judged only if it happens.
    expect(Object.entries(seen).filter(([, n]) => n === 0)).toEqual([])
  },
)

/** Statements that are sent and rows that come back. */
function counting(ctx: OutsideBrandCtx) {
  const counted = { statements: 0, rows: 0 }
  const count =
    (name: 'all' | 'first' | 'run') =>
    async (...asked: Parameters<typeof ctx.db.all>) => {
      const found: unknown = await ctx.db[name](...asked)
      counted.statements += 1
      counted.rows += Array.isArray(found) ? found.length : 0
      return found
    }
  const db = Object.create(ctx.db, {
    all: { value: count('all') },
    first: { value: count('first') },
    run: { value: count('run') },
  })
  return { counted, ctx: Object.create(ctx, { db: { value: db } }) as OutsideBrandCtx }
}

test('an index looks at memories that name what it has changed, however many others there are', async () => {
  const costs: unknown[] = []
  for (const others of [50, 400]) {
    const repository = newRepository()
    const brand_id = await newBrand()
    const project = await bed.newProject(brand_id)
    for (let n = 0; n < 60; n += 1) repository.write(`src/f${n}.toy`, `def f${n}:\n  words of ${n}\n`)
    repository.commit()
    await remember(brand_id, [
      'src/f7.toy',
      '`f9()`',
      'src/late.toy',
      'src/far.toy',
      ...Array.from(
        { length: others },
        (_, n) => `src/f${10 + (n % 50)}.toy, other/o${n}.ts and \`g${n}()\``,
      ),
    ])
    await indexToy(bed.in(brand_id), project, repository, [linkFollower])
    await settle()
    repository.git('mv', 'src/f7.toy', 'src/far.toy')
    repository.git('rm', '-q', 'src/f9.toy')
    repository.write('src/late.toy', 'def late:\n  new words\n')
    repository.commit()
    await indexToy(bed.in(brand_id), project, repository, [linkFollower])
    const { ctx, counted } = counting(bed.in(brand_id))
    await queueChanged(ctx)
    expect(await findChangedProject(ctx)).toBe(undefined)
    const { rows } = await bed.admin.query<{ title: string }>(
      `select m.title from memory.code_link_queue q join memory.memories m on m.id = q.memory_id
       where q.brand_id = $1 order by m.title`,
      [brand_id],
    )
    expect(rows.map(({ title }) => title)).toEqual(['0', '1', '2', '3'])
    costs.push({ ...counted })
    await settle()
  }
  expect(costs[1]).toEqual(costs[0])
})

test('memories that name code are found by an index, and only those are read', async () => {
  const brand_id = await newBrand()
  await remember(
    brand_id,
    Array.from({ length: 3000 }, () => 'Nothing.'),
  )
  await bed.admin.query('delete from memory.code_link_queue where brand_id = $1', [brand_id])
  await bed.admin.query(
    `insert into memory.code_mentions (brand_id, memory_id, key) select brand_id, id, k.key from memory.memories,
       lateral (values ('src/f' || title || '.ts#'), ('#run' || title::int % 300)) as k (key) where brand_id = $1`,
    [brand_id],
  )
  await bed.admin.query('vacuum analyze memory.code_mentions, memory.memories')
  const { text, values } = onlySentBy(brand_id, (ctx: BrandCtx) =>
    queueNamingAfter(
      ctx,
      ['src/f7.ts#', '#run8'],
      { key: '', memory_id: randomUUID().replaceAll(/\w/g, '0') },
      1000,
    ),
  )
  const { rows } = await bed.admin.query<{ 'QUERY PLAN': [{ Plan: PlanNode }] }>(
    `explain (analyze, timing off, format json) ${text}`,
    values,
  )
  const nodes = planNodes(rows[0]?.['QUERY PLAN'][0].Plan as PlanNode)
  const found = nodes.filter((node) => node['Relation Name'] === 'code_mentions')
  expect(found.map((node) => [node['Node Type'], node['Actual Rows']])).toEqual([['Index Only Scan', 11]])
  expect(nodes.filter((node) => node['Node Type'] === 'Seq Scan')).toEqual([])
})
