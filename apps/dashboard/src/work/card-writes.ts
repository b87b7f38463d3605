import { ApiError } from '@crewhall/client/client.ts'
import type { FullCard } from '@crewhall/contracts/boards/card-fields.ts'
import type { CardChange } from '@crewhall/contracts/boards/cards.ts'
import { useMutation } from '@tanstack/react-query'
import { newAction } from '../api/own-fetch.ts'
import { problemOf } from '../api/problem.ts'
import { queries } from '../app/queries.ts'
import { sayFailed } from '../ui/toast.tsx'
import { cardsApi, readAgain } from './board-cards.ts'
import { cardQuery } from './card-data.ts'

interface CardAction<Input> {
  /** For the person, where it fails. */
  readonly what: string
  readonly run: (input: Input) => Promise<unknown>
  /** Those with the same name are sent one after the other, in their order. */
  readonly scope?: string
}

/** Something that a person does to a card; then what is shown of it is read again. */
export function useCardAction<Input>(card: FullCard, { what, run, scope }: CardAction<Input>) {
  return useMutation({
    ...(scope === undefined ? {} : { scope: { id: `${card.id}.${scope}` } }),
    mutationFn: run,
    onError: (error) => sayFailed(what, error),
    onSettled: () => readCardAgain(card),
  })
}

export async function readCardAgain({ ref, id, board_id }: FullCard): Promise<void> {
  await Promise.all([
    queries.invalidateQueries({ queryKey: ['card', ref] }),
    readAgain(board_id, id).catch(() => {}),
    queries.invalidateQueries({ queryKey: ['working-now'] }),
  ])
}

export const isOutOfDate = (error: unknown): boolean => error instanceof ApiError && error.status === 412

const same = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b)

/**
 * Changes the version that the person has seen. If somebody else has changed another field since, the change is still what
 * was meant; if the same field, nothing is overwritten, and the page learns what is there now.
 */
export async function sendChange(card: FullCard, change: CardChange) {
  const send = async (version: number) => {
    const { body } = await cardsApi.acting(newAction({ if_match: `"${version}"` })).boards.changeCard({
      params: { task_id: card.id },
      query: { return: 'full' },
      body: change,
    })
    if ('ref' in body) queries.setQueryData(cardQuery(card.ref).queryKey, body)
    return body
  }
  try {
    return await send(card.version)
  } catch (error) {
    if (!isOutOfDate(error)) throw error
    const { body: now } = await cardsApi.reading().boards.getCard({ params: { task_id: card.id } })
    queries.setQueryData(cardQuery(card.ref).queryKey, now)
    const fields = Object.keys(change) as (keyof FullCard)[]
    if (fields.some((field) => !same(now[field], card[field]))) throw error
    return await send(now.version)
  }
}

export function useChangeCard(card: FullCard) {
  return useMutation({
    mutationFn: (change: CardChange) => sendChange(card, change),
    onError: (error) => {
      const isConflict = problemOf(error).kind === 'conflict'
      sayFailed(
        isConflict ? `${card.ref} was changed by somebody else first` : `${card.ref} was not changed`,
        error,
      )
    },
    onSettled: () => readCardAgain(card),
  })
}
