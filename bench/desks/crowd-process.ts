import { DeskCrowd } from '@crewhall/testkit/desk-crowd.ts'

/** A crowd in a process of its own, so that its work is not counted as that of whoever measures. */
const [name = '', size = '0'] = process.argv.slice(2)
const crowd = new DeskCrowd(name, Number(size))
const port = await crowd.listen()
process.on('message', (wanted) => {
  if (wanted === 'forget') crowd.forgetAsked()
  const { asked, least_asked, connections } = crowd
  process.send?.({ port, asked, least_asked, connections })
})
process.on('disconnect', () => process.exit(0))
process.send?.({ port, asked: 0, least_asked: 0, connections: 0 })
