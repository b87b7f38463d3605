import { Refusal } from '@crewhall/contracts/refusal.ts'
import {
  type AnyRoute,
  type Format,
  isRead,
  type RouteInput,
  type SpooledUpload,
  takesKey,
  type Upload,
  type UploadedFile,
} from '@crewhall/contracts/route.ts'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Bound } from '#platform/bulkheads/bound.ts'
import { bulkheads, type TurnKind } from '#platform/bulkheads/bulkheads.ts'
import type { Life } from '#platform/bulkheads/life.ts'
import {
  type CtxParts,
  ctxOn,
  type OutsideBrandCtx,
  type OutsideSystemCtx,
  systemCtx,
} from '#platform/ctx/ctx.ts'
import { StaleCaller } from '#platform/db/stale-caller.ts'
import { Answer } from '#platform/http/answer.ts'
import { versionsWanted } from '#platform/http/entity-tag.ts'
import type { Authenticator, MountedRoute, Signer } from '#platform/http/handle.ts'
import type { Aside } from '#platform/http/limits/deadlines.ts'
import type { RateLimits } from '#platform/http/limits/rate-limits.ts'
import { dryRun, isDryRun } from '#platform/http/request/dry-run.ts'
import { inviteBody } from '#platform/http/request/expected-bodies.ts'
import { hasBody, readBytes, readJsonBody } from '#platform/http/request/json-body.ts'
import { withBodyLimit } from '#platform/http/request/long-bodies.ts'
import { readUpload, spoolUpload } from '#platform/http/request/multipart.ts'
import { isSignedWith, parseSigned } from '#platform/http/request/signed-body.ts'
import { invalid, validateBody, validatePlace } from '#platform/http/request/validate.ts'
import { formatOf } from '#platform/http/response/format.ts'
import { inWordsOf } from '#platform/http/response/outage-words.ts'
import {
  type Answered,
  answerInPhases,
  answerOnce,
  type KeyedRequest,
} from '#platform/idempotency/answer-once.ts'
import { unkeyedClaim } from '#platform/idempotency/claim.ts'
import { Outage } from '#platform/outage/outage.ts'
import type { KeyedDigests } from '#platform/secrets/keyed-digests.ts'

export interface PerformOptions {
  readonly ctx: CtxParts
  /** The handle that the route chose; callers are authenticated on the main one. */
  readonly on?: CtxParts
  readonly authenticate: Authenticator | undefined
  readonly rate_limits: RateLimits
  readonly body_limit_bytes: number
  /** Who sends a file that is spooled. */
  readonly uploads: Bound
  /** What is kept of a request that came with a key. */
  readonly request_digests: KeyedDigests
}

/** What one request has of its own. */
export interface Own {
  /** Waits for what the caller still has to send. */
  readonly aside: Aside
  /** Whether the caller still waits. */
  readonly life: Life
}

/** The body as it was sent, at the first call read and afterwards remembered. */
type Body = () => Promise<unknown>

/** What came of a request, before it is put into bytes. */
export interface Performed {
  readonly ctx: OutsideSystemCtx | OutsideBrandCtx
  readonly format: Format
  readonly result: unknown
  /** What the layer itself has to say about the answer. */
  readonly headers: Readonly<Record<string, string>>
}

const nobody = { kind: 'nobody' } as const

const noHeaders = {}

export const perform = (
  route: MountedRoute,
  request: FastifyRequest,
  reply: FastifyReply,
  options: PerformOptions,
  own: Own,
): Promise<Performed> =>
  withBodyLimit(route.spec, request, options.body_limit_bytes, (limit) =>
    performWithin(limit, route, request, reply, options, own),
  )

async function performWithin(
  limitBytes: number,
  route: MountedRoute,
  request: FastifyRequest,
  reply: FastifyReply,
  options: PerformOptions,
  own: Own,
): Promise<Performed> {
  let read: Promise<unknown> | undefined
  const body: Body = () => {
    const readBody = route.signer ? readBytes : readJsonBody
    read ??= own.aside(() => readBody(route.spec, request, reply, limitBytes))
    return read
  }
  for (let again = false; ; again = true) {
    try {
      return await attempt(route, request, reply, options, own, body, again)
    } catch (error) {
      // A remembered caller is refused at its first statement, before anything was done: start over.
      if (!again && error instanceof StaleCaller) continue
      throw inWordsOf(route.spec, error)
    }
  }
}

/** The order is published and tested: who calls comes before what was written wrongly. */
async function attempt(
  route: MountedRoute,
  request: FastifyRequest,
  reply: FastifyReply,
  options: PerformOptions,
  own: Own,
  sent: Body,
  again: boolean,
): Promise<Performed> {
  const { spec } = route
  const base = systemCtx(options.ctx, request.log, nobody, request.id, own.life)
  const found = options.authenticate?.authenticate(spec, request, base, again) ?? base
  const authenticated = found instanceof Promise ? await found : found
  const ctx = options.on ? ctxOn(authenticated, options.on) : authenticated
  try {
    if (!again) options.rate_limits.count(ctx, reply)
    const { params, query } = validatePlace(spec, request)
    const is_dry_run = isDryRun(spec, request.query)
    // A body can be long or never come, so nobody's is looked at before it is known who calls. A caller that sends
    // none is not waited for, and so neither counted anew nor shed: health above all (SYS-06).
    const signed = ctx.kind === 'system' ? await signedOf(route, ctx, params, request, sent) : undefined
    const raw = signed ? signed.body : spec.upload || !hasBody(request) ? undefined : await sent()
    const body = validateBody(spec, raw)
    const format = formatOf(spec, request.query)
    const if_match = versionsWanted(spec, request.headers['if-match'])
    // A body can be read once only, so nobody's is read before they are let in for certain.
    if (spec.upload && ctx.kind === 'brand') await ctx.confirm()
    const { network } = request.held
    const user_agent = request.headers['user-agent']
    const asked = { params, query, body, file: undefined, network, user_agent, if_match }
    const act = async (input: RouteInput<AnyRoute>): Promise<Performed> => {
      const { result, headers } =
        ctx.kind === 'brand' && !isRead(spec)
          ? await write(route, ctx, request, { input, raw, is_dry_run, digests: options.request_digests })
          : { result: await route.run(ctx, input, signed?.signer), headers: noHeaders }
      const confirming = ctx.kind === 'brand' ? ctx.confirm() : undefined
      if (confirming) await confirming
      return { ctx, format, result, headers }
    }
    if (!spec.upload) return await act(asked)
    inviteBody(request, reply)
    return await withFile(
      spec,
      spec.upload,
      request,
      own,
      { owner: ownerOf(ctx, network), ...options },
      (file) => act({ ...asked, file: file as unknown as undefined }),
    )
  } catch (error) {
    // Nobody is told what is wrong with a request before they are let in for certain (AUTH-G14).
    if (ctx.kind === 'brand' && error instanceof Refusal) await ctx.confirm()
    throw error
  }
}

/** The body of a signed route and who has signed it. Everybody waits for the same steps, whatever is wrong. */
async function signedOf(
  { spec, signer: find }: MountedRoute,
  ctx: OutsideSystemCtx,
  params: unknown,
  request: FastifyRequest,
  sent: Body,
): Promise<{ signer: Signer; body: unknown } | undefined> {
  const refused = spec.auth.kind === 'nobody' ? spec.auth.signed : undefined
  if (!find || !refused) return undefined
  const bytes = (await sent()) as Buffer
  const { headers } = request
  const signer = await find(ctx, params, headers)
  const fits = [signer?.secret, signer?.old_secret].map((each) => isSignedWith(each, headers, bytes))
  if (!signer || !fits.includes(true)) throw refused()
  return { signer, body: parseSigned(bytes) }
}

/** Reads the file first. One that is spooled takes a place until its request is answered, and is gone then. */
async function withFile<T>(
  spec: AnyRoute,
  upload: Upload,
  request: FastifyRequest,
  { aside }: Own,
  { uploads, owner }: { uploads: Bound; owner: string },
  work: (file: UploadedFile | SpooledUpload) => Promise<T>,
): Promise<T> {
  if (!upload.spooled) return work(await aside(() => readUpload(spec, upload, request)))
  if (!uploads.admits(owner)) throw new Outage('service', 'overloaded')
  uploads.take(owner)
  try {
    const file = await aside(() => spoolUpload(spec, upload, request))
    try {
      return await work(file)
    } finally {
      await file.discard()
    }
  } finally {
    uploads.leave(owner)
  }
}

const ownerOf = (ctx: OutsideSystemCtx | OutsideBrandCtx, network: string): string =>
  ctx.kind === 'brand' ? `brand:${ctx.brandId}` : network

type Done = Pick<Performed, 'result' | 'headers'>

interface Asked {
  readonly input: RouteInput<AnyRoute>
  /** The body as it was sent. */
  readonly raw: unknown
  readonly is_dry_run: boolean
  readonly digests: KeyedDigests
}

/** A write of a workspace, which can come with a key, as a dry run or in phases. */
async function write(
  route: MountedRoute,
  ctx: OutsideBrandCtx,
  request: FastifyRequest,
  asked: Asked,
): Promise<Done> {
  const { spec, before, run } = route
  const { input, is_dry_run } = asked
  expectTurns(spec, ctx, input)
  const key = keyOf(spec, request)
  if (is_dry_run) {
    return { result: await dryRun(ctx, (ctx) => run(ctx, input)), headers: { 'dry-run': 'true' } }
  }
  if (key !== undefined) {
    const { answer, is_replayed } = await withKey(route, ctx, keyedRequest(spec, key, request, asked), input)
    await ctx.faultPoint('keys.kept')
    const { status, body, headers } = answer
    return {
      result: new Answer(status, body, headers),
      headers: is_replayed ? { 'idempotent-replayed': 'true' } : noHeaders,
    }
  }
  const prepared = before ? await before(ctx, input, unkeyedClaim()) : undefined
  return { result: await run(ctx, input, prepared), headers: noHeaders }
}

/** A write on what many write to waits for its turn before it begins, where its path names that thing. */
function expectTurns(spec: AnyRoute, ctx: OutsideBrandCtx, { params }: RouteInput<AnyRoute>): void {
  for (const [name, kind] of Object.entries(spec.resources ?? {})) {
    if (!(kind in bulkheads.turns)) continue
    const id = (params as Readonly<Record<string, unknown>> | undefined)?.[name]
    if (typeof id === 'string') ctx.expectTurn(kind as TurnKind, id)
  }
}

const keyForm = /^[\x21-\x7e]{1,255}$/

function keyOf(spec: AnyRoute, request: FastifyRequest): string | undefined {
  const key = request.headers['idempotency-key']
  if (key === undefined || !takesKey(spec)) return undefined
  if (typeof key !== 'string' || !keyForm.test(key))
    throw invalid(spec, 'Idempotency-Key: must be 1 to 255 visible ASCII characters')
  return key
}

function keyedRequest(
  spec: AnyRoute,
  key: string,
  { method, url }: FastifyRequest,
  { raw, digests, input }: Asked,
): KeyedRequest {
  const [path = ''] = url.split('?', 1)
  const file = input.file as SpooledUpload | undefined
  const rest = JSON.stringify(file ? [url, file.filename, file.digest] : [url, raw])
  const [module = ''] = spec.id.split('.')
  return { key, module, method, path, rest, is_secret: spec.tells_once === true, digests }
}

/** What only writes rows does all of it in one transaction; what has to wait for somebody else, in phases. */
function withKey(
  { before, run, success }: MountedRoute,
  ctx: OutsideBrandCtx,
  asked: KeyedRequest,
  input: RouteInput<AnyRoute>,
): Promise<Answered> {
  const answer = (result: unknown) => (result instanceof Answer ? result : new Answer(success, result))
  if (!before) return answerOnce(ctx, asked, async (ctx) => answer(await run(ctx, input)))
  return answerInPhases(ctx, asked, {
    before: (ctx, claim) => before(ctx, input, claim),
    run: async (ctx, prepared) => answer(await run(ctx, input, prepared)),
  })
}
