/**
 * Requests that may be repeated without doing their work twice, by a key of their client
 * (draft-ietf-httpapi-idempotency-key-header): the same request with the same key gets the first response again.
 *
 * Only responses of success are kept, in the transaction of their work: a request that failed has done nothing, and may be
 * sent again. What is kept is a copy, so requests whose responses have secrets or personal data of others take no part.
 *
 * A request that is done in several transactions keeps in each how far it has come, and its repetition goes on behind that.
 */
import { hash } from 'node:crypto'
import type { Clock } from '../base/clock.ts'
import { fail } from '../base/failure.ts'
import { isObject, writeJson, type Json, type JsonObject } from '../base/json.ts'
import type { Caller } from '../models/caller.ts'
import type { Model } from '../models/schema.ts'
import { user } from '../models/user.ts'
import { stillRunning, type FirstResponse, type RepeatableRequest } from '../store/documents/first-response-table.ts'
import type { Steps } from '../store/writes/document-writes.ts'
import type { ReadStore } from '../store/read-store.ts'

/** The key that a client sent, and what it sent the request to. */
export interface RepeatKey {
  readonly key: string
  readonly target: string
}

/** Keeps the response, in the transaction of the work. */
export type KeepResponse = (steps: Steps, response: FirstResponse) => void

/** Keeps how far a request has come, in each of its transactions; `before` is what the one before has kept. */
export type KeepProgress = (steps: Steps, progress: string, before: string | undefined) => void

interface Sent {
  readonly caller: Pick<Caller, 'id' | 'scope'>
  readonly body: JsonObject
}

export type Repeats = ReturnType<typeof createRepeats>

export function createRepeats({ store, now }: { readonly store: Pick<ReadStore, 'documents'>; readonly now: Clock }) {
  /** Of this process; another one is kept out in the transaction. */
  const running = new Set<string>()
  /** Runs a request with what its key has got, and which row keeps more. */
  const alone = async <T>({ key, target }: RepeatKey, { caller, body }: Sent, run: (first: FirstResponse | undefined, request: () => RepeatableRequest) => T): Promise<Awaited<T>> => {
    // A response is kept as its caller may see it: a token of another scope sends another request.
    const scope = caller.scope === undefined ? '' : JSON.stringify(caller.scope)
    const fingerprint = hash('sha256', `${target} ${scope}${writeJson(inOrder(body))}`, 'buffer')
    const name = `${caller.id} ${key}`
    if (running.has(name)) throw stillRunning()
    const first = store.documents.firstResponse(caller.id, key, now())
    if (first !== undefined && !fingerprint.equals(first.fingerprint)) {
      const wanted = 'another request has used it: send a new one with each request'
      throw fail('idempotencyKeyReused', `Cannot use this Idempotency-Key: ${wanted}`)
    }
    running.add(name)
    try {
      return await run(first, () => ({ key, fingerprint, now: now() }))
    } finally {
      running.delete(name)
    }
  }
  return {
    /**
     * Runs a request once for its key. Throws conflict while the first one is running, and idempotencyKeyReused where
     * another request has used the key.
     */
    once: (repeat: RepeatKey, sent: Sent, run: (keep: KeepResponse) => Promise<string>): Promise<string> =>
      alone(repeat, sent, (first, request) => first?.data ?? run((steps, response) => steps.keepResponse(request(), response))),

    /** The same for a request of several transactions, which gets how far it has come, and goes on behind that. */
    inParts: <T>(repeat: RepeatKey, sent: Sent, run: (progress: string | undefined, keep: KeepProgress) => Promise<T>): Promise<T> =>
      alone(repeat, sent, (first, request) =>
        run(first?.data, (steps, progress, before) => steps.keepResponse(request(), { status: 200, data: progress }, before)),
      ),
  }
}

/** Members by their names: their order means nothing (RFC 8259 section 4), and some clients change it when they repeat. */
function inOrder(value: Json): Json {
  if (Array.isArray(value)) return value.map(inOrder)
  if (!isObject(value)) return value
  const names = Object.keys(value).sort()
  return Object.fromEntries(names.map((name) => [name, inOrder(value[name] as Json)]))
}

/** Whether responses with documents of the model may be kept. */
export function isRepeatable(model: Model): boolean {
  return model !== user && model.owned !== true
}

/** A string of structured fields (RFC 9651 section 3.3.3), as the draft wants it, or the same without its quotes. */
const KEY = /^(?:"([\x20\x21\x23-\x5b\x5d-\x7e]{1,255})"|([\x21\x23-\x5b\x5d-\x7e]{1,255}))$/

/** Reads the header; undefined for none. Throws badRequest. */
export function readIdempotencyKey(header: string | readonly string[] | undefined): string | undefined {
  if (header === undefined) return undefined
  const [, quoted, bare] = KEY.exec(String(header).trim()) ?? []
  const key = quoted ?? bare
  if (key !== undefined) return key
  throw fail('badRequest', 'Cannot read the header Idempotency-Key: expected 1 to 255 visible characters in quotes')
}
