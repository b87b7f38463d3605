import { expect, test } from 'vitest'
import { nextDesk } from './change.rules.ts'

const desk = {
  name: 'A',
  description: null,
  state: 'ready',
  sidecar_url: 'http://[fd00::1]:1',
  agent_id: null,
} as const
const unchanged = {
  ...desk,
  is_suspended: false,
  is_resumed: false,
  is_repointed: false,
  is_renamed: false,
  is_assigned: false,
}

test.each([
  ['nothing', {}],
  ['what is true already', { name: 'A', sidecar_url: desk.sidecar_url, status: 'provisioned' as const }],
])('ENV-04, ENV-G2: %s changes nothing', (_, change) => expect(nextDesk(desk, change)).toEqual(unchanged))

test('ENV-05: a desk that is suspended', () => {
  expect(nextDesk(desk, { status: 'suspended' })).toEqual({
    ...unchanged,
    state: 'suspended',
    is_suspended: true,
  })
})

test('ENV-G3: a desk that is suspended twice', () => {
  const suspended = { ...desk, state: 'suspended' as const }
  expect(nextDesk(suspended, { status: 'suspended' })).toEqual({ ...unchanged, state: 'suspended' })
})

test('ENV-06: a desk that is resumed', () => {
  const suspended = { ...desk, state: 'suspended' as const }
  expect(nextDesk(suspended, { status: 'provisioned' })).toEqual({
    ...unchanged,
    state: 'provisioning',
    is_resumed: true,
  })
})

test('ENV-12, ENV-G4: a desk that is repointed has to answer anew', () => {
  const sidecar_url = 'http://[fd00::2]:1'
  const repointed = { ...unchanged, sidecar_url, is_repointed: true }
  expect(nextDesk(desk, { sidecar_url })).toEqual({ ...repointed, state: 'provisioning' })
  const suspended = { ...desk, state: 'suspended' as const }
  expect(nextDesk(suspended, { sidecar_url })).toEqual({ ...repointed, state: 'suspended' })
  expect(nextDesk(desk, { sidecar_url, status: 'suspended' })).toEqual({
    ...repointed,
    state: 'suspended',
    is_suspended: true,
  })
})

test('ENV-03: name and description', () => {
  expect(nextDesk(desk, { name: 'B', description: '' })).toEqual({
    ...unchanged,
    name: 'B',
    description: '',
    is_renamed: true,
  })
})

test('the agent is set, kept and taken away', () => {
  const set = nextDesk(desk, { agent_id: 'bot' })
  expect(set).toEqual({ ...unchanged, agent_id: 'bot', is_renamed: true, is_assigned: true })
  expect(nextDesk({ ...desk, agent_id: 'bot' }, { agent_id: 'bot' })).toEqual({
    ...unchanged,
    agent_id: 'bot',
  })
  expect(nextDesk({ ...desk, agent_id: 'bot' }, { agent_id: null })).toEqual({
    ...unchanged,
    is_renamed: true,
  })
})
