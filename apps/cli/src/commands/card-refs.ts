import { getCard } from '@crewhall/contracts/boards/cards.ts'
import type { Context } from '../context.ts'

/** Refs are what people and agents say; an id is looked up once. */
export async function refOf(context: Context, task_id: string): Promise<string> {
  if (!/^[0-9a-f]{8}-/i.test(task_id)) return task_id.toUpperCase()
  const { body } = await (await context.caller()).call(getCard, { params: { task_id } })
  return (body as { ref: string }).ref
}
