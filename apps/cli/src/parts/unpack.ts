import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { Script } from 'node:vm'
import { brotliDecompressSync } from 'node:zlib'
import { readEnvironment } from '../environment.ts'
import { fromBase85 } from './base85.ts'

type Run = (...given: unknown[]) => void

const known = new Map<string, unknown>()

/**
 * The exports of code that the bundle holds packed. It sees what is built in and no other package. `beside` is packed data
 * that the code names `@@DATA@@`, where it wants it as base64.
 */
export function unpack<Exports>(packed: string, beside?: string): Exports {
  const found = known.get(packed)
  if (found !== undefined) return found as Exports
  const code = unpacked(packed).toString()
  const data = beside === undefined ? undefined : unpacked(beside).toString('base64')
  const whole = data === undefined ? code : code.replace('@@DATA@@', () => data)
  const exported = exportsOf<Exports>(new Script(wrapped(whole), { filename: 'crewhall-part' }), () => '')
  known.set(packed, exported)
  return exported
}

/**
 * The program itself, which finds its further parts by name. What V8 has compiled of it is kept beside other caches of its
 * user; without it, most of a start would be compiling.
 */
export function unpackProgram<Exports>(
  packed: string,
  digest: string,
  packedPart: (name: string) => string,
): Exports {
  const folder = readEnvironment().cache_dir
  const name = `code-${digest}-${process.versions.v8}-${process.arch}`
  const cachedData = bytesOf(join(folder, name))
  const script = new Script(wrapped(unpacked(packed).toString()), {
    filename: 'crewhall',
    ...(cachedData ? { cachedData } : {}),
  })
  // At the end, when all that was needed is compiled.
  if (!cachedData || script.cachedDataRejected)
    process.once('exit', () => keep(folder, name, script.createCachedData()))
  return exportsOf<Exports>(script, packedPart)
}

const wrapped = (code: string): string =>
  `(function(exports,require,module,__filename,__dirname,packedPart){${code}\n})`

function exportsOf<Exports>(script: Script, packedPart: (name: string) => string): Exports {
  const module = { exports: {} }
  const run = script.runInThisContext() as Run
  const { execPath } = process
  run(module.exports, createRequire(execPath), module, execPath, dirname(execPath), packedPart)
  return module.exports as Exports
}

const unpacked = (text: string): Buffer => brotliDecompressSync(fromBase85(text))

function bytesOf(file: string): Buffer | undefined {
  try {
    return readFileSync(file)
  } catch {
    return undefined
  }
}

/** A cache is a help: where it cannot be kept, nothing is said. Those of other versions go. */
function keep(folder: string, name: string, bytes: Buffer): void {
  const beside = join(folder, `.${name}.${process.pid}`)
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    for (const each of readdirSync(folder).filter((other) => other.startsWith('code-')))
      rmSync(join(folder, each), { force: true })
    writeFileSync(beside, bytes, { mode: 0o600, flag: 'wx' })
    renameSync(beside, join(folder, name))
  } catch {
    rmSync(beside, { force: true })
  }
}
