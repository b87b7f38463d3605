import { isDeepStrictEqual } from 'node:util'
import type { JobSpec } from '@crewhall/contracts/job.ts'
import { z } from 'zod'

/** What the queue holds between two versions: payloads are stored as the schema takes them, and parsed by the run. */
export interface JobFacts {
  readonly name: string
  readonly payload: PayloadSchema
}

export interface PayloadSchema {
  readonly properties?: Readonly<Record<string, unknown>>
  readonly required?: readonly string[]
  readonly additionalProperties?: unknown
  readonly [keyword: string]: unknown
}

export function readJobFacts(specs: readonly JobSpec[]): JobFacts[] {
  const facts = specs.map(({ name, payload }) => {
    const { $schema: _, ...schema } = z.toJSONSchema(payload, {
      io: 'input',
      unrepresentable: 'any',
      // What is said about a field may change.
      override({ jsonSchema }) {
        delete jsonSchema.description
        delete jsonSchema.examples
      },
    })
    return { name, payload: schema as PayloadSchema }
  })
  return facts.sort((a, b) => (a.name < b.name ? -1 : 1))
}

/**
 * Jobs that one version enqueues and the other cannot do, in either direction: both run at once while a release rolls out. A
 * line each, which begins with the name of the job or of the field.
 */
export function breakingJobs(before: readonly JobFacts[], after: readonly JobFacts[]): string[] {
  const now = new Map(after.map(({ name, payload }) => [name, payload]))
  return before
    .flatMap(({ name, payload }) => {
      const is = now.get(name)
      return is ? changesOfPayload(name, payload, is) : [`${name}: gone, and some may be queued`]
    })
    .sort()
}

function changesOfPayload(name: string, was: PayloadSchema, is: PayloadSchema): string[] {
  const [had, has] = [was.properties ?? {}, is.properties ?? {}]
  const demands = ({ required = [] }: PayloadSchema, field: string) => required.includes(field)
  const fields = [...new Set([...Object.keys(had), ...Object.keys(has)])]
  return [
    ...(sameFrame(was, is) ? [] : [`${name}: takes something else`]),
    ...fields.flatMap((field) => {
      const told = (change: string) => [`${name}.${field}: ${change}`]
      if (!(field in had)) {
        if (demands(is, field)) return told('new, and the last release does not send it')
        return was.additionalProperties === false ? told('new, and the last release refuses it') : []
      }
      if (!(field in has)) {
        if (demands(was, field)) return told('gone, and the last release demands it')
        return is.additionalProperties === false ? told('gone, and the last release may send it') : []
      }
      if (demands(is, field) && !demands(was, field)) return told('required from now on')
      if (!demands(is, field) && demands(was, field))
        return told('may be left out, and the last release demands it')
      return isDeepStrictEqual(had[field], has[field]) ? [] : told('takes something else')
    }),
  ]
}

function sameFrame(was: PayloadSchema, is: PayloadSchema): boolean {
  const frame = ({ properties: _, required: __, ...rest }: PayloadSchema) => rest
  return isDeepStrictEqual(frame(was), frame(is))
}
