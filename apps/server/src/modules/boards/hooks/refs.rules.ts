import type { CardRef } from '@crewhall/contracts/boards/task-ids.ts'

const form = /(?<![A-Za-z0-9])([A-Za-z]{2,10})-([1-9]\d{0,8})(?![A-Za-z0-9])/g
const most = 20

/** Refs of cards in texts, such as `CORE-12` in `fix/core-12-carry`. Whether such cards exist is not known here. */
export function refsIn(...texts: readonly string[]): string[] {
  const found = texts.flatMap((text) => [...text.matchAll(form)].slice(0, most))
  return [...new Set(found.map(([ref]) => ref.toUpperCase()))].slice(0, most)
}

export function partsOf(refs: readonly string[]): CardRef[] {
  return refs.map((ref) => {
    const [key = '', number = ''] = ref.split('-')
    return { key, number: Number(number) }
  })
}

/** Whether a card may be about a repository: it names none, or this one in one of the usual forms. */
export function mayBeOf(repository: string | null, url: string): boolean {
  if (repository === null) return true
  const path = new URL(url).pathname.slice(1)
  const named = repository
    .trim()
    .toLowerCase()
    .replace(/(?<!\/)\/+$/, '')
    .replace(/\.git$/, '')
  return (
    named === path || path.endsWith(`/${named}`) || named.endsWith(`/${path}`) || named.endsWith(`:${path}`)
  )
}
