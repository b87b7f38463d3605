import { sql } from '#platform/db/statement.ts'

export const spaceGuestTables = {
  guests: sql`docs_spaces.guests`,
  resources: sql`docs_spaces.spaces`,
  resource_id: sql`space_id`,
  is_guest_elsewhere: sql`docs_spaces.is_guest_elsewhere`,
}
