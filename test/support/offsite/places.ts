/** Places for tests: buckets on a server of tests, without pauses between attempts. */
import { parseOutboundAllow } from '../../../src/outbound/outbound-allow.ts'
import { createOutboundClient } from '../../../src/outbound/outbound-client.ts'
import type { Bytes } from '../../../src/base/byte-source.ts'
import { keyFor, parsePlace, type S3Address } from '../../../src/offsite/place-address.ts'
import type { Place } from '../../../src/offsite/place.ts'
import { createS3Place } from '../../../src/offsite/s3-place.ts'
import { createTransferRate } from '../../../src/offsite/transfer-rate.ts'
import type { S3Server } from '../../../scripts/tools/offsite/s3-server.ts'

export const noPause = async (): Promise<void> => {}
export const KEYS = new Map([['AKID', 'secret/key+of=tests']])

interface BucketSetup {
  readonly prefix?: string
  readonly style?: 'path' | 'virtual'
  readonly region?: string
  readonly keys?: ReadonlyMap<string, string>
  readonly allow?: string
  readonly ca?: readonly string[]
  readonly bucket?: string
  readonly now?: () => number
}

/** The bucket of a server; its host leads there whatever its name is. */
export function bucketOn({ endpoint }: Pick<S3Server, 'endpoint'>, setup: BucketSetup = {}): Place {
  const { prefix = '', style = 'path', region = 'us-east-1', keys = KEYS, allow = '127.0.0.0/8', ca = [], bucket = 'backups', now = Date.now } = setup
  const host = style === 'virtual' ? endpoint.replace('127.0.0.1', 's3.example') : endpoint
  const address = parsePlace(`s3://${bucket}/${prefix}?endpoint=${host}&region=${region}&style=${style}`) as S3Address
  const client = createOutboundClient({
    rules: { allow: parseOutboundAllow(allow), proxyFor: () => undefined, ca },
    userAgent: () => 'Dateline/test',
    resolve: async () => [{ address: '127.0.0.1', family: 4 }],
  })
  return createS3Place({ address, key: keyFor(address, keys), client, rate: createTransferRate(undefined, noPause), pause: noPause, now })
}


export async function bytesOf(content: Bytes): Promise<Buffer> {
  return Buffer.concat(await Array.fromAsync(content))
}

/** So many pairs of ids and secrets. */
export function createRandomKeys(count: number): string {
  return Array.from({ length: count }, (_, i) => `AKID${i}:hunter2`).join(' ')
}
