import { expect, test } from 'vitest'
import { type Choice, choose, originOf, type Sources } from './choice.rules.ts'

const kept = { host: 'https://kept.example', workspace: 7, board: 'KEPT', output: 'yaml' } as const
const nothing: Sources = {
  flags: {},
  environment: { in_run: false },
  profiles: { current: 'default', profiles: {} },
}
const profiles = { current: 'default', profiles: { default: kept, other: { host: 'https://other.example' } } }

interface Case {
  readonly is: string
  readonly given: Partial<Sources>
  readonly chosen: Partial<Choice> | { fault: string }
}

const cases: readonly Case[] = [
  { is: 'nothing at all', given: {}, chosen: { profile: 'default', host: undefined, credential: undefined } },
  {
    is: 'a profile alone',
    given: { profiles },
    chosen: {
      host: 'https://kept.example',
      host_from: 'profile',
      board: 'KEPT',
      workspace: 7,
      credential: 'stored',
      output: 'yaml',
    },
  },
  {
    is: 'a folder before the profile',
    given: { profiles, folder: { board: 'FOLD', project: 'p1' } },
    chosen: { board: 'FOLD', board_from: 'folder', project: 'p1', credential: 'stored' },
  },
  {
    is: 'the environment before the folder',
    given: { profiles, folder: { board: 'FOLD' }, environment: { in_run: false, board: 'ENV' } },
    chosen: { board: 'ENV', board_from: 'environment' },
  },
  {
    is: 'a flag before all',
    given: {
      profiles,
      folder: { board: 'FOLD' },
      environment: { in_run: false, board: 'ENV', host: 'env.example', profile: 'default' },
      flags: { board: 'FLAG', host: 'flag.example', profile: 'other', output: 'md' },
    },
    chosen: {
      board: 'FLAG',
      board_from: 'flag',
      host: 'https://flag.example',
      host_from: 'flag',
      profile: 'other',
      output: 'md',
    },
  },
  {
    is: 'a token of the environment before the stored one, whose workspace it need not have',
    given: { profiles, environment: { in_run: false, token: 't' } },
    chosen: { credential: 'environment', workspace: undefined, host: 'https://kept.example' },
  },
  {
    is: 'another host than that of the profile: neither its credential nor its board',
    given: { profiles, flags: { host: 'https://evil.example' } },
    chosen: { host: 'https://evil.example', credential: undefined, board: undefined, workspace: undefined },
  },
  {
    is: 'a folder that was linked for another service',
    given: { profiles, folder: { host: 'https://evil.example', board: 'FOLD', project: 'p1' } },
    chosen: { host: 'https://kept.example', board: 'KEPT', board_from: 'profile', project: undefined },
  },
  {
    is: 'a folder that names a host without a profile: it is never called',
    given: { folder: { host: 'https://evil.example', board: 'FOLD' } },
    chosen: { host: undefined, board: undefined },
  },
  {
    is: 'an unknown profile',
    given: { profiles, flags: { profile: 'none' } },
    chosen: { fault: 'there is no profile none' },
  },
  {
    is: 'a new profile that comes with its host',
    given: { profiles, flags: { profile: 'none', host: 'new.example' } },
    chosen: { profile: 'none', host: 'https://new.example', credential: undefined },
  },
  {
    is: 'a name that objects have',
    given: { profiles, flags: { profile: 'constructor' } },
    chosen: { fault: 'there is no profile constructor' },
  },
  {
    is: 'no address',
    given: { flags: { host: 'ftp://x' } },
    chosen: { fault: 'ftp://x is not the address of a service' },
  },
  {
    is: 'a run: nothing of the disk',
    given: {
      profiles,
      folder: { board: 'FOLD' },
      environment: { in_run: true, host: 'run.example', token: 't' },
    },
    chosen: {
      profile: 'run',
      host: 'https://run.example',
      board: undefined,
      project: undefined,
      output: undefined,
      credential: 'environment',
    },
  },
  {
    is: 'a run without its token',
    given: { profiles, environment: { in_run: true, host: 'run.example' } },
    chosen: { fault: 'inside a run only the token of the run counts' },
  },
  {
    is: 'a run that is led elsewhere',
    given: {
      environment: { in_run: true, host: 'run.example', token: 't' },
      flags: { host: 'evil.example' },
    },
    chosen: { fault: 'inside a run --host cannot name another service' },
  },
  {
    is: 'a run with its own host named again',
    given: {
      environment: { in_run: true, host: 'run.example', token: 't' },
      flags: { host: 'https://run.example/' },
    },
    chosen: { host: 'https://run.example' },
  },
  {
    is: 'a run with a profile',
    given: {
      profiles,
      environment: { in_run: true, host: 'run.example', token: 't' },
      flags: { profile: 'other' },
    },
    chosen: { fault: 'inside a run there are no profiles' },
  },
]

test.each(cases)('$is', ({ given, chosen }) => {
  expect(choose({ ...nothing, ...given })).toMatchObject(chosen)
})

test.each([
  ['crew.example', 'https://crew.example'],
  ['crew.example:8443/path?x', 'https://crew.example:8443'],
  ['HTTP://crew.example', 'http://crew.example'],
  ['localhost:4000', 'http://localhost:4000'],
  ['127.0.0.1', 'http://127.0.0.1'],
  ['[::1]:80', 'http://[::1]'],
  ['localhost.evil.example', 'https://localhost.evil.example'],
  ['127.0.0.1.evil.example', 'https://127.0.0.1.evil.example'],
  ['https://user:secret@crew.example', undefined],
  ['gopher://crew.example', undefined],
  ['javascript:alert(1)', undefined],
  ['', undefined],
  [undefined, undefined],
])('%j is the service %j', (said, origin) => {
  expect(originOf(said)).toBe(origin)
})
