import { generateKeyPairSync, sign } from 'node:crypto'

export interface SelfSigned {
  /** Both in PEM. */
  readonly key: string
  readonly cert: string
}

const oid = {
  ecdsaWithSha256: '2a8648ce3d040302',
  commonName: '550403',
  subjectAltName: '551d11',
  basicConstraints: '551d13',
}

/** A self-signed certificate for that name. */
export function selfSigned(name: string): SelfSigned {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' })
  const algorithm = sequence(objectId(oid.ecdsaWithSha256))
  const subject = sequence(der(0x31, sequence(objectId(oid.commonName), der(0x0c, Buffer.from(name)))))
  const always = [der(0x17, Buffer.from('250101000000Z')), der(0x17, Buffer.from('491231235959Z'))]
  const isTrue = der(0x01, Buffer.from([0xff]))
  const extensions = sequence(
    sequence(objectId(oid.subjectAltName), der(0x04, sequence(der(0x82, Buffer.from(name))))),
    sequence(objectId(oid.basicConstraints), isTrue, der(0x04, sequence(isTrue))),
  )
  const signed = sequence(
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, Buffer.from([1])),
    algorithm,
    subject,
    sequence(...always),
    subject,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, extensions),
  )
  const signature = der(0x03, Buffer.from([0]), sign('sha256', signed, privateKey))
  const base64 = sequence(signed, algorithm, signature).toString('base64')
  const lines = base64.match(/.{1,64}/g) ?? []
  const cert = ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n')
  return { key: privateKey.export({ type: 'pkcs8', format: 'pem' }) as string, cert }
}

function der(tag: number, ...parts: Buffer[]): Buffer {
  const content = Buffer.concat(parts)
  const { length } = content
  const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255]
  return Buffer.concat([Buffer.from([tag, ...size]), content])
}

const sequence = (...parts: Buffer[]): Buffer => der(0x30, ...parts)
const objectId = (hex: string): Buffer => der(0x06, Buffer.from(hex, 'hex'))
