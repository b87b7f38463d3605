import pg from 'pg'

/** Rows of one statement, on a connection of its own. */
export async function ask(
  connectionString: string,
  text: string,
  values: readonly unknown[] = [],
): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString, connectionTimeoutMillis: 5000 })
  client.on('error', () => {})
  await client.connect()
  try {
    return (await client.query(text, [...values])).rows
  } finally {
    await client.end().catch(() => {})
  }
}
