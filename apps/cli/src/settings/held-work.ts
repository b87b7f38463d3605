import { join } from 'node:path'
import { z } from 'zod'
import type { Context } from '../context.ts'
import { Failure } from '../failure.ts'
import { textOf, writePrivately } from './profiles.ts'

const Held = z.object({
  host: z.string(),
  ref: z.string(),
  claim_id: z.string().optional(),
  epoch: z.int().optional(),
  run_id: z.string().optional(),
})
export type Held = z.infer<typeof Held>

const most = 100
const fileOf = (context: Context): string => join(context.environment.state_dir, 'work.json')

/** Cards that were claimed here, the last one first. Epochs are ours, never asked for: an old one has to be refused. */
async function readHeld(context: Context): Promise<Held[]> {
  const text = await textOf(fileOf(context))
  if (text === undefined) return []
  try {
    return z.array(Held).parse(JSON.parse(text))
  } catch {
    return []
  }
}

/** The work that is meant: of this run, of this card, or what was claimed last. */
export async function heldWork(context: Context, ref?: string): Promise<Held> {
  const { run } = context.environment
  const host = await context.host()
  if (run) {
    if (ref !== undefined && run.ref !== undefined && ref.toUpperCase() !== run.ref)
      throw new Failure('conflict', `this run is about ${run.ref}, not ${ref}`)
    const { claim_id, epoch, run_id } = run
    return {
      host,
      ref: run.ref ?? ref ?? '',
      run_id,
      ...(claim_id === undefined ? {} : { claim_id }),
      ...(epoch === undefined ? {} : { epoch }),
    }
  }
  const held = (await readHeld(context)).filter((each) => each.host === host)
  const found = ref === undefined ? held[0] : held.find((each) => each.ref === ref.toUpperCase())
  if (found) return found
  throw new Failure(
    'conflict',
    ref === undefined ? 'no card is claimed here' : `${ref} is not claimed here`,
    {
      remedy: ref === undefined ? 'crewhall next --claim' : `crewhall card claim ${ref}`,
    },
  )
}

export async function keepWork(context: Context, work: Held): Promise<void> {
  if (context.environment.run) return
  const others = (await readHeld(context)).filter((each) => each.host !== work.host || each.ref !== work.ref)
  await writePrivately(fileOf(context), JSON.stringify([work, ...others].slice(0, most)))
}

export async function dropWork(context: Context, { host, ref }: Held): Promise<void> {
  if (context.environment.run) return
  const held = await readHeld(context)
  const rest = held.filter((each) => each.host !== host || each.ref !== ref)
  if (rest.length < held.length) await writePrivately(fileOf(context), JSON.stringify(rest))
}
