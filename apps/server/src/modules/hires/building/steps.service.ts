import { randomUUIDv7 } from 'node:crypto'
import type { SourceType } from '@crewhall/contracts/conversations/sources.ts'
import type { BuildStep } from '@crewhall/contracts/hires/hires.ts'
import type { EmployeeTemplate } from '@crewhall/contracts/hires/template.ts'
import { agentIdTaken } from '@crewhall/contracts/identity/refusals.ts'
import { Refusal } from '@crewhall/contracts/refusal.ts'
import { findReadyCard } from '#modules/boards'
import { oldestAttached } from '#modules/code-index'
import { createHiredSource } from '#modules/conversations'
import { assignDesk } from '#modules/fleet'
import { createAgent, holdAgent, listAgentsAmong, openService } from '#modules/identity'
import { type InstallDeps, type PreparedPackage, preparePackages, takeReferences } from '#modules/marketplace'
import type { BrandTx, OutsideBrandCtx } from '#platform/ctx/ctx.ts'
import type { SecretBox } from '#platform/secrets/secret-box.ts'
import type { Directories } from '#platform/shared-files/directories.ts'
import { agentIdsFor, contentOf, directoryOf, sourceDirectory } from './build.rules.ts'
import * as store from './builds.store.ts'
import { directoryFailed, isUnexpected, reasonOf, StepFailed } from './step-failure.service.ts'

export interface BuildDeps {
  readonly secret_box: SecretBox
  readonly installs: InstallDeps
  /** Undefined where no root is configured. */
  readonly directories: Directories | undefined
}

/** A hire that this worker builds. */
export interface Build extends store.BuildRow {
  readonly template: EmployeeTemplate
  /** What steps before have made, by their names. */
  readonly made: Made
}
export interface Made {
  readonly agent?: { readonly agent_id: string }
  readonly directory?: { readonly directory: string }
  readonly sources?: { readonly source_ids: readonly string[] }
  readonly first_card?: { readonly card_id: string }
}

export type Outcome =
  | { readonly status: 'done'; readonly made?: Made[keyof Made] }
  | { readonly status: 'skipped'; readonly reason: string }

export interface InStep {
  /** Locks the hire, after its agent. Throws if somebody else builds it by now. */
  hold(): Promise<void>
  /** Notes the step as over and tells of it. Before whatever audits without an event of its own. */
  settle(outcome: Outcome): Promise<void>
}
/** What belongs to one commit with the note that the step is done. */
type Commit = (ctx: BrandTx, step: InStep) => Promise<void>
/** What has to be done outside of any transaction comes first, and bears repetition. */
type Work = (ctx: OutsideBrandCtx, deps: BuildDeps, build: Build) => Promise<Commit>

/** The agent of the last hire of the employee keeps its memories. Where it was retired, there is a new one. */
const agent: Work =
  async (_, __, build) =>
  async (ctx, { hold, settle }) => {
    const earlier = await store.findEarlierAgent(ctx, build)
    const isKept = earlier !== undefined && (await listAgentsAmong(ctx, [earlier])).length > 0
    // An agent that exists is locked before the hire. A new one nobody else has.
    if (isKept) await openService(ctx, earlier)
    await hold()
    const agent_id = isKept ? earlier : await newAgent(ctx, build)
    if (!isKept) await openService(ctx, agent_id)
    await store.updateAgent(ctx, build.id, agent_id)
    await settle({ status: 'done', made: { agent_id } })
  }

/** An agent of the workspace that bears the name of the employee by chance is never taken over. */
async function newAgent(ctx: BrandTx, { id, key, name }: Build): Promise<string> {
  for (const agent_id of agentIdsFor(key, id)) {
    try {
      await ctx.attempt((ctx) => createAgent(ctx, { agent_id, name, origin: 'hired' }))
      return agent_id
    } catch (error) {
      if (!(error instanceof Refusal && error.message === agentIdTaken.text)) throw error
    }
  }
  throw agentIdTaken()
}

const directory: Work = async (ctx, { directories }, build) => {
  const place = directoryOf(ctx.brandId, build.id)
  const step = (at: string) => ctx.faultPoint(`hires.directory.${at}`)
  const made = await directories?.make(ctx, place, contentOf(build.template), { fence: build.epoch, step })
  if (typeof made === 'object') throw directoryFailed(made.reason)
  const path = [...place.folders, place.name].join('/')
  return async (_, { hold, settle }) => {
    await hold()
    if (directories) await settle({ status: 'done', made: { directory: path } })
    else await settle({ status: 'skipped', reason: 'The server has no directory for conversations' })
  }
}

const sources: Work =
  async (_, { secret_box, directories }, build) =>
  async (ctx, { hold, settle }) => {
    const agent_id = await heldAgent(ctx, build)
    await hold()
    const wanted = build.template.memory_sources.map((source) => ({ ...source, id: randomUUIDv7() }))
    if (wanted.length === 0)
      return settle({ status: 'skipped', reason: 'The employee has no memory sources' })
    await settle({ status: 'done', made: { source_ids: wanted.map(({ id }) => id) } })
    const deps = { secret_box, reads_directories: directories !== undefined }
    for (const { id, source_type, directory: below } of wanted)
      await createHiredSource(ctx, deps, {
        id,
        agent_id,
        source_type: source_type as SourceType,
        directory: below === null || !build.made.directory ? null : sourceDirectory(build.id, below),
      })
  }

/** Asked at the same time; each has a limit of its own. */
const serversAtOnce = 8

const tools: Work = async (ctx, { installs }, build) => {
  const { packages } = build.template
  const prepared: PreparedPackage[] = []
  for (let at = 0; at < packages.length; at += serversAtOnce) {
    const asked = packages.slice(at, at + serversAtOnce).map((key) => prepareOne(ctx, installs, key))
    prepared.push(...(await Promise.all(asked)).flat())
  }
  return async (ctx, { hold, settle }) => {
    const agent_id = await heldAgent(ctx, build)
    await hold()
    await takeReferences(ctx, { hire_id: build.id, agent_id }, packages, prepared)
    await settle(
      packages.length > 0
        ? { status: 'done' }
        : { status: 'skipped', reason: 'The employee has no packages' },
    )
  }
}

/** Says which one failed. */
async function prepareOne(
  ctx: OutsideBrandCtx,
  installs: InstallDeps,
  key: string,
): Promise<PreparedPackage[]> {
  try {
    return await preparePackages(ctx, installs, [key])
  } catch (error) {
    const reason = reasonOf(error)
    throw reason === undefined || isUnexpected(error)
      ? error
      : new StepFailed(`Package ${key}: ${reason}`, { cause: error })
  }
}

const desk: Work =
  async (_, __, build) =>
  async (ctx, { hold, settle }) => {
    const { id, desk_id, is_builder } = build
    const agent_id = await heldAgent(ctx, build)
    await hold()
    if (!is_builder) return settle({ status: 'skipped', reason: 'The employee works without a desk' })
    const project_id = build.project_id ?? (await oldestAttached(ctx)) ?? null
    if (project_id !== null && build.project_id === null) await store.updateProject(ctx, id, project_id)
    const isThere = desk_id !== null && (await assignDesk(ctx, desk_id, agent_id, project_id))
    await settle(isThere ? { status: 'done' } : { status: 'skipped', reason: 'The desk was released' })
  }

const firstCard: Work = async (ctx) => {
  const card = await findReadyCard(ctx)
  return async (_, { hold, settle }) => {
    await hold()
    if (card) await settle({ status: 'done', made: { card_id: card.id } })
    else await settle({ status: 'skipped', reason: 'No card is ready' })
  }
}

/** HIRE-17: the last one. What it commits is the configuration of the agent, and that the hire is active. */
const record: Work =
  async (_, __, build) =>
  async (ctx, { hold, settle }) => {
    const { id, profile_id, template, made } = build
    const agent_id = await heldAgent(ctx, build)
    await hold()
    const { coder_profile, scopes, packages } = template
    await store.insertRecord(ctx, {
      id,
      agent_id,
      coder_profile,
      scopes,
      packages,
      directory: made.directory?.directory ?? null,
      source_ids: made.sources?.source_ids ?? [],
      first_card_id: made.first_card?.card_id ?? null,
    })
    await settle({ status: 'done' })
    await store.updateActive(ctx, id)
    const status = 'active'
    await ctx.emit({
      type: 'hire.active',
      subject_id: id,
      data: { hire_id: id, profile_id, status, agent_id },
    })
    const change = { from: { status: 'provisioning' }, to: { status, agent_id } }
    await ctx.audit({ action: 'hire.activated', target: `hire:${id}`, ...change })
  }

/** Nobody retires it before the commit. */
async function heldAgent(ctx: BrandTx, { made }: Build): Promise<string> {
  if (!made.agent) throw new Error('a build has passed its first step without an agent')
  return (await holdAgent(ctx, made.agent.agent_id)).agent_id
}

export const works: Readonly<Record<BuildStep, Work>> = {
  agent,
  directory,
  sources,
  tools,
  desk,
  first_card: firstCard,
  record,
}
