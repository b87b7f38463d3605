import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ensurePackages } from '@crewhall/services/debian-packages.ts'

/** Installs what a test needs of Debian and the machine lacks. */
export const systemPackages = (...names: string[]): Promise<void> =>
  ensurePackages(names, join(tmpdir(), `packages-${process.pid}.log`))
