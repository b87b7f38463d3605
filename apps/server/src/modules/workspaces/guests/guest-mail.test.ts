import { expect, test } from 'vitest'
import { guestLetter } from './guest-mail.ts'

const admitted = {
  email: 'guest@example.com',
  full_name: 'Gus Guest',
  brand_name: 'Acme',
  inviter: 'Ann',
  kind: 'board',
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
