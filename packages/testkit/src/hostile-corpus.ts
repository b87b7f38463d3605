import { gzipSync } from 'node:zlib'

// Values that have broken servers before, tried in every place of every route. Nothing here is random.

const uuid = '0B5C9D2E-4F61-4C7A-9E3B-7D1A2F3C4B5D'

/** For path values, query values and texts of bodies. */
export const hostileTexts: readonly string[] = [
  ...['', ' ', '\t', '\0', 'a\0b', '\ud800', 'a\udfff', '\ufeff', '\u202eabc', 'e\u0301', '\uffff'],
  ...['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', 'null', 'undefined', 'true'],
  ...['1e1', ' 10', '10 ', '+5', '-0', '-1', '0', '00', '0x10', '1_000', '1.0', '١٠', 'NaN', 'Infinity'],
  ...['2147483647', '2147483648', '-2147483649', '9007199254740993', '99999999999999999999', '1e400'],
  ...[uuid, `{${uuid}}`, `urn:uuid:${uuid}`, uuid.replaceAll('-', ''), `${uuid}0`, ` ${uuid}`],
  ...['../../etc/passwd', '..', '.', '%2f', '%2e%2e', '%zz', '%00', '/', '//', '?', '#', '&', ';', '*', '\\'],
  ...[`' or 1=1 --`, `'; drop table x; --`, '$1', '<script>alert(1)</script>', `\${7*7}`, '{{7*7}}', '$(id)'],
  ...['\r\nX-Injected: 1', '\u2028', 'a'.repeat(500), 'a'.repeat(8_000), '😀'.repeat(300)],
]

const nested = (open: string, close: string, levels: number) => open.repeat(levels) + close.repeat(levels)

/** JSON texts of single values, for places inside a body; written out because no serialiser would send some. */
export const hostileJson: readonly string[] = [
  ...['null', 'true', 'false', '0', '-0', '1', '-1', '1.5', '1.0', '1e2', '1e400', '-1e400', '5e-324'],
  ...['2147483647', '2147483648', '9007199254740991', '9007199254740992', '99999999999999999999'],
  ...['[]', '{}', '[null]', '[[[]]]', '{"__proto__":{"on":true}}', '{"constructor":{"prototype":{}}}'],
  ...['{"length":1e9}', '{"toString":1}', '{"then":1}', nested('[', ']', 60)],
  ...hostileTexts.map((text) => JSON.stringify(text)),
]

/** Whole bodies, sent as `application/json`. */
export const hostileBodies: readonly (string | Uint8Array)[] = [
  ...['', ' ', '{', '}', '{}', '[]', 'null', 'true', '1', '"x"', 'NaN', 'undefined', `{'a':1}`, '{"a":1}x'],
  ...['\ufeff{}', '{"a":1,}', '{"__proto__":{}}', '{"\\u005f_proto__":1}', '{"\\ud800":1}', '{"\\u0000":1}'],
  ...[
    '{"":1}',
    '{"a":"\u0001"}',
    '{"a":"\\x"}',
    '{"a":1}{"a":1}',
    '{"a":1e400}',
    `{"${'k'.repeat(5000)}":1}`,
  ],
  ...[
    nested('[', ']', 10_000),
    nested('{"a":', '', 10_000),
    `${nested('{"a":', '', 9_999)}1${'}'.repeat(9_999)}`,
  ],
  ...[
    [0xff, 0xfe],
    [0x22, 0xc3, 0x22],
    [0x7b, 0x22, 0xed, 0xa0, 0x80, 0x22, 0x3a, 0x31, 0x7d],
  ].map((bytes) => Uint8Array.from(bytes)),
  gzipSync('{"a":1}'),
]

/** Content types that are not JSON, or that a lenient reader has taken for something that is not checked. */
export const hostileContentTypes: readonly string[] = [
  ...['text/plain', 'application/x-www-form-urlencoded', 'application/xml', 'application/octet-stream'],
  ...['application/json\ta', 'application/jsonx', 'application/json garbage', 'application/ json', 'json'],
  ...[
    'application/json; charset=utf-16',
    'application/json;',
    'application/json, text/plain',
    '@@@',
    '/',
    ';',
  ],
  ...[
    'application/vnd.api+json',
    'multipart/form-data',
    'multipart/form-data; boundary=x',
    'application/json\xa0',
  ],
]
