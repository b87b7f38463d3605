import { spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll } from 'vitest'

export interface StubbedRun {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
  /** Programs that were called, with their arguments, and files that were made where it ran. */
  readonly effects: readonly string[]
}

export interface StubbedShell {
  run(script: string): StubbedRun
}

/** A bash that reads a script as the install command has it do, where programs are stubs that only note their call. */
export function useStubbedShell(programs: readonly string[]): StubbedShell {
  const home = mkdtempSync(join(tmpdir(), 'stubbed-'))
  const [stubs, place, calls] = [join(home, 'stubs'), join(home, 'place'), join(home, 'calls')]
  mkdirSync(stubs)
  for (const program of programs) {
    const file = join(stubs, program)
    writeFileSync(file, `#!/bin/bash\nprintf '%s\\n' "${program} $*" >>${calls}\nexit 1\n`)
    chmodSync(file, 0o755)
  }
  afterAll(() => rmSync(home, { recursive: true, force: true }))
  return {
    run(script) {
      rmSync(place, { recursive: true, force: true })
      mkdirSync(place)
      writeFileSync(calls, '')
      const { status, stdout, stderr } = spawnSync('/bin/bash', ['-s'], {
        input: script,
        encoding: 'utf8',
        cwd: place,
        env: { PATH: stubs, HOME: place, TMPDIR: place },
      })
      const called = readFileSync(calls, 'utf8').split('\n').filter(Boolean)
      return { code: status, stdout, stderr, effects: [...called, ...readdirSync(place)] }
    },
  }
}

/** All that an installer could use to change a machine, or to tell somebody about it. */
export const changingPrograms = [
  ...[
    'apt-get',
    'base64',
    'cat',
    'chmod',
    'cp',
    'curl',
    'dnf',
    'flock',
    'grep',
    'gzip',
    'id',
    'install',
    'ln',
  ],
  ...[
    'mkdir',
    'mktemp',
    'mv',
    'nohup',
    'openssl',
    'readlink',
    'rm',
    'sed',
    'setsid',
    'sha256sum',
    'sleep',
    'tar',
  ],
  ...['systemctl', 'tee', 'timeout', 'touch', 'tr', 'uname', 'update-rc.d', 'useradd', 'wget', 'wg'],
]
