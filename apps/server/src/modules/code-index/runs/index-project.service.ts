import { setTimeout } from 'node:timers/promises'
import type { IndexFault, IndexStage } from '@crewhall/contracts/code-index/index-state.ts'
import type { BrandTx, OutsideBrandCtx } from '#platform/ctx/ctx.ts'
import { Outage } from '#platform/outage/outage.ts'
import { extractorVersion } from '../extraction/facts.rules.ts'
import type { CodeGraph } from '../graph/graph.rules.ts'
import { IndexFault as GraphFault, indexInProcess } from '../graph/index-process.ts'
import { readHistory } from '../identity/history.service.ts'
import { factsCache } from '../nodes/facts-cache.service.ts'
import { collectStored, readStored } from '../nodes/stored-index.service.ts'
import { findProject } from '../projects/projects.store.ts'
import type { IndexFollower } from '../publication/index-followers.ports.ts'
import { NotPublished, openIndex, publishIndex } from '../publication/publication.service.ts'
import { type CloneDeps, FetchFault, fetchRepository, keepIndexed } from '../repositories/clones.service.ts'
import { findRepository, type RepositoryRow } from '../repositories/repositories.store.ts'
import { symbolsOfBlobs } from './blob-symbols.ts'
import { gitReaderOf } from './clone-reader.ts'
import { compareInThread } from './compare.service.ts'
import { indexedCommit } from './indexed-commit.ts'
import { askForRun } from './runs.service.ts'
import * as store from './runs.store.ts'
import type { Compared } from './similar-symbols.ts'

export interface IndexDeps extends CloneDeps {
  readonly memory_mb: number
  /** Told of each index in the transaction that makes it visible. */
  readonly followers: () => readonly IndexFollower[]
}

/** Renewed three times before it ends. */
const leaseSeconds = 20
const renewMs = 6000
const progressMs = 1000
const skippedKept = 100

/** Another worker has the run, or nobody wants it any more. */
class RunLost extends Error {
  override readonly name = 'RunLost'
}

/** One run, from its claim to its end. What ends it otherwise leaves its lease, and the next one begins anew. */
export async function indexProject(
  ctx: OutsideBrandCtx,
  deps: IndexDeps,
  project_id: string,
  signal: AbortSignal,
): Promise<void> {
  const run = await claimed(ctx, project_id, signal)
  if (!run) return
  await ctx.faultPoint('code-index.claimed')
  const lost = new AbortController()
  const renewing = setInterval(() => {
    store.extendLease(ctx, run, leaseSeconds).then(
      (kept) => kept ?? lost.abort(new RunLost()),
      // The lease tells when it was for too long.
      () => {},
    )
  }, renewMs)
  const either = AbortSignal.any([signal, lost.signal])
  try {
    await indexed(ctx, deps, { project_id, run, signal: either })
    await ended(ctx, project_id, run, null)
  } catch (error) {
    // Of a worker that is stopped: the run goes on elsewhere.
    if (signal.aborted) throw signal.reason
    if (lost.signal.aborted || error instanceof RunLost) return
    // The lease ends, and the next attempt of the job begins anew.
    if (error instanceof Outage) throw error
    const fault = faultOf(error)
    if (fault === 'failed') ctx.log.error({ error, project_id }, 'indexing failed')
    await ended(ctx, project_id, run, fault)
  } finally {
    clearInterval(renewing)
  }
}

/**
 * Waits for the end of a lease whose worker may be dead. One that is renewed has a worker that lives: its run needs nobody
 * else, and a place must not be held by waiting for it.
 */
async function claimed(
  ctx: OutsideBrandCtx,
  project_id: string,
  signal: AbortSignal,
): Promise<store.RunRow | undefined> {
  let seen: store.OpenRun | undefined
  for (;;) {
    const run = await ctx.tx(async (ctx) => {
      const claimed = await store.claimRun(ctx, project_id, leaseSeconds)
      if (claimed) await tellStage(ctx, project_id, { stage: 'fetch', files_done: 0, files_total: 0 })
      return claimed
    })
    const open = run ? undefined : await store.findOpenRun(ctx, project_id)
    if (!open) return run
    if (seen && (open.epoch !== seen.epoch || open.lease_until !== seen.lease_until)) return undefined
    seen = open
    await setTimeout(1000, undefined, { signal })
  }
}

interface Running {
  readonly project_id: string
  readonly run: store.HeldRun
  readonly signal: AbortSignal
}

async function indexed(ctx: OutsideBrandCtx, deps: IndexDeps, running: Running): Promise<void> {
  const { project_id, run, signal } = running
  const repository = await repositoryOf(ctx, project_id)
  const before = await openIndex(ctx, project_id)
  const fetched = await fetchRepository(ctx, deps, repository, signal)
  const { commit } = fetched
  if (before.commit_id === commit) {
    await store.copyFound(ctx, run, project_id)
    // The run that has shown it may have been cut off before it could.
    await keepIndexed(deps, fetched, signal)
    return
  }
  const graph = await graphOf(ctx, deps, running, fetched)
  await ctx.faultPoint('code-index.indexed')
  await progressed(ctx, running, 'compare', graph.files_total)
  const history = await readHistory(
    gitReaderOf(deps.run_git, fetched.git_dir, signal),
    before.commit_id,
    commit,
  )
  const stored = await collectStored(readStored(ctx, project_id))
  const cache = factsCache(ctx, extractorVersion)
  const plan = await compareInThread(
    { stored, graph, history },
    (asked) => symbolsOfBlobs(fetched.git_dir, cache, asked, signal),
    signal,
  )
  await ctx.faultPoint('code-index.compared')
  await progressed(ctx, running, 'publish', graph.files_total)
  // What was attached instead must not be published under this project.
  if ((await repositoryOf(ctx, project_id)).generation !== repository.generation) throw new Gone()
  const publication = {
    project_id,
    run_id: run.id,
    epoch: before.epoch,
    commit_id: commit,
    history: history.kind,
  }
  const compared = { git_dir: fetched.git_dir, before: before.commit_id, commit, plan, cache, signal }
  const followers = await prepared(ctx, deps, project_id, compared)
  await publishIndex(ctx, publication, plan, followers, signal)
  await keepIndexed(deps, fetched, signal)
}

/** Followers that read files of the commit do so now: nothing of git runs inside of a transaction. */
async function prepared(
  ctx: OutsideBrandCtx,
  deps: IndexDeps,
  project_id: string,
  compared: Compared,
): Promise<IndexFollower[]> {
  const commit = indexedCommit(project_id, compared)
  try {
    const ready: IndexFollower[] = []
    for (const each of deps.followers()) ready.push((await each.prepare?.(ctx, commit)) ?? each)
    return ready
  } finally {
    commit.close()
  }
}

class Gone extends Error {
  override readonly name = 'Gone'
}

async function repositoryOf(ctx: OutsideBrandCtx, project_id: string): Promise<RepositoryRow> {
  const [project, repository] = [await findProject(ctx, project_id), await findRepository(ctx, project_id)]
  if (!project || project.archived_at !== null || !repository) throw new Gone()
  return repository
}

async function graphOf(
  ctx: OutsideBrandCtx,
  { memory_mb, places }: IndexDeps,
  running: Running,
  { git_dir, commit }: { git_dir: string; commit: string },
): Promise<CodeGraph> {
  const { run, signal } = running
  let toldAt = 0
  let at: IndexStage | undefined
  let telling: Promise<unknown> = Promise.resolve()
  const onProgress = (stage: IndexStage, files_done: number, files_total: number) => {
    const now = performance.now()
    const isNext = stage !== at
    if (!isNext && now - toldAt < progressMs && files_done !== files_total) return
    toldAt = now
    at = stage
    const progress = { stage, files_done, files_total }
    // One after another, so that an older one is not written last.
    telling = telling
      .then(() => (isNext ? entered(ctx, running, progress) : store.updateProgress(ctx, run, progress)))
      .catch(() => {})
  }
  const graph = await indexInProcess({
    git_dir,
    commit,
    cache: factsCache(ctx, extractorVersion),
    onProgress,
    signal,
    limits: { memory_mb },
    compiled_dir: places.compiled_dir,
  })
  await telling
  const kept = await store.updateFound(ctx, run, {
    commit_id: commit,
    files_total: graph.files_total,
    skipped: JSON.stringify(graph.skipped.slice(0, skippedKept).map(shown)),
    skipped_total: graph.skipped.length,
    references_total: graph.references_total,
    references_resolved: graph.references_resolved,
  })
  if (!kept) throw new RunLost()
  return graph
}

/** No text in Postgres has a NUL, and a path may be as long as it likes. */
const shown = ({ path, reason }: { path: string; reason: string }) => ({
  path: [...path.replaceAll('\0', '')].slice(0, 500).join('').toWellFormed(),
  reason: reason.slice(0, 200),
})

async function progressed(
  ctx: OutsideBrandCtx,
  running: Running,
  stage: IndexStage,
  files: number,
): Promise<void> {
  const kept = await entered(ctx, running, { stage, files_done: files, files_total: files })
  if (!kept) throw new RunLost()
}

/** The next stage and its event are one commit. Within a stage there are no events, however many files it has. */
const entered = (ctx: OutsideBrandCtx, { project_id, run }: Running, progress: store.Progress) =>
  ctx.tx(async (ctx) => {
    const kept = await store.updateProgress(ctx, run, progress)
    if (kept) await tellStage(ctx, project_id, progress)
    return kept
  })

const tellStage = (ctx: BrandTx, project_id: string, progress: store.Progress): Promise<void> =>
  ctx.emit({ type: 'index.progressed', subject_id: project_id, data: { project_id, ...progress } })

function faultOf(error: unknown): IndexFault {
  if (error instanceof FetchFault) return error.fault
  if (error instanceof Gone) return 'detached'
  if (error instanceof GraphFault) return 'too_complex'
  if (error instanceof NotPublished) return error.reason === 'nodes_lost' ? 'nodes_lost' : 'detached'
  return 'failed'
}

/** The end, its event and what follows are one commit. */
const ended = (
  ctx: OutsideBrandCtx,
  project_id: string,
  run: store.HeldRun,
  fault: IndexFault | null,
): Promise<void> =>
  ctx.tx(async (ctx) => {
    const row = await store.endRun(ctx, run, fault)
    if (!row) return
    if (row.is_wanted_again) await askForRun(ctx, project_id, 'request')
    await ctx.emit({
      type: fault === null ? 'index.finished' : 'index.failed',
      subject_id: project_id,
      data: { project_id },
    })
  })
