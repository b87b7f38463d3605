import { expect, test } from 'vitest'
import { guestLetter } from './guest-mail.ts'

const admitted = {
  email: 'guest@example.com',
  full_name: 'Gus Guest',
  brand_name: 'Acme',
  inviter: 'Ann',
  kind: 'board',
  resource_id: '0b5c9d2e-4f61-4c7a-9e3b-7d1a2f3c4b5d',
  name: 'Roadmap',
} as const
const sender = { service_name: 'Crewhall', public_url: 'https://crewhall.test' }

test.for([
  ['viewer', 'You can read it until they revoke your access.'],
  ['commenter', 'You can read it and comment on it until they revoke your access.'],
  ['editor', 'You can read and edit it until they revoke your access.'],
])('K20: the letter to a new guest says what a %s may do', ([role = '', words]) => {
  expect(guestLetter({ ...admitted, role }, sender).text).toContain(words)
})

test.for([
  ['board', 'boards'],
  ['docs', 'docs'],
] as const)('K20: the letter leads to the shared %s itself', ([kind, page]) => {
  expect(guestLetter({ ...admitted, kind, role: 'viewer' }, sender).text).toContain(
    `https://crewhall.test/dashboard/shared/${page}/${admitted.resource_id}\n`,
  )
})
