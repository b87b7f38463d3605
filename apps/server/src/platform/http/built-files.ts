import { createHash } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import type { IncomingHttpHeaders } from 'node:http'
import { extname, join, relative, sep } from 'node:path'
import type { PlainAnswer } from '#platform/http/plain-route.ts'

const types: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.ico': 'image/x-icon',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.map': 'application/json; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
  '.webp': 'image/webp',
  '.woff2': 'font/woff2',
}

/** Made by the build beside the files that they shorten, the best one first. */
const encodings = [
  { name: 'br', suffix: '.br' },
  { name: 'gzip', suffix: '.gz' },
] as const

interface BuiltFile {
  readonly path: string
  readonly type: string
  /** Its name changes with its content. */
  readonly is_hashed: boolean
  readonly encoded: readonly (typeof encodings)[number][]
}

interface Loaded {
  readonly bytes: Buffer
  readonly etag: string
}

/**
 * Files of a build, listed once: a name that was not there at the start is not there, whatever it looks like. Each is read
 * when somebody first asks for it.
 */
export class BuiltFiles {
  readonly #files: ReadonlyMap<string, BuiltFile>
  readonly #loaded = new Map<string, Promise<Loaded>>()

  constructor(folder: string) {
    this.#files = listFiles(folder)
  }

  has(name: string): boolean {
    return this.#files.has(name)
  }

  /** Whether a name is that of a file rather than of a page, be it there or not. */
  static isFileName(name: string): boolean {
    return name.startsWith('assets/') || extname(name) in types
  }

  async answer(
    name: string,
    headers: IncomingHttpHeaders,
    more: Readonly<Record<string, string>> = {},
  ): Promise<PlainAnswer | undefined> {
    const file = this.#files.get(name)
    if (!file) return undefined
    const accepted = acceptedEncodings(headers['accept-encoding'])
    const encoding = file.encoded.find((each) => accepted.has(each.name))
    const { bytes, etag } = await this.#load(`${file.path}${encoding?.suffix ?? ''}`)
    const told = {
      'cache-control': file.is_hashed ? 'public, max-age=31536000, immutable' : 'no-cache',
      etag,
      ...(file.encoded.length > 0 ? { vary: 'accept-encoding' } : {}),
      ...more,
    }
    const known = headers['if-none-match']?.split(',').map((each) => each.trim().replace(/^W\//, ''))
    if (known?.some((each) => each === etag || each === '*'))
      return { status: 304, type: file.type, body: '', headers: told }
    return {
      status: 200,
      type: file.type,
      body: bytes,
      headers: { ...told, ...(encoding ? { 'content-encoding': encoding.name } : {}) },
    }
  }

  #load(path: string): Promise<Loaded> {
    const known = this.#loaded.get(path)
    if (known) return known
    const loaded = readFile(path).then((bytes) => ({
      bytes,
      etag: `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"`,
    }))
    this.#loaded.set(path, loaded)
    // A file that could not be read is tried again by the next request.
    loaded.catch(() => this.#loaded.delete(path))
    return loaded
  }
}

function listFiles(folder: string): Map<string, BuiltFile> {
  const names = new Set(namesIn(folder))
  const files = [...names].filter((name) => extname(name) in types)
  return new Map(
    files.map((name) => [
      name,
      {
        path: join(folder, name),
        type: types[extname(name)] ?? 'application/octet-stream',
        is_hashed: /^assets\/.+-[\w-]{8}\.\w+$/.test(name),
        encoded: encodings.filter(({ suffix }) => names.has(`${name}${suffix}`)),
      },
    ]),
  )
}

/** None if there is no such folder. */
function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => relative(folder, join(parentPath, name)).split(sep).join('/'))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}

function acceptedEncodings(header: string | string[] | undefined): ReadonlySet<string> {
  const parts = String(header ?? '')
    .split(',')
    .map((part) =>
      part
        .toLowerCase()
        .split(';')
        .map((word) => word.trim()),
    )
  return new Set(parts.filter(([, q]) => !/^q=0(\.0*)?$/.test(q ?? '')).map(([name = '']) => name))
}
