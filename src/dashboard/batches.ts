/**
 * Many operations in batches of the service. A batch is all or nothing: where an operation fails, those before it are sent
 * by themselves, it is told, and the others follow.
 */
import { DatelineError, TooManyRequests, type BatchOperation, type BatchResult, type Client } from '../client/client.ts'
import type { ModelName } from '../client/client-types.ts'
import type { Model } from '../models/schema.ts'
import { pause } from './timing.ts'

/** Operations of one request, as the service allows. */
export const BATCH_MAX = 200
/** Of a request that comes too often. */
const TRIES_MAX = 4

export interface BatchFailure {
  /** Of the operation. */
  readonly index: number
  readonly error: unknown
}

export interface BatchRun {
  readonly onProgress?: ((done: number) => void) | undefined
  /** Operations of the first request at most; as many as the service allows without it. */
  readonly firstMax?: number | undefined
  /** The Idempotency-Key of a request, by the place and the count of its operations. A retry for its rate has the same. */
  readonly keyOf?: (begin: number, count: number) => string
}

/**
 * Gives the result of each operation, undefined where it failed. Where a request fails as a whole, or gets no response, all that
 * is left has failed, and `isBrokenOff` tells.
 */
export async function runBatches({ batch }: Pick<Client, 'batch'>, operations: readonly BatchOperation[], { onProgress, firstMax = BATCH_MAX, keyOf }: BatchRun = {}) {
  const results: (BatchResult | undefined)[] = []
  const failures: BatchFailure[] = []
  const fail = (error: unknown): void => {
    failures.push({ index: results.length, error })
    results.push(undefined)
  }
  let size = firstMax
  let isBrokenOff = false
  /** Operations in front of one that is known to fail. */
  let before: { readonly count: number; readonly error: unknown } | undefined
  while (results.length < operations.length) {
    const part = operations.slice(results.length, results.length + (before?.count ?? size))
    try {
      const idempotencyKey = keyOf?.(results.length, part.length)
      results.push(...(await patiently(() => batch({ operations: part }, { incomplete: true, idempotencyKey }))))
      if (before === undefined) size = Math.min(BATCH_MAX, size * 2)
      else fail(before.error)
      before = undefined
    } catch (error) {
      const failed = failedIndex(error, part.length)
      if (failed === undefined) {
        for (let index = results.length; index < operations.length; index++) failures.push({ index, error })
        isBrokenOff = true
        break
      }
      before = failed === 0 ? undefined : { count: failed, error }
      if (failed === 0) fail(error)
      // Fewer at a time where many fail: a request counts in full, however early it fails.
      size = Math.ceil(size / 2)
    }
    onProgress?.(results.length)
  }
  return { results, failures, isBrokenOff }
}

/** What a message says of the operation itself. */
export function withoutIndex(message: string): string {
  return message.replace(/^operations\[\d+\](?:\.body\b\.?)?:? ?/, '')
}

/** The place of the operation in its request; undefined where the request as a whole has failed. */
function failedIndex(error: unknown, count: number): number | undefined {
  if (!(error instanceof DatelineError)) return undefined
  const index = Number(/^operations\[(\d+)\]/.exec(error.message)?.[1] ?? NaN)
  return index < count ? index : undefined
}

/** Waits as long as the service wants where it is asked too often. */
export async function patiently<T>(run: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await run()
    } catch (error) {
      if (!(error instanceof TooManyRequests) || tries === TRIES_MAX) throw error
      const { retryAfterSeconds = 1 } = error
      await pause(retryAfterSeconds * 1000)
    }
  }
}

/** The same operation on each of a model's documents. */
export function operationsOn(model: Model, ids: readonly string[], operation: 'delete' | 'restore', replaceBy: (id: string) => string | undefined = () => undefined): readonly BatchOperation[] {
  return ids.map((id) => ({ operation, model: model.name as ModelName, id, replaceBy: replaceBy(id) }) as BatchOperation)
}
