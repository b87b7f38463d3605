import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { root } from '../programs.ts'
import { startRelay } from '../relay.ts'
import { bearer } from '../world/call.ts'

export interface Check {
  readonly id: string
  readonly status: 'SUCCESS' | 'FAILURE' | 'WARNING' | 'INFO' | 'SKIPPED'
  readonly errorMessage?: string
}

/** The checks of each scenario, by its name. */
export type SuiteResult = Readonly<Record<string, readonly Check[]>>

const program = resolve(root, 'node_modules/@modelcontextprotocol/conformance/dist/index.js')

/**
 * The conformance suite of the protocol's authors against an address. It cannot send a credential, so a relay adds one. What
 * is addressed to the relay goes on as addressed to the server; any other Host and Origin goes on as it came.
 */
export async function runConformanceSuite(
  server: string,
  path: string,
  token: string,
  version = '2025-11-25',
): Promise<SuiteResult> {
  const { host } = new URL(server)
  const relay = await startRelay([server], (headers, own) => ({
    ...headers,
    ...bearer(token),
    host: headers.host === own ? host : headers.host,
    ...(headers.origin === `http://${own}` ? { origin: server } : {}),
  }))
  const folder = mkdtempSync(join(tmpdir(), 'mcp-conformance-'))
  try {
    const args = ['server', '--url', `${relay.url}${path}`, '--suite', 'all', '--spec-version', version]
    const child = spawn(process.execPath, [program, ...args, '-o', folder], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { PATH: process.env.PATH ?? '', NO_COLOR: '1' },
    })
    let output = ''
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (bytes) => (output += bytes))
    await once(child, 'close')
    const found = resultsIn(folder)
    if (Object.keys(found).length === 0) throw new Error(`the suite has left no results:\n${output}`)
    return found
  } finally {
    rmSync(folder, { recursive: true })
    await relay.close()
  }
}

/** `server-<scenario>-<time>/checks.json` for each scenario. */
function resultsIn(folder: string): SuiteResult {
  return Object.fromEntries(
    readdirSync(folder).map((name) => {
      const scenario = name.replace(/^server-(.*)-\d{4}-\d\d-\d\dT.*$/, '$1')
      return [scenario, JSON.parse(readFileSync(join(folder, name, 'checks.json'), 'utf8')) as Check[]]
    }),
  )
}
