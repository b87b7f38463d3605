import { expect } from 'vitest'
import { memories, type usePickUps } from './pickup-world.ts'

type Kit = ReturnType<typeof usePickUps>

/** Where a worker ends, and how many calls of the model the conversation takes then. */
export const points = [
  ['memory.picked', 1],
  ['memory.answered', 2],
  ['memory.stored', 1],
] as const

/** From now on one of two memories that it returns stands in the conversation. */
export function tellOne({ model }: Kit): void {
  model.reset()
  model.answer = () =>
    memories(
      { quote: 'we deploy on Tuesdays only', title: 'Deployments happen on Tuesdays' },
      { quote: 'nobody ever said this', title: 'An invention' },
    )
}

/** A conversation of a new workspace that is to be read. */
export async function sent({ server, open }: Kit, name: string) {
  const workspace = await open()
  const { id } = await workspace.send(name, ['From now on we deploy on Tuesdays only.', 'Understood.'])
  return {
    workspace,
    id,
    /** All that an uninterrupted run leaves; what was cut off stands in the ledger besides. */
    async expectRead(): Promise<void> {
      expect(await workspace.titles()).toEqual(['Deployments happen on Tuesdays'])
      const { state, attempts, read_through, ledger } = await workspace.ledger(id)
      expect({ state, attempts, read_through }).toEqual({ state: 'done', attempts: 0, read_through: 2 })
      const ended = ledger.filter(({ outcome }) => outcome !== 'lost')
      expect(ended).toMatchObject([{ outcome: 'finished', calls: 1, produced: 1, rejected: 1 }])
      const provenance = await server.sql('select 1 from memory.provenance where conversation_id = $1', [id])
      expect(provenance).toHaveLength(1)
    },
  }
}
