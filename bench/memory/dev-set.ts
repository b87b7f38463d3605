import type { Corpus, CorpusMemory, CorpusQuery } from './corpus.ts'
import { contentWords } from './wording.ts'

const devAgent = 'dev-set'
const mostQuestions = 80

/**
 * C5: 120 memories and 80 questions by a rule that knows no result. The first subject of each agent in the order of
 * names, all 24 memories of it, and of the questions the first that share a word with their answer, as somebody asks who
 * knows what a thing is called: one of each subject in turn, until there are 80. All memories belong to one agent here.
 */
export function devSet({ memories, queries }: Corpus): {
  readonly memories: readonly CorpusMemory[]
  readonly plain: readonly CorpusQuery[]
  readonly all: readonly CorpusQuery[]
} {
  const subjects = new Map<string, string>()
  for (const { id, agent } of memories) if (!subjects.has(agent)) subjects.set(agent, subjectOf(id))
  const chosen = memories.filter(({ id, agent }) => subjects.get(agent) === subjectOf(id))
  const texts = new Map(
    chosen.map(({ id, title, body, description = '', tags }) => [
      id,
      contentWords([title, description, ...tags, body].join(' ')),
    ]),
  )
  const all = queries.filter(({ answers }) => answers.every((id) => texts.has(id)))
  const sharing = all.filter(({ query, answers }) =>
    answers.some((id) => !contentWords(query).isDisjointFrom(texts.get(id) ?? new Set())),
  )
  const bySubject = [...subjects.values()].map((subject) =>
    sharing.filter(({ id }) => subjectOf(id) === subject),
  )
  const plain = sharing
    .flatMap((_, turn) => bySubject.flatMap((ofSubject) => ofSubject[turn] ?? []))
    .slice(0, mostQuestions)
  const ofDev = (list: readonly CorpusQuery[]) => list.map((query) => ({ ...query, agent: devAgent }))
  return {
    memories: chosen.map((memory) => ({ ...memory, agent: devAgent })),
    plain: ofDev(plain),
    all: ofDev(all),
  }
}

const subjectOf = (id: string): string => id.slice(0, id.lastIndexOf('-'))
