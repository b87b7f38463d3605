import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type GitServer, startGitServer } from '@crewhall/testkit/git/git-server.ts'
import { TestRepository } from '@crewhall/testkit/git/test-repository.ts'
import { waitFor } from '@crewhall/testkit/wait-for.ts'
import type { ProjectWorkspace } from './project-world.ts'

export interface IndexState {
  readonly state: string
  readonly stage: string | null
  readonly files_done: number
  readonly files_total: number
  readonly skipped: readonly { path: string; reason: string }[]
  readonly skipped_total: number
  readonly resolved_share: number | null
  readonly fault: { code: string; text: string } | null
  readonly commit: string | null
  readonly nodes: number
  readonly edges: number
}

/** Settings of processes that may fetch from this machine, and keep what they fetch in a place of their own. */
export interface IndexHome {
  readonly env: Record<string, string>
  readonly dir: string
  readonly root: string
  readonly git: GitServer
  close(): void
}

export async function openIndexHome(): Promise<IndexHome> {
  const root = mkdtempSync(join(tmpdir(), 'crewhall-remotes-'))
  const dir = mkdtempSync(join(tmpdir(), 'crewhall-clones-'))
  const git = await startGitServer({ root })
  return {
    root,
    dir,
    git,
    // Remotes are asked when a test says so: the schedule, when its minute comes, would add runs.
    env: {
      OUTBOUND_ALLOWED_NETWORKS: '127.0.0.0/8',
      CODE_INDEX_DIR: dir,
      CODE_INDEX_CHECK_MINUTES: '0',
    },
    close() {
      git.close()
      for (const each of [root, dir]) rmSync(each, { recursive: true, force: true })
    },
  }
}

export const newRepository = ({ root }: IndexHome, name = 'engine.git'): TestRepository =>
  new TestRepository(name, root)

export const smallSources = {
  'src/store.ts': 'export class Store {\n  find(id: string): string {\n    return id\n  }\n}\n',
  'src/main.ts':
    "import { Store } from './store.ts'\n\nexport function main(): string {\n  return new Store().find('a')\n}\n",
  'README.md': '# Engine\n',
}

export const indexOf = async (work: ProjectWorkspace, project_id: string): Promise<IndexState> =>
  (await work.call<IndexState>('GET', `/${project_id}/index`, undefined, work.reader)).body

/** Asks for a run and waits for its end. */
export async function indexNow(work: ProjectWorkspace, project_id: string): Promise<IndexState> {
  const { status, body } = await work.call('POST', `/${project_id}/index`, undefined, work.reader)
  if (status !== 202) throw new Error(`no run: ${status} ${JSON.stringify(body)}`)
  return runEnded(work, project_id)
}

export const runEnded = (work: ProjectWorkspace, project_id: string): Promise<IndexState> =>
  waitFor(async () => {
    const state = await indexOf(work, project_id)
    return (state.state === 'ready' || state.state === 'failed') && state
  }, 120_000)

/** A project whose repository is served by git on this machine. */
export async function attached(work: ProjectWorkspace, url: string, more: object = {}): Promise<string> {
  const { id } = await work.add()
  const { status, body } = await work.call('PUT', `/${id}/repository`, { url, ...more })
  if (status !== 200) throw new Error(`not attached: ${status} ${JSON.stringify(body)}`)
  return id
}
