import { posix } from 'node:path'
import { zones } from './import-rules.ts'

export type Place = {
  path: string
  zone: string | undefined
  module: string | undefined
  role: string | undefined
  workspace: string | undefined
  isTest: boolean
}

const roleOf = (path: string): string => {
  const [noun, role] = posix
    .basename(path)
    .replace(/\.tsx?$/, '')
    .split('.')
  return role ?? (noun === 'public' ? 'public' : 'noun')
}

export const placeOf = (path: string): Place => {
  const found = zones.find(([pattern]) => pattern.test(path))
  const group = found?.[0].exec(path)?.[1] ?? ''
  const module = /^apps\/server\/src\/modules\/([^/]+)\//.exec(path)?.[1]
  return {
    path,
    zone: found?.[1].replace('$1', group.replace(/\.ts$/, '')),
    module,
    role: module === undefined ? undefined : roleOf(path),
    workspace: /^(?:apps|packages)\/[^/]+/.exec(path)?.[0],
    isTest: /\.test\.tsx?$/.test(path),
  }
}

// The key of the rule that a file standing here has to keep.
export const ruleKeyOf = (place: Place): string => {
  if (place.isTest && place.path.startsWith('apps/server/src/')) return 'server:test'
  if (place.isTest && place.workspace !== undefined && place.zone !== 'server-test') return 'workspace:test'
  if (place.zone === 'module') return `module:${place.role}`
  if (/^(platform|inside)\//.test(place.zone ?? '')) return 'platform'
  return place.zone ?? 'nowhere'
}
