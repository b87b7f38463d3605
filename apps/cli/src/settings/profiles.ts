import { chmod, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { z } from 'zod'
import { failed } from '../failure.ts'
import { outputs } from '../output/outputs.ts'

const Profile = z.object({
  host: z.string(),
  /** The workspace that the credential acts for. */
  workspace: z.int().optional(),
  board: z.string().optional(),
  output: z.enum(outputs).optional(),
})
export type Profile = z.infer<typeof Profile>

const Profiles = z.object({
  current: z.string().default('default'),
  profiles: z.record(z.string(), Profile).default({}),
  aliases: z.record(z.string(), z.string()).default({}),
})
export type Profiles = z.infer<typeof Profiles>

export const noProfiles: Profiles = { current: 'default', profiles: {}, aliases: {} }

export const settingsFile = (config_dir: string): string => join(config_dir, 'settings.json')

/** A missing file is one without profiles; one that cannot be understood is told, never overwritten. */
export async function readProfiles(config_dir: string): Promise<Profiles> {
  const file = settingsFile(config_dir)
  const text = await textOf(file)
  if (text === undefined) return noProfiles
  try {
    return Profiles.parse(JSON.parse(text))
  } catch {
    throw failed(`${file} cannot be read as settings; mend or remove it`)
  }
}

export const writeProfiles = (config_dir: string, profiles: Profiles): Promise<void> =>
  writePrivately(settingsFile(config_dir), `${JSON.stringify(profiles, null, 2)}\n`)

export async function textOf(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8')
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return undefined
    throw failed(`${file} cannot be read: ${(error as Error).message}`)
  }
}

/** Only its owner may read it, from its first byte on; a reader sees the old or the new one. */
export async function writePrivately(file: string, text: string): Promise<void> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 })
  const beside = `${file}.${process.pid}.new`
  try {
    await writeFile(beside, text, { mode: 0o600, flag: 'wx' })
    await chmod(beside, 0o600)
    await rename(beside, file)
  } catch (error) {
    await rm(beside, { force: true })
    throw failed(`${file} cannot be written: ${(error as Error).message}`)
  }
}
