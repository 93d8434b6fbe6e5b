/**
 * Where the site of a service is in the etcd servers of a test run, and the data directory that joins it for the tests.
 */
import { createHash } from 'node:crypto'

export interface MemberPlace {
  readonly dataDir: string
  readonly prefix: string
}

/** `dataDir` is that of the first node. */
export function memberOf(dataDir: string): MemberPlace {
  const name = createHash('sha256').update(dataDir).digest('hex').slice(0, 16)
  return { dataDir: `${dataDir}-tests`, prefix: `/suite/${name}/` }
}
