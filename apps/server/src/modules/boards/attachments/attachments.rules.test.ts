import { expect, test } from 'vitest'
import { deriveName, derivePreview, deriveType } from './attachments.rules.ts'

const text = (words: string) => ({ head: Buffer.from(words), is_text: true })
const bytes = (...values: readonly number[]) => ({ head: Buffer.from(values), is_text: false })

test.each([
  ['a page', text('<!doctype html><script>alert(1)</script>'), 'text/plain'],
  ['a drawing', text('<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>'), 'text/plain'],
  ['a script', text('alert(1)'), 'text/plain'],
  ['nothing at all', text(''), 'text/plain'],
  ['a picture that is a page as well', text('GIF89a/*<html><script>*/=1'), 'image/gif'],
  ['a document', text('%PDF-1.7 /JavaScript'), 'application/pdf'],
  ['an archive', bytes(0x50, 0x4b, 3, 4), 'application/zip'],
  ['a film', bytes(0, 0, 0, 24, 0x66, 0x74, 0x79, 0x70), 'video/mp4'],
  ['a program', bytes(0x7f, 0x45, 0x4c, 0x46), 'application/octet-stream'],
  ['a page in UTF-16', bytes(0xff, 0xfe, 0x3c, 0), 'application/octet-stream'],
])('the type of %s is told by its bytes', (_, file, type) => {
  expect(deriveType(file)).toBe(type)
})

test('a preview ends between two characters and is there for texts only', () => {
  expect(derivePreview(text('é'.repeat(3000)))).toBe('é'.repeat(1024))
  expect(derivePreview(text(`a${'é'.repeat(3000)}`))).toBe(`a${'é'.repeat(1023)}`)
  expect(derivePreview(text('GIF89a'))).toBeNull()
  expect(derivePreview(bytes(1, 2))).toBeNull()
})

test.each([
  ['report.pdf', 'report.pdf'],
  ['', 'file'],
  ['..', 'file'],
  ['../../etc/passwd', '_.._etc_passwd'],
  ['C:\\boot.ini', 'C__boot.ini'],
  ['photo\u202egpj.exe', 'photogpj.exe'],
  ['a\r\nSet-Cookie: x=1.txt', 'aSet-Cookie_ x=1.txt'],
  ['<img src=x onerror=alert(1)>', '_img src=x onerror=alert(1)_'],
])('the name %j becomes %j', (given, name) => {
  expect(deriveName(given)).toBe(name)
})

test('a long name is cut between two characters and keeps its end', () => {
  const name = deriveName(`${'😀'.repeat(300)}.tar.gz`)
  expect(name.length).toBeLessThanOrEqual(200)
  expect(name).toMatch(/…😀+\.tar\.gz$/u)
  expect(name.isWellFormed()).toBe(true)
})
