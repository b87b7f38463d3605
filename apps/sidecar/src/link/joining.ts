import { createHmac } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { arch, platform } from 'node:os'
import { join } from 'node:path'
import { ApiError } from '@crewhall/client/client.ts'
import type { Registered, Registration } from '@crewhall/contracts/fleet/desk-agent.ts'
import type { Log } from '../log.ts'
import type { OwnCode } from '../own-code.ts'
import { type Settings, urlAt } from '../settings.ts'
import { type DeskRecord, MeshPlace, type RecordFile } from '../state/desk-record.ts'
import { readIfThere, removeIfThere, replaceFile } from '../state/durable-file.ts'
import type { DeskKeys } from '../state/keys.ts'
import type { DeskLink } from './desk-link.ts'
import { pause } from './pause.ts'
import { retryWait } from './waits.rules.ts'

interface Joining {
  readonly settings: Settings
  readonly code: OwnCode
  readonly keys: DeskKeys
  readonly link: DeskLink
  readonly file: RecordFile
  /** What was kept, and the join secret if there is one. */
  readonly known: DeskRecord | undefined
  readonly secret: string | undefined
  readonly log: Log
  readonly stop: AbortSignal
}

/** Says to the installer why the service did not take this machine. */
const refusalFile = 'join-refused'

/** Who this desk is by now. Where a join secret lies, it is used, and forgotten when it was. */
export async function joinOrResume(joining: Joining): Promise<DeskRecord | undefined> {
  const { settings, known, secret, file, log } = joining
  if (secret === undefined) {
    if (known?.env_id !== settings.env_id)
      throw new Error('this desk has not registered, and there is no join secret')
    return known
  }
  const registered = await register(joining, secret)
  if (registered === undefined) return undefined
  const results = known?.env_id === settings.env_id ? known.results : []
  const record = {
    env_id: settings.env_id,
    command_key: registered.command_key,
    results,
    // Of the machine, whichever desk it is.
    floor: known?.floor ?? null,
    mesh: registered.mesh && MeshPlace.parse(registered.mesh),
    is_quarantined: false,
    is_released: false,
  }
  await file.write(record)
  // Not before: with the same key it is good for half an hour, if this process dies here.
  if (settings.join_secret_file) await removeIfThere(settings.join_secret_file)
  log.info('registered', { env_id: settings.env_id })
  return record
}

export async function readSecret({ join_secret_file }: Settings): Promise<string | undefined> {
  const content = join_secret_file === undefined ? undefined : await readIfThere(join_secret_file)
  return content?.trim() || undefined
}

/** Tried again until there is an answer; a refusal is one. */
async function register(joining: Joining, secret: string): Promise<Registered | undefined> {
  const { settings, keys, link, log, stop } = joining
  const body = await registrationOf(joining)
  for (let failures = 1; !stop.aborted; failures += 1) {
    try {
      return await link.register(keys.identity, secret, body)
    } catch (error) {
      if (isFinal(error)) {
        await replaceFile(join(settings.state_dir, refusalFile), `${error.message}\n`)
        throw new Error('the service refused the registration', { cause: error })
      }
      const wait_s = retryWait(failures, Math.random())
      if (!stop.aborted) log.warn('registering failed', { error, wait_s })
      await pause(wait_s, stop)
    }
  }
  return undefined
}

const isFinal = (error: unknown): error is ApiError =>
  error instanceof ApiError && error.status >= 400 && error.status < 500 && error.status !== 429

async function registrationOf({ settings, code, keys }: Joining): Promise<Registration> {
  const { health_address, health_port } = settings
  const machineId = (await readFile(settings.machine_id_file, 'utf8')).trim()
  return {
    env_id: settings.env_id,
    wg_pub: keys.mesh.current.public_key,
    machine_key: createHmac('sha256', machineId).update('crewhall-desk').digest('hex'),
    os: platform(),
    arch: arch(),
    version: code.version,
    digest: code.digest,
    // In the private network, the service makes the address.
    ...(health_address === undefined ? { health_port } : { sidecar_url: urlAt(health_address, health_port) }),
  }
}
