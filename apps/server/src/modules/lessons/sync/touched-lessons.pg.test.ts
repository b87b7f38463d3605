import { isFull, scaled } from '@crewhall/testkit/rounds.ts'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import type { IndexFollower } from '#modules/code-index'
import { sql, statement } from '#platform/db/statement.ts'
import { CodeIndexBed } from '../../../../test/code-index-bed.ts'
import { RandomEdits, seeded } from '../../../../test/random-edits.ts'
import { indexToy } from '../../../../test/toy-index.ts'
import { ToyRepository, toySymbols } from '../../../../test/toy-repository.ts'
import { derivedOfLessons } from '../derived/derived.store.ts'
import { lessonFollower } from './repository.service.ts'

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

const nil = '00000000-0000-0000-0000-000000000000'
/** States, stale flags and closure that are not what they are when worked out anew. */
async function wrong(): Promise<unknown[]> {
  const all = { brand_id: 0, id: nil, last_brand_id: 2 ** 31 - 1, last_id: nil.replaceAll('0', 'f') }
  const found: unknown[] = []
  for (const { compare } of derivedOfLessons)
    found.push(...(await bed.admin.query(compare.sql, compare.bind(all))).rows)
  return found
}

interface Matter {
  readonly anchors: readonly string[]
  readonly supersedes?: readonly string[]
  readonly retired?: boolean
  readonly body?: string
}
const lessonText = ({ anchors, supersedes = [], retired = false, body = 'A rule.' }: Matter) =>
  `---\n${JSON.stringify({ type: 'rule', anchors, supersedes, retired })}\n---\n${body}\n`

const commits = scaled(300, 40)
const seeds = [20_261_116, 7, 99_991].slice(0, scaled(3, 1))

test.each(seeds)(
  `IDX-02 IDX-07 IDX-G3: over ${commits} random commits, what an index changes of lessons is what working all out anew gives (seed %i)`,
  { timeout: scaled(1_200_000, 240_000) },
  async (seed) => {
    const repository = newRepository()
    const random = seeded(seed)
    const edits = new RandomEdits(repository, random)
    const project = await bed.newProject()
    edits.start(12)
    const slugs = Array.from({ length: 12 }, (_, n) => `toy/l${n}`)
    const pick = <T>(list: readonly T[]): T => list[random(list.length)] as T
    const place = () => {
      const path = pick(repository.paths())
      const symbols = toySymbols(repository.read(path)).map(({ name }) => `${path}#${name}`)
      const folder = path.split('/').slice(0, -1).join('/')
      return pick([path, path, ...symbols.slice(0, 2), ...(folder ? [`${folder}/`] : []), 'never/was.toy'])
    }
    const writeLesson = () => {
      const path = `lessons/${pick(slugs)}.md`
      if (random(6) === 0) return repository.write(path, 'no front matter')
      const anchors = Array.from({ length: random(4) }, place)
      const supersedes = random(4) === 0 ? [pick(slugs)] : []
      repository.write(path, lessonText({ anchors, supersedes, retired: random(10) === 0 }))
    }
    const seen = new Map<string, number>()
    for (let done = 0; done < commits; ) {
      for (let n = random(3); n >= 0; n -= 1) writeLesson()
      repository.commit()
      for (let n = random(4); n >= 0; n -= 1, done += 1) edits.step()
      await indexToy(bed.ctx, project, repository, [lessonFollower])
      expect(await wrong()).toEqual([])
      const { rows } = await bed.admin.query<{ action: string }>(
        'select action from lessons.history group by action',
      )
      for (const { action } of rows) seen.set(action, 1)
    }
    // Each of these is judged only if it happens.
    expect([...seen.keys()].sort()).toEqual(expect.arrayContaining(['changed', 'created']))
    if (isFull) expect([...seen.keys()].sort()).toEqual(expect.arrayContaining(['moved', 'revived', 'stale']))
  },
)

interface Counted {
  readonly table: string
  readonly read: number
  readonly written: number
}
const counts = statement<object, Counted>(
  () => sql`select relname::text as table, (coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0))::int as read,
     (n_tup_ins + n_tup_upd + n_tup_del)::int as written
   from pg_stat_xact_user_tables where schemaname = 'lessons'`,
)

const withIndexes = statement<object, unknown>(() => sql`select set_config('enable_seqscan', 'off', true)`)
const planAnew = statement<object, unknown>(() => sql`discard plans`)

test('an index that moves one of 200 files touches the lessons of that file, and no others', async () => {
  const repository = newRepository()
  const project = await bed.newProject()
  const files = 200
  for (let n = 0; n < files; n += 1) {
    repository.write(`src/d${n % 40}/f${n}.toy`, `# ${n}\ndef f${n}:\n  ${`words of ${n} `.repeat(10)}\n`)
    repository.write(`lessons/toy/l${n}.md`, lessonText({ anchors: [`src/d${n % 40}/f${n}.toy`] }))
  }
  repository.commit()
  await indexToy(bed.ctx, project, repository, [lessonFollower])
  await bed.admin.query(
    'vacuum analyze lessons.lessons, lessons.anchors, lessons.anchor_ups, lessons.history',
  )
  repository.git('mv', 'src/d7/f7.toy', 'src/d8/f7.toy')
  repository.git('rm', '-q', 'src/d9/f9.toy')
  repository.write('src/d1/new.toy', 'def new:\n')
  repository.commit()
  let [before, touched]: [Counted[], Counted[]] = [[], []]
  const counting: IndexFollower = {
    ...lessonFollower,
    async prepare(ctx, commit) {
      const inner = (await lessonFollower.prepare?.(ctx, commit)) ?? lessonFollower
      return {
        async nodesChanged(ctx, ...told) {
          // Tables of a test are small, and read as a whole for that reason alone.
          await ctx.db.run(withIndexes, {})
          await ctx.db.run(planAnew, {})
          before = await ctx.db.all(counts, {})
          await inner.nodesChanged(ctx, ...told)
        },
        async indexShown(ctx, index) {
          await inner.indexShown?.(ctx, index)
          // They hold what the connection has done before as well, until that is reported.
          const sum = (of: 'read' | 'written', table: string) =>
            before.find((each) => each.table === table)?.[of] ?? 0
          touched = (await ctx.db.all(counts, {})).map(({ table, read, written }) => ({
            table,
            read: read - sum('read', table),
            written: written - sum('written', table),
          }))
        },
      }
    },
  }
  await indexToy(bed.ctx, project, repository, [counting])
  expect(await wrong()).toEqual([])
  const sum = (of: 'read' | 'written') => touched.reduce((all, each) => all + each[of], 0)
  expect(sum('written')).toBeGreaterThan(5)
  expect(touched.filter(({ read, written }) => read > 60 || written > 20)).toEqual([])
})
