import type { IndexFault } from '@crewhall/contracts/code-index/index-state.ts'

/** What git says when it cannot fetch, most telling first. Messages are those of git 2.30 and newer, in English. */
const meanings: readonly (readonly [RegExp, IndexFault])[] = [
  [/Host key verification failed|No (?:ED25519|RSA|ECDSA) host key is known/i, 'host_key'],
  [
    /Authentication failed|could not read (?:Username|Password)|Permission denied|returned error: 40[137]|Load key|invalid format/i,
    'unauthorized',
  ],
  [/couldn't find remote ref/i, 'branch_missing'],
  [/redirect|returned error: 30\d/i, 'redirected'],
  [
    /returned error: 404|repository '.*' not found|does not appear to be a git repository|Repository not found|info\/refs not valid/i,
    'not_found',
  ],
  [
    /Could not resolve|Failed to connect|Connection (?:refused|timed out|reset|closed)|No route to host|SSL|certificate|unable to access|returned error: 5\d\d/i,
    'unreachable',
  ],
  [
    /fsck|index-pack|unpack|bad (?:object|tree|pack)|corrupt|unresolved deltas|pack (?:has|signature|is corrupted)|inflate|did not send all necessary|missing (?:blob|tree|commit)|early EOF|protocol error/i,
    'damaged',
  ],
]

export const faultOf = (stderr: string): IndexFault =>
  meanings.find(([says]) => says.test(stderr))?.[1] ?? 'failed'
