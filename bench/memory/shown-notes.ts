import type { Prompt } from '@crewhall/testkit/stand-in-model.ts'
import type { CorpusMemory } from './corpus.ts'

export interface Shown {
  readonly query: string
  /** Corpus ids of the candidates in the order of the prompt; undefined for what is not of the corpus. */
  readonly names: readonly (string | undefined)[]
}

/** Reads a prompt as the model does: the question, and one note on each line, which may be cut. */
export function readPrompt(memories: readonly CorpusMemory[]): (prompt: Prompt) => Shown {
  const whole = memories.map(({ id, title, description, body }) => ({
    id,
    text: oneLine([title, description, body].join('\n')),
  }))
  const known = new Map(whole.map(({ id, text }) => [text, id]))
  const nameOf = (note: string) => {
    const name = known.get(note)
    if (name !== undefined || !note.endsWith('…')) return name
    const begin = note.slice(0, -1)
    const found = whole.find(({ text }) => text.startsWith(begin))?.id
    if (found) known.set(note, found)
    return found
  }
  return ({ user }) => {
    const [question = '', , ...notes] = user.split('\n')
    return {
      query: JSON.parse(question.slice('Question: '.length)) as string,
      names: notes.map((line) => nameOf((JSON.parse(line) as { note: string }).note)),
    }
  }
}

export const oneLine = (text: string): string => text.replaceAll(/[\s\p{Cc}]+/gu, ' ').trim()
