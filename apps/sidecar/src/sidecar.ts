import { maxLogBytes } from '@crewhall/contracts/fleet/logs.ts'
import { keepFetching } from './builds/build-settings.ts'
import { BuildLeases } from './builds/leases.ts'
import { Commands } from './commands/commands.ts'
import type { FaultPoint } from './fault-points.ts'
import { serveHealth } from './health/health-server.ts'
import { HireFiles } from './hire/hire-files.ts'
import { HireKeeper, type ToldHire } from './hire/hire-keeper.ts'
import { type End, keepBeating } from './link/beating.ts'
import { DeskLink } from './link/desk-link.ts'
import { joinOrResume, readSecret } from './link/joining.ts'
import { Signer } from './link/signing.ts'
import { Wake } from './link/wake.ts'
import type { Log } from './log.ts'
import type { LogFile } from './log-file.ts'
import { MemorySync } from './memory/memory-sync.ts'
import { MeshEnd } from './mesh/mesh-end.ts'
import { Tunnel } from './mesh/tunnel.ts'
import type { OwnCode } from './own-code.ts'
import { reportOf } from './report.ts'
import { type Settings, urlAt } from './settings.ts'
import { RecordFile } from './state/desk-record.ts'
import { openFolder } from './state/durable-file.ts'
import { lockFolder } from './state/instance-lock.ts'
import { discardKeys, openKeys } from './state/keys.ts'
import { TranscriptSender } from './transcripts/sending.ts'
import { updatedCode } from './updates/supervise.ts'
import { UpdateFile } from './updates/update-file.ts'
import { Updater } from './updates/updater.ts'
import { VersionFolders } from './updates/version-folders.ts'

/** A supervisor must not start the sidecar again after the last two: only a person can mend that. */
const exitCodes: Readonly<Record<End, number>> = { stopped: 0, released: 10, quarantined: 11 }

interface ProcessParts {
  readonly code: OwnCode
  readonly log: Log
  readonly log_file: LogFile
  readonly faultPoint: FaultPoint
}

/** Runs until SIGTERM, or until the service says that this desk is no more. Returns the exit code. */
export async function runSidecar(settings: Settings, parts: ProcessParts): Promise<number> {
  const { code, log, log_file, faultPoint } = parts
  const { env_id, state_dir, server_url } = settings
  await openFolder(state_dir)
  const lock = lockFolder(state_dir)
  const stopping = new AbortController()
  const stop = stopping.signal
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => stopping.abort())
  // The supervisor is gone, and another one may start a sidecar of its own.
  process.once('disconnect', () => stopping.abort())
  process.channel?.unref()
  try {
    const file = new RecordFile(state_dir)
    const [known, secret] = [await file.read(), await readSecret(settings)]
    if (known?.is_quarantined) {
      if (secret === undefined) throw new Error('another machine has the key of this desk: join anew')
      await discardKeys(state_dir)
    }
    const leases = new BuildLeases(state_dir)
    await leases.open()
    const keys = await openKeys(state_dir)
    const signer = new Signer(keys)
    const { transcripts } = settings
    const sender =
      transcripts && new TranscriptSender({ place: transcripts, server_url, state_dir, log, stop })
    const { health_address, health_port: port } = settings
    let mesh: MeshEnd | undefined
    const linkAge = () => (health_address === undefined ? (mesh?.age_s ?? null) : 0)
    const report = () => reportOf(state_dir, code, leases, sender?.pending ?? 0, linkAge())
    const serve = async (address: string) => {
      const about = async () => ({ ...(await report()), env_id, boot_id: signer.boot_id })
      const server = await serveHealth({ address, port, signer, log, report: about })
      log.info('health is served', { url: urlAt(address, port), ...code })
      return server
    }
    const health = health_address === undefined ? undefined : await serve(health_address)
    let meshing: Promise<void> | undefined
    try {
      const link = new DeskLink(server_url, signer, stop)
      const record = await joinOrResume({ settings, code, keys, link, file, known, secret, log, stop })
      if (record === undefined) return exitCodes.stopped
      const wake = new Wake()
      let isReplaced = false
      const updater =
        settings.updates &&
        new Updater({
          settings: settings.updates,
          code,
          folders: new VersionFolders(settings.updates.directory),
          file: new UpdateFile(state_dir),
          leases,
          log,
          stop,
          faultPoint,
          fetchBundle: (bundle) => link.bundle(env_id, bundle),
          floor: () => commands.floor,
          tell: async (id, outcome) => {
            await commands.note(id, outcome)
            wake.ring()
          },
          proven: (bundle) => commands.raiseFloor(bundle),
          restart() {
            isReplaced = true
            stopping.abort()
          },
        })
      const commands = new Commands({
        file,
        record,
        leases,
        log,
        updater,
        rotateKey: async () =>
          mesh?.rotate(async (wg_pub) => {
            await link.beat(env_id, { ...(await report()), results: [], wg_pub })
          }),
        sendLogs: async () => link.sendLogs(env_id, await log_file.tail(maxLogBytes)),
      })
      await updater?.resume()
      const place = record.mesh
      if (health_address === undefined) {
        if (place === null) throw new Error('there is no private network: health_address is needed')
        mesh = new MeshEnd({
          tunnel: new Tunnel({ device: settings.mesh_device, place }),
          keys: keys.mesh,
          log,
          stop,
          serve: () => serve(place.address),
          linked: () => wake.ring(),
        })
      }
      link.meshUrl = () => (mesh?.isLinked ? (place?.beat_url ?? undefined) : undefined)
      link.meshSilent = () => mesh?.doubt()
      meshing = mesh?.keepUp()
      const sending = sender?.keepSending()
      const { memory_file, profile } = settings
      const fetching = profile && keepFetching({ profile, env_id, state_dir, link, log, stop })
      const syncing =
        memory_file &&
        new MemorySync({ place: memory_file, env_id, state_dir, link, log, stop }).keepSyncing()
      const hires = new HireKeeper({
        files: new HireFiles(settings),
        log,
        fetch: () => link.fetchHire(env_id),
      })
      const heard = (hire: ToldHire) => {
        updater?.heard()
        hires.told(hire)
      }
      const end = await keepBeating({ env_id, link, commands, log, stop, wake, report, heard })
      stopping.abort()
      await Promise.all([sending, syncing, fetching, hires.settled()])
      await updater?.settled()
      // Nobody can tell whose the machine is now.
      if (end !== 'stopped') await hires.leave()
      if (end === 'quarantined') await commands.quarantine()
      if (end === 'released') await commands.release()
      log.info('ended', { end })
      return isReplaced ? updatedCode : exitCodes[end]
    } finally {
      stopping.abort()
      await Promise.all([meshing, health?.close()])
    }
  } finally {
    lock.release()
  }
}
