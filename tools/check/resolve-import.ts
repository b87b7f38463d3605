import { existsSync, globSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import { join, posix } from 'node:path'
import { readRepoFile } from './repo-files.ts'

export type Target =
  | { kind: 'library'; name: string }
  | { kind: 'file'; path: string; via: 'relative' | 'alias' | 'package' }
  | { kind: 'unknown' }

type Exported = string | { [condition: string]: Exported }
export type Workspace = { name: string; folder: string; exports: Exported | undefined }

export const listWorkspaces = (root: string): Workspace[] =>
  globSync('{apps,packages}/*', { cwd: root })
    .map((folder) => folder.replaceAll('\\', '/'))
    .filter((folder) => existsSync(join(root, folder, 'package.json')))
    .map((folder) => {
      const manifest = JSON.parse(readRepoFile(root, `${folder}/package.json`))
      return { name: manifest.name, folder, exports: manifest.exports }
    })

const firstFile = (exported: Exported | undefined): string | undefined =>
  exported === undefined || typeof exported === 'string'
    ? exported
    : firstFile(exported.default ?? exported.import ?? Object.values(exported)[0])

const exportedFile = ({ folder, exports }: Workspace, subpath: string): string | undefined => {
  if (exports === undefined || typeof exports === 'string') {
    return subpath === '.' && exports !== undefined ? posix.join(folder, exports) : undefined
  }
  // As in Node, the longest key that fits decides.
  const keys = Object.keys(exports).sort((a, b) => b.length - a.length)
  for (const key of keys) {
    const [head = '', tail = ''] = key.split('*')
    const file = firstFile(exports[key])
    if (file === undefined) continue
    if (key === subpath) return posix.join(folder, file)
    const matches = key.includes('*') && subpath.startsWith(head) && subpath.endsWith(tail)
    const middle = subpath.slice(head.length, subpath.length - tail.length)
    if (matches) return posix.join(folder, file.replaceAll('*', middle))
  }
  return undefined
}

export const resolveImport = (from: string, specifier: string, workspaces: readonly Workspace[]): Target => {
  if (specifier.startsWith('.')) {
    const path = posix.join(posix.dirname(from), specifier.replace(/\?.*$/, ''))
    return { kind: 'file', path, via: 'relative' }
  }
  const [, alias, rest] = /^#(platform|modules)\/(.+)$/.exec(specifier) ?? []
  if (alias !== undefined && from.startsWith('apps/server/')) {
    const path = `apps/server/src/${alias}/${rest}${alias === 'modules' ? '/public.ts' : ''}`
    return { kind: 'file', path, via: 'alias' }
  }
  if (specifier.startsWith('#') || specifier.startsWith('/')) return { kind: 'unknown' }
  if (isBuiltin(specifier)) {
    return { kind: 'library', name: `node:${specifier.replace(/^node:/, '').split('/')[0]}` }
  }
  const name = specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/')
  const workspace = workspaces.find((candidate) => candidate.name === name)
  if (workspace === undefined) return { kind: 'library', name }
  const path = exportedFile(workspace, `.${specifier.slice(name.length)}`)
  return path === undefined ? { kind: 'unknown' } : { kind: 'file', path, via: 'package' }
}
