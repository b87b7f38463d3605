import { lessonPath, mostAnchors } from '@crewhall/contracts/lessons/lesson.ts'
import type { LessonFileText, Promotion } from '@crewhall/contracts/memory/code-links.ts'
import type { MemoryKind } from '@crewhall/contracts/memory/fields.ts'

export interface PromotedMemory {
  readonly id: string
  readonly agent_id: string
  readonly kind: MemoryKind
  readonly title: string
  readonly body: string
}
export interface LinkPlace {
  readonly project_id: string
  readonly place: string
  readonly removed_in: string | null
}

const types: Readonly<Record<MemoryKind, string>> = {
  decision: 'decision',
  learning: 'gotcha',
  pattern: 'rule',
  preference: 'rule',
  fact: 'fact',
  summary: 'fact',
}

/** Undefined if the memory names no code that is there. */
export function lessonTextOf(
  memory: PromotedMemory,
  links: readonly LinkPlace[],
  { area, slug, type, pinned }: Promotion,
): LessonFileText | undefined {
  const live = links.filter(({ removed_in, place }) => removed_in === null && place !== '/')
  const project_id = commonest(live.map((link) => link.project_id))
  if (project_id === undefined) return undefined
  const places = live.filter((link) => link.project_id === project_id).map(({ place }) => place)
  const anchors = [...new Set(places)].slice(0, mostAnchors)
  const title = oneLine(memory.title)
  const front = [
    `type: ${type ?? types[memory.kind]}`,
    ...(title === '' ? [] : [`title: ${quoted(title)}`]),
    'anchors:',
    ...anchors.map((anchor) => `  - ${quoted(anchor)}`),
    ...(pinned ? ['pinned: true'] : []),
    `author: ${quoted(memory.agent_id)}`,
  ]
  const text = `---\n${front.join('\n')}\n---\n\n${memory.body.replaceAll('\r\n', '\n').trim()}\n`
  return { project_id, path: lessonPath(`${area}/${slug ?? slugOf(memory)}`), text }
}

/** The first of those that come most often. */
function commonest(ids: readonly string[]): string | undefined {
  const counts = new Map<string, number>()
  for (const id of ids) counts.set(id, (counts.get(id) ?? 0) + 1)
  const most = Math.max(...counts.values())
  return [...counts].find(([, count]) => count === most)?.[0]
}

/** A text in JSON is one in YAML as well, and ends where it says. */
const quoted = (text: string): string => JSON.stringify(text).replaceAll('\u007f', '\\u007f')

const longestTitle = 200
const oneLine = (title: string): string =>
  [...title.toWellFormed().replaceAll(/[\p{Cc}\u2028\u2029]+/gu, ' ')].slice(0, longestTitle).join('').trim()

const longestSlug = 60
function slugOf({ id, title }: PromotedMemory): string {
  const words = title
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .match(/[a-z0-9]+/g)
  return words?.join('-').slice(0, longestSlug).replace(/-$/, '') ?? `memory-${id.slice(0, 8)}`
}
