import { type ChildProcess, spawn } from 'node:child_process'
import { hostname } from 'node:os'
import { claimCard, extendClaim, releaseClaim } from '@crewhall/contracts/boards/claims.ts'
import { finishRun, listRuns, startRun } from '@crewhall/contracts/boards/runs.ts'
import { nextWork } from '@crewhall/contracts/boards/work.ts'
import { getMe, type Me } from '@crewhall/contracts/identity/sessions.ts'
import { createToken, revokeToken } from '@crewhall/contracts/identity/tokens.ts'
import type { CommonFlags, Context } from '../context.ts'
import { environmentOfChild, runVariables } from '../environment.ts'
import { exitCodes } from '../exit-codes.ts'
import { Failure, failed } from '../failure.ts'
import { boardId } from './board-names.ts'

interface RunFlags extends CommonFlags {
  readonly card?: string
  readonly lease?: string
}

interface Work {
  readonly ref: string
  readonly run_id: string
  readonly claim_id: string
  readonly epoch: number
  readonly expires_at: string
  readonly lease_seconds: number
}

/** Claims a card, runs a command for it and keeps the claim while the command runs. Ends with the code of the command. */
export async function runCommand(
  context: Context,
  command: readonly string[],
  flags: RunFlags,
): Promise<number> {
  const [program, ...args] = command
  if (program === undefined) throw failed('no command is named', 'crewhall run -- make test')
  if (context.environment.run) throw failed('this is a run already')
  const lease_seconds = flags.lease === undefined ? 300 : Number(flags.lease)
  const work = await takeWork(context, flags.card, lease_seconds)
  const token = await tokenFor(context, work)
  const child = spawn(program, args, {
    stdio: 'inherit',
    // At a terminal it stays in our group, so that keys reach it; elsewhere it gets its own, so that all of it can be ended.
    detached: process.stdin.isTTY !== true,
    env: environmentOfChild({
      CREWHALL_HOST: await context.host(),
      ...(token ? { CREWHALL_TOKEN: token.token } : {}),
      [runVariables.run_id]: work.run_id,
      [runVariables.ref]: work.ref,
      [runVariables.claim_id]: work.claim_id,
      [runVariables.epoch]: String(work.epoch),
    }),
  })
  context.printer.note(`${work.ref}: ${program} has begun.`)
  const keeper = new ClaimKeeper(context, work, () => end(child))
  keeper.start()
  const onAbort = () => end(child)
  context.signal.addEventListener('abort', onAbort)
  const { code, error } = await ended(child)
  context.signal.removeEventListener('abort', onAbort)
  const isLost = await keeper.stop()
  await wind(context, work, { code, isLost, error })
  if (token?.id !== undefined) await dropToken(context, token.id)
  if (error) throw failed(`${program} cannot be started: ${error}`)
  if (isLost) throw new Failure('conflict', `the claim of ${work.ref} was lost, and ${program} was stopped`)
  return code
}

async function takeWork(context: Context, card: string | undefined, lease_seconds: number): Promise<Work> {
  const caller = await context.caller()
  const process_name = `${hostname()}:${process.pid}`
  if (card !== undefined) {
    const params = { task_id: card }
    checkLease(claimCard.body.safeParse({ lease_seconds }))
    const claimed = (await caller.call(claimCard, { params, body: { lease_seconds, process: process_name } }))
      .body as Work
    const begun = (await caller.call(startRun, { params, body: { epoch: claimed.epoch } })).body as {
      id: string
    }
    return { ...claimed, ref: card.toUpperCase(), run_id: begun.id, lease_seconds }
  }
  const { board } = await context.choice()
  const body = {
    lease_seconds,
    process: process_name,
    budget_bytes: 1024,
    ...(board === undefined ? {} : { board_ids: [await boardId(context, board)] }),
  }
  checkLease(nextWork.body.safeParse(body))
  const taken = (await caller.call(nextWork, { body })).body as {
    claim: Work | null
    run: { id: string } | null
    context: { ref: string } | null
  }
  if (!taken.claim || !taken.run || !taken.context) throw new Failure('not_found', 'no card is ready')
  return { ...taken.claim, ref: taken.context.ref, run_id: taken.run.id, lease_seconds }
}

function checkLease(checked: {
  success: boolean
  error?: { issues: readonly { message: string }[] } | undefined
}): void {
  if (!checked.success) throw failed(`--lease: ${checked.error?.issues[0]?.message}`)
}

/**
 * The child gets a token of its own, which ends with it, and never that of the caller. Services may issue none: what they
 * were started with is theirs alone, so it is passed on.
 */
async function tokenFor(
  context: Context,
  { ref }: Work,
): Promise<{ id?: string; token: string } | undefined> {
  const caller = await context.caller()
  const me = (await caller.call(getMe)).body as Me
  try {
    const { body } = await caller.call(createToken, {
      params: { brand_id: String(me.brand_id) },
      body: { name: `Run of ${ref}`, scopes: me.scopes ?? [], expires_in_days: 1 },
    })
    return body as { id: string; token: string }
  } catch (error) {
    if (!(error instanceof Failure) || error.status === undefined || error.status >= 500) throw error
    const own = context.environment.token
    context.printer.warn(`crewhall: no token for the run: ${error.message}`)
    return own === undefined ? undefined : { token: own }
  }
}

const dropToken = async (context: Context, token_id: string): Promise<void> => {
  const caller = await context.caller()
  await caller
    .call(revokeToken, { params: { brand_id: String(await context.workspace()), token_id } })
    .catch((error: Error) =>
      context.printer.warn(`crewhall: the token of the run was not revoked: ${error.message}`),
    )
}

/** Renews a claim in time, and notices when it is no longer ours. */
class ClaimKeeper {
  readonly #context: Context
  readonly #work: Work
  readonly #onLost: () => void
  #until: number
  #timer: NodeJS.Timeout | undefined
  #beat: Promise<void> = Promise.resolve()
  #isLost = false
  #isOver = false

  constructor(context: Context, work: Work, onLost: () => void) {
    this.#context = context
    this.#work = work
    this.#onLost = onLost
    this.#until = performance.now() + work.lease_seconds * 1000
  }

  start(): void {
    const each = (this.#work.lease_seconds * 1000) / 10
    this.#timer = setTimeout(
      () => {
        this.#beat = this.#renew().finally(() => {
          if (!this.#isOver && !this.#isLost) this.start()
        })
      },
      Math.min(each, Math.max(200, this.#until - performance.now() - 1000)),
    )
  }

  /** Whether the claim was lost. */
  async stop(): Promise<boolean> {
    this.#isOver = true
    clearTimeout(this.#timer)
    await this.#beat
    return this.#isLost
  }

  async #renew(): Promise<void> {
    const { ref, claim_id, epoch, lease_seconds } = this.#work
    const began = performance.now()
    try {
      const caller = await this.#context.caller()
      await caller.call(extendClaim, { params: { task_id: ref }, body: { claim_id, epoch, lease_seconds } })
      this.#until = began + lease_seconds * 1000
    } catch (error) {
      const { status } = error as Failure
      // A service that is away says nothing about the claim, until its time is over.
      const isAnswer = status !== undefined && status < 500 && status !== 429
      if (isAnswer ? await this.#hasEndedWell() : performance.now() < this.#until - 1000) return
      if (this.#isOver) return
      this.#isLost = true
      this.#onLost()
    }
  }

  /** The command may have ended the work itself, by `crewhall done`: then there is nothing to keep. */
  async #hasEndedWell(): Promise<boolean> {
    const { ref, run_id } = this.#work
    try {
      const { body } = await (await this.#context.caller()).call(listRuns, { params: { task_id: ref } })
      const run = (body as { items: { id: string; status: string }[] }).items.find(({ id }) => id === run_id)
      const isWell = run !== undefined && !['running', 'lost'].includes(run.status)
      this.#isOver ||= isWell
      return isWell
    } catch {
      return false
    }
  }
}

function ended(child: ChildProcess): Promise<{ code: number; error?: string }> {
  return new Promise((resolve) => {
    child.on('error', (error) => resolve({ code: exitCodes.error.code, error: error.message }))
    child.on('exit', (code, signal) => resolve({ code: code ?? 128 + (signals[signal ?? ''] ?? 0) }))
  })
}

const signals: Readonly<Record<string, number>> = {
  SIGHUP: 1,
  SIGINT: 2,
  SIGKILL: 9,
  SIGTERM: 15,
  SIGSEGV: 11,
  SIGABRT: 6,
}
const grace_ms = 5000

/** Asks it to stop, and a little later does not ask any more. */
function end(child: ChildProcess): void {
  const { pid } = child
  if (pid === undefined || child.exitCode !== null || child.signalCode !== null) return
  const send = (signal: NodeJS.Signals) => {
    try {
      process.kill(process.stdin.isTTY === true ? pid : -pid, signal)
    } catch {
      // It has ended meanwhile.
    }
  }
  send('SIGTERM')
  setTimeout(() => send('SIGKILL'), grace_ms).unref()
}

/** Ends the run as the command has ended, unless the command has done so itself. */
async function wind(
  context: Context,
  { ref, run_id, claim_id, epoch }: Work,
  { code, isLost, error }: { code: number; isLost: boolean; error: string | undefined },
): Promise<void> {
  if (isLost) return
  const caller = await context.caller()
  const body =
    code === 0
      ? { status: 'succeeded' }
      : {
          status: 'failed',
          reason:
            error === undefined ? `The command ended with code ${code}` : 'The command cannot be started',
        }
  try {
    await caller.call(finishRun, { params: { run_id }, body })
  } catch (fault) {
    if (fault instanceof Failure && fault.ending === 'conflict') return
    context.printer.warn(`crewhall: the run of ${ref} was not ended: ${(fault as Error).message}`)
    await caller
      .call(releaseClaim, { params: { task_id: ref }, body: { claim_id, epoch } })
      .catch(() => undefined)
  }
}
