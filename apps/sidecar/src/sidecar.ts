import { maxLogBytes } from '@crewhall/contracts/fleet/logs.ts'
import { keepFetching } from './builds/build-settings.ts'
import { BuildLeases } from './builds/leases.ts'
import { Commands } from './commands/commands.ts'
import type { FaultPoint } from './fault-points.ts'
import { serveHealth } from './health/health-server.ts'
import { type End, keepBeating } from './link/beating.ts'
import { DeskLink } from './link/desk-link.ts'
import { joinOrResume, readSecret } from './link/joining.ts'
import { Signer } from './link/signing.ts'
import { Wake } from './link/wake.ts'
import type { Log } from './log.ts'
import type { LogFile } from './log-file.ts'
import { MemorySync } from './memory/memory-sync.ts'
import type { OwnCode } from './own-code.ts'
import { reportOf } from './report.ts'
import { addressOf, type Settings } from './settings.ts'
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
    const { transcripts: place } = settings
    const sender = place && new TranscriptSender({ place, server_url, state_dir, log, stop })
    const report = () => reportOf(state_dir, code, leases, sender?.pending ?? 0)
    const health = await serveHealth({
      address: settings.health_address,
      port: settings.health_port,
      signer,
      log,
      report: async () => ({ ...(await report()), env_id, boot_id: signer.boot_id }),
    })
    log.info('health is served', { url: addressOf(settings), ...code })
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
        sendLogs: async () => link.sendLogs(env_id, await log_file.tail(maxLogBytes)),
      })
      await updater?.resume()
      const sending = sender?.keepSending()
      const { memory_file, profile } = settings
      const fetching = profile && keepFetching({ profile, env_id, state_dir, link, log, stop })
      const syncing =
        memory_file &&
        new MemorySync({ place: memory_file, env_id, state_dir, link, log, stop }).keepSyncing()
      const heard = () => updater?.heard()
      const end = await keepBeating({ env_id, link, commands, log, stop, wake, report, heard })
      stopping.abort()
      await Promise.all([sending, syncing, fetching])
      await updater?.settled()
      if (end === 'quarantined') await commands.quarantine()
      log.info('ended', { end })
      return isReplaced ? updatedCode : exitCodes[end]
    } finally {
      await health.close()
    }
  } finally {
    lock.release()
  }
}
