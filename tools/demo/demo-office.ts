import type { Client } from '@crewhall/client/client.ts'
import { wasRefused } from './demo-api.ts'
import type { Scene } from './demo-crew.ts'
import { addCard, apiOf } from './demo-fill.ts'
import { laterCards } from './demo-other-cards.ts'
import { fullNames, type PersonName } from './demo-people.ts'
import { reviews } from './demo-scripts.ts'

const reviewers: readonly PersonName[] = ['ines', 'priya', 'anna']
const everySeconds = 11
const mostInReview = 4
const mostDone = 12
const leastReady = 3

/** People write cards, review what agents have done, and put away what is old, so that boards keep their shape. */
export async function keepOffice(scene: Scene): Promise<void> {
  const { pace, boards } = scene
  for (let turn = 0; !pace.isOver; turn += 1) {
    await pace.wait(everySeconds)
    if (pace.isOver) return
    const who = reviewers[turn % reviewers.length] ?? 'ines'
    const api = apiOf(scene.team, who)
    try {
      for (const board_id of Object.values(boards)) await tidy(api, board_id)
      if (!(await review(api, who, turn, scene))) await writeCard(scene, turn)
    } catch (error) {
      // Others were faster, as in every office.
      if (!wasRefused(error, 404, 409, 412)) throw error
    }
  }
}

async function cardsIn(api: Client, board_id: string, status: 'pending' | 'review' | 'done') {
  const query = { detail: 'standard', per_page: '100' } as const
  const { items } = (await api.boards.listCards({ params: { board_id }, query })).body
  return items.filter((card) => card.status === status)
}

/** Looks at the card that has waited longest, where too many wait. */
async function review(api: Client, who: PersonName, turn: number, scene: Scene): Promise<boolean> {
  for (const [key, board_id] of Object.entries(scene.boards)) {
    const waiting = await cardsIn(api, board_id, 'review')
    const least = key === 'DSP' ? mostInReview - 1 : 1
    const card = waiting.find(({ assignee }) => assignee?.kind !== 'member')
    if (!card || waiting.length <= least) continue
    const params = { task_id: card.ref }
    const body = reviews[turn % reviews.length] ?? 'Good.'
    await api.boards.addComment({ params, body: { body } })
    await api.boards.changeCard({
      params,
      query: { return: 'receipt' },
      body: {
        column: 'Done',
        ...(card.pr_number ? { pr_state: 'merged', merged_at: new Date().toISOString() } : {}),
      },
    })
    scene.say(`${fullNames[who]} has reviewed ${card.ref}`)
    return true
  }
  return false
}

async function writeCard(scene: Scene, turn: number): Promise<void> {
  const card = laterCards[turn % laterCards.length]
  const board_id = card && scene.boards[card.board]
  if (!board_id) return
  const api = apiOf(scene.team, 'tomas')
  const ready = await api.boards.listReadyCards({ params: { board_id }, query: { limit: '50' } })
  const open = await cardsIn(api, board_id, 'pending')
  if (ready.body.items.length >= leastReady && open.length >= 2 * leastReady) return
  if (open.some(({ title }) => title === card.title)) return
  const ref = await addCard(scene.team, board_id, card)
  scene.say(`${fullNames.tomas} has written ${ref}`)
}

async function tidy(api: Client, board_id: string): Promise<void> {
  const done = await cardsIn(api, board_id, 'done')
  const old = done.slice(0, Math.max(0, done.length - mostDone))
  for (const { ref } of old) await api.boards.archiveCard({ params: { task_id: ref }, body: {} })
}
