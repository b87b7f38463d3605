import { deskQuarantined } from '@crewhall/contracts/fleet/refusals.ts'
import type { DeskHire } from '@crewhall/contracts/hires/credentials.ts'
import { hireNotFound, hireNotRunning, noHireAtDesk } from '@crewhall/contracts/hires/refusals.ts'
import type { Scope } from '@crewhall/contracts/scopes.ts'
import { findHiredDesk, type HiredDeskFacts, renewDesk } from '#modules/fleet'
import { holdService, issueServiceToken, revokeServiceTokens, scopesWithin } from '#modules/identity'
import type { BrandCtx, BrandTx } from '#platform/ctx/ctx.ts'
import { findHire, type HireRow, lockHire } from '../hiring/hires.store.ts'
import * as store from './credentials.store.ts'
import { isWorking } from './running.rules.ts'

export interface CredentialDeps {
  /** Where agents find their tools. */
  mcpUrlOf(agent_id: string): string
}

/** With its agent, which it has from the moment it works. */
type Working = HireRow & { readonly agent_id: string }

/**
 * The desk gets what its employee works with. The token is made now and stored nowhere: of two calls at once, the later
 * one has the token that works.
 */
export async function fetchDeskHire(ctx: BrandCtx, deps: CredentialDeps): Promise<DeskHire> {
  const desk_id = deskOf(ctx)
  const found = await store.findHireAtDesk(ctx, desk_id)
  if (!found?.agent_id) throw noHireAtDesk()
  const { id, agent_id } = found
  return ctx.tx(async (ctx) => {
    const hire = await lockWorking(ctx, id, agent_id)
    const desk = hire?.desk_id === desk_id ? await deskOfHire(ctx, hire) : undefined
    if (!hire || !desk) throw noHireAtDesk()
    // Since it was authenticated. Later, the job that follows waits for this commit and ends the token.
    if (desk.is_quarantined) throw deskQuarantined()
    const { coder_profile, files, scopes } = await templateOf(ctx, hire)
    const token = await issue(ctx, hire, scopes)
    const { revision, workspace_path } = desk
    const place = { mcp_url: deps.mcpUrlOf(agent_id), workspace_path }
    return { hire_id: id, agent_id, ...place, revision, token, coder_profile, files }
  })
}

/** For an admin, who sees the token once. That of an employee with a desk goes there: it is told to fetch another. */
export async function issueCredential(ctx: BrandCtx, deps: CredentialDeps, id: string) {
  const found = await findHire(ctx, id)
  if (!found) throw hireNotFound()
  const { agent_id } = found
  if (agent_id === null) throw hireNotRunning()
  return ctx.tx(async (ctx) => {
    const hire = await lockWorking(ctx, id, agent_id)
    if (!hire) throw hireNotRunning()
    const shown = { hire_id: id, agent_id, mcp_url: deps.mcpUrlOf(agent_id) }
    if (!(await deskOfHire(ctx, hire))) {
      const { scopes } = await templateOf(ctx, hire)
      return { ...shown, workstation_id: null, token: await issue(ctx, hire, scopes) }
    }
    await endTokens(ctx, hire)
    return { ...shown, workstation_id: hire.desk_id, token: null }
  })
}

/** The machine is gone, or is not the only one with its key: the token on it ends. Safe to repeat. */
export async function forgetDesk(ctx: BrandCtx, desk_id: string): Promise<void> {
  const found = await store.findHireAtDesk(ctx, desk_id)
  if (!found) return
  const { id, agent_id } = found
  const isDone = await ctx.tx(async (ctx) => {
    if (agent_id !== null) await holdService(ctx, agent_id)
    const hire = await lockHire(ctx, id)
    if (hire?.desk_id !== desk_id || hire.ended_at !== null) return true
    // The build has given it one meanwhile, which has to be locked first.
    if (hire.agent_id !== agent_id) return false
    if (!(await findHiredDesk(ctx, desk_id))) await store.updateWithoutDesk(ctx, id)
    if (agent_id !== null) await endTokens(ctx, { ...hire, agent_id })
    return true
  })
  if (!isDone) await forgetDesk(ctx, desk_id)
}

/** In the order of all that change hires and tokens: agent, service, brand, hire. */
async function lockWorking(ctx: BrandTx, id: string, agent_id: string): Promise<Working | undefined> {
  await holdService(ctx, agent_id)
  const hire = await lockHire(ctx, id)
  if (hire?.agent_id !== agent_id || !isWorking(hire, ctx.now())) return undefined
  return { ...hire, agent_id }
}

/** Undefined once it was released, or before it was given the agent. */
async function deskOfHire(ctx: BrandTx, { desk_id, agent_id }: Working): Promise<HiredDeskFacts | undefined> {
  const desk = desk_id === null ? undefined : await findHiredDesk(ctx, desk_id)
  return desk?.agent_id === agent_id ? desk : undefined
}

/** What the agent had before ends in the same commit, also what an ended hire has left it. */
async function issue(ctx: BrandTx, hire: Working, wanted: readonly Scope[]): Promise<string> {
  const { id, agent_id, name } = hire
  const scopes = await scopesWithin(ctx, wanted)
  await revokeServiceTokens(ctx, agent_id, await store.listOtherTokens(ctx, id, agent_id))
  const { id: token_id, token } = await issueServiceToken(ctx, { agent_id, name, scopes })
  await store.updateToken(ctx, id, token_id)
  await note(ctx, hire, token_id)
  return token
}

/** A desk fetches another one with its next beat. */
async function endTokens(ctx: BrandTx, hire: Working): Promise<void> {
  const { id, agent_id, desk_id } = hire
  if (desk_id !== null) await renewDesk(ctx, desk_id)
  await revokeServiceTokens(ctx, agent_id, await store.listOtherTokens(ctx, id, agent_id))
  await store.updateToken(ctx, id, null)
  await note(ctx, hire, null)
}

const note = (ctx: BrandTx, { id, agent_id, desk_id, token_id }: Working, next: string | null) =>
  ctx.audit({
    action: 'hire.credential_replaced',
    target: `hire:${id}`,
    from: { token_id },
    to: { agent_id, workstation_id: desk_id, token_id: next },
  })

async function templateOf(ctx: BrandCtx, { profile_id, version }: HireRow) {
  const template = await store.findTemplate(ctx, profile_id, version)
  if (!template) throw new Error(`version ${version} of ${profile_id} was hired without a template`)
  const { coder_profile, files, scopes } = template
  // Validated when the version was published.
  return { coder_profile, files, scopes: scopes as Scope[] }
}

function deskOf({ actor }: BrandCtx): string {
  if (actor.kind !== 'desk') throw noHireAtDesk()
  return actor.desk_id
}
