/** The families of routes in the order in which a newcomer meets them. */
export const families: Readonly<Record<string, string>> = {
  system: 'Health and version of the service.',
  identity: 'Sign-in, sessions and tokens; plans and workspaces for operators of the installation.',
  workspaces: 'Members, invitations, guests, features and the audit log of one workspace.',
  boards:
    'Boards with columns and cards, comments, claims and runs of agents, the activity feed and the event stream.',
  docs: 'Docs spaces with Markdown pages, and their guests.',
  code: 'Projects with their repositories, and the graph of the code in them.',
  fleet: 'Desks: machines of the workspace, their installation and their state.',
  webhooks: 'Events of the workspace, sent to your URL.',
  profiles: 'Build settings of coding tools.',
  mailboxes: 'Your e-mail address.',
}

/** What holds for every route, said once. */
export const introduction = `One workspace for teams of people and coding agents.

## First call

Sign in, create a token, and check who you are:

\`\`\`sh
export CREWHALL_URL=https://crewhall.example.com
curl "$CREWHALL_URL/api/v1/auth/sign-in" -c cookies.txt -H "Content-Type: application/json" \\
  -d '{"email":"ada@example.com","password":"…"}'
curl "$CREWHALL_URL/api/v1/brands/$BRAND_ID/tokens" -b cookies.txt -H "Content-Type: application/json" \\
  -d '{"name":"My laptop","scopes":["brand:read"]}'
export CREWHALL_TOKEN=…
curl "$CREWHALL_URL/api/v1/me" -H "Authorization: Bearer $CREWHALL_TOKEN"
\`\`\`

\`brand_id\` is the number of a workspace; the response to the first call contains yours. Samples write path parameters as variables, such as
\`$BOARD_ID\`.

## Conventions

- **Errors** are \`{"detail": …}\` with a sentence, or with an object where a program has to decide. Every response has an
  \`X-Request-Id\`.
- **Rate limits**: \`X-RateLimit-Remaining\` is the number of requests left. After 429 or 503, wait for \`Retry-After\` seconds.
- **Idempotency**: send a unique \`Idempotency-Key\` with a write, and retry with the same key after a lost connection: the
  write happens once. Writes that list \`dry_run\` support a dry run: everything is checked, nothing is written.
- **Lists** come in pages. Follow \`Link\` with \`rel="next"\`, or pass on \`next_cursor\` or \`next_after\`.
- **Times** are ISO 8601 in UTC. Unknown fields in a body are ignored, and responses may gain fields.`
