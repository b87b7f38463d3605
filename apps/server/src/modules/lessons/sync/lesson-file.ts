import { createHash } from 'node:crypto'
import { anchorText, readAnchor } from '@crewhall/contracts/lessons/anchors.ts'
import { lessonIdOf, lessonPath, longestLessonBody, mostAnchors } from '@crewhall/contracts/lessons/lesson.ts'
import { type Document, parseDocument, visit } from 'yaml'
import { z } from 'zod'

/** What a file says. */
export interface LessonFile {
  readonly slug: string
  readonly digest: string
  readonly text: string
  readonly type: string
  readonly title: string
  readonly body: string
  readonly anchors: readonly string[]
  readonly is_pinned: boolean
  readonly is_retired: boolean
  readonly author: string | null
  readonly card_ref: string | null
  readonly supersedes: readonly string[]
}
export interface RefusedFile {
  readonly path: string
  readonly reason: string
}

export const largestFile = 65_536
const longestFront = 32_768
const longestReason = 300
/** Of what is read out of a file: with another one all are read again. */
const reader = 1

/** The id that git gives a blob, and by which reader it was read. */
export const digestOf = (blob_id: string): string => `${reader}:${blob_id}`
export const blobIdOf = (bytes: Uint8Array): string =>
  createHash('sha1').update(`blob ${bytes.length}\0`).update(bytes).digest('hex')

class Refused extends Error {}
const refuse = (reason: string): never => {
  throw new Refused(reason)
}

const oneLine = (max: number) =>
  z
    .string()
    .trim()
    .min(1)
    .max(max)
    .regex(/^\P{Cc}*$/u, 'must be one line')
const Reference = z.union([oneLine(200), z.int().transform(String)])
const FrontMatter = z.object({
  type: z
    .string()
    .regex(/^[a-z][a-z0-9_-]{0,39}$/, 'must be a word in lower case such as rule, gotcha or decision'),
  title: oneLine(200).nullish(),
  anchors: z.array(z.string()).max(mostAnchors, `must be at most ${mostAnchors}`).nullish(),
  pinned: z.boolean().nullish(),
  retired: z.boolean().nullish(),
  author: Reference.nullish(),
  card: Reference.nullish(),
  supersedes: z
    .union([z.string().transform((id) => [id]), z.array(z.string())])
    .pipe(
      z.array(z.string().refine((id) => lessonIdOf(lessonPath(id)) === id, 'must be ids of lessons')).max(50),
    )
    .nullish(),
})

/** Never throws for what stands in a file: whatever is wrong with it refuses this one. */
export function readLessonFile(path: string, bytes: Uint8Array, blob_id: string): LessonFile | RefusedFile {
  try {
    return read(path, bytes, blob_id)
  } catch (error) {
    if (error instanceof Refused)
      return { path: shownPath(path), reason: error.message.slice(0, longestReason) }
    // Nested too deeply for whoever reads it.
    if (error instanceof RangeError)
      return { path: shownPath(path), reason: 'the front matter is nested too deeply' }
    throw error
  }
}

/** No text in Postgres has a NUL, and a path may be as long as it likes. */
export const shownPath = (path: string): string =>
  [...path.replaceAll('\0', '')].slice(0, 400).join('').toWellFormed()

function read(path: string, bytes: Uint8Array, blob_id: string): LessonFile {
  const slug = lessonIdOf(path) ?? refuse('the path is not lessons/<area>/<slug>.md')
  if (bytes.length > largestFile) refuse(`the file has more than ${largestFile} bytes`)
  const text = decoded(bytes)
  const { front, body } = partsOf(text)
  const given = FrontMatter.safeParse(frontMatterOf(front).toJS({ maxAliasCount: 0 }))
  if (!given.success) refuse(faultOf(given.error))
  const matter = given.data as z.output<typeof FrontMatter>
  if (body === '') refuse('the body is empty')
  if ([...body].length > longestLessonBody) refuse(`the body has more than ${longestLessonBody} characters`)
  const supersedes = [...new Set(matter.supersedes ?? [])]
  if (supersedes.includes(slug)) refuse('supersedes: names the lesson itself')
  return {
    slug,
    digest: digestOf(blob_id),
    text,
    type: matter.type,
    title: matter.title ?? titleOf(body),
    body,
    anchors: anchorsOf(matter.anchors ?? []),
    is_pinned: matter.pinned ?? false,
    is_retired: matter.retired ?? false,
    author: matter.author ?? null,
    card_ref: matter.card ?? null,
    supersedes,
  }
}

function decoded(bytes: Uint8Array): string {
  const text = (() => {
    try {
      return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    } catch {
      return refuse('the file is not text in UTF-8')
    }
  })()
  if (text.includes('\0')) refuse('the file has a NUL')
  return text.replaceAll('\r\n', '\n')
}

/** What stands between the first two lines of three dashes, and all after them. */
function partsOf(text: string): { readonly front: string; readonly body: string; readonly rest: string } {
  if (!text.startsWith('---\n')) refuse('the file does not begin with front matter between lines of ---')
  const end = /^---[ \t]*$/m.exec(text.slice(4))
  if (!end) return refuse('the front matter has no end: a line of --- is missing')
  const front = text.slice(4, 4 + end.index)
  if (front.length > longestFront) refuse(`the front matter has more than ${longestFront} characters`)
  const rest = text.slice(4 + end.index)
  return { front, rest, body: rest.slice(end[0].length).trim() }
}

/** The same file with these anchors. Of the rest, at most the form of the front matter changes. */
export function withAnchors(text: string, anchors: readonly string[]): string {
  const { front, rest } = partsOf(text)
  const document = frontMatterOf(front)
  document.set('anchors', document.createNode([...anchors]))
  return `---\n${document.toString({ lineWidth: 0 })}${rest}`
}

/** A map without aliases, tags of its own, or anything that a reader of YAML only guesses at. */
function frontMatterOf(front: string): Document {
  const document = parseDocument(front, {
    schema: 'core',
    merge: false,
    uniqueKeys: true,
    logLevel: 'error',
  })
  const [fault] = [...document.errors, ...document.warnings]
  if (fault) refuse(`the front matter is no valid YAML: ${fault.message.split('\n')[0]}`)
  let hasAlias = false
  visit(document, {
    Alias() {
      hasAlias = true
      return visit.BREAK
    },
  })
  if (hasAlias) refuse('the front matter has an alias')
  return document
}

const faultOf = (error: z.ZodError): string => {
  const [issue] = error.issues
  const at = issue?.path.join('.')
  return `${at ? `${at}: ` : 'the front matter is no map of fields: '}${issue?.message ?? 'is wrong'}`
}

function anchorsOf(texts: readonly string[]): string[] {
  for (const text of texts) {
    const place = readAnchor(text)
    if (typeof place === 'string') refuse(`the anchor ${JSON.stringify(text.slice(0, 100))} ${place}`)
    else if (anchorText(place) !== text)
      refuse(`the anchor ${JSON.stringify(text.slice(0, 100))} is not plain`)
  }
  return [...new Set(texts)]
}

/** The first heading, or what comes first. */
function titleOf(body: string): string {
  const line = /^#{1,6}[ \t](.*\S)/m.exec(body)?.[1] ?? body.split('\n')[0] ?? body
  return [...line.replaceAll(/\p{Cc}/gu, ' ').trim()].slice(0, 200).join('') || 'Lesson'
}
