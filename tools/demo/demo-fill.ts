import type { Client } from '@crewhall/client/client.ts'
import type { NewCard } from '@crewhall/contracts/boards/cards.ts'
import { apiAs, type Credential } from './demo-api.ts'
import { type DemoCard, type DemoRun, dispatchCards } from './demo-cards.ts'
import { consoleCards, driverCards, platformCards } from './demo-other-cards.ts'
import { type AgentName, agents, isAgent, type People, type PersonName } from './demo-people.ts'

/** Everybody of the demo, with what they call the API with. */
export interface Team {
  readonly base_url: string
  readonly people: People
  readonly tokens: Readonly<Record<AgentName, string>>
}

interface DemoBoard {
  readonly key: string
  readonly name: string
  readonly description: string
  readonly cards: readonly DemoCard[]
  /** Names and colors. */
  readonly labels: Readonly<Record<string, string>>
}

export const demoBoards: readonly DemoBoard[] = [
  {
    key: 'DSP',
    name: 'Dispatch API',
    description: 'Plans, stops and charges',
    cards: dispatchCards,
    labels: { billing: '#0f766e', race: '#b91c1c', planning: '#1d4ed8', api: '#7c3aed' },
  },
  {
    key: 'DRV',
    name: 'Driver app',
    description: 'What drivers hold in their hands',
    cards: driverCards,
    labels: { offline: '#b45309' },
  },
  {
    key: 'WEB',
    name: 'Web console',
    description: 'For dispatchers and carriers',
    cards: consoleCards,
    labels: {},
  },
  {
    key: 'PLT',
    name: 'Platform',
    description: 'What everything runs on',
    cards: platformCards,
    labels: {},
  },
]

const columns = [
  { name: 'To do', status: 'pending' },
  { name: 'In progress', status: 'in_progress', wip_limit: 5 },
  { name: 'Blocked', status: 'blocked' },
  { name: 'Review', status: 'review', wip_limit: 5 },
  { name: 'Done', status: 'done' },
] as const

const dayMs = 86_400_000
const tokensPerCent = 9_870
const abandonedSeconds = 30

export const credentialOf = (team: Team, name: PersonName | AgentName): Credential =>
  isAgent(name) ? { token: team.tokens[name] } : team.people[name].by

export const apiOf = (team: Team, name: PersonName | AgentName): Client =>
  apiAs(team.base_url, credentialOf(team, name))

/** Creates a board with its labels and cards, and what has happened on them so far. */
export async function fillBoard(team: Team, board: DemoBoard): Promise<string> {
  const { key, name, description } = board
  const api = apiOf(team, 'tomas')
  const made = await api.boards.createBoard({ body: { key, name, description, columns: [...columns] } })
  const board_id = made.body.id
  for (const [label, color] of Object.entries(board.labels))
    await api.boards.createLabel({ params: { board_id }, body: { name: label, color } })
  const operations = board.cards.map((card) => ({
    op: 'create' as const,
    task: newCard(team, card, beginOf(card)),
  }))
  const { results } = (
    await api.boards.writeBatch({ params: { board_id }, body: { atomic: true, operations } })
  ).body
  const refs = results.map(({ task }) => task?.ref ?? '')
  // Histories of different cards have nothing to do with each other.
  await Promise.all(
    board.cards.map(async (card, at) => {
      const { after } = card
      await replayHistory(team, refs[at] ?? '', card)
      const blocker = after && refs[board.cards.findIndex(({ title }) => title.startsWith(after))]
      const params = { task_id: refs[at] ?? '', kind: 'blocked_by', other_id: blocker ?? '' } as const
      if (blocker) await api.boards.addRelation({ params })
    }),
  )
  return board_id
}

const beginOf = ({ runs = [], column }: DemoCard): string => (runs.length > 0 ? 'In progress' : column)

export async function addCard(team: Team, board_id: string, card: DemoCard): Promise<string> {
  const { body } = await apiOf(team, 'tomas').boards.createCard({
    params: { board_id },
    query: { return: 'receipt' },
    body: newCard(team, card, card.column),
  })
  return body.ref
}

/** Agents do their runs, and everybody says what they have to say. */
async function replayHistory(team: Team, ref: string, card: DemoCard): Promise<void> {
  const { runs = [], comments = [] } = card
  for (const [at, run] of runs.entries()) {
    const isLast = at === runs.length - 1
    await replay(team, ref, run, isLast ? endOf(card) : {})
  }
  const mention = (_: string, name: string) => `@member:${team.people[name as PersonName].id}`
  for (const [who, body] of comments)
    await apiOf(team, who).boards.addComment({
      params: { task_id: ref },
      body: { body: body.replaceAll(/@(tomas|ines|priya|anna)\b/g, mention) },
    })
  if (card.abandoned_by) await abandon(team, ref, card.abandoned_by)
}

function newCard(team: Team, card: DemoCard, column: string): NewCard {
  const { title, description = '', task_type = 'coding', priority = 'none', labels = [], estimate } = card
  const boxes = (card.done_when ?? []).map(
    (text, at) => `- [${at < (card.checked ?? 0) ? 'x' : ' '}] ${text}`,
  )
  const worker = (name: PersonName | AgentName) =>
    isAgent(name)
      ? ({ kind: 'agent', id: name, name: agents[name].name } as const)
      : ({ kind: 'member', id: team.people[name].id } as const)
  return {
    title,
    description,
    task_type,
    priority,
    labels,
    acceptance_criteria: boxes.join('\n'),
    ...(estimate === undefined ? {} : { estimate }),
    ...(card.assignee ? { assignee: worker(card.assignee) } : {}),
    ...(card.delegate ? { delegate: worker(card.delegate) } : {}),
    ...(card.profile ? { agent_context: { profile: card.profile } } : {}),
    ...(card.due_in_days ? { due_at: new Date(Date.now() + card.due_in_days * dayMs).toISOString() } : {}),
    ...(column === card.column ? endOf(card) : {}),
    column,
  }
}

/** Where a card is in the end. */
function endOf({ column, blocked_reason, branch, pr }: DemoCard) {
  return {
    column,
    ...(blocked_reason ? { blocked_reason } : {}),
    ...(branch ? { branch, repository: 'fernway/dispatch', base_branch: 'main' } : {}),
    ...(pr
      ? {
          pr_number: pr[0],
          pr_state: pr[1],
          pr_url: `https://git.fernway.example/dispatch/pull/${pr[0]}`,
        }
      : {}),
    ...(pr?.[1] === 'merged' ? { merged_at: new Date().toISOString() } : {}),
  }
}

async function replay(team: Team, ref: string, run: DemoRun, change: ReturnType<typeof endOf> | object) {
  const api = apiOf(team, run.by)
  const params = { task_id: ref }
  const claim = await api.boards.claimCard({ params, body: { lease_seconds: 60 } })
  const started = await api.boards.startRun({ params, body: { epoch: claim.body.epoch } })
  await api.boards.finishRun({
    params: { run_id: started.body.id },
    body: {
      status: run.status,
      summary: run.summary,
      ...(run.reason ? { reason: run.reason } : {}),
      usage: { cost_micros: run.cents * 10_000, tokens: run.cents * tokensPerCent },
      change,
    },
  })
}

async function abandon(team: Team, ref: string, name: AgentName): Promise<void> {
  const api = apiOf(team, name)
  const params = { task_id: ref }
  const claim = await api.boards.claimCard({ params, body: { lease_seconds: abandonedSeconds } })
  const run = await api.boards.startRun({ params, body: { epoch: claim.body.epoch } })
  await api.boards.changeRun({
    params: { run_id: run.body.id },
    body: {
      summary: 'Waiting for the geocoder',
      usage: { cost_micros: 1_400_000, tokens: 140 * tokensPerCent },
    },
  })
}
