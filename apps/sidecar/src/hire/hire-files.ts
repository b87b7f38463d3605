import { rmdir } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type { DeskHire } from '@crewhall/contracts/hires/credentials.ts'
import { Uuid } from '@crewhall/contracts/wire.ts'
import { z } from 'zod'
import { readIfThere, removeIfThere, replaceFile } from '../state/durable-file.ts'
import { openBelow } from '../state/open-below.ts'

/** In the workspace of the desk. All in it is the service's to replace. */
const folderName = 'agent'
/** Hidden, because no file of an employee is. */
const tokenName = '.token'
const aboutName = '.agent.json'

/** One part of a path: whoever holds the service chooses no place outside of the folder. */
const FileName = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/)
/** Last part of the path that the service has for the workspace. */
const Workspace = z.string().regex(/^[0-9a-z]{4,12}$/)

/** What this desk remembers of the employee at it: nothing secret. */
const KeptHire = z.object({
  env_id: Uuid,
  revision: z.int(),
  workspace: Workspace,
  /** That were written, so that a name which is gone later can be removed. */
  files: z.array(FileName),
})
type KeptHire = z.infer<typeof KeptHire>

const recordIn = (stateFolder: string): string => join(stateFolder, 'hire.json')

interface Place {
  readonly env_id: string
  readonly state_dir: string
  /** Holds the workspaces of desks. */
  readonly workspaces_dir: string
}

/** The token and the files of the employee that works at this desk. */
export class HireFiles {
  readonly #place: Place

  constructor(place: Place) {
    this.#place = place
  }

  /** The revision that is here whole; undefined if there is none. */
  async revision(): Promise<number | undefined> {
    const kept = await this.#read()
    if (kept?.env_id !== this.#place.env_id) return undefined
    const folder = await this.#open(kept.workspace)
    try {
      return (await readIfThere(join(folder.path, tokenName))) === undefined ? undefined : kept.revision
    } finally {
      await folder.close()
    }
  }

  /** The token comes last, so whoever finds it finds all that belongs to it. */
  async write(hire: DeskHire): Promise<void> {
    const { env_id } = this.#place
    const workspace = Workspace.parse(basename(hire.workspace_path))
    const files = hire.files.map(({ name, content }) => ({ name: FileName.parse(name), content }))
    const names = files.map(({ name }) => name)
    const before = await this.#read()
    if (before && before.workspace !== workspace) await this.remove()
    const left = before?.workspace === workspace ? before.files.filter((name) => !names.includes(name)) : []
    const folder = await this.#open(workspace)
    try {
      const put = (name: string, content: string) =>
        replaceFile(join(folder.path, name), content, folder.owner)
      // Noted before there is anything: what was written can be found again after a crash.
      await this.#note({ env_id, revision: -1, workspace, files: [...names, ...left] })
      await removeIfThere(join(folder.path, tokenName))
      for (const { name, content } of files) await put(name, content)
      for (const name of left) await removeIfThere(join(folder.path, name))
      const { agent_id, mcp_url, coder_profile } = hire
      const token_file = join(this.#path(workspace), tokenName)
      await put(aboutName, `${JSON.stringify({ agent_id, mcp_url, coder_profile, token_file }, null, 2)}\n`)
      await put(tokenName, `${hire.token}\n`)
    } finally {
      await folder.close()
    }
    await this.#note({ env_id, revision: hire.revision, workspace, files: names })
  }

  /** The credential goes. What it knew of its work stays: the team may have added to it. Returns whether there was one. */
  async remove(): Promise<boolean> {
    const kept = await this.#read()
    if (!kept) return false
    const folder = await this.#open(kept.workspace)
    try {
      for (const name of [tokenName, aboutName]) await removeIfThere(join(folder.path, name))
    } finally {
      await folder.close()
    }
    await removeIfThere(recordIn(this.#place.state_dir))
    // Only where it holds nothing.
    await rmdir(this.#path(kept.workspace)).catch(() => undefined)
    return true
  }

  #path(workspace: string): string {
    return join(this.#place.workspaces_dir, workspace, folderName)
  }

  #open(workspace: string) {
    return openBelow(this.#place.workspaces_dir, workspace, folderName)
  }

  async #read(): Promise<KeptHire | undefined> {
    const content = await readIfThere(recordIn(this.#place.state_dir))
    return content === undefined ? undefined : KeptHire.parse(JSON.parse(content))
  }

  #note(kept: KeptHire): Promise<void> {
    return replaceFile(recordIn(this.#place.state_dir), `${JSON.stringify(kept, null, 2)}\n`)
  }
}

/** Tells a build where the facts of its agent are; nothing at a desk without one. */
export async function agentEnv(
  stateFolder: string,
  workspacesFolder: string,
): Promise<Record<string, string>> {
  const content = await readIfThere(recordIn(stateFolder))
  if (content === undefined) return {}
  const { workspace } = KeptHire.parse(JSON.parse(content))
  return { CREWHALL_AGENT: join(workspacesFolder, workspace, folderName, aboutName) }
}
