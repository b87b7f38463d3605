import { describe, expect, test } from 'vitest'
import { FileAnswer, type FileFacts } from '#platform/http/file-answer.ts'

const answer = (more: Partial<FileFacts> = {}) =>
  new FileAnswer({
    content_type: 'image/png',
    digest: 'abc',
    keep: 'revalidate',
    disposition: 'inline',
    load: async () => new Uint8Array(),
    ...more,
  })

describe('a file that is saved', () => {
  test.each([
    ['plan.pdf', `attachment; filename="plan.pdf"; filename*=UTF-8''plan.pdf`],
    ['é "x".txt', `attachment; filename="_ _x_.txt"; filename*=UTF-8''%C3%A9%20%22x%22.txt`],
    ['a\r\nb: c', `attachment; filename="a__b_ c"; filename*=UTF-8''a%0D%0Ab%3A%20c`],
    [`it's (1)*`, `attachment; filename="it_s _1__"; filename*=UTF-8''it%27s%20%281%29%2a`],
  ])('keeps its name: %j', (attachment, header) => {
    expect(answer({ disposition: { attachment } }).headers['content-disposition']).toBe(header)
  })
})

test.each([
  ['versioned', 'private, max-age=86400, immutable'],
  ['revalidate', 'private, no-cache'],
] as const)('a copy is kept in private only: %s', (keep, header) => {
  expect(answer({ keep }).headers['cache-control']).toBe(header)
})
