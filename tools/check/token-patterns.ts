/**
 * Secrets of our own making, at the length that real ones have. Searched for in all files and in all that git
 * remembers. They are extended regular expressions for git as well, so no group or class of JavaScript alone.
 */
export const tokenPatterns = [
  { rule: 'token', pattern: /chp_[0-9A-Za-z]{36}/, message: 'an access token' },
  { rule: 'token', pattern: /dsk_[0-9A-Za-z_-]{43}/, message: 'a join secret' },
  { rule: 'token', pattern: /whsec_[0-9A-Za-z+/]{32}/, message: 'a signing secret' },
  { rule: 'private-key', pattern: /-----BEGIN [A-Z ]*PRIVATE KEY/, message: 'a private key' },
] as const
