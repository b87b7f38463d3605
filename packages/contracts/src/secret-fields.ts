import { z } from 'zod'
import { type AnyRoute, takesKey } from './route.ts'

/** `token`, `new_secret`, `reset_token` and the like, but not `token_id` or `secret_count`. */
const secretName = /(^|_)(token|secret|pat|password|private_key|api_key)$/

/** S6: response fields whose names say that they hold a secret, on routes whose responses are stored for a key. */
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
