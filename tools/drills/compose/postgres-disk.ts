import { chownSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { attempt, run } from '@crewhall/services/commands.ts'
import type { ContainerStorage } from '../../image/container-storage.ts'

/** Of the container. */
const user = 999

export interface PostgresDisk {
  readonly folder: string
  remove(): Promise<void>
}

/** A small disk in memory for the data of PostgreSQL, which can be filled without harm to the machine. */
export async function makePostgresDisk(storage: ContainerStorage): Promise<PostgresDisk> {
  const folder = join(storage.folder, 'postgres-disk')
  mkdirSync(folder, { recursive: true })
  const remove = async () => {
    await attempt('umount', ['--lazy', folder])
  }
  await remove()
  await run('mount', ['-t', 'tmpfs', '-o', 'size=1500m,mode=700', 'crewhall-drill', folder])
  chownSync(folder, user, user)
  return { folder, remove }
}
