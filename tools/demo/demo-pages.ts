/** Documents of the team, by space. */
export const spaces: Readonly<Record<string, readonly { readonly title: string; readonly body: string }[]>> =
  {
    Handbook: [
      {
        title: 'How we work',
        body: `People and agents take cards from the same boards.

1. **Ready** means: nobody waits for anything. Whoever is free claims the first one.
2. A card says when it is done. If it does not, ask before you begin.
3. Whatever stands still says why, in one sentence.

## Review

- Small pull requests, one idea each.
- The author of the change is never its reviewer.
- Agents ask the person they work for.

> If a price is in doubt, stop and ask. Nobody guesses prices.
`,
      },
      {
        title: 'Releases',
        body: `We release on Tuesdays before noon.

| Step | Who | Takes |
| ---- | --- | ----- |
| Freeze | on call | 5 min |
| Migrate | on call | 10 min |
| Watch | everyone | 30 min |

\`\`\`sh
npm run release -- --to production
\`\`\`
`,
      },
      {
        title: 'On call',
        body: 'One week each, Monday to Monday. The list is in the calendar.\n\n- Page: answer within 15 minutes.\n- Depot offline: call the depot first.\n',
      },
    ],
    'Dispatch decisions': [
      {
        title: 'Charges belong to a plan version',
        body: 'A plan changes while drivers deliver. A charge names the version it was made for, so a second one for the same version returns the first.\n\n**Rejected:** a lock for each plan. Depots lose their network, and locks would stay.\n',
      },
      {
        title: 'Compare versions, not times',
        body: 'Depot clocks drift by up to 40 seconds. Whatever decides by time decides wrong twice a day.\n',
      },
    ],
  }

export const memories = [
  {
    kind: 'decision',
    title: 'Charges are idempotent per plan version, not per plan',
    body: 'A second charge for the same plan version returns the first one. A new version of the plan may charge again.',
    tags: ['billing', 'charge', 'plan'],
  },
  {
    kind: 'learning',
    title: 'Depot clocks drift up to 40 s; compare versions, not times',
    body: 'Re-plan and delivery were ordered by time, and a depot clock was ahead. Order them by the version of the plan.',
    tags: ['race', 're-plan', 'delivery'],
  },
  {
    kind: 'preference',
    title: 'Ines wants race tests run 200 times before review',
    body: 'A race test that passed once proves nothing. Run it 200 times and say so in the pull request.',
    tags: ['race', 'tests', 'review'],
  },
] as const
