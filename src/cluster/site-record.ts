/** The key that says which log is below a prefix of etcd. It is no secret; what is in the log is sealed. */
import { isoDate } from '../base/dates.ts'
import { isObject, parseJson } from '../base/json.ts'
import type { Etcd } from './etcd/etcd-client.ts'

export interface SiteRecord {
  readonly site: string
  /** When the log was created, as an ISO date. */
  readonly createdAt: string
}

/** Undefined where the prefix has no log. Rejects with EtcdError, and with an Error for a damaged record. */
export async function readSite(etcd: Pick<Etcd, 'range'>, prefix: string): Promise<SiteRecord | undefined> {
  const { pairs } = await etcd.range({ key: siteKey(prefix) })
  const [pair] = pairs
  if (pair === undefined) return undefined
  const record = parseJson(pair.value.toString())
  const { site, createdAt } = isObject(record) ? record : {}
  if (typeof site === 'string' && typeof createdAt === 'string') return { site, createdAt }
  throw new Error(
    `Cannot read the key "${siteKey(prefix)}" of etcd: it was not written by dateline: choose another --cluster-prefix`,
  )
}

/** Whether the log is now that of the site: false where the prefix has one already. */
export async function createSite(
  etcd: Pick<Etcd, 'transact'>,
  prefix: string,
  site: string,
  now: number,
): Promise<boolean> {
  const key = siteKey(prefix)
  const value = Buffer.from(JSON.stringify({ site, createdAt: isoDate(now) } satisfies SiteRecord))
  const compare = [
    { key, createRevision: 0 },
    { key: `${prefix}log`, createRevision: 0 },
  ]
  return (await etcd.transact({ compare, success: [{ kind: 'put', put: { key, value } }] })).hasSucceeded
}

function siteKey(prefix: string): string {
  return `${prefix}site`
}
