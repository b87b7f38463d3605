import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useId } from 'react'
import { type Problem, problemOf } from '../api/problem.ts'

/** A form as all pages have it: the server judges, its words are shown, and nothing is sent twice. */
export function useForm<Result>(
  send: (values: Record<string, string>) => Promise<Result>,
  onDone: (result: Result) => void,
) {
  const errorId = useId()
  const sending = useMutation({
    mutationFn: send,
    onSuccess: onDone,
    // What is sent and returned may be a secret: the cache keeps neither.
    gcTime: 0,
  })
  const problem: Problem | undefined = sending.isError ? problemOf(sending.error) : undefined
  const onSubmit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    if (sending.isPending) return
    const values = Object.fromEntries(
      [...new FormData(event.currentTarget)].map(([name, value]) => [name, String(value)]),
    )
    sending.mutate(values)
  }
  return { onSubmit, problem, errorId, isBusy: sending.isPending, isDone: sending.isSuccess }
}

/** Refusals of single values begin with the name of their field. */
export const errorOf = (problem: Problem | undefined, field: string): string | undefined =>
  problem?.text.startsWith(`${field}:`) ? problem.text.slice(field.length + 1).trim() : undefined
