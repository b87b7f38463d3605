import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A registry of npm that has a package of one small program. */
export async function startRegistry(name: string, program: string) {
  const file = packageOf(name, program)
  const integrity = `sha512-${createHash('sha512').update(file).digest('base64')}`
  const server = createServer(({ url = '', headers }, response) => {
    const path = decodeURIComponent(url)
    if (path === '/program.tgz') return response.end(file)
    if (path !== `/${name}`) return response.writeHead(404).end('{}')
    const dist = { tarball: `http://${headers.host}/program.tgz`, integrity }
    const version = { name, version: '1.0.0', bin: { [program]: 'program.js' }, dist }
    response.setHeader('content-type', 'application/json')
    return response.end(
      JSON.stringify({ name, 'dist-tags': { latest: '1.0.0' }, versions: { '1.0.0': version } }),
    )
  }).listen(0, '0.0.0.0')
  await once(server, 'listening')
  return { port: (server.address() as AddressInfo).port, close: () => server.close() }
}

function packageOf(name: string, program: string): Buffer {
  const home = mkdtempSync(join(tmpdir(), 'package-'))
  try {
    const folder = join(home, 'package')
    mkdirSync(folder)
    const manifest = { name, version: '1.0.0', bin: { [program]: 'program.js' } }
    writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest))
    writeFileSync(join(folder, 'program.js'), `#!/usr/bin/env node\nconsole.log('${program} 1.0.0')\n`)
    return execFileSync('tar', ['-C', home, '-cz', 'package'])
  } finally {
    rmSync(home, { recursive: true })
  }
}
