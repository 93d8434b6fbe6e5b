/**
 * Whether etcd is one that a site can use: version 3.4, for watches in fragments, and requests of 8 MiB. The maximum of
 * requests cannot be asked for, so a read with padding is sent: etcd rejects a request that is longer than its
 * `--max-request-bytes` and 512 KiB for gRPC before it looks into it, and its error names that sum.
 */
import { EtcdError } from './etcd-error.ts'
import type { Etcd } from './etcd-client.ts'

const VERSION_MIN: readonly [major: number, minor: number] = [3, 4]
const VERSION_CHARS_MAX = 40
const REQUEST_BYTES_MIN = 8 * 1024 * 1024
/** `grpcOverheadBytes` of etcd's server/embed and etcdserver/api/v3rpc/grpc.go. */
const GRPC_OVERHEAD_BYTES = 512 * 1024

/** Etcd cannot be used as it is; the message says what to change. */
export class UnusableEtcd extends Error {
  override readonly name = 'UnusableEtcd'
}

/** Of `etcdctl`, whose commands wait for five seconds: a call has one. */
const PATIENT_TRIES = 5

/**
 * Checks the servers, as a command does: for as long as none answers in time, as while they elect a leader or their disks stand
 * still, it asks them five times. Rejects as checkEtcd() does.
 */
export async function checkEtcdPatiently(etcd: Etcd): Promise<void> {
  for (let left = PATIENT_TRIES; ; left--) {
    try {
      return await checkEtcd(etcd)
    } catch (error) {
      if (left <= 1 || !(error instanceof EtcdError && error.code === 'deadlineExceeded')) throw error
    }
  }
}

/** Checks the servers that answer. Rejects with an EtcdError where none does, and with UnusableEtcd. */
export async function checkEtcd(etcd: Etcd): Promise<void> {
  const outcomes = await Promise.allSettled(etcd.endpoints.map(async (url) => ({ url, ...(await etcd.statusAt(url)) })))
  const reached = outcomes.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
  const failed = outcomes.find((one) => one.status === 'rejected')
  if (reached.length === 0 && failed !== undefined) throw failed.reason
  for (const { url, version } of reached) requireVersion(url, version)
  await requireLongRequests(etcd)
}

function requireVersion(url: string, version: string): void {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  if (major > VERSION_MIN[0] || (major === VERSION_MIN[0] && minor >= VERSION_MIN[1])) return
  const found = version.slice(0, VERSION_CHARS_MAX)
  throw new UnusableEtcd(
    `Cannot use etcd at "${url}": expected version ${VERSION_MIN.join('.')} or newer, found "${found}"`,
  )
}

async function requireLongRequests(etcd: Etcd): Promise<void> {
  try {
    await etcd.probe(REQUEST_BYTES_MIN + GRPC_OVERHEAD_BYTES)
  } catch (error) {
    const limit = error instanceof EtcdError ? /larger than max \(\d+ vs\. (\d+)\)/.exec(error.message)?.[1] : undefined
    if (limit === undefined) throw error
    throw new UnusableEtcd(
      `Cannot use etcd: expected servers that take requests of ${REQUEST_BYTES_MIN} bytes, found ` +
        `${Number(limit) - GRPC_OVERHEAD_BYTES}: start each with --max-request-bytes ${REQUEST_BYTES_MIN}`,
      { cause: error },
    )
  }
}
