import { createHash } from 'node:crypto'
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { type OutputOptions, type Plugin, type RolldownOptions, rolldown } from 'rolldown'
import type { Bundle } from './bundle.ts'

const root = resolve(import.meta.dirname, '../..')
const cliLimitBytes = 900_000
const jqModule = 'jq-wasm/dist/build/jq.js'
const jqFile = 'crewhall-jq.cjs'

/** What is built in is loaded by the code that needs it, not by every start. */
const builtInLater: Plugin = {
  name: 'built-in-later',
  // The bundler's own code begins with node:module.
  resolveId: (id) => (/^node:(?!module$)/.test(id) ? { id: `\0${id}`, moduleSideEffects: false } : null),
  load: (id) =>
    id.startsWith('\0node:')
      ? { code: `module.exports = process.getBuiltinModule('${id.slice(1)}')`, moduleType: 'js' }
      : null,
}

/**
 * `jq-wasm` copies its whole input for each byte that is read, and its whole output for each that is written: a minute for
 * 200 kB. Its file system takes the streams that it is told to use, so it is told ours.
 */
const ownStreams: Plugin = {
  name: 'own-streams',
  transform: (code, id) => {
    if (!id.endsWith(jqModule)) return null
    const changed = code.replace('FS.init(() =>', 'FS.init(...Module.streams, () =>')
    if (changed === code) throw new Error('jq-wasm no longer sets its streams with FS.init')
    return changed
  },
}

/** Writes the command line: one file that needs nothing but Node, and jq beside it, which only `--jq` loads. */
export async function bundleCli(folder: string): Promise<Bundle> {
  const program = await codeOf(
    {
      input: 'apps/cli/src/main.ts',
      external: [jqModule],
      plugins: [builtInLater],
      // Contracts that are not used stay out, although each tells the others that it exists.
      treeshake: { moduleSideEffects: [{ test: /\/packages\/contracts\//, sideEffects: false }] },
    },
    { format: 'esm', paths: { [jqModule]: `./${jqFile}` } },
  )
  const jq = await codeOf(
    { input: join(root, 'node_modules', jqModule), plugins: [ownStreams] },
    { format: 'cjs' },
  )
  const bytes = Buffer.from(`#!/usr/bin/env node\n${program}`)
  if (bytes.length > cliLimitBytes)
    throw new Error(`the command line is ${bytes.length} bytes, the limit ${cliLimitBytes}`)
  const file = join(folder, 'crewhall.mjs')
  mkdirSync(folder, { recursive: true })
  writeFileSync(file, bytes)
  writeFileSync(join(folder, jqFile), jq)
  chmodSync(file, 0o755)
  return { file, bytes: bytes.length, digest: createHash('sha256').update(bytes).digest('hex') }
}

/** The same sources give the same code. */
async function codeOf(input: RolldownOptions, output: OutputOptions): Promise<string> {
  const bundle = await rolldown({
    cwd: root,
    platform: 'node',
    optimization: { pifeForModuleWrappers: false },
    ...input,
  })
  try {
    const { output: chunks } = await bundle.generate({ ...output, codeSplitting: false, minify: true })
    if (chunks.length > 1) throw new Error(`${input.input} has to become one file, not ${chunks.length}`)
    return chunks[0].code
  } finally {
    await bundle.close()
  }
}
