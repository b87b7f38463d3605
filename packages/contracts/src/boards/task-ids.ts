import { z } from 'zod'

const form = /^([0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|[a-z]{2,10}-[1-9]\d{0,8})$/i

/** A card by its id or by its ref, such as `CORE-12`, in any case. Neither ever changes. */
export const TaskId = z
  .string()
  .regex(form, 'must be the id or the ref of a card')
  .overwrite((text) => (text.length === 36 ? text.toLowerCase() : text.toUpperCase()))
  .meta({ examples: ['3f8a6c1e-52d4-4b7a-9c0e-1a2b3c4d5e6f', 'CORE-12'] })

export interface CardRef {
  readonly key: string
  readonly number: number
}

/** The parts of a ref; of an id, nothing. */
export function refOf(task_id: string): CardRef | undefined {
  if (task_id.length === 36) return undefined
  const [key = '', number = ''] = task_id.split('-')
  return { key, number: Number(number) }
}
