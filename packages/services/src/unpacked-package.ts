import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { cacheDir } from './cache-dir.ts'
import { run } from './commands.ts'
import { debianKeyring, findDebianMirror } from './debian-mirror.ts'
import { withLock } from './file-lock.ts'

export interface UnpackedPackage {
  readonly name: string
  readonly release: string
  /** Where in the package its program may lie; the first that exists counts. */
  readonly programs: readonly string[]
}

/**
 * A program of a Debian release other than that of the machine, once for all checkouts of this user. Fetching it touches
 * nothing of the machine: apt works on folders of its own and the package is only unpacked.
 */
export async function ensureUnpacked(wanted: UnpackedPackage): Promise<string> {
  const { name, release, programs } = wanted
  const home = join(cacheDir, `${name}-${release}`)
  const find = () => programs.map((place) => join(home, place)).find((path) => existsSync(path))
  mkdirSync(cacheDir, { recursive: true })
  await withLock(`${home}.lock`, async () => {
    if (!find()) await fetchPackage(wanted, home)
  })
  const program = find()
  if (!program) throw new Error(`The package ${name} of ${release} has no ${programs.join(', ')} (${home})`)
  return program
}

async function fetchPackage({ name, release }: UnpackedPackage, home: string): Promise<void> {
  const work = mkdtempSync(join(cacheDir, `${name}-draft-`))
  try {
    for (const folder of ['lists/partial', 'archives/partial', 'parts', 'unpacked'])
      mkdirSync(join(work, folder), { recursive: true })
    const source = `deb [signed-by=${debianKeyring}] ${await findDebianMirror()} ${release} main\n`
    writeFileSync(join(work, 'sources.list'), source)
    writeFileSync(join(work, 'status'), '')
    const options = aptOptions(work)
    await run('apt-get', [...options, 'update'])
    await run('sh', ['-c', 'cd "$0" && exec apt-get "$@"', work, ...options, 'download', name])
    const archive = readdirSync(work).find((file) => file.endsWith('.deb'))
    if (!archive) throw new Error(`apt-get downloaded no package ${name}`)
    await run('dpkg', ['-x', join(work, archive), join(work, 'unpacked')])
    rmSync(home, { recursive: true, force: true })
    renameSync(join(work, 'unpacked'), home)
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
}

function aptOptions(work: string): string[] {
  const settings = [
    `Dir::Etc::SourceList=${join(work, 'sources.list')}`,
    `Dir::Etc::SourceParts=${join(work, 'parts')}`,
    `Dir::State=${work}`,
    `Dir::State::status=${join(work, 'status')}`,
    `Dir::Cache=${work}`,
    // Root would hand downloads to a user who cannot enter the cache folder.
    'APT::Sandbox::User=root',
    // A mirror may be a snapshot that is kept for years; the signatures are checked all the same.
    'Acquire::Check-Valid-Until=false',
  ]
  return settings.flatMap((setting) => ['-o', setting])
}
