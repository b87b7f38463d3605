import { randomBytes } from 'node:crypto'
import { cephConfigFile } from '@crewhall/services/ceph-config.ts'
import { run } from '@crewhall/services/commands.ts'
import { readServiceFacts, type S3Facts } from '@crewhall/services/facts.ts'

const versioning =
  '<VersioningConfiguration xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><Status>Enabled</Status></VersioningConfiguration>'

/** A bucket of its own that keeps versions, as docs/backups.md asks for. */
export async function makeVersionedBucket(): Promise<S3Facts & { remove(): Promise<void> }> {
  const { s3 } = readServiceFacts()
  const bucket = `restore-drill-${randomBytes(4).toString('hex')}`
  // The secret goes in by the input, where no list of processes shows it.
  const request = (path: string, body: string) =>
    run(
      'curl',
      [
        '-sS',
        '--fail',
        '-X',
        'PUT',
        '-K',
        '-',
        '--data-binary',
        body,
        `${s3.endpoint}/${bucket}${path}`,
      ].concat(['--aws-sigv4', `aws:amz:${s3.region}:s3`, '-H', 'x-amz-content-sha256: UNSIGNED-PAYLOAD']),
      { input: `user = "${s3.access_key_id}:${s3.secret_access_key}"\n` },
    )
  await request('', '')
  await request('?versioning=', versioning)
  return {
    ...s3,
    bucket,
    async remove() {
      const removal = ['bucket', 'rm', '--bucket', bucket, '--purge-objects']
      await run('radosgw-admin', ['-c', cephConfigFile(s3), ...removal])
    },
  }
}
