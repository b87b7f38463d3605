import type { Actor, StandardCard, Worker } from '@crewhall/contracts/boards/card-fields.ts'
import { Avatar } from '../ui/avatar.tsx'
import { usePhoto } from './photos.ts'

type Anyone = Actor | Worker
type Size = 20 | 22 | 30 | 40

/** Agents by what they are called in the workspace, so that a token that changes keeps the tint. */
const tintId = (who: Anyone): string => ('agent_id' in who ? (who.agent_id ?? who.id) : who.id)

export function Face({
  who,
  size = 20,
  isWorking = false,
}: {
  readonly who: Anyone
  readonly size?: Size
  readonly isWorking?: boolean
}) {
  const image = usePhoto(who)
  return (
    <Avatar
      name={nameOf(who)}
      id={tintId(who)}
      kind={who.kind === 'agent' ? 'agent' : 'person'}
      size={size}
      image={image}
      isWorking={isWorking}
    />
  )
}

/** "Marlow for Ines": an agent never acts alone. */
export const actorName = (who: Actor): string =>
  who.on_behalf_of === null ? nameOf(who) : `${who.name} for ${who.on_behalf_of.name}`

/** Parts of the server have names that mean nothing outside of it. */
const nameOf = ({ kind, name }: Anyone): string => (kind === 'system' ? 'Crewhall' : name)

export const isHeldBy = (card: StandardCard, worker: Worker): boolean =>
  card.claim?.holder.id === worker.id || card.claim?.holder.agent_id === worker.id
