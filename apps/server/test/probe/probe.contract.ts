import { job, longLadder } from '@crewhall/contracts/job.ts'
import { refusal } from '@crewhall/contracts/refusal.ts'
import { anyone, route } from '@crewhall/contracts/route.ts'
import { queryBoolean, queryInteger, Timestamp, text, Uuid } from '@crewhall/contracts/wire.ts'
import { z } from 'zod'
import { probeActivityRoutes } from './probe-activity.contract.ts'
import { probeAgentRoutes } from './probe-agents.contract.ts'
import { probeAuthRoutes } from './probe-auth.contract.ts'
import { writeBatchNaively } from './probe-batch.contract.ts'
import { probeBoardGuestRoutes } from './probe-board-guests.contract.ts'
import { claimNaively } from './probe-claims.contract.ts'
import { probeDeskRoutes } from './probe-desks.contract.ts'
import { probeDeviceRoutes } from './probe-device.contract.ts'
import { changeDraftNaively } from './probe-employees.contract.ts'
import { probeEventRoutes } from './probe-events.contract.ts'
import { probeFeatureRoutes } from './probe-features.contract.ts'
import { probeGuestRoutes } from './probe-guests.contract.ts'
import { probeHireEndRoutes } from './probe-hire-ends.contract.ts'
import { hireNaively, issueCredentialNaively } from './probe-hires.contract.ts'
import { probeInboxRoutes } from './probe-inbox.contract.ts'
import { probeKeyRoutes } from './probe-keys.contract.ts'
import { nearNaively } from './probe-lessons.contract.ts'
import { naiveRename } from './probe-mail.contract.ts'
import { probeMarketplaceRoutes } from './probe-marketplace.contract.ts'
import { probeMemberRoutes } from './probe-members.contract.ts'
import {
  changeMemoryNaively,
  consolidateNaively,
  decideNaively,
  restoreMemoryNaively,
} from './probe-memories.contract.ts'
import { noteJob, probeNoteRoutes } from './probe-notes.contract.ts'
import { probeOAuthRoutes } from './probe-oauth.contract.ts'
import { probePasswordRoutes } from './probe-passwords.contract.ts'
import { naivePhoto } from './probe-photos.contract.ts'
import { changeProfileNaively } from './probe-profiles.contract.ts'
import { spreadNaively } from './probe-ranks.contract.ts'
import { finishNaively, relateNaively } from './probe-relations.contract.ts'
import { probeServiceRoutes } from './probe-services.contract.ts'
import { createSourceNaively } from './probe-sources.contract.ts'
import { sumNaively } from './probe-sums.contract.ts'
import { probeTokenRoutes } from './probe-tokens.contract.ts'
import { nextWorkNaively } from './probe-work.contract.ts'

// A module that only tests mount. It uses every feature of the shared layers once, so that they can be
// tried over real HTTP before the product has routes that need them.

const auth = anyone()
const Row = z.object({ id: z.int(), name: z.string(), created_at: Timestamp }).meta({ id: 'ProbeRow' })
const RowId = z.object({
  id: z
    .string()
    .regex(/^[1-9]\d{0,8}$/)
    .transform(Number),
})
export const rowNotFound = refusal(404, 'Row not found')

export const readRow = route({
  id: 'probe.readRow',
  method: 'GET',
  path: '/api/v1/probe/rows/{id}',
  summary: 'One row by key',
  auth,
  params: RowId,
  responses: { 200: Row },
  missing: rowNotFound,
  refusals: [rowNotFound],
})

export const listRows = route({
  id: 'probe.listRows',
  method: 'GET',
  path: '/api/v1/probe/rows',
  summary: 'Rows, newest first',
  auth,
  query: z.object({
    limit: queryInteger(1, 50).optional(),
    newest: queryBoolean.optional(),
    name: text(1, 20).optional(),
  }),
  responses: { 200: z.object({ rows: z.array(Row) }) },
})

export const addRow = route({
  id: 'probe.addRow',
  method: 'POST',
  path: '/api/v1/probe/rows',
  summary: 'Adds a row',
  auth,
  body: z.object({ name: text(1, 200) }),
  responses: { 201: Row },
})

const Thing = z.strictObject({
  on: z.boolean(),
  limit_value: z.int().min(1).max(400).nullable().optional(),
  tags: z.array(text(1, 20)).max(10).optional(),
})
export const putThing = route({
  id: 'probe.putThing',
  method: 'PUT',
  path: '/api/v1/probe/things/{thing_id}',
  summary: 'Takes nothing it does not know',
  auth,
  params: z.object({ thing_id: Uuid }),
  body: Thing,
  responses: {
    200: z.object({
      thing_id: Uuid,
      on: z.boolean(),
      limit_value: z.int().nullable(),
      tags: z.array(z.string()),
    }),
  },
})

export const near = route({
  id: 'probe.near',
  method: 'POST',
  path: '/api/v1/probe/entries:near',
  summary: 'A custom verb',
  auth,
  body: z.strictObject({ depth: z.int().min(1).max(3) }),
  responses: { 200: z.object({ verb: z.literal('near'), depth: z.int() }) },
})

export const boardNote = route({
  id: 'probe.boardNote',
  method: 'POST',
  path: '/api/v1/probe/board/notes',
  summary: 'A route of the family that answers 400',
  auth,
  invalid: 400,
  body: z.object({ title: text(1, 80) }),
  query: z.object({ page: queryInteger(1, 1000).optional() }),
  responses: { 200: z.object({ title: z.string(), page: z.int() }) },
})

const tooLarge = refusal(400, 'File too large (max 5MB)')
const noFile = refusal(400, 'No file')
export const upload = route({
  id: 'probe.upload',
  method: 'POST',
  path: '/api/v1/probe/uploads',
  summary: 'Takes a file',
  auth,
  upload: { field: 'file', max_bytes: 5_242_880, too_large: tooLarge, missing: noFile },
  refusals: [tooLarge, noFile],
  responses: {
    200: z.object({ bytes: z.int(), filename: z.string(), content_type: z.string(), sha256: z.string() }),
  },
})

export const report = route({
  id: 'probe.report',
  method: 'GET',
  path: '/api/v1/probe/report',
  summary: 'Answers in YAML or Markdown',
  auth,
  formats: { default: 'yaml', accepts: ['yaml', 'md'] },
  query: z.object({ title: z.string().optional() }),
  responses: {
    200: z.object({
      title: z.string(),
      count: z.int(),
      rows: z.array(z.object({ name: z.string(), note: z.string().nullable() })),
    }),
  },
})

export const slow = route({
  id: 'probe.slow',
  method: 'GET',
  path: '/api/v1/probe/slow',
  summary: 'Holds a connection for a while',
  auth,
  query: z.object({ ms: queryInteger(0, 60_000) }),
  responses: { 200: z.object({ waited_ms: z.int() }) },
})

export const bug = route({
  id: 'probe.bug',
  method: 'GET',
  path: '/api/v1/probe/bug',
  summary: 'Fails in an unexpected way',
  auth,
  query: z.object({ secret: z.string().optional() }),
  responses: { 200: z.object({}) },
})

export const takeSeat = route({
  id: 'probe.takeSeat',
  method: 'POST',
  path: '/api/v1/probe/rooms/{id}/seats',
  summary: 'Takes a seat in a room of five',
  auth,
  params: RowId,
  query: z.object({ naive: queryBoolean.optional() }),
  refusals: [refusal(409, 'No seat left')],
  responses: { 201: z.object({ taken: z.int() }) },
})

export const brandSetting = route({
  id: 'probe.brandSetting',
  method: 'GET',
  path: '/api/v1/probe/brands/{id}/setting',
  summary: 'What a tenant statement sees',
  auth,
  params: RowId,
  responses: { 200: z.object({ alone: z.string(), inside: z.string(), outside: z.string().nullable() }) },
})

export const addMark = route({
  id: 'probe.addMark',
  method: 'POST',
  path: '/api/v1/probe/marks',
  summary: 'Writes a row and enqueues its job in one transaction',
  auth,
  body: z.object({
    key: Uuid,
    roll_back: z.boolean().optional(),
    wait_seconds: z.int().min(0).max(86_400).optional(),
    /** Through the queue that nobody is woken for. */
    bulk: z.boolean().optional(),
  }),
  responses: { 202: z.object({ key: Uuid }) },
})

export const addJob = route({
  id: 'probe.addJob',
  method: 'POST',
  path: '/api/v1/probe/jobs',
  summary: 'Enqueues one job of the probe',
  auth,
  body: z.object({
    job: z.enum(['mark', 'careless', 'ladder', 'brand-mark', 'careless-brand-mark']),
    key: Uuid,
    /** For those that work in a workspace. */
    brand_id: z.int().min(1).optional(),
    nap_ms: z.int().min(0).max(4000).optional(),
    kill: z.boolean().optional(),
  }),
  responses: { 202: z.object({ key: Uuid }) },
})

export const sendMail = route({
  id: 'probe.sendMail',
  method: 'POST',
  path: '/api/v1/probe/mails',
  summary: 'Sends a message',
  auth,
  body: z.object({ to: text(3, 100), subject: text(1, 100) }),
  responses: { 202: z.object({}) },
})

const Mark = z.object({
  key: Uuid,
  enqueued_at: z.number(),
  /** Works for this long before the effect. */
  nap_ms: z.int().optional(),
  /** A poison pill: ends the process that runs it. */
  kill: z.boolean().optional(),
})
export const markJob = job({ name: 'probe.mark', payload: Mark })
/** The same work for a busy queue. */
export const bulkMarkJob = job({ name: 'probe.bulk-mark', payload: Mark, batch_size: 100, notify: false })
/** What `once` is for: the same effect without it. */
export const carelessJob = job({ name: 'probe.careless', payload: z.object({ key: Uuid }) })
const BrandMark = z.object({ brand_id: z.int(), key: Uuid })
export const brandMarkJob = job({ name: 'probe.brand-mark', payload: BrandMark })
/** What `onceIn` is for: the same effects without it. */
export const carelessBrandMarkJob = job({ name: 'probe.careless-brand-mark', payload: BrandMark })
export const ladderJob = job({
  name: 'probe.ladder',
  payload: z.object({ key: Uuid }),
  retry_seconds: longLadder,
})
export const tickJob = job({ name: 'probe.tick', payload: z.object({}), cron: '0 * * * *' })
export const idleJob = job({ name: 'probe.idle', payload: z.object({}), batch_size: 100, notify: false })

export const probeRoutes = {
  probe: {
    readRow,
    listRows,
    addRow,
    putThing,
    near,
    boardNote,
    upload,
    report,
    slow,
    bug,
    takeSeat,
    brandSetting,
    addMark,
    addJob,
    sendMail,
    ...probeAuthRoutes,
    naivePhoto,
    ...probeFeatureRoutes,
    ...probeGuestRoutes,
    ...probeBoardGuestRoutes,
    naiveRename,
    ...probeMemberRoutes,
    ...probeTokenRoutes,
    ...probeDeviceRoutes,
    ...probeOAuthRoutes,
    ...probeAgentRoutes,
    ...probeServiceRoutes,
    ...probePasswordRoutes,
    changeDraftNaively,
    hireNaively,
    issueCredentialNaively,
    changeProfileNaively,
    changeMemoryNaively,
    createSourceNaively,
    restoreMemoryNaively,
    consolidateNaively,
    decideNaively,
    ...probeActivityRoutes,
    ...probeEventRoutes,
    ...probeInboxRoutes,
    ...probeMarketplaceRoutes,
    ...probeHireEndRoutes,
    ...probeDeskRoutes,
    ...probeKeyRoutes,
    ...probeNoteRoutes,
    claimNaively,
    nearNaively,
    relateNaively,
    spreadNaively,
    finishNaively,
    writeBatchNaively,
    nextWorkNaively,
    sumNaively,
  },
} as const
export const probeJobs = [
  markJob,
  bulkMarkJob,
  carelessJob,
  brandMarkJob,
  carelessBrandMarkJob,
  ladderJob,
  tickJob,
  idleJob,
  noteJob,
]
