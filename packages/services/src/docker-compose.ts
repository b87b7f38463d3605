import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { cacheDir } from './cache-dir.ts'
import { run } from './commands.ts'
import { debianKeyring, findDebianMirror } from './debian-mirror.ts'
import { withLock } from './file-lock.ts'

// Debian 13 packages Compose v2, whose `config` needs no Docker daemon. Fetching it touches nothing of the
// machine: apt works on folders of its own and the package is only unpacked.

const release = 'trixie'
const home = join(cacheDir, `docker-compose-${release}`)

function findProgram(): string | undefined {
  const places = ['usr/bin/docker-compose', 'usr/libexec/docker/cli-plugins/docker-compose']
  return places.map((place) => join(home, place)).find((path) => existsSync(path))
}

export async function ensureCompose(): Promise<string> {
  mkdirSync(cacheDir, { recursive: true })
  await withLock(join(cacheDir, `docker-compose-${release}.lock`), async () => {
    if (!findProgram()) await fetchCompose()
  })
  const program = findProgram()
  if (!program) throw new Error(`The docker-compose package of ${release} holds no docker-compose (${home})`)
  return program
}

async function fetchCompose(): Promise<void> {
  const work = mkdtempSync(join(cacheDir, 'docker-compose-draft-'))
  try {
    for (const name of ['lists/partial', 'archives/partial', 'parts', 'unpacked'])
      mkdirSync(join(work, name), { recursive: true })
    const source = `deb [signed-by=${debianKeyring}] ${await findDebianMirror()} ${release} main\n`
    writeFileSync(join(work, 'sources.list'), source)
    writeFileSync(join(work, 'status'), '')
    const options = aptOptions(work)
    await run('apt-get', [...options, 'update'])
    await run('sh', ['-c', 'cd "$0" && exec apt-get "$@"', work, ...options, 'download', 'docker-compose'])
    const archive = readdirSync(work).find((name) => name.endsWith('.deb'))
    if (!archive) throw new Error('apt-get downloaded no docker-compose package')
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
