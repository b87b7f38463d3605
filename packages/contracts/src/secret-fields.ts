import { z } from 'zod'
import { type AnyRoute, takesKey } from './route.ts'

/** `token`, `new_secret`, `reset_token` and the like; `token_id` and `secret_count` are none. */
const secretName = /(^|_)(token|secret|pat|password|private_key|api_key)$/

/** S6: fields of answers by whose names they hold a secret, where the answer would be kept for a key. */
export function keptSecretsOf(route: AnyRoute): string[] {
  if (route.tells_once || !takesKey(route)) return []
  return Object.values(route.responses).flatMap((schema) => {
    const form = z.toJSONSchema(schema, { unrepresentable: 'any', io: 'output' })
    return [...namesIn(form)].filter((name) => secretName.test(name))
  })
}

function* namesIn(form: unknown): Generator<string> {
  if (typeof form !== 'object' || form === null) return
  for (const [key, value] of Object.entries(form)) {
    if (key === 'properties') yield* Object.keys(value)
    yield* namesIn(value)
  }
}
