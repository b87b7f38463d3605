import { randomUUID } from 'node:crypto'
import {
  collectStored,
  type IndexedCommit,
  type IndexFollower,
  openIndex,
  prepareIndex,
  publishIndex,
  readHistory,
  readStored,
} from '#modules/code-index'
import type { OutsideBrandCtx } from '#platform/ctx/ctx.ts'
import { toyGraph } from './toy-graph.ts'
import { type ToyRepository, toySymbols } from './toy-repository.ts'

/** Indexes what the branch is at, as a run does it, and tells followers. */
export async function indexToy(
  ctx: OutsideBrandCtx,
  project_id: string,
  repository: ToyRepository,
  followers: readonly IndexFollower[],
): Promise<void> {
  const commit = repository.head()
  const { epoch, commit_id } = await openIndex(ctx, project_id)
  const history = await readHistory(repository.reader, commit_id, commit)
  const stored = await collectStored(readStored(ctx, project_id))
  const plan = await prepareIndex(stored, toyGraph(repository, commit), history, async (asked) =>
    asked.map(({ blob }) => toySymbols(repository.git('cat-file', 'blob', blob)).map(({ name }) => name)),
  )
  const publication = { project_id, run_id: randomUUID(), epoch, commit_id: commit, history: history.kind }
  const ready: IndexFollower[] = []
  for (const each of followers)
    ready.push((await each.prepare?.(ctx, toyCommit(project_id, repository))) ?? each)
  await publishIndex(ctx, publication, plan, ready)
}

const toyCommit = (project_id: string, repository: ToyRepository): IndexedCommit => ({
  project_id,
  commit_id: repository.head(),
  async listFiles(folder) {
    const entries = repository.git('ls-tree', '-r', '-l', '-z', 'HEAD', '--', `${folder}/`).split('\0')
    return entries.filter(Boolean).map((entry) => {
      const [facts = '', path = ''] = entry.split('\t')
      const [, , blob_id = '', bytes = '0'] = facts.split(/ +/)
      return { path, blob_id, bytes: Number(bytes) }
    })
  },
  removed: [],
  listSimilar: async () => new Map(),
  readBlobs: async (ids) => ids.map((id) => Buffer.from(repository.git('cat-file', 'blob', id))),
})
