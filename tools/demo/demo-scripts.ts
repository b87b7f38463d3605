import type { StandardCard } from '@crewhall/contracts/boards/card-fields.ts'

type Kind = StandardCard['task_type']

/** What an agent says while it works, step by step: each is the line that everybody sees on the card. */
const lines: Readonly<Record<Kind, readonly string[]>> = {
  coding: [
    'Reading the card and 3 memories',
    'git switch -c {branch}',
    'edit src/{place}.ts +34 -12',
    'edit src/{place}.test.ts +61 -0',
    'npm test -- {place}',
    '88 of 214 passed',
    '214 of 388 passed, 3 failing',
    'edit src/{place}.ts +9 -3',
    '388 of 388 passed',
    'git push origin {branch}',
  ],
  docs: [
    'Reading the card',
    'Reading docs/{place}.md and 2 issues',
    'Writing the outline',
    'edit docs/{place}.md +48 -7',
    'Trying each command on a new account',
    'edit docs/{place}.md +5 -5',
    'git push origin {branch}',
  ],
  research: [
    'Reading the card',
    'Collecting 1,204 samples',
    'Measuring the first way: 4.1 ms',
    'Measuring the second way: 2.8 ms',
    'Checking the borders of 40 zones',
    'Writing down what was found',
  ],
  design: ['Reading the card', 'Drawing three variants', 'Trying them at 390 px', 'Writing the proposal'],
  test: [
    'Reading the card',
    'Writing the first case',
    'npm test -- {place}',
    '1 of 6 fails, as it should',
    'Writing five more',
    '6 of 6 passed, 200 rounds',
    'git push origin {branch}',
  ],
}

const results: Readonly<Record<Kind, string>> = {
  coding: 'Done as the card says. All tests pass; the pull request is open.',
  docs: 'Written and tried. The pull request is open.',
  research:
    'The second way is 1.5 times faster and needs a third of the memory. The numbers are in the result.',
  design: 'One proposal and two that were dropped, with the reasons.',
  test: 'Six cases, 200 rounds each, none failed.',
}

export const questions: readonly string[] = [
  'The card names two depots, and one is closed. Does it count?',
  'May the old field stay until the next release?',
  'Is 30 seconds the right limit for drivers without network?',
]

export const reviews: readonly string[] = [
  'Read it twice, tried it once. Good.',
  'Small and clear. Merged.',
  'Works on my phone too. Merged.',
  'Good. I would have named it `plan_version`, but that can wait.',
]

export interface Script {
  readonly lines: readonly string[]
  readonly result: string
  readonly branch: string
}

/** The same card is always worked on in the same way. */
export function scriptFor({
  ref,
  title,
  task_type,
}: Pick<StandardCard, 'ref' | 'title' | 'task_type'>): Script {
  const words = title
    .toLowerCase()
    .replaceAll(/[^a-z ]/g, '')
    .split(' ')
    .filter((word) => word.length > 3)
  const place = words.slice(0, 2).join('-') || 'plan'
  const branch = `${ref.toLowerCase()}-${place}`
  const filled = lines[task_type].map((line) => line.replace('{place}', place).replace('{branch}', branch))
  return { lines: filled, result: results[task_type], branch }
}
