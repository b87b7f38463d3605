/**
 * Seconds that the files of an area may take together in the gate: about twice a quiet run on two cores, because a
 * machine may be half as fast. What exceeds it has grown, and is not merely slow. An area is a folder of conformance, or a
 * project of vitest elsewhere. The longest files begin first, when whole machines and browsers beside them have the first claim
 * on the cores: matrix and fuzz then take three times as long as alone, so isolation and http have more.
 */
export const budgets: Readonly<Record<string, number>> = {
  audit: 90,
  boards: 1450,
  cli: 540,
  'code-index': 900,
  conversations: 1100,
  demo: 60,
  'docs-spaces': 130,
  erasure: 400,
  events: 300,
  faults: 1900,
  features: 150,
  fleet: 1200,
  gateway: 400,
  guests: 300,
  hires: 300,
  http: 1500,
  identity: 700,
  inbox: 60,
  isolation: 2000,
  lessons: 450,
  mailboxes: 250,
  marketplace: 300,
  members: 450,
  memory: 1000,
  photos: 400,
  profiles: 220,
  restore: 240,
  retention: 120,
  slice: 850,
  system: 520,
  unit: 500,
  webhooks: 450,
}
