import { join } from 'node:path'
import { BuildSettings } from '@crewhall/contracts/profiles/build-settings.ts'
import type { DeskLink } from '../link/desk-link.ts'
import { pause } from '../link/pause.ts'
import type { Log } from '../log.ts'
import type { Settings } from '../settings.ts'
import { readIfThere, replaceFile } from '../state/durable-file.ts'

interface Fetching {
  readonly profile: NonNullable<Settings['profile']>
  readonly env_id: string
  readonly state_dir: string
  readonly link: DeskLink
  readonly log: Log
  readonly stop: AbortSignal
}

const fileIn = (stateFolder: string): string => join(stateFolder, 'build-settings.json')

/**
 * Keeps the settings of builds at hand. Builds are processes of their own and cannot ask: a second process that signs with
 * the key of the desk would be taken for a copy of it.
 */
export async function keepFetching({ profile, env_id, state_dir, link, log, stop }: Fetching): Promise<void> {
  const { key, interval_s, ...desk } = profile
  while (!stop.aborted) {
    try {
      const text = `${JSON.stringify(await link.buildSettings(env_id, key, desk), null, 2)}\n`
      if (text !== (await readIfThere(fileIn(state_dir)))) {
        await replaceFile(fileIn(state_dir), text)
        log.info('settings of builds have changed')
      }
    } catch (error) {
      if (!stop.aborted) log.warn('settings of builds were not fetched', { error })
    }
    await pause(interval_s, stop)
  }
}

/** What a build gets of them; nothing before they were fetched. */
export async function buildEnv(stateFolder: string): Promise<Record<string, string>> {
  const content = await readIfThere(fileIn(stateFolder))
  if (content === undefined) return {}
  const { env } = BuildSettings.parse(JSON.parse(content))
  return { ...env, CREWHALL_BUILD_SETTINGS: fileIn(stateFolder) }
}
