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
import type { Authenticator, MountedRoute, Request, Signer } from '#platform/http/handle.ts'
import type { RateLimits, TakesHeaders } from '#platform/http/limits/rate-limits.ts'
import { dryRun, isDryRun } from '#platform/http/request/dry-run.ts'
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
import type { Log } from '#platform/log/log.ts'
import type { KeyedDigests } from '#platform/secrets/keyed-digests.ts'

export interface PerformOptions {
  readonly ctx: CtxParts
  /** The handle that the route chose; callers are authenticated on the main one. */
  readonly on?: CtxParts
  readonly authenticate: Authenticator | undefined
  readonly rate_limits: RateLimits
  /** What is kept of a request that came with a key. */
  readonly request_digests: KeyedDigests
}

/** The head of a request: one of the framework, or a call from inside the process. */
export interface Incoming extends Request {
  readonly id: string
  readonly url: string
  readonly query: unknown
  readonly log: Log
  readonly held: { readonly network: string }
}

/** What one request has of its own: what follows its head, and whether anybody waits for the response. */
export interface Own {
  /** Whether the caller still waits. */
  readonly life: Life
  hasBody(): boolean
  /** The body as it was sent, at the first call read and afterwards remembered. */
  body(): Promise<unknown>
  /** Reads the file first. One that is spooled takes a place of its owner until the work is done, and is gone then. */
  withFile<T>(
    upload: Upload,
    owner: string,
    work: (file: UploadedFile | SpooledUpload) => Promise<T>,
  ): Promise<T>
}

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

export async function perform(
  route: MountedRoute,
  request: Incoming,
  reply: TakesHeaders,
  options: PerformOptions,
  own: Own,
): Promise<Performed> {
  for (let again = false; ; again = true) {
    try {
      return await attempt(route, request, reply, options, own, again)
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
  request: Incoming,
  reply: TakesHeaders,
  options: PerformOptions,
  own: Own,
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
    const signed = ctx.kind === 'system' ? await signedOf(route, ctx, params, request, own) : undefined
    const raw = signed ? signed.body : spec.upload || !own.hasBody() ? undefined : await own.body()
    const body = validateBody(spec, raw, ctx.kind)
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
    return await own.withFile(spec.upload, ownerOf(ctx, network), (file) =>
      act({ ...asked, file: file as unknown as undefined }),
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
  { headers }: Incoming,
  own: Own,
): Promise<{ signer: Signer; body: unknown } | undefined> {
  const refused = spec.auth.kind === 'nobody' ? spec.auth.signed : undefined
  if (!find || !refused) return undefined
  const bytes = (await own.body()) as Buffer
  const signer = await find(ctx, params, headers)
  const fits = [signer?.secret, signer?.old_secret].map((each) => isSignedWith(each, headers, bytes))
  if (!signer || !fits.includes(true)) throw refused()
  return { signer, body: parseSigned(bytes) }
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
  request: Incoming,
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

function keyOf(spec: AnyRoute, request: Incoming): string | undefined {
  const key = request.headers['idempotency-key']
  if (key === undefined || !takesKey(spec)) return undefined
  if (typeof key !== 'string' || !keyForm.test(key))
    throw invalid(spec, 'Idempotency-Key: must be 1 to 255 visible ASCII characters')
  return key
}

function keyedRequest(
  spec: AnyRoute,
  key: string,
  { method, url }: Incoming,
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
