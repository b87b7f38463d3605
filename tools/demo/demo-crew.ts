import type { Client } from '@crewhall/client/client.ts'
import { wasRefused } from './demo-api.ts'
import { apiOf, demoBoards, type Team } from './demo-fill.ts'
import type { Pace } from './demo-pace.ts'
import { type AgentName, agentNames, agents } from './demo-people.ts'
import { questions, type Script, scriptFor } from './demo-scripts.ts'

interface Job {
  readonly ref: string
  readonly column: string
  readonly claim_id: string
  readonly epoch: number
  readonly run_id: string
  readonly script: Script
}

export interface Scene {
  readonly team: Team
  readonly boards: Readonly<Record<string, string>>
  readonly pace: Pace
  readonly say: (line: string) => void
}

const lease_seconds = 900
/** Some are quicker than others, so that something ends within a minute and not everything at once. */
const stepSeconds: Readonly<Record<AgentName, number>> = { marlow: 14, wren: 10, juno: 8, pike: 5, otis: 9 }
const restSeconds = 8
/** One in so many cards ends with a question, and one with a failure. */
const asksEvery = 7
const failsEvery = 9

/** An agent takes cards and works on them until the demo ends; then it gives back what it holds. */
export async function workAs(name: AgentName, scene: Scene): Promise<void> {
  const api = apiOf(scene.team, name)
  let count = agentNames.indexOf(name)
  let job = await openingOf(api, name, scene)
  while (!scene.pace.isOver) {
    if (job) {
      count += 1
      await work(api, name, job, count, scene).catch((error: unknown) => {
        // A visitor may stop a run, move the card or archive it: the agent looks for other work.
        if (!wasRefused(error, 404, 409)) throw error
        scene.say(`${agents[name].name} has lost a card`)
      })
    }
    await scene.pace.wait(restSeconds)
    if (!scene.pace.isOver) job = await nextOf(api, name, scene)
  }
}

/** The card that the agent has been at before the demo began. */
async function openingOf(api: Client, name: AgentName, { boards }: Scene): Promise<Job | undefined> {
  for (const board of demoBoards) {
    const card = board.cards.find(({ opening }) => opening === name)
    const board_id = boards[board.key]
    if (!card || !board_id) continue
    const { body } = await api.boards.listCards({
      params: { board_id },
      query: { q: card.title, detail: 'standard', per_page: '20' },
    })
    const found = body.items.find(({ title }) => title === card.title)
    if (!found || found.claim || found.status === 'done' || found.status === 'review') return undefined
    if (card.priority === 'urgent')
      return next(api, name, { board_ids: [board_id], priorities: ['urgent'], with: ['memories'] })
    return begin(api, name, found.ref).catch(() => undefined)
  }
  return undefined
}

async function begin(api: Client, name: AgentName, ref: string): Promise<Job> {
  const params = { task_id: ref }
  const claim = (await api.boards.claimCard({ params, body: { lease_seconds, process: name } })).body
  const run = (await api.boards.startRun({ params, body: { epoch: claim.epoch } })).body
  return jobOf(api, claim.task_id, claim, run.id)
}

async function nextOf(api: Client, name: AgentName, { boards }: Scene): Promise<Job | undefined> {
  const board_ids = Object.values(boards)
  return next(api, name, { board_ids, with: ['memories'] })
}

type Wish = NonNullable<Parameters<Client['boards']['nextWork']>[0]['body']>

async function next(api: Client, name: AgentName, wish: Omit<Wish, 'process'>): Promise<Job | undefined> {
  const { claim, run } = (await api.boards.nextWork({ body: { lease_seconds, process: name, ...wish } })).body
  return claim && run ? jobOf(api, claim.task_id, claim, run.id) : undefined
}

async function jobOf(
  api: Client,
  task_id: string,
  { claim_id, epoch }: { readonly claim_id: string; readonly epoch: number },
  run_id: string,
): Promise<Job> {
  const card = (await api.boards.getCard({ params: { task_id } })).body
  return { ref: card.ref, column: card.column.name, claim_id, epoch, run_id, script: scriptFor(card) }
}

async function work(api: Client, name: AgentName, job: Job, count: number, scene: Scene): Promise<void> {
  const { pace, say } = scene
  const params = { task_id: job.ref }
  const { script, epoch, claim_id, run_id } = job
  const who = agents[name].name
  say(`${who} works on ${job.ref}`)
  if (job.column === 'To do')
    await api.boards.moveCard({ params, body: { column: 'In progress', claim_epoch: epoch } })
  const told: string[] = []
  let cost_micros = 20_000
  const usage = () => ({ cost_micros, tokens: Math.round(cost_micros * 0.987) })
  for (const line of script.lines) {
    told.push(line)
    cost_micros += 30_000 + Math.round(Math.random() * 140_000)
    await api.boards.changeRun({
      params: { run_id },
      body: { summary: told.join('\n'), usage: usage() },
    })
    if (told.length === 4) {
      await api.boards.extendClaim({ params, body: { claim_id, epoch, lease_seconds } })
      await checkOne(api, job)
    }
    await pace.wait(stepSeconds[name])
    if (pace.isOver) {
      await finish('canceled', 'The demo was stopped', job.column === 'To do' ? { column: 'To do' } : {})
      return
    }
  }
  await checkOne(api, job)
  if (count % asksEvery === 0) {
    const question = questions[count % questions.length] ?? ''
    await finish('canceled', 'Waits for an answer', {
      column: 'Blocked',
      blocked_reason: `${who} asks: ${question}`,
    })
    say(`${who} asks about ${job.ref}`)
  } else if (count % failsEvery === 0) {
    await finish('failed', '3 tests fail after the change', { column: 'To do' })
    say(`${who} failed at ${job.ref}`)
  } else {
    const number = 820 + Math.floor(Math.random() * 170)
    const delivered = script.lines.some((line) => line.startsWith('git push'))
      ? {
          branch: script.branch,
          pr_number: number,
          pr_state: 'open' as const,
          pr_url: `https://git.fernway.example/dispatch/pull/${number}`,
        }
      : {}
    await finish('succeeded', undefined, { column: 'Review', ...delivered }, script.result)
    say(`${who} asks for a review of ${job.ref}`)
  }

  async function finish(
    status: 'succeeded' | 'failed' | 'canceled',
    reason: string | undefined,
    change: object,
    comment?: string,
  ) {
    const summary = status === 'succeeded' ? script.result : told.join('\n')
    await api.boards.finishRun({
      params: { run_id },
      body: {
        status,
        summary,
        usage: usage(),
        change,
        ...(reason ? { reason } : {}),
        ...(comment ? { comment } : {}),
      },
    })
  }
}

/** The next box of what the card has to fulfil. */
async function checkOne(api: Client, { ref, epoch }: Job): Promise<void> {
  const params = { task_id: ref }
  const { acceptance_criteria: before } = (await api.boards.getCard({ params })).body
  const acceptance_criteria = before.replace('- [ ]', '- [x]')
  if (acceptance_criteria === before) return
  await api.boards.changeCard({
    params,
    query: { return: 'receipt' },
    body: { acceptance_criteria, claim_epoch: epoch },
  })
}
