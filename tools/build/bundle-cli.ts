import { createHash, randomUUID } from 'node:crypto'
import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { brotliCompressSync, constants } from 'node:zlib'
import { toBase85 } from '@crewhall/cli/parts/base85.ts'
import { type InputOptions, type Plugin, rolldown } from 'rolldown'
import type { Bundle } from './bundle.ts'

const root = resolve(import.meta.dirname, '../..')
const sources = join(root, 'apps/cli/src')
const cache = join(root, 'node_modules/.cache/crewhall-cli')

const cliLimitBytes = 900_000

const common: InputOptions = {
  cwd: root,
  platform: 'node',
  // Contracts that are not used stay out, although each tells the others that it exists.
  treeshake: { moduleSideEffects: [{ test: /\/packages\/contracts\//, sideEffects: false }] },
}

/** Libraries that few invocations need: the file of `parts` that loads each, and what is used of it. */
const libraries = [
  { part: 'yaml', loads: 'loadYaml', library: 'yaml', names: ['parse', 'stringify', 'Scalar'] },
  { part: 'jq', loads: 'loadJq', library: 'jq-wasm', names: ['raw'] },
  {
    part: 'prompts',
    loads: 'loadPrompts',
    library: '@clack/prompts',
    names: ['confirm', 'isCancel', 'select', 'password'],
  },
] as const

/** In the packed program, a library is found by its name among the parts of the file. */
const byName: Plugin = {
  name: 'parts-by-name',
  load: {
    filter: { id: /\/apps\/cli\/src\/parts\/(yaml|jq|prompts)\.ts$/ },
    handler(id) {
      const found = libraries.find(({ part }) => id.endsWith(`/${part}.ts`))
      if (!found) return null
      const { part, loads } = found
      return {
        code: `import { unpack } from './unpack.ts'
          export const ${loads} = async () => unpack(packedPart('${part}'), packedPart('${part}-data') || undefined)`,
        moduleType: 'js',
      }
    },
  },
}

/** The program and all libraries, each as packed text. */
async function packedParts(): Promise<Record<string, string>> {
  const program = await codeOf('apps/cli/src/run.ts', [byName])
  const parts: Record<string, string> = { program: packed(Buffer.from(program)) }
  for (const { part, library, names } of libraries) {
    const { text, data } = withoutData(await libraryCode(library, names))
    parts[part] = packed(text)
    if (data) parts[`${part}-data`] = packed(data)
  }
  return parts
}

async function codeOf(input: string, plugins: Plugin[]): Promise<string> {
  const bundle = await rolldown({ ...common, input, plugins })
  try {
    const { output } = await bundle.generate({ format: 'cjs', codeSplitting: false, minify: true })
    if (output.length > 1) throw new Error(`${input} has to become one file, not ${output.length}`)
    return output[0].code
  } finally {
    await bundle.close()
  }
}

/** The entry, with the packed parts in place of what it would import. */
const withParts = (parts: Readonly<Record<string, string>>): Plugin => ({
  name: 'with-parts',
  load: {
    filter: { id: /\/apps\/cli\/src\/parts\/program\.ts$/ },
    handler() {
      const digest = createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 16)
      return {
        code: `import { unpackProgram } from './unpack.ts'
          const parts = ${JSON.stringify(parts)}
          export const loadRun = async () =>
            unpackProgram(parts.program, '${digest}', (name) => parts[name] ?? '').run`,
        moduleType: 'js',
      }
    },
  },
})

function libraryCode(library: string, names: readonly string[]): Promise<string> {
  const entry = join(sources, 'parts/entry-of-part.js')
  const virtual: Plugin = {
    name: 'entry-of-part',
    resolveId: (id) => (id === entry ? entry : null),
    load: (id) => (id === entry ? `export { ${names.join(', ')} } from '${library}'` : null),
  }
  return codeOf(entry, [virtual, quickJq])
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
  const plugins = [withParts(await packedParts())]
  const bundle = await rolldown({ ...common, input: 'apps/cli/src/main.ts', plugins })
  try {
    const file = join(folder, 'crewhall.mjs')
    const { output } = await bundle.generate({ format: 'esm', codeSplitting: false, minify: true })
    const [chunk, ...others] = output
    if (others.length > 0) throw new Error(`the command line has to be one file, not ${output.length}`)
    const bytes = Buffer.from(`#!/usr/bin/env node\n${chunk.code}`)
    if (bytes.length > cliLimitBytes)
      throw new Error(`the command line is ${bytes.length} bytes, the limit ${cliLimitBytes}`)
    mkdirSync(folder, { recursive: true })
    writeFileSync(file, bytes)
    chmodSync(file, 0o755)
    return { file, bytes: bytes.length, digest: createHash('sha256').update(bytes).digest('hex') }
  } finally {
    await bundle.close()
  }
}
