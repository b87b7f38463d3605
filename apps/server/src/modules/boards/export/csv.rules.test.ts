import { expect, test } from 'vitest'
import { csvCell } from './csv.rules.ts'

test.each([
  ['plain', 'plain'],
  ['a,b', '"a,b"'],
  ['say "yes"', '"say ""yes"""'],
  ['two\nlines', '"two\nlines"'],
  ['=1+1', "'=1+1"],
  ['+1', "'+1"],
  ['-1', "'-1"],
  ['@SUM(A1)', "'@SUM(A1)"],
  ['\t=1', "'\t=1"],
  ['\r=1', '"\'\r=1"'],
  ['＝1+1', "'＝1+1"],
  ['=HYPERLINK("http://x","y")', '"\'=HYPERLINK(""http://x"",""y"")"'],
  ['a=1', 'a=1'],
  ['', ''],
  [null, ''],
  [2.5, '2.5'],
])('%j is written as %j', (value, cell) => {
  expect(csvCell(value)).toBe(cell)
})
