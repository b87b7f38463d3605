import * as fs from 'node:fs'
import { join } from 'node:path'
import { redisText } from '@crewhall/testkit/canary.ts'
import { plantedSecrets, secretLookAlikes } from '@crewhall/testkit/planted-secrets.ts'
import type { ServerProcess } from '@crewhall/testkit/server-process.ts'
import { waitFor } from '@crewhall/testkit/wait-for.ts'
import type { CheckLine } from './check-line.ts'
import { answerOf, linesOf, type PickUps } from './pick-ups.ts'

const ofConversation = 10

/** C27: what must never be kept is nowhere, and what only looks like it stays. */
export async function checkSecrets(
  pickUps: PickUps,
  worker: ServerProcess,
  dir: string,
): Promise<CheckLine[]> {
  const { model, host } = pickUps
  const feed = await pickUps.open()
  const source = await feed.source()
  model.reset()
  // Notes all it is shown, so whatever gets into a prompt gets everywhere.
  model.answer = (prompt) =>
    answerOf(
      linesOf(prompt).messages.map(({ message, text }) => ({
        message,
        quote: text.slice(0, 300),
        title: text.slice(0, 300),
        body: text.slice(0, 2000),
      })),
    )
  const texts = [...plantedSecrets.map(({ text }) => text), ...secretLookAlikes]
  for (let at = 0; at < texts.length; at += ofConversation)
    await feed.say(source, `pasted ${at}`, texts.slice(at, at + ofConversation))
  await pickUps.pickUp()
  await pickUps.advance(3_600_000)
  const file = join(dir, String(feed.workspace.brand_id), 'build-bot', 'MEMORY.md')
  await waitFor(() => fs.existsSync(file), 120_000)
  const places: Readonly<Record<string, string>> = {
    database: await host.everyRow(),
    Redis: await redisText(`${host.database.name}:`),
    logs: [...pickUps.api.lines, ...worker.lines].join('\n'),
    prompts: model.bodies.map((body) => JSON.stringify(body)).join('\n'),
    export: fs.readFileSync(file, 'utf8'),
  }
  const found = Object.entries(places).map(([place, text]) => {
    const shown = plantedSecrets.filter(({ values }) => values.some((value) => isIn(text, value)))
    for (const { name } of shown) console.error(`C27 ${name} is in ${place}`)
    return { place, count: shown.length }
  })
  const prompts = model.prompts.flatMap((prompt) => linesOf(prompt).messages.map(({ text }) => text))
  const harmed = secretLookAlikes.filter((text) => !prompts.includes(text))
  for (const text of harmed) console.error(`C27 harmed: ${text}`)
  const sum = found.reduce((all, { count }) => all + count, 0)
  return [
    {
      check: 'C27',
      what: `${plantedSecrets.length} shapes of secrets in conversations, noted by a model that repeats all it sees: found in ${found.map(({ place }) => place).join(', ')}`,
      measured: found.map(({ count }) => count).join(', '),
      bar: '0 in each',
      is_met: sum === 0 && prompts.length >= secretLookAlikes.length,
      is_promise: true,
    },
    {
      check: 'C27',
      what: `${secretLookAlikes.length} look-alikes: changed before the model sees them`,
      measured: String(harmed.length),
      bar: '0',
      is_met: harmed.length === 0,
      is_promise: true,
    },
  ]
}

/** Also within JSON, where a line break or a quote is escaped. */
const isIn = (text: string, value: string): boolean =>
  text.includes(value) || text.includes(JSON.stringify(value).slice(1, -1))
