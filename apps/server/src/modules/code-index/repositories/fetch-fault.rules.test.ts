import { expect, test } from 'vitest'
import { faultOf } from './fetch-fault.rules.ts'

test.each([
  ["fatal: Authentication failed for 'https://git.example/a.git/'", 'unauthorized'],
  ["fatal: could not read Username for 'https://git.example': terminal prompts disabled", 'unauthorized'],
  ['git@git.example: Permission denied (publickey).', 'unauthorized'],
  ['Host key verification failed.\nfatal: Could not read from remote repository.', 'host_key'],
  ["fatal: couldn't find remote ref refs/heads/x", 'branch_missing'],
  ["fatal: repository 'https://git.example/a.git/' not found", 'not_found'],
  ["fatal: unable to access 'https://git.example/': The requested URL returned error: 301", 'redirected'],
  [
    "fatal: unable to access 'https://git.example/': Failed to connect to git.example port 443",
    'unreachable',
  ],
  ["fatal: unable to access 'https://git.example/': The requested URL returned error: 503", 'unreachable'],
  [
    'error: object 1234: gitmodulesUrl: disallowed submodule url\nfatal: fsck error in pack objects',
    'damaged',
  ],
  ['fatal: index-pack failed', 'damaged'],
  ['something else', 'failed'],
])('%j is %s', (stderr, fault) => {
  expect(faultOf(stderr)).toBe(fault)
})
