import { type Words, wordsOf } from './words.rules.ts'

/** What two memories are compared by. */
export interface Said {
  readonly title: string
  readonly body: string
}

/**
 * Whether two memories say the same, so that automation may take one for evidence of the other. Vectors have no say: texts
 * that differ in one number or one "not" are nearer to each other than most paraphrases are. Every word that is not known
 * to be empty has to be there on both sides and in the same order, so what is missed is a paraphrase, never a difference.
 */
export function isSame(a: Said, b: Said): boolean {
  const [bodyA, bodyB] = [wordsOf(a.body), wordsOf(b.body)]
  if (bodyA.length === 0 || !(isEqual(bodyA, bodyB) || isTurned(bodyA, bodyB))) return false
  return isEqual(addedBy(a.title, bodyA), addedBy(b.title, bodyB))
}

const isEqual = (a: Words, b: Words): boolean =>
  a.length === b.length && a.every((word, at) => word === b[at])

/** Two clauses may change places: "when CI fails, ask Ana" and "ask Ana when CI fails". Fewer words could be an inversion. */
const shortestTurned = 4
const isTurned = (a: Words, b: Words): boolean =>
  a.length >= shortestTurned &&
  a.length === b.length &&
  a.some((_, at) => at > 0 && isEqual([...a.slice(at), ...a.slice(0, at)], b))

/** A title mostly repeats the body in short; what it says beyond that counts. */
const addedBy = (title: string, body: Words): Words => {
  const known = new Set(body)
  return [...new Set(wordsOf(title))].filter((word) => !known.has(word)).sort()
}

/** Words that hold sentences together rather than saying what they are about. */
const joints = new Set(
  `not never without only all every must should can may will was were had or if when unless because by to from before after
   than into over under until via per instead but yes`.split(/\s+/),
)
const isFact = (word: string): boolean => /\p{N}/u.test(word)
const negations = new Set(['not', 'never', 'without', 'lack', 'none', 'nobody', 'nothing', 'neither', 'nor'])

interface Gist {
  readonly topic: ReadonlySet<string>
  /** Numbers, versions, dates, times and identifiers with a digit. */
  readonly facts: ReadonlySet<string>
  readonly names: ReadonlySet<string>
  readonly all: ReadonlySet<string>
  readonly isDenied: boolean
}

function gistOf({ title, body }: Said): Gist {
  const words = [...wordsOf(title), ...wordsOf(body)]
  const bodyWords = wordsOf(body)
  return {
    topic: new Set(words.filter((word) => !isFact(word) && !joints.has(word))),
    facts: new Set(words.filter(isFact)),
    names: namesIn(body),
    all: new Set(words),
    isDenied: bodyWords.filter((word) => negations.has(word)).length % 2 === 1,
  }
}

/** Capitalised within a sentence, or with a capital or a sign inside. */
const namesIn = (text: string): ReadonlySet<string> =>
  new Set(
    [
      ...text.matchAll(
        /(?<=[^.!?\s]\s+)\p{Lu}[\p{L}\p{N}]+|\b\p{L}+(?:\p{Lu}|[_./@]\p{L})[\p{L}\p{N}_./@-]*/gu,
      ),
    ].flatMap(([name]) => wordsOf(name)),
  )

/** Both sides have one that the other lacks. A text that leaves a number out does not contradict one that has it. */
const isCrossed = (a: ReadonlySet<string>, b: ReadonlySet<string>, allA = a, allB = b): boolean =>
  [...a].some((word) => !allB.has(word)) && [...b].some((word) => !allA.has(word))

/** Of the shorter one's words, how many the other has. */
function overlapOf(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  const shorter = Math.min(a.size, b.size)
  return shorter === 0 ? 0 : a.intersection(b).size / shorter
}

/** From here on two texts have the same words, and a "not" more makes the one deny the other. */
const sameWords = 0.75

const differsInFacts = (a: Gist, b: Gist, overlap: number): boolean =>
  (a.isDenied !== b.isDenied && overlap >= sameWords) ||
  isCrossed(a.facts, b.facts) ||
  isCrossed(a.names, b.names, a.all, b.all)

// Measured with the built-in model on the labelled pairs of the tests: nine of ten paraphrases are near, and one of a
// hundred pairs that have nothing to do with each other.
const nearByWords = 0.5
const nearByVector = 0.75
const nearByBoth = { words: 0.25, vector: 0.5 }

/**
 * Whether a text is so near to one that a person has deleted or corrected that a person should decide. `cosine` is null
 * without vectors; the text is null once the history of the deleted memory is gone, and then the vector alone asks, which
 * costs a person a look and never a memory.
 */
export function isNear(draft: Said, buried: Said | null, cosine: number | null): boolean {
  const likeness = cosine ?? 0
  if (!buried) return likeness >= nearByVector
  const [a, b] = [gistOf(draft), gistOf(buried)]
  const overlap = overlapOf(a.topic, b.topic)
  if (differsInFacts(a, b, overlap)) return false
  return (
    overlap >= nearByWords ||
    likeness >= nearByVector ||
    (overlap >= nearByBoth.words && likeness >= nearByBoth.vector)
  )
}

const sharedSubject = 0.6

/** Whether one can take the place of the other at all. A model that confuses two facts about one thing must not hide either. */
export const hasSameSubject = (a: Said, b: Said): boolean =>
  overlapOf(gistOf(a).topic, gistOf(b).topic) >= sharedSubject
