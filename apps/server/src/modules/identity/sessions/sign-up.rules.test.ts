import { expect, test } from 'vitest'
import { refusalOfSignUp } from './sign-up.rules.ts'

test.for([
  { sign_up: 'open', domains: [], email: 'a@b.test', status: undefined },
  { sign_up: 'invite', domains: [], email: 'a@b.test', status: 403 },
  { sign_up: 'off', domains: ['b.test'], email: 'a@b.test', status: 403 },
  { sign_up: 'open', domains: ['b.test', 'C.test'], email: 'a@c.TEST', status: undefined },
  { sign_up: 'open', domains: ['b.test'], email: 'a@x.b.test', status: 403 },
  { sign_up: 'open', domains: ['b.test'], email: 'a@notb.test', status: 403 },
] as const)('S1: $sign_up with $domains answers $email with $status', ({ email, status, ...policy }) => {
  expect(refusalOfSignUp(policy, email)?.status).toBe(status)
})
