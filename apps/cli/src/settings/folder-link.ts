import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { z } from 'zod'
import { failed } from '../failure.ts'
import { textOf } from './profiles.ts'

const name = '.crewhall.yaml'
const most = 64 * 1024

/**
 * Which board and project a repository belongs to. Whoever wrote the repository wrote this file: so it names no credential,
 * and its host only says for which service it is meant.
 */
const FolderLink = z.object({
  host: z.string().max(300).optional(),
  board: z.string().max(200).optional(),
  project: z.string().max(200).optional(),
})
export type FolderLink = z.infer<typeof FolderLink>

export interface FoundLink {
  readonly file: string
  readonly link: FolderLink
}

/** In this folder or in the nearest one above, but not beyond the root of the repository. */
export async function findLink(folder: string): Promise<FoundLink | undefined> {
  for (let at = folder; ; at = dirname(at)) {
    const file = join(at, name)
    const text = await textOf(file)
    if (text !== undefined) return { file, link: await read(file, text) }
    if (dirname(at) === at || existsSync(join(at, '.git'))) return undefined
  }
}

async function read(file: string, text: string): Promise<FolderLink> {
  if (text.length > most) throw failed(`${file} is longer than ${most} characters`)
  const { parse } = await import('yaml')
  let value: unknown
  try {
    value = parse(text, { maxAliasCount: 0 })
  } catch {
    throw failed(`${file} is not YAML`)
  }
  const link = FolderLink.safeParse(value ?? {})
  if (link.success) return link.data
  throw failed(`${file}: ${z.prettifyError(link.error)}`)
}

export async function writeLink(folder: string, link: FolderLink): Promise<string> {
  const { stringify } = await import('yaml')
  const file = join(folder, name)
  await writeFile(
    file,
    `# Links this folder to a board of Crewhall; written by \`crewhall link\`.\n${stringify(link)}`,
  )
  return file
}
