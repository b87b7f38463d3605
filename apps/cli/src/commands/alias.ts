import type { Context } from '../context.ts'
import { Failure, failed } from '../failure.ts'
import { type Profiles, writeProfiles } from '../settings/profiles.ts'
import { wordsIn } from './alias.rules.ts'

export const aliasFields = ['name', 'expansion'] as const
const nameForm = /^[a-z][a-z0-9-]{0,29}$/

async function ownProfiles(context: Context): Promise<Profiles> {
  if (context.environment.run) throw failed('inside a run there are no aliases')
  return context.profiles()
}

export async function listAliases(context: Context): Promise<undefined> {
  const { aliases } = await ownProfiles(context)
  const all = Object.entries(aliases)
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, expansion]) => ({ name, expansion }))
  await context.printer.result(
    { aliases: all },
    { list: 'aliases', fields: aliasFields, columns: aliasFields },
  )
  return undefined
}

/** A name of a command stays that command: nothing can be put in its place. */
export async function setAlias(
  context: Context,
  [name = '', text = '']: readonly string[],
  isCommand: (word: string) => boolean,
): Promise<undefined> {
  if (!nameForm.test(name)) throw failed(`<name>: must be letters, digits and hyphens, at most 30`)
  if (isCommand(name)) throw failed(`${name} is a command`)
  const words = wordsIn(text)
  if (!words) throw failed('<expansion>: a quote does not end')
  if (!isCommand(words[0] ?? '')) throw failed(`<expansion>: ${words[0] ?? ''} is not a command`)
  const profiles = await ownProfiles(context)
  await writeProfiles(context.environment.config_dir, {
    ...profiles,
    aliases: { ...profiles.aliases, [name]: text },
  })
  context.printer.note(`crewhall ${name} is crewhall ${text} from now on.`)
  return undefined
}

export async function deleteAlias(context: Context, [name = '']: readonly string[]): Promise<undefined> {
  const profiles = await ownProfiles(context)
  if (!Object.hasOwn(profiles.aliases, name)) throw new Failure('not_found', `there is no alias ${name}`)
  const { [name]: _, ...aliases } = profiles.aliases
  await writeProfiles(context.environment.config_dir, { ...profiles, aliases })
  return undefined
}
