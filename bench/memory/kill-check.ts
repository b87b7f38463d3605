import type { ServerProcess } from '@crewhall/testkit/server-process.ts'
import { takeOverNow } from '@crewhall/testkit/take-over.ts'
import { waitFor } from '@crewhall/testkit/wait-for.ts'
import type { CheckLine } from './check-line.ts'
import { atOnce } from './memory-host.ts'
import type { PickUps } from './pick-ups.ts'
import { ReadingModel } from './transcripts/reading-model.ts'
import { readNoise, transcripts } from './transcripts/transcripts.ts'

export interface KillSizes {
  readonly conversations: number
  readonly kills: number
}

/** C12 in short: kill -9 whenever it happens to be; named steps and 20 rounds of each are in the tests of conversations. */
export async function checkKills(pickUps: PickUps, { conversations, kills }: KillSizes): Promise<CheckLine> {
  const { model, host } = pickUps
  const cases = transcripts(60).slice(0, conversations)
  const planted = cases.flatMap(({ facts }) => facts)
  model.reset()
  model.delay_ms = 100
  model.answer = new ReadingModel(planted, readNoise()).answer
  const feed = await pickUps.open()
  const sources = {
    claude_code: await feed.source('claude_code'),
    openclaw: await feed.source('openclaw'),
    messages: await feed.source('claude_code'),
  }
  await atOnce(4, cases, async ({ form, sent }) => {
    await feed.send(sources[form], sent)
  })
  await pickUps.stopWorkers()
  let killed = 0
  const start = () => pickUps.startWorker({ EMBEDDINGS: 'off' })
  let workers: ServerProcess[] = await Promise.all([start(), start()])
  for (let round = 0; round < kills; round += 1) {
    await pickUps.strike()
    const from = model.calls.chat
    const among = 1 + Math.floor(Math.random() * 5)
    // At some moment after the next few calls; unless all is read before.
    await waitFor(
      async () => model.calls.chat >= from + among || ((await feed.states()).done ?? 0) === conversations,
      300_000,
    )
    await new Promise((done) => setTimeout(done, Math.random() * 300))
    if (((await feed.states()).done ?? 0) < conversations) killed += 1
    await Promise.all(workers.map((worker) => worker.kill()))
    await takeOverNow(host.database.name)
    await host.sql(
      `update conversations.conversations set lease_until = platform.now(), next_try_at = platform.now()
       where state = 'reading'`,
    )
    workers = await Promise.all([start(), start()])
  }
  await pickUps.pickUp()
  const calls = model.calls.chat
  const stored = await host.sql<{ title: string; times: number }>(
    `select m.title, count(*)::int as times from memory.memories m where m.brand_id = $1 group by m.title`,
    [feed.workspace.brand_id],
  )
  await pickUps.stopWorkers()
  const wanted = new Set(planted.map(({ title }) => title))
  const lost = wanted.difference(new Set(stored.map(({ title }) => title))).size
  const doubled = stored.filter(({ times }) => times > 1).length
  const foreign = stored.filter(({ title }) => !wanted.has(title)).length
  const { done = 0 } = await feed.states()
  return {
    check: 'C12',
    what: `two workers killed together ${killed} times while they read ${conversations} conversations: read in the end; of ${wanted.size} memories lost, doubled, others`,
    measured: `${done}; ${lost}, ${doubled}, ${foreign}; ${calls} calls`,
    bar: `${conversations}; 0, 0, 0`,
    is_met: done === conversations && lost + doubled + foreign === 0 && killed > 0,
    is_promise: true,
  }
}
