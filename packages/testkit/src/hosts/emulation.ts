import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { attempt } from '@crewhall/services/commands.ts'

/** What this machine needs to run programs of another architecture. */
export const emulationPackages = ['arch-test', 'qemu-user-static']

const registry = '/proc/sys/fs/binfmt_misc'
const name = 'qemu-aarch64'
// An ELF program of 64 bits for aarch64, executable or shared; the letters are the bits that count.
const magic = '\\x7fELF\\x02\\x01\\x01\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x02\\x00\\xb7\\x00'
const mask =
  '\\xff\\xff\\xff\\xff\\xff\\xff\\xff\\x00\\xff\\xff\\xff\\xff\\xff\\xff\\xff\\xff\\xfe\\xff\\xff\\xff'

/**
 * Lets the kernel run programs for arm64 through QEMU. `F`: it opens QEMU now, so that hosts, which do not have it, can
 * use it; `P`: programs see the name they were started by.
 */
export async function ensureEmulation(): Promise<void> {
  if (process.arch === 'arm64' || existsSync(join(registry, name))) return
  if (!existsSync(join(registry, 'register')))
    await attempt('mount', ['-t', 'binfmt_misc', 'binfmt_misc', registry])
  writeFileSync(join(registry, 'register'), `:${name}:M::${magic}:${mask}:/usr/bin/qemu-aarch64-static:FP`)
}
