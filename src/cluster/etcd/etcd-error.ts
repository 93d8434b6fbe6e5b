/** Errors of etcd with what the operator can do about them. Its texts are in api/v3rpc/rpctypes/error.go of etcd. */
import { GrpcError, type GrpcCode } from './grpc-status.ts'

/** A call to etcd that failed. `isSent` is false where etcd certainly did not carry it out. */
export class EtcdError extends Error {
  override readonly name = 'EtcdError'
  readonly code: GrpcCode
  readonly isSent: boolean

  constructor(message: string, { code, isSent, cause }: { code: GrpcCode; isSent: boolean; cause?: unknown }) {
    super(message, cause === undefined ? undefined : { cause })
    this.code = code
    this.isSent = isSent
  }
}

/**
 * `Cannot call Txn of etcd at "https://e1:2379": etcdserver: no leader (unavailable)`, with a remedy where there is
 * one.
 */
export function etcdError(path: string, url: string, error: unknown): EtcdError {
  // Anything else than a GrpcError is what a parser says about a response.
  const reason = error instanceof Error ? error.message : String(error)
  const grpc = error instanceof GrpcError ? error : new GrpcError('internal', reason)
  const method = path.slice(path.lastIndexOf('/') + 1)
  const remedy = REMEDIES.find(([pattern]) => pattern.test(grpc.message))?.[1]
  const advice = remedy === undefined ? '' : `: ${remedy}`
  const isNotDone = NOT_DONE_CODES.has(grpc.code) || NOT_DONE.test(grpc.message)
  const found = `${grpc.message || 'no reason'} (${grpc.code})${advice}`
  return new EtcdError(`Cannot call ${method} of etcd at "${url}": ${found}`, {
    code: grpc.code,
    isSent: grpc.isSent && (MAY_BE_DONE.test(grpc.message) || !isNotDone),
    cause: error,
  })
}

/** Rejections that etcd makes before it proposes a request to its members, or when it applies none of it. */
const NOT_DONE_CODES: ReadonlySet<GrpcCode> = new Set([
  'invalidArgument',
  'permissionDenied',
  'resourceExhausted',
  'failedPrecondition',
  'unimplemented',
  'unauthenticated',
])
/**
 * But a transaction that takes etcd past its quota is applied, and answered with this error (quotaApplierV3 of
 * server/etcdserver/apply.go); the same error says that one was rejected before.
 */
const MAY_BE_DONE = /database space exceeded/
/** What its interceptor says where the client asks for a leader (`hasleader`) and there is none. */
const NOT_DONE = /^etcdserver: no leader$/

const REMEDIES: readonly (readonly [text: RegExp, remedy: string])[] = [
  [
    /database space exceeded/,
    'raise --quota-backend-bytes of etcd, or run etcdctl compact and etcdctl defrag; then etcdctl alarm disarm',
  ],
  [
    /user ID or password/,
    'compare --cluster-user and --cluster-password-file with the users of etcd (etcdctl user list)',
  ],
  [/user name is empty/, 'etcd wants a user: set --cluster-user and --cluster-password-file, and start the node again'],
  [
    /permission denied/,
    'give the role of the user the keys of --cluster-prefix: ' +
      'etcdctl role grant-permission ROLE readwrite PREFIX --prefix=true',
  ],
  [/request is too large|received message larger than max/, 'start etcd with --max-request-bytes 8388608'],
  [/not supported on|unknown service|unknown method/, 'etcd 3.4 or newer is needed'],
]
