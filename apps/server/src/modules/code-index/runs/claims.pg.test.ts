import { runIndex } from '@crewhall/contracts/code-index/jobs.ts'
import { race } from '@crewhall/testkit/race.ts'
import { roundsFor } from '@crewhall/testkit/rounds.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { BrandTx } from '#platform/ctx/ctx.ts'
import { brandStatement, sql } from '#platform/db/statement.ts'
import { CodeIndexBed } from '../../../../test/code-index-bed.ts'
import { askForRun } from './runs.service.ts'
import { claimRun, insertRun } from './runs.store.ts'

let bed: CodeIndexBed
beforeAll(async () => {
  bed = await CodeIndexBed.open()
})
afterAll(() => bed.close())

const clients = 8
const rounds = roundsFor(200, 0.4)

type OfProject = { readonly project_id: string }
const look = brandStatement<OfProject, { state: string }>(
  (p) => sql`select state from code_index.runs
   where brand_id = ${p.brand_id} and project_id = ${p.project_id} and state in ('waiting', 'running')`,
)
const take = brandStatement<OfProject, { epoch: number }>(
  (p) => sql`update code_index.runs set state = 'running', epoch = epoch + 1,
     lease_until = platform.clock_now() + interval '20 seconds'
   where brand_id = ${p.brand_id} and project_id = ${p.project_id} returning epoch`,
)

/** Looks whether the run waits and takes it, and locks nothing. */
const claimNaively = (project_id: string) =>
  bed.ctx.tx(async (ctx) =>
    (await ctx.db.first(look, { project_id }))?.state === 'waiting'
      ? ctx.db.first(take, { project_id })
      : undefined,
  )

/** Looks whether a run is open and asks for one, and locks nothing. */
async function askNaively(ctx: BrandTx, project_id: string): Promise<void> {
  const open = await ctx.db.first(look, { project_id })
  await insertRun(ctx, { id: crypto.randomUUID(), project_id, trigger: 'request' })
  if (!open) await ctx.enqueue(runIndex, { brand_id: ctx.brandId, project_id })
}

const claims = (isTwin: boolean, claim: (project_id: string) => Promise<unknown>) =>
  race<string>({
    rounds,
    isTwin,
    clients,
    async setup() {
      const project_id = await bed.newProject()
      await bed.ctx.tx((ctx) => askForRun(ctx, project_id, 'request'))
      return project_id
    },
    act: (project_id) => claim(project_id),
    async verdict(_, outcomes) {
      if (outcomes.some(({ status }) => status === 'rejected')) return 'a claim failed'
      const held = outcomes.filter((each) => each.status === 'fulfilled' && each.value !== undefined)
      return held.length === 1 ? undefined : `${held.length} workers have the run`
    },
  })

test(`${clients} workers, one project, ${rounds} rounds: one of them has the run`, async () => {
  const claim = (project_id: string) => claimRun(bed.ctx, project_id, 20)
  expect(await claims(false, claim)).toEqual({ rounds, wrong: 0, examples: [] })
})

test('the same race finds a twin that looks and then takes', async () => {
  expect((await claims(true, claimNaively)).wrong).toBeGreaterThan(0)
})

const requests = (isTwin: boolean, ask: (ctx: BrandTx, project_id: string) => Promise<void>) =>
  race<string>({
    rounds,
    isTwin,
    clients,
    setup: () => bed.newProject(),
    act: (project_id) => bed.ctx.tx((ctx) => ask(ctx, project_id)),
    async verdict(project_id, outcomes) {
      if (outcomes.some(({ status }) => status === 'rejected')) return 'a request failed'
      const { rows } = await bed.admin.query<{ runs: number; jobs: number }>(
        `select (select count(*) from code_index.runs where project_id = $1::uuid)::int as runs,
           (select count(*) from pgboss.job where name = $2 and data -> 'payload' ->> 'project_id' = $1::text)::int as jobs`,
        [project_id, runIndex.name],
      )
      const [{ runs, jobs } = { runs: 0, jobs: 0 }] = rows
      return runs === 1 && jobs === 1 ? undefined : `${runs} runs with ${jobs} jobs`
    },
  })

test(`${clients} requests for one project at once, ${rounds} rounds: one run with one job`, async () => {
  const ask = (ctx: BrandTx, project_id: string) => askForRun(ctx, project_id, 'request')
  expect(await requests(false, ask)).toEqual({ rounds, wrong: 0, examples: [] })
})

test('the same race finds a twin that looks and then asks', async () => {
  expect((await requests(true, askNaively)).wrong).toBeGreaterThan(0)
})
