import { createHash, randomUUID } from 'node:crypto'
import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { brotliCompressSync, constants } from 'node:zlib'
import { toBase85 } from '@crewhall/cli/parts/base85.ts'
import { type Plugin, rolldown } from 'rolldown'
import type { Bundle } from './bundle.ts'

const root = resolve(import.meta.dirname, '../..')
const sources = join(root, 'apps/cli/src')
const cache = join(root, 'node_modules/.cache/crewhall-cli')

export const cliLimitBytes = 900_000

/** Files of `parts` that load a library, by the name of their function and what of the library is used. */
const parts: Readonly<Record<string, { loads: string; library: string; names: readonly string[] }>> = {
  'yaml.ts': { loads: 'loadYaml', library: 'yaml', names: ['parse', 'stringify', 'Scalar'] },
  'jq.ts': { loads: 'loadJq', library: 'jq-wasm', names: ['raw'] },
  'prompts.ts': {
    loads: 'loadPrompts',
    library: '@clack/prompts',
    names: ['confirm', 'isCancel', 'select', 'password'],
  },
}

/** Libraries that most invocations do not need are in the bundle as packed text, and are neither read nor compiled. */
const packParts: Plugin = {
  name: 'pack-parts',
  load: {
    filter: { id: /\/apps\/cli\/src\/parts\/(yaml|jq|prompts)\.ts$/ },
    async handler(id) {
      const part = parts[id.slice(id.lastIndexOf('/') + 1)]
      if (!part) return null
      const code = await libraryCode(part.library, part.names)
      const { text, data } = withoutData(code)
      const args = [text, ...(data ? [data] : [])].map(packed).map((each) => JSON.stringify(each))
      return {
        code: `import { unpack } from './unpack.ts'\nexport const ${part.loads} = async () => unpack(${args.join(', ')})`,
        moduleType: 'js',
      }
    },
  },
}

async function libraryCode(library: string, names: readonly string[]): Promise<string> {
  const entry = join(sources, 'parts/entry-of-part.js')
  const bundle = await rolldown({
    cwd: root,
    input: entry,
    platform: 'node',
    plugins: [
      {
        name: 'entry-of-part',
        resolveId: (id) => (id === entry ? entry : null),
        load: (id) => (id === entry ? `export { ${names.join(', ')} } from '${library}'` : null),
      },
      quickJq,
    ],
  })
  try {
    const { output } = await bundle.generate({ format: 'cjs', codeSplitting: false, minify: true })
    return output[0].code
  } finally {
    await bundle.close()
  }
}

/** It copies all that is left of its input for each byte, and cuts blanks off its output. */
const quickJq: Plugin = {
  name: 'quick-jq',
  transform: {
    filter: { id: /\/jq-wasm\/dist\/build\/jq\.js$/ },
    handler(code) {
      const changes: readonly (readonly [string | RegExp, string])[] = [
        ['stdinBuffer.slice(1)', 'stdinBuffer.subarray(1)'],
        ['fromByteArray(stdoutBuffer).trim()', 'fromByteArray(stdoutBuffer)'],
        [
          /const tmp = new Uint8Array\(stdoutBuffer\.length \+ 1\);\s*tmp\.set\(stdoutBuffer, 0\);\s*tmp\[tmp\.length - 1\] = charCode;\s*stdoutBuffer = tmp;/,
          `if (stdoutBuffer.length === stdoutBuffer.buffer.byteLength) {
             const wider = new Uint8Array(Math.max(4096, 2 * stdoutBuffer.length));
             wider.set(stdoutBuffer);
             stdoutBuffer = wider.subarray(0, stdoutBuffer.length);
           }
           stdoutBuffer = new Uint8Array(stdoutBuffer.buffer, 0, stdoutBuffer.length + 1);
           stdoutBuffer[stdoutBuffer.length - 1] = charCode;`,
        ],
      ]
      let changed = code
      for (const [from, to] of changes) {
        const next = changed.replace(from, to)
        if (next === changed) throw new Error(`jq-wasm no longer has ${from}`)
        changed = next
      }
      return changed
    },
  },
}

/** WebAssembly in base64 does not shrink: it is packed as the bytes that it stands for. */
function withoutData(code: string): { text: Buffer; data?: Buffer } {
  const [base64] = code.match(/(?<=base64,)[A-Za-z0-9+/=]{100000,}/) ?? []
  if (base64 === undefined) return { text: Buffer.from(code) }
  return { text: Buffer.from(code.replace(base64, '@@DATA@@')), data: Buffer.from(base64, 'base64') }
}

/** Packing well takes seconds, and libraries rarely change. The name says what it is the packed form of. */
function packed(bytes: Buffer): string {
  const kept = join(cache, `packed-${createHash('sha256').update(bytes).digest('hex')}`)
  if (existsSync(kept)) return readFileSync(kept, 'utf8')
  const text = toBase85(
    brotliCompressSync(bytes, {
      params: {
        [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY,
        [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
      },
    }),
  )
  mkdirSync(cache, { recursive: true })
  const beside = `${kept}.${randomUUID()}`
  writeFileSync(beside, text)
  renameSync(beside, kept)
  return text
}

/** Writes the command line as one file that needs nothing but Node; the same sources give the same bytes. */
export async function bundleCli(folder: string): Promise<Bundle> {
  const bundle = await rolldown({
    cwd: root,
    input: 'apps/cli/src/main.ts',
    platform: 'node',
    plugins: [packParts],
    treeshake: { moduleSideEffects: [{ test: /\/packages\/contracts\//, sideEffects: false }] },
  })
  try {
    const file = join(folder, 'crewhall.mjs')
    const { output } = await bundle.write({ file, format: 'esm', codeSplitting: false, minify: true })
    const [chunk, ...others] = output
    if (others.length > 0) throw new Error(`the command line has to be one file, not ${output.length}`)
    const bytes = Buffer.from(`#!/usr/bin/env node\n${chunk.code}`)
    if (bytes.length > cliLimitBytes)
      throw new Error(`the command line is ${bytes.length} bytes, the limit ${cliLimitBytes}`)
    writeFileSync(file, bytes)
    chmodSync(file, 0o755)
    return { file, bytes: bytes.length, digest: createHash('sha256').update(bytes).digest('hex') }
  } finally {
    await bundle.close()
  }
}
