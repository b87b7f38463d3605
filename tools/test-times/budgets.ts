/**
 * Seconds that the files of an area may take together in the gate: about twice a quiet run on two cores, because
 * machines are noisy. An area is a folder of conformance, or a project of vitest elsewhere.
 */
export const budgets: Readonly<Record<string, number>> = {
  audit: 60,
  boards: 600,
  'docs-spaces': 90,
  erasure: 120,
  events: 200,
  faults: 800,
  features: 120,
  guests: 200,
  http: 600,
  identity: 400,
  isolation: 400,
  mailboxes: 150,
  members: 300,
  photos: 250,
  profiles: 150,
  retention: 60,
  slice: 200,
  system: 150,
  unit: 200,
  webhooks: 300,
}
