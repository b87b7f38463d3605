import { readdirSync, readlinkSync, rmSync, statfsSync } from 'node:fs'
import { join } from 'node:path'
import { attempt, run } from '@crewhall/services/commands.ts'
import { waitFor } from '@crewhall/testkit/wait-for.ts'
import { expectThat } from '../expect-that.ts'
import type { Installation } from './installation.ts'

/** Breaks one part and returns what mends it, if it does not mend itself. */
export type Fault = (installation: Installation, part: string) => Promise<() => Promise<void>>

/** The first process of a container takes all others with it; the restart rule of the compose file has to do the rest. */
export const kill: Fault = async (installation, part) => {
  const before = await installation.pidOf(part)
  process.kill(before, 'SIGKILL')
  return async () => {
    await waitFor(async () => ![0, before].includes(await installation.pidOf(part)), 60_000)
  }
}

/** It answers nobody, and its connections stay open. */
export const freeze: Fault = async (installation, part) => {
  const pid = await installation.pidOf(part)
  const send = (signal: NodeJS.Signals) => {
    for (const each of processesBeside(pid)) signalTo(each, signal)
  }
  // Twice: the first round may meet a process that is about to start another one.
  send('SIGSTOP')
  send('SIGSTOP')
  return async () => send('SIGCONT')
}

/** Packets to and from it are dropped, and nobody is told. */
export const cut: Fault = async (installation, part) => {
  const network = `--net=/proc/${await installation.pidOf(part)}/ns/net`
  const table = 'inet crewhall_drill'
  const drop = (hook: string) =>
    `add chain ${table} ${hook} { type filter hook ${hook} priority 0; policy accept; }; add rule ${table} ${hook} meta oifname != "lo" meta iifname != "lo" drop`
  await run('nsenter', [network, 'nft', `add table ${table}; ${drop('input')}; ${drop('output')}`])
  return async () => {
    await run('nsenter', [network, 'nft', `delete table ${table}`])
  }
}

/** Not a byte is left for the data of PostgreSQL. */
export const fillDisk =
  (folder: string): Fault =>
  async () => {
    const fillers = ['most', 'rest'].map((name) => join(folder, name)) as [string, string]
    const { bavail, bsize } = statfsSync(folder)
    await run('fallocate', ['--length', String(Math.floor(bavail * 0.9) * bsize), fillers[0]])
    // Ends when nothing more can be written.
    const { code } = await attempt('dd', ['if=/dev/zero', `of=${fillers[1]}`, 'bs=4096'])
    expectThat(code !== 0, 'the disk has room left')
    return async () => {
      for (const filler of fillers) rmSync(filler)
    }
  }

/** All that run in the same container. */
function processesBeside(pid: number): number[] {
  const own = namespaceOf(pid)
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((each) => own !== undefined && namespaceOf(each) === own)
}

function namespaceOf(pid: number): string | undefined {
  try {
    return readlinkSync(`/proc/${pid}/ns/pid`)
  } catch {
    return undefined
  }
}

function signalTo(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch {
    // It has ended meanwhile.
  }
}
