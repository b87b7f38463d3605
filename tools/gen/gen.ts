import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { cliDocs } from './cli.ts'
import { cliManual } from './cli-man.ts'
import { cliRoutes } from './cli-routes.ts'
import { configDocs, envExample } from './configuration.ts'
import { openApiJson } from './openapi.ts'
import { staleFiles } from './stale-files.ts'

/** Writes every generated file; with `--check`, only lists those that are out of date. */
const files = new Map<string, string>([
  ['openapi.json', openApiJson()],
  ['.env.example', envExample()],
  ['docs/configuration.md', configDocs()],
  ['docs/cli.md', cliDocs()],
  ['apps/cli/src/commands/route-files.ts', await cliRoutes()],
  ...(await cliManual()),
])
const stale = staleFiles(files, read)
if (process.argv.includes('--check')) {
  for (const [path] of stale) console.log(`${path} is not up to date: run npm run gen`)
  process.exit(stale.length > 0 ? 1 : 0)
}
for (const [path, text] of stale) {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
  console.log(`wrote ${path}`)
}

function read(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}
