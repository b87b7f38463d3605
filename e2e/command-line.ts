import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll } from 'vitest'
import { bundleCli } from '../tools/build/bundle-cli.ts'

export interface Ended {
  readonly code: number
  readonly out: string
  readonly err: string
}

/** The bundle of the command line and somebody who runs it, with a home of their own. */
export interface CommandLine {
  readonly file: string
  readonly home: string
  readonly env: Readonly<Record<string, string>>
}

export const runAs = (
  { file, home, env }: CommandLine,
  args: readonly string[],
  more: Readonly<Record<string, string>> = {},
): Promise<Ended> =>
  new Promise((resolve) => {
    const options = { cwd: home, env: { ...env, ...more } }
    const child = execFile(process.execPath, [file, ...args], options, (error, out, err) => {
      const code = error === null ? 0 : typeof error.code === 'number' ? error.code : -1
      resolve({ code, out, err })
    })
    child.stdin?.on('error', () => undefined)
    child.stdin?.end()
  })

/** Bundled once for the file; homes end with it. */
export function useCommandLine(): (env?: Readonly<Record<string, string>>) => CommandLine {
  const folder = mkdtempSync(join(tmpdir(), 'cli-'))
  let file = ''
  beforeAll(async () => {
    file = (await bundleCli(folder)).file
  })
  afterAll(() => rmSync(folder, { recursive: true, force: true }))
  return (env = {}) => {
    const home = mkdtempSync(join(folder, 'home-'))
    return { file, home, env: { PATH: process.env.PATH ?? '', HOME: home, LANG: 'C.UTF-8', ...env } }
  }
}
