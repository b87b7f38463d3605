import { expect, test } from 'vitest'
import { journalSince, refusedMoment } from './restore-moment.rules.ts'

const at = (time: string) => new Date(`2026-11-18T${time}Z`)

test.each([
  ['a moment soon after the last entry', '07:00:00', at('06:59:58'), '06:49:58'],
  ['a moment that is an hour too late', '08:00:00', at('06:59:58'), '06:49:58'],
  ['an entry of the moment itself', '07:00:00', at('07:00:00'), '06:50:00'],
])('the journal is read from long before what was restored: %s', (_, to, newest, since) =>
  expect(journalSince(at(to), newest)).toEqual(at(since)),
)

test('of a database that says nothing the whole journal is read', () =>
  expect(journalSince(at('07:00:00'), undefined)).toEqual(new Date(0)))

test.each([
  ['the moment of the server', at('06:59:59'), at('07:00:00'), undefined],
  ['a server that does not say', at('06:59:59'), undefined, undefined],
  ['nothing in it', undefined, undefined, undefined],
  [
    'another moment of the server',
    at('06:59:59'),
    at('06:00:00'),
    'recovery_target_time of the server is 2026-11-18T06:00:00.000Z',
  ],
  ['a later entry', at('07:00:01'), undefined, 'has entries of 2026-11-18T07:00:01.000Z'],
])('a moment is compared with what the database says: %s', (_, newest, target, why) => {
  const said = refusedMoment(at('07:00:00'), { newest, target })
  if (why === undefined) expect(said).toBeUndefined()
  else expect(said).toContain(why)
})
