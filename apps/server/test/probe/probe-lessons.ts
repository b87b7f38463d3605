import type { CardLessons } from '#modules/boards'

/** Lessons of whatever a text asks for: `probe:3` names three, `probe:down` says that the index is away, `probe:broken` breaks. */
export const probeLessons: CardLessons = {
  async lessonsNear(_ctx, { project_id, texts, limit }) {
    const named = texts.flatMap((text) =>
      [...text.matchAll(/\bprobe:(\d{1,3}|down|broken)\b/g)].map(([, what]) => what),
    )
    if (named.includes('broken')) throw new Error('broken on request')
    const counts = named.filter((what) => what !== 'down').map(Number)
    const length = Math.min(limit, Math.max(0, ...counts))
    return {
      lessons: Array.from({ length }, (_, n) => lessonOf(project_id, n)),
      degraded: named.includes('down') ? 'code_index_unavailable' : null,
    }
  },
}

const lessonOf = (project_id: string, n: number) => ({
  id: `${project_id}/l-${n}`,
  type: 'rule',
  pinned: n === 0,
  stale: false,
  hops: n % 4,
  body: `${n} ${'ö'.repeat(n % 2 === 0 ? 20 : 2000)}`,
})
