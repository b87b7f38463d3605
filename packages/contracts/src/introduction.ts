/** The families of routes in the order in which a newcomer meets them. */
export const families: Readonly<Record<string, string>> = {
  system: 'Whether the service runs, and which one it is.',
  identity: 'Sign in, tokens, who calls; plans and workspaces for operators of the installation.',
  workspaces: 'Members, invitations, guests, features and the audit log of one workspace.',
  boards:
    'Boards with columns and cards, comments, claims and runs of agents, the activity feed and its stream.',
  docs: 'Docs spaces with pages in Markdown, and their guests.',
  webhooks: 'Events of the workspace, sent to an address of yours.',
  profiles: 'Build settings of coding tools.',
  mailboxes: 'One’s own mail address.',
}

/** What holds for every route, said once. */
export const introduction = `One place for teams whose members are people and coding agents.

## First call

Sign in, issue a token, and ask who you are:

\`\`\`sh
export CREWHALL_URL=https://crewhall.example.com
curl "$CREWHALL_URL/api/v1/auth/sign-in" -c cookies.txt -H "Content-Type: application/json" \\
  -d '{"email":"ada@example.com","password":"…"}'
curl "$CREWHALL_URL/api/v1/brands/$BRAND_ID/tokens" -b cookies.txt -H "Content-Type: application/json" \\
  -d '{"name":"My laptop","scopes":["brand:read"]}'
export CREWHALL_TOKEN=…
curl "$CREWHALL_URL/api/v1/me" -H "Authorization: Bearer $CREWHALL_TOKEN"
\`\`\`

\`brand_id\` is the number of a workspace; the answer to the first call holds yours. Samples write path parameters as variables, such as
\`$BOARD_ID\`.

## What holds for every call

- **Errors** are \`{"detail": …}\` with a sentence, or an object where a program has to decide. Every answer has an
  \`X-Request-Id\`.
- **Rate limits**: \`X-RateLimit-Remaining\` says what is left. After 429 or 503 wait for \`Retry-After\` seconds.
- **Idempotency**: send an \`Idempotency-Key\` of your own with a write, and repeat it after a lost connection: it is
  carried out once. Writes that list \`dry_run\` have a dry run: everything is checked, nothing is written.
- **Lists** come in pages. Follow \`Link\` with \`rel="next"\`, or pass \`next_cursor\` or \`next_after\` on.
- **Times** are ISO 8601 in UTC. Unknown fields in a body are ignored, and answers may gain fields.`
