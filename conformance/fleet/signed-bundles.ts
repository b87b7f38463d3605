import { mkdtempSync, rmSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { NodeProgram, NpmPackage, SidecarBundle } from '@crewhall/contracts/fleet/desk-protocol.ts'
import { afterAll, beforeAll } from 'vitest'
import {
  keepKey,
  publicHalf,
  signBundle,
  signKey,
  signNode,
  signNpm,
} from '../../tools/build/bundle-signing.ts'

export interface SignedBundles {
  /** For `SIDECAR_BUNDLE_DIR`. */
  readonly folder: string
  /** What desks have pinned. */
  readonly root_key: string
  /** Puts a sidecar there, signed; by a root key of somebody else if `is_foreign`. */
  publish(code: string, more?: { floor?: string; is_foreign?: boolean }): Promise<SidecarBundle>
  /** Puts a Node there, signed: any bytes, for who does not run it. */
  publishNode(arch: 'x64' | 'arm64', program?: string): Promise<NodeProgram>
  /** Puts an npm there, signed: any bytes. */
  publishNpm(): Promise<NpmPackage>
  /** Where the file lies, for whoever changes it after it was signed. */
  readonly file: string
}

/** A folder as an operator has it, with keys of its own. */
export function useSignedBundles(): SignedBundles {
  const home = mkdtempSync(join(tmpdir(), 'bundles-'))
  const folder = mkdtempSync(join(home, 'published-'))
  const [own, foreign] = [join(home, 'own.pem'), join(home, 'foreign.pem')]
  let root_key = ''
  beforeAll(async () => {
    const root = await keepKey(join(home, 'root.pem'))
    root_key = publicHalf(root)
    await signKey(own, root)
    await signKey(foreign, await keepKey(join(home, 'other-root.pem')))
  })
  afterAll(() => rmSync(home, { recursive: true }))
  const file = join(folder, 'sidecar.mjs')
  return {
    folder,
    file,
    get root_key() {
      return root_key
    },
    async publish(code, { floor, is_foreign = false } = {}) {
      await writeFile(file, code)
      return signBundle(folder, is_foreign ? foreign : own, floor)
    },
    async publishNode(arch, program) {
      const written = join(home, `node-${arch}`)
      if (program === undefined) await writeFile(written, `a Node for ${arch}`)
      return signNode(folder, own, {
        arch,
        version: process.versions.node,
        file: program ?? written,
        level: 1,
      })
    },
    async publishNpm() {
      const written = join(home, 'npm')
      await writeFile(written, 'an npm')
      return signNpm(folder, own, { version: '11.0.0', file: written })
    },
  }
}

/** The same sidecar under another version. */
export async function asVersion(file: string, version: string): Promise<string> {
  const { version: own } = JSON.parse(await readFile('apps/sidecar/package.json', 'utf8'))
  return (await readFile(file, 'utf8')).replaceAll(`"${own}"`, `"${version}"`)
}
