import { createRequire } from 'node:module'
import { compileFunction } from 'node:vm'
import { brotliDecompressSync } from 'node:zlib'
import { fromBase85 } from './base85.ts'

const known = new Map<string, unknown>()

/**
 * The exports of a library that the bundle holds packed, because it is large and most invocations do not need it. `beside`
 * is packed data that the code names `@@DATA@@`, where it wants it as base64.
 */
export function unpack<Exports>(packed: string, beside?: string): Exports {
  const found = known.get(packed)
  if (found !== undefined) return found as Exports
  const code = unpacked(packed).toString()
  const data = beside === undefined ? undefined : unpacked(beside).toString('base64')
  const module = { exports: {} }
  const run = compileFunction(data === undefined ? code : code.replace('@@DATA@@', () => data), [
    'exports',
    'require',
    'module',
    '__filename',
    '__dirname',
  ])
  const { filename, dirname, url } = import.meta
  run(module.exports, createRequire(url), module, filename, dirname)
  known.set(packed, module.exports)
  return module.exports as Exports
}

const unpacked = (text: string): Buffer => brotliDecompressSync(fromBase85(text))
