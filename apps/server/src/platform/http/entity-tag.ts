import { hash } from 'node:crypto'
import { noVersion } from '@crewhall/contracts/refusal.ts'
import { type AnyRoute, isRead } from '@crewhall/contracts/route.ts'

/** The tag of a text. A versioned resource has its version in front, for `If-Match`. */
export function entityTagOf(text: string, body: unknown): string {
  const digest = hash('sha1', text, 'base64url')
  const version = (body as { version?: unknown } | null)?.version
  return Number.isInteger(version) ? `"${version}-${digest}"` : `"${digest}"`
}

/** The tag of a version alone, for responses that do not contain the resource. */
export const versionTagOf = (version: number): string => `"${version}"`

/** Whether the caller has what this tag names, by its `If-None-Match` (RFC 9110: compared weakly). */
export const isKnownTag = (ifNoneMatch: string | undefined, tag: string): boolean =>
  namesTag(ifNoneMatch, tag) || (ifNoneMatch !== undefined && tagsIn(ifNoneMatch).includes('*'))

/** Whether it names this very tag, so that the caller must have seen it. */
export const namesTag = (ifNoneMatch: string | undefined, tag: string): boolean =>
  ifNoneMatch !== undefined &&
  tagsIn(ifNoneMatch)
    .map((each) => each.replace(/^W\//, ''))
    .includes(tag)

/**
 * The versions that a write is meant for; nothing when it is meant for any. A weak tag or one that we never
 * gave out names no version, so it matches none.
 */
export function versionsWanted(spec: AnyRoute, ifMatch: string | undefined): readonly number[] | undefined {
  if (ifMatch === undefined || isRead(spec)) return undefined
  if (!spec.versioned) throw noVersion()
  const tags = tagsIn(ifMatch)
  if (tags.includes('*')) return undefined
  return tags.flatMap((tag) => {
    const [, version] = /^"(\d{1,9})(?:-[\w-]+)?"$/.exec(tag) ?? []
    return version === undefined ? [] : [Number(version)]
  })
}

const tagsIn = (header: string): string[] => header.split(',').map((tag) => tag.trim())
