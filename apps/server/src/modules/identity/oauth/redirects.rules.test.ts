import { expect, test } from 'vitest'
import { isRedirectUri, isRegistered, sourceOf, targetOf, withAnswer } from './redirects.rules.ts'

test.each([
  'https://a.example',
  'https://a.example/cb?x=1',
  'https://a.example:8443/cb',
  'https://xn--4ca.example/',
  'http://127.0.0.1:1/cb',
  'http://[::1]:1/cb',
  'http://localhost/cb',
  'com.example.app:/cb',
  'com.example.app://host/cb',
  'cursor://anysphere.cursor-mcp/oauth/callback',
  'vscode://vendor.extension/auth',
])('%s is an address to be called back at', (uri) => expect(isRedirectUri(uri)).toBe(true))

test('only the port on the own machine may differ', () => {
  const registered = ['http://127.0.0.1:7777/cb', 'https://a.example:8443/cb', 'http://[::1]/cb']
  const among = (uri: string) => isRegistered(registered, uri)
  expect(['http://127.0.0.1/cb', 'http://127.0.0.1:9/cb', 'http://[::1]:9/cb'].map(among)).toEqual([
    true,
    true,
    true,
  ])
  expect(
    [
      'https://a.example/cb',
      'http://localhost:7777/cb',
      'http://127.0.0.1:9/cb?',
      'http://u@127.0.0.1:9/cb',
    ].map(among),
  ).toEqual([false, false, false, false])
})

test('a policy for browsers names whom the person is sent back to', () => {
  expect(
    ['https://a.example:8443/cb?x', 'http://127.0.0.1:9/cb', 'http://[::1]:9/cb', 'com.example.app:/cb'].map(
      sourceOf,
    ),
  ).toEqual(['https://a.example:8443', 'http://127.0.0.1:9', 'http:', 'com.example.app:'])
  expect(targetOf('com.example.app:/cb')).toBe('the app that opens com.example.app: links')
})

test('an answer is added to what stands there', () => {
  const answer = { code: 'a b&c', state: undefined }
  expect(withAnswer('https://a.example/cb', answer)).toBe('https://a.example/cb?code=a+b%26c')
  expect(withAnswer('https://a.example/cb?x=%20', answer)).toBe('https://a.example/cb?x=%20&code=a+b%26c')
})
