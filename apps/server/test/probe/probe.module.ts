import { createHash } from 'node:crypto'
import { refusal } from '@crewhall/contracts/refusal.ts'
import { cardLessons, cardMemories } from '#modules/boards'
import { featureHoldings, guestAccess } from '#modules/workspaces'
import { handle } from '#platform/http/handle.ts'
import { onJob } from '#platform/jobs/job-handler.ts'
import { fill } from '#platform/modules/port.ts'
import { createModules, type Modules } from '../../src/modules.ts'
import type { Parts } from '../../src/parts.ts'
import * as contract from './probe.contract.ts'
import * as sql from './probe.statements.ts'
import { probeActivityMounted } from './probe-activity.routes.ts'
import { probeAgentsMounted } from './probe-agents.routes.ts'
import { probeAuthMounted } from './probe-auth.routes.ts'
import { probeBatchMounted } from './probe-batch.routes.ts'
import { probeBoardGuestsMounted } from './probe-board-guests.routes.ts'
import { boardsOfProbe } from './probe-boards.ts'
import { probeBrandJobsOf } from './probe-brand-jobs.ts'
import { probeClaimsMounted } from './probe-claims.routes.ts'
import { probeDesksMounted } from './probe-desks.routes.ts'
import { probeDeviceMounted } from './probe-device.routes.ts'
import { probeEmployeesMounted } from './probe-employees.routes.ts'
import { probeEventsMounted } from './probe-events.routes.ts'
import { probeFeaturesMounted, probeHoldings } from './probe-features.routes.ts'
import { probeGuestsMounted } from './probe-guests.routes.ts'
import { probeHireEndsMounted } from './probe-hire-ends.routes.ts'
import { probeHiresMounted } from './probe-hires.routes.ts'
import { probeInboxMounted } from './probe-inbox.routes.ts'
import { probeKeysMounted } from './probe-keys.routes.ts'
import { probeLessonsMounted } from './probe-lessons.routes.ts'
import { probeLessons } from './probe-lessons.ts'
import { probeMailMounted } from './probe-mail.routes.ts'
import { probeMarketplaceMounted } from './probe-marketplace.routes.ts'
import { probeMembersMounted } from './probe-members.routes.ts'
import { probeMemoriesMounted } from './probe-memories.routes.ts'
import { probeNearMemories } from './probe-memories-near.ts'
import { probeNoteJobs, probeNotesMounted } from './probe-notes.routes.ts'
import { probeOAuthMounted } from './probe-oauth.routes.ts'
import { probePasswordsMounted } from './probe-passwords.routes.ts'
import { probePhotosMounted } from './probe-photos.routes.ts'
import { probeProfilesMounted } from './probe-profiles.routes.ts'
import { probeRanksMounted } from './probe-ranks.routes.ts'
import { probeRelationsMounted } from './probe-relations.routes.ts'
import { probeServicesMounted } from './probe-services.routes.ts'
import { probeSourcesMounted } from './probe-sources.routes.ts'
import { probeSumsMounted } from './probe-sums.routes.ts'
import { probeTokensMounted } from './probe-tokens.routes.ts'
import { probeWorkMounted } from './probe-work.routes.ts'

const noSeat = refusal(409, 'No seat left')
const rolledBack = refusal(409, 'Rolled back on request')
const seats = 5

/** The product's modules and the probe. */
export function createProbeModules(parts: Parts): Modules {
  const product = createModules(parts, [
    fill(featureHoldings, ...probeHoldings),
    fill(guestAccess, ...boardsOfProbe()),
    fill(cardLessons, probeLessons),
    fill(cardMemories, probeNearMemories),
  ])
  return {
    ...product,
    routes: [
      ...product.routes,
      ...probeRoutesOf(parts),
      ...probeAuthMounted(),
      ...probePhotosMounted(parts),
      ...probeFeaturesMounted(),
      ...probeGuestsMounted(),
      ...probeBoardGuestsMounted(),
      ...probeMailMounted(),
      ...probeMembersMounted(),
      ...probeTokensMounted(),
      ...probeDeviceMounted(),
      ...probeOAuthMounted(),
      ...probeAgentsMounted(),
      ...probeServicesMounted(),
      ...probePasswordsMounted(),
      ...probeProfilesMounted(),
      ...probeActivityMounted(),
      ...probeEventsMounted(),
      ...probeInboxMounted(parts, product.jobs),
      ...probeClaimsMounted(),
      ...probeLessonsMounted(),
      ...probeRelationsMounted(),
      ...probeRanksMounted(),
      ...probeBatchMounted(),
      ...probeWorkMounted(),
      ...probeSumsMounted(),
      ...probeKeysMounted(),
      ...probeNotesMounted(),
      ...probeMemoriesMounted(),
      ...probeSourcesMounted(),
      ...probeDesksMounted(parts),
      ...probeMarketplaceMounted(parts, product.jobs),
      ...probeEmployeesMounted(),
      ...probeHiresMounted(),
      ...probeHireEndsMounted(product.jobs),
    ],
    jobs: [...product.jobs, ...probeJobsOf(), ...probeBrandJobsOf(), ...probeNoteJobs()],
  }
}

const probeRoutesOf = ({ mail }: Parts) => [
  handle(contract.readRow, async (ctx, { params }) => {
    const row = await ctx.db.first(sql.findRow, params)
    if (!row) throw contract.rowNotFound()
    return row
  }),
  handle(contract.listRows, async (ctx, { query }) => ({
    rows: await ctx.db.all(sql.listNewest, { limit: query.limit ?? 10 }),
  })),
  handle(contract.addRow, async (ctx, { body }) =>
    ctx.tx(async (tx) => {
      const row = await tx.db.first(sql.insertRow, body)
      if (!row) throw new Error('nothing was inserted')
      return row
    }),
  ),
  handle(contract.putThing, (_, { params, body }) => ({
    ...params,
    on: body.on,
    limit_value: body.limit_value ?? null,
    tags: body.tags ?? [],
  })),
  handle(contract.near, (_, { body }) => ({ verb: 'near' as const, depth: body.depth })),
  handle(contract.boardNote, (_, { body, query }) => ({ title: body.title, page: query.page ?? 1 })),
  handle(contract.upload, (_, { file }) => ({
    bytes: file.bytes.length,
    filename: file.filename,
    content_type: file.content_type,
    sha256: createHash('sha256').update(file.bytes).digest('hex'),
  })),
  handle(contract.report, (_, { query }) => ({
    title: query.title ?? 'Report',
    count: 2,
    rows: [
      { name: 'no', note: null },
      { name: '1e3', note: 'a | b\n# c' },
    ],
  })),
  handle(contract.slow, async (ctx, { query }) => {
    await ctx.db.run(sql.sleep, { seconds: query.ms / 1000 })
    return { waited_ms: query.ms }
  }),
  handle(contract.bug, (_, { query }) => {
    throw new Error(`something broke near ${query.secret ?? 'nothing'}`)
  }),
  handle(contract.takeSeat, (ctx, { params, query }) =>
    ctx.tx(async (tx) => {
      if (!query.naive) await tx.db.run(sql.lockRoom, params)
      const taken = (await tx.db.first(sql.countSeats, params))?.taken ?? 0
      if (taken >= seats) throw noSeat()
      await tx.db.run(sql.insertSeat, params)
      return { taken: taken + 1 }
    }),
  ),
  handle(contract.brandSetting, async (ctx, { params }) => {
    const brand = ctx.forBrand(params.id)
    const alone = await brand.db.first(sql.readBrand, {})
    const inside = await brand.tx((tx) => tx.db.first(sql.readBrand, {}))
    const outside = await ctx.db.first(sql.readBrand, {})
    return { alone: alone?.brand ?? '', inside: inside?.brand ?? '', outside: outside?.brand ?? null }
  }),
  handle(contract.addMark, (ctx, { body }) =>
    ctx.tx(async (tx) => {
      await tx.db.run(sql.insertMark, body)
      const run_at = new Date(tx.now().getTime() + (body.wait_seconds ?? 0) * 1000)
      await tx.enqueue(
        body.bulk ? contract.bulkMarkJob : contract.markJob,
        { key: body.key, enqueued_at: performance.timeOrigin + performance.now() },
        { run_at },
      )
      if (body.roll_back) throw rolledBack()
      return { key: body.key }
    }),
  ),
  handle(contract.addJob, (ctx, { body: { job, brand_id = 0, ...payload } }) =>
    ctx.tx(async (tx) => {
      if (job === 'mark') await tx.enqueue(contract.markJob, { ...payload, enqueued_at: 0 })
      if (job === 'careless') await tx.enqueue(contract.carelessJob, payload)
      if (job === 'ladder') await tx.enqueue(contract.ladderJob, payload)
      if (job === 'brand-mark') await tx.enqueue(contract.brandMarkJob, { ...payload, brand_id })
      if (job === 'careless-brand-mark')
        await tx.enqueue(contract.carelessBrandMarkJob, { ...payload, brand_id })
      return { key: payload.key }
    }),
  ),
  handle(contract.sendMail, async (ctx, { body }) => {
    await mail.send(ctx, { ...body, text: 'Hello', html: '<p>Hello</p>' })
    return {}
  }),
]

const probeJobsOf = () => [
  ...[contract.markJob, contract.bulkMarkJob].map((spec) =>
    onJob(spec, async (ctx, { key, enqueued_at, nap_ms, kill }, run) => {
      const waited_ms = performance.timeOrigin + performance.now() - enqueued_at
      if (kill) process.kill(process.pid, 'SIGKILL')
      if (nap_ms) await ctx.db.run(sql.sleep, { seconds: nap_ms / 1000 })
      await run.once(`probe:${key}`, async (tx) => {
        await tx.db.run(sql.insertEffect, { key, waited_ms })
      })
    }),
  ),
  onJob(contract.carelessJob, async (ctx, { key }) => {
    await ctx.faultPoint('probe.careless')
    await ctx.db.run(sql.insertEffect, { key, waited_ms: 0 })
  }),
  onJob(contract.ladderJob, async (ctx, { key }, run) => {
    await ctx.db.run(sql.insertAttempt, { key, attempt: run.attempt })
    throw new Error('always fails')
  }),
  onJob(contract.tickJob, async (ctx) => {
    await ctx.db.run(sql.insertTick, { pid: process.pid })
  }),
  onJob(contract.idleJob, async () => {}),
]
