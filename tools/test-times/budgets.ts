/**
 * Seconds that the files of an area may take together in the gate: about three times a quiet run on two cores, because
 * a machine may be half as fast and stall. What exceeds it has grown, and is not merely slow. An area is a folder of conformance, or a project of vitest elsewhere.
 */
export const budgets: Readonly<Record<string, number>> = {
  audit: 90,
  boards: 900,
  'code-index': 600,
  conversations: 900,
  'docs-spaces': 130,
  erasure: 240,
  events: 300,
  faults: 1500,
  features: 150,
  fleet: 700,
  guests: 300,
  http: 800,
  identity: 600,
  isolation: 600,
  lessons: 300,
  mailboxes: 250,
  members: 450,
  memory: 900,
  photos: 400,
  profiles: 220,
  retention: 120,
  slice: 600,
  system: 450,
  unit: 400,
  webhooks: 450,
}
