import { isStreamed } from './answer-headers.ts'
import type { AnyRoute } from './route.ts'

/** The example of a route as a curl command. */
export function curlOf(route: AnyRoute): string {
  const { method, path, example = {}, upload, body } = route
  const query = example.query ? `?${new URLSearchParams(example.query)}` : ''
  const address = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => `$${name.toUpperCase()}`)
  const given = example.body ?? (body && !body.safeParse(undefined).success ? {} : undefined)
  const options = [
    ...(method === 'GET' ? [] : [`-X ${method}`]),
    ...(isStreamed(route) ? ['-N'] : []),
    ...credentialOf(route),
    ...(upload ? [`-F "${upload.field}=@${upload.sample?.name ?? 'picture.png'}"`] : []),
    ...(given === undefined
      ? []
      : ['-H "Content-Type: application/json"', `-d '${JSON.stringify(given).replaceAll("'", `'\\''`)}'`]),
  ]
  return [`curl "$CREWHALL_URL${address}${query}"`, ...options].join(' \\\n  ')
}

function credentialOf({ auth, sets_cookie }: AnyRoute): string[] {
  switch (auth.kind) {
    case 'nobody':
      if (auth.signed) return ['-H "X-Hub-Signature-256: sha256=$SIGNATURE"']
      return sets_cookie ? ['-c cookies.txt'] : []
    case 'platform_admin':
      return ['-H "X-Admin-Key: $CREWHALL_ADMIN_KEY"']
    case 'session':
    case 'session_or_admin':
      return ['-b cookies.txt']
    case 'person':
      return auth.credential === 'session'
        ? ['-b cookies.txt']
        : ['-H "Authorization: Bearer $CREWHALL_TOKEN"']
    case 'token':
      return ['-H "Authorization: Bearer $CREWHALL_TOKEN"']
    case 'desk':
      return [
        ...(auth.credential === 'key' ? [] : ['-H "Authorization: Bearer $JOIN_SECRET"']),
        ...(auth.credential === 'join_secret'
          ? []
          : [
              '-H "Content-Digest: $DIGEST"',
              '-H "Signature-Input: $SIGNATURE_INPUT"',
              '-H "Signature: $SIGNATURE"',
            ]),
      ]
  }
}

/** Who may call, in a sentence. */
export function callersOf({ auth }: AnyRoute): string {
  switch (auth.kind) {
    case 'nobody':
      if (auth.signed) return 'Anyone who signs the body with the secret.'
      return auth.session ? 'Anyone; a session is used if there is one.' : 'Anyone, without a credential.'
    case 'platform_admin':
      return 'Platform admins: a session, or the admin key.'
    case 'session_or_admin':
      return `A session of ${auth.role === 'admin' ? 'an admin' : 'a member'}, or platform admins by the admin key or their session.`
    case 'session':
      return `A session of ${auth.role === 'admin' ? 'an admin' : 'a member'}.`
    case 'person':
      return auth.credential === 'session' ? 'A session; tokens are refused.' : 'Any session or token.'
    case 'desk':
      return deskCallers[auth.credential]
    case 'token': {
      const scopes = auth.scopes.map((scope) => `\`${scope}\``).join(' and ')
      const token = scopes ? `a token with ${scopes}` : 'any token'
      return auth.role === 'admin' ? `Admins: a session, or ${token}.` : `Members: a session, or ${token}.`
    }
  }
}

const deskCallers = {
  join_secret: 'A machine with the token of its install command.',
  join_secret_and_key: 'A machine with the token of its install command, signed with the key it joins with.',
  key: 'A desk: signed with its key.',
} as const
