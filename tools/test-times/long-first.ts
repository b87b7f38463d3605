import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Files that take longest, in that order. Begun last, one of them would be waited for by an idle core. */
const longest = [
  'platform/isolation/matrix',
  'platform/http/fuzz',
  'platform/faults/jobs',
  'platform/faults/postgres',
  'platform/faults/jobs-database',
  'webhooks/retries',
  'boards/stream-processes',
  'platform/http/slow-clients',
  'workspaces/photos/photo-objects',
  'boards/export-size',
  'system/start-checks',
].map((name) => `conformance/${name}.test.ts`)

const placeOf = ({ moduleId }: TestSpecification): number => {
  const at = longest.findIndex((file) => moduleId.endsWith(file))
  return at === -1 ? longest.length : at
}

export class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const groupOf = ({ project }: TestSpecification) => project.config.sequence.groupOrder
    // Sorting keeps the order of equals.
    return (await super.sort(files)).sort((a, b) => groupOf(a) - groupOf(b) || placeOf(a) - placeOf(b))
  }
}
