import type { CheckLine } from './check-line.ts'
import { answerOf, type Feed, linesOf, type PickUps, type Told } from './pick-ups.ts'

/** What a conversation said first, how another one would put it, and what a person writes instead. */
interface Case {
  readonly said: string
  readonly paraphrase: string
  readonly corrected: string
}
const deleted: readonly Omit<Case, 'corrected'>[] = [
  {
    said: 'The importer drops rows without a consignee',
    paraphrase: 'Rows that lack a consignee are thrown away by the importer',
  },
  {
    said: 'Ravi signs all releases of the mobile app',
    paraphrase: 'Mobile app releases are always signed by Ravi',
  },
  {
    said: 'The depot in Kalmar has no fibre connection',
    paraphrase: 'There is no fibre at the Kalmar depot',
  },
  {
    said: 'Invoices for France need a purchase order number',
    paraphrase: 'A purchase order number is required on French invoices',
  },
  {
    said: 'The label printer in hall 4 jams on humid days',
    paraphrase: 'When the air is damp, the printer for labels in hall 4 gets stuck',
  },
  {
    said: 'Search uses a synonym file that marketing maintains',
    paraphrase: 'Marketing looks after the file of synonyms for search',
  },
  {
    said: 'Night shift scans count for the following day',
    paraphrase: 'What is scanned during the night shift belongs to the next day',
  },
  {
    said: 'The partner sandbox loses its bookings at midnight',
    paraphrase: 'At midnight all bookings in the sandbox of the partner disappear',
  },
  {
    said: 'Customs references are limited to 35 characters',
    paraphrase: 'A reference for customs may have 35 characters at most',
  },
  {
    said: 'The weekly report must not contain tables',
    paraphrase: 'Keep tables out of the report that goes out each week',
  },
  {
    said: 'The reserve generator runs for nine hours on one filling',
    paraphrase: 'One filling lets the reserve generator run nine hours',
  },
  {
    said: 'Suppliers have a login page of their own',
    paraphrase: 'There is a separate page on which suppliers log in',
  },
  {
    said: 'Prepared statements fail behind the pooler',
    paraphrase: 'The pooler breaks prepared statements',
  },
  {
    said: 'Trailers must be booked on the ferry two days ahead',
    paraphrase: 'Booking a trailer on the ferry has to happen two days before',
  },
  {
    said: 'The metrics of the gateway are summed over all instances',
    paraphrase: 'Gateway metrics are totals of every instance',
  },
  {
    said: 'Jo reads pull requests in the afternoon',
    paraphrase: 'Afternoons are when Jo looks at pull requests',
  },
  {
    said: 'Deleting a customer leaves rows in the search index',
    paraphrase: 'After a customer is deleted, the search index still has rows of them',
  },
  {
    said: 'Labels are printed twice because forklifts tear them off',
    paraphrase: 'Forklifts rip labels off, so we print two of each',
  },
  {
    said: 'The test account of the insurer locks after five wrong passwords',
    paraphrase: 'Five wrong passwords lock the account that the insurer gave us for tests',
  },
  {
    said: 'Alerts that have no runbook are removed',
    paraphrase: 'We delete every alert without a runbook',
  },
]
const patched: readonly Case[] = [
  {
    said: 'The nightly export starts at 02:00',
    paraphrase: 'Every night at 02:00 the export begins',
    corrected: 'The nightly export starts at 03:30 since the move',
  },
  {
    said: 'Ilse owns the label service',
    paraphrase: 'The owner of the label service is Ilse',
    corrected: 'Tomasz owns the label service',
  },
  {
    said: 'The gateway retries failed calls three times',
    paraphrase: 'Failed calls are tried again three times by the gateway',
    corrected: 'The gateway never retries failed calls',
  },
  {
    said: 'Trial accounts end after 14 days',
    paraphrase: 'After 14 days a trial account is over',
    corrected: 'Trial accounts end after 30 days',
  },
  {
    said: 'Drivers log in with a badge number',
    paraphrase: 'The number of the badge is what drivers log in with',
    corrected: 'Drivers log in with a phone number',
  },
  {
    said: 'The analytics copy is an hour behind',
    paraphrase: 'Analytics lags one hour behind the original',
    corrected: 'The analytics copy is a day behind',
  },
  {
    said: 'Prices are rounded up',
    paraphrase: 'We always round prices up',
    corrected: 'Prices are rounded half to even',
  },
  {
    said: 'The status page is updated by support',
    paraphrase: 'Support is who updates the status page',
    corrected: 'The status page is updated by whoever declares the incident',
  },
  {
    said: 'Raw events are kept for 35 days',
    paraphrase: 'We keep raw events 35 days long',
    corrected: 'Raw events are kept for 90 days',
  },
  {
    said: 'Couriers are dispatched from Malmo',
    paraphrase: 'Malmo is where couriers get dispatched',
    corrected: 'Couriers are dispatched from Gothenburg',
  },
]

/** C17: what a person has deleted or corrected stays so, however often a conversation says otherwise. */
export async function checkCorrections(pickUps: PickUps): Promise<CheckLine[]> {
  const { model } = pickUps
  const feed = await pickUps.open()
  const source = await feed.source()
  model.reset()
  // Notes each message as it stands.
  model.answer = (prompt) =>
    answerOf(
      linesOf(prompt).messages.map(
        ({ message, text }): Told => ({ message, quote: text.slice(0, 300), title: text, body: text }),
      ),
    )
  const all = [...deleted, ...patched]
  const read = async (name: string, texts: readonly string[]) => {
    for (const [at, text] of texts.entries()) await feed.say(source, `${name} ${at}`, [text])
    await pickUps.pickUp()
  }
  await read(
    'first',
    all.map(({ said }) => said),
  )
  const first = await feed.memories()
  // A tombstone has the vector of its memory.
  await feed.host.vectorsMade(feed.workspace)
  const idOf = (said: string) => first.find(({ body }) => body === said)?.id ?? ''
  for (const { said } of deleted) await feed.caller.made('DELETE', `/memories/${idOf(said)}`)
  for (const { said, corrected } of patched)
    await feed.caller.made('PATCH', `/memories/${idOf(said)}`, { title: corrected, body: corrected })
  await read(
    'again',
    all.map(({ said }) => said),
  )
  const exact = await back(feed)
  await read(
    'reworded',
    all.map(({ paraphrase }) => paraphrase),
  )
  const reworded = await back(feed)
  for (const body of [...exact, ...reworded]) console.error(`C17 back: ${body}`)
  const now = new Map((await feed.memories()).map(({ id, body }) => [id, body]))
  const kept = patched.filter(({ said, corrected }) => now.get(idOf(said)) === corrected).length
  const count = (bodies: readonly string[], cases: readonly Omit<Case, 'corrected'>[]) =>
    cases.filter(({ said, paraphrase }) => bodies.includes(said) || bodies.includes(paraphrase)).length
  return [
    {
      check: 'C17',
      what: `${deleted.length} deleted memories, their conversation again and in other words: back as memories`,
      measured: `${count(exact, deleted)} and ${count(reworded, deleted) - count(exact, deleted)}`,
      bar: `0 and ${deleted.length / 10}`,
      is_met: count(exact, deleted) === 0 && count(reworded, deleted) <= deleted.length / 10,
      is_promise: true,
    },
    {
      check: 'C17',
      what: `${patched.length} corrected memories, the same: texts of people unchanged; old texts back beside them`,
      measured: `${kept} of ${patched.length}; ${count(exact, patched)} and ${count(reworded, patched) - count(exact, patched)} in other words`,
      bar: `${patched.length}; 0 and 1`,
      is_met: kept === patched.length && count(exact, patched) === 0 && count(reworded, patched) <= 1,
      is_promise: true,
    },
  ]
}

/** Active memories that say what a person has taken away. */
async function back(feed: Feed): Promise<string[]> {
  const texts = new Set([...deleted, ...patched].flatMap(({ said, paraphrase }) => [said, paraphrase]))
  return (await feed.memories())
    .filter(({ status, body }) => status === 'active' && texts.has(body))
    .map(({ body }) => body)
}
