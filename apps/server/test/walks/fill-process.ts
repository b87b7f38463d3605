import { adminUrl, connectTo } from '@crewhall/testkit/databases.ts'
import { makeWideGraph } from './wide-graph.ts'

// The bench of lessons starts it with a database, for a graph that lessons are put on.

process.once('message', async ({ database, nodes }: { database: string; nodes: number }) => {
  const admin = await connectTo(adminUrl(database))
  const graph = await makeWideGraph(admin, nodes)
  await admin.end()
  process.send?.(graph)
  process.disconnect?.()
})
