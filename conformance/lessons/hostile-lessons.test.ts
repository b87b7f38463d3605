import { useSharedServer } from '@crewhall/testkit/shared-server.ts'
import { beforeAll, expect, test } from 'vitest'
import { lessonText, SyncedWorkspace } from './synced-world.ts'

const server = useSharedServer('product')
let work: SyncedWorkspace
let project: string
beforeAll(async () => {
  work = await SyncedWorkspace.open(server)
  project = (await work.projects.add()).id
})

const bomb = Array.from(
  { length: 12 },
  (_, n) =>
    `a${n}: &a${n} [${
      n === 0
        ? 'x'
        : Array(9)
            .fill(`*a${n - 1}`)
            .join(', ')
    }]`,
)
const front = (yaml: string) => `---\n${yaml}\n---\nBody.\n`

/** What a file must not say, and what the reason has to name. */
const refused: readonly (readonly [string, string, string])[] = [
  ['no front matter', 'Body.', 'does not begin with front matter'],
  ['no end of the front matter', '---\ntype: rule\nBody.', 'has no end'],
  ['nothing in it', '---\n---\nBody.', 'no map of fields'],
  ['a list', front('- type'), 'no map of fields'],
  ['no type', front('anchors: []'), 'type'],
  ['a type that is no word', front('type: "<script>"'), 'type'],
  ['broken YAML', front('type: "rule'), 'no valid YAML'],
  ['a key twice', front('type: rule\ntype: gotcha'), 'no valid YAML'],
  ['two documents', front('type: rule\n--- {type: gotcha}'), ''],
  ['a bomb of aliases', front(`type: rule\n${bomb.join('\n')}`), 'alias'],
  ['one alias', front('type: &t rule\ntitle: *t'), 'alias'],
  ['a merge key', front('base: &b {type: rule}\n<<: *b'), 'alias'],
  ['an alias to itself', front('type: rule\nanchors: &a [*a]'), ''],
  ['a tag that makes something', front('type: !!js/function "rule"'), ''],
  ['deep nesting', front(`type: rule\nanchors: ${'['.repeat(10_000)}`), ''],
  [
    'deep nesting that is closed',
    front(`type: rule\nx: ${'['.repeat(4_000)}${']'.repeat(4_000)}\nanchors: 1`),
    '',
  ],
  ['long front matter', front(`type: rule\ntitle: "${'a'.repeat(40_000)}"`), 'front matter has more than'],
  ['an empty body', '---\ntype: rule\n---\n \n', 'body is empty'],
  ['a body that is too long', lessonText({ body: 'a'.repeat(20_001) }), 'body has more than'],
  ['a large file', lessonText({ body: 'a'.repeat(700_000) }), 'bytes'],
  ['anchors that are no list', front('type: rule\nanchors: src/a.ts'), 'anchors'],
  ['an anchor that is no text', front('type: rule\nanchors: [1]'), 'anchors'],
  ['an anchor that is a map', front('type: rule\nanchors: [{a: b}]'), 'anchors'],
  [
    '10,000 anchors',
    front(`type: rule\nanchors: [${Array.from({ length: 10_000 }, (_, n) => n.toString(36)).join(',')}]`),
    '',
  ],
  ['101 anchors', lessonText({ anchors: Array.from({ length: 101 }, (_, n) => `a${n}`) }), 'anchors'],
  ...['..', '../a', 'a/../b', 'a\\b', 'a\0b', '#', '#a', 'a#', '/etc', '', 'a//b', './', 'a\u0007'].map(
    (anchor) =>
      [`the anchor ${JSON.stringify(anchor)}`, lessonText({ anchors: [anchor] }), 'the anchor'] as const,
  ),
  ['a pinned that is no boolean', front('type: rule\npinned: "yes"'), 'pinned'],
  ['supersedes of no lesson', front('type: rule\nsupersedes: ../../etc'), 'supersedes'],
  ['supersedes of itself', front('type: rule\nsupersedes: bad/lesson'), 'supersedes'],
  ['an author of two lines', front('type: rule\nauthor: "a\\nb"'), 'author'],
]

test(`LES-G6 each of ${refused.length} hostile files is refused with its reason, and those beside it are written`, async () => {
  for (const [name, text, reason] of refused) {
    // No text of a request has a NUL; in a repository one may.
    if (text.includes('\0')) continue
    const { files } = await work.sync(project, {
      'bad/lesson': text,
      'good/lesson': lessonText({ body: name }),
    })
    expect([name, files.map(({ outcome }) => outcome)]).toEqual([
      name,
      ['refused', expect.stringMatching(/created|changed/)],
    ])
    expect([name, files[0]?.reason]).toEqual([name, expect.stringContaining(reason)])
    expect(files[0]?.reason?.length).toBeLessThanOrEqual(300)
  }
  expect((await work.lessons(project)).map(({ slug }) => slug)).toEqual(['good/lesson'])
})

test.each([
  ...[
    'lessons/a.md',
    'lessons/a/b.txt',
    'lessons/../a/b.md',
    'lessons/a/../b.md',
    'a/b.md',
    '/lessons/a/b.md',
    'lessons//b.md',
  ],
  ...[
    'lessons/a/.md',
    'lessons/a/.hidden.md',
    'lessons/a/b c.md',
    'lessons\\a\\b.md',
    'lessons/a/b.md/',
    'Lessons/a/b.md',
  ],
  ...[`lessons/a/${'b'.repeat(301)}.md`, 'lessons/1/2/3/4/5/6/7/8/9/10.md'],
])('LES-02 %s is no place of a lesson', async (path) => {
  const { body } = await work.call<{ files: { outcome: string; reason: string }[] }>(
    `${project}/lessons:sync`,
    {
      files: [{ path, text: lessonText() }],
    },
  )
  expect(body.files[0]).toMatchObject({
    outcome: 'refused',
    reason: expect.stringContaining('lessons/<area>/<slug>.md'),
  })
})

test('Markdown and YAML of a lesson stay text, in what is stored and in the corrected file', async () => {
  const body = '<script>alert(1)</script>\n\n---\ntype: gotcha\n---\n\n{{ secret }} $(x) \u202e'
  const more = `title: "'; drop table lessons.lessons; --"`
  const text = lessonText({ anchors: ['src/a: b.ts', 'src/- x.ts', "it's.ts", '*x.ts', '&y.ts'], body, more })
  await work.sync(project, { 'text/plain': text })
  expect((await work.lesson(project, 'text/plain')).body).toBe(body)
  const corrected = await work.call<{ text: string; is_changed: boolean }>(
    `${project}/lessons:re-anchor`,
    { id: 'text/plain', anchors: ['src/- new: "x".ts', '#no.ts'.slice(1), 'a#b'] },
    work.reader,
  )
  expect(corrected).toMatchObject({ status: 200, body: { is_changed: true } })
  const { files } = await work.sync(project, { 'text/plain': corrected.body.text })
  expect(files[0]?.outcome).toBe('changed')
  expect(await work.lesson(project, 'text/plain')).toMatchObject({
    body,
    anchors: ['src/- new: "x".ts', 'no.ts', 'a#b'],
  })
})
