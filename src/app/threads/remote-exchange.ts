/** The Exchange of a request whose connection is in a serving thread, as the handlers of the main thread see it. */
import type { JsonObject } from '../../base/json.ts'
import type { LogFields } from '../../base/log.ts'
import type { Calls } from '../../base/calls.ts'
import type { BodyLane } from '../../http/guard/body-lane.ts'
import { LONG_BODY_BYTES, readJsonObject } from '../../http/request/body.ts'
import { limitKey } from '../../http/request/client-address.ts'
import type { BodyTerms, JsonBodyOptions } from '../../http/request/exchange.ts'
import { ClientGone } from '../../http/request/incoming-body.ts'
import { parseQuery } from '../../http/request/query-string.ts'
import type { Routable } from '../../http/server/responder.ts'
import type { RequestMessage, ServingAnswers } from './thread-messages.ts'

export interface RemoteSurroundings {
  /** The thread that has the connection. */
  readonly thread: Pick<Calls<ServingAnswers>, 'call' | 'tell'>
  readonly bodyLane: BodyLane
  readonly bodyBytesMax: number
  /** Aborts when the client leaves, or its thread ends. */
  readonly signal: AbortSignal
}

export interface RemoteExchange extends Routable {
  readonly logFields: LogFields | undefined
  /** To be called when the response is there. */
  release(): void
}

export function createRemoteExchange(request: RequestMessage, around: RemoteSurroundings): RemoteExchange {
  const { requestId, target, headers, clientAddress, isFromProxy } = request
  const { thread, bodyLane, signal } = around
  const mark = target.indexOf('?')
  let terms: BodyTerms = {}
  let logFields: LogFields | undefined
  let leaveLane: (() => void) | undefined
  let json: Promise<JsonObject> | undefined
  let isWatched = false

  const bytesMax = (): number => Math.min(around.bodyBytesMax, terms.bytesMax ?? Infinity)
  const enterLane = async (): Promise<void> => {
    if (leaveLane !== undefined) return
    const { caller = limitKey(clientAddress), usesReserve = false } = terms
    leaveLane = await bodyLane.enter({ caller, usesReserve })
    if (signal.aborted) throw new ClientGone('the connection ended before the request body was parsed')
  }
  const readBytes = async ({ bytesMax: max, isShort }: Pick<JsonBodyOptions, 'bytesMax' | 'isShort'>): Promise<Buffer> => {
    const { weigh, ...sent } = terms
    const announced = headers['content-length'] === undefined ? undefined : Number(headers['content-length'])
    // A body that is too long is rejected for that, in the thread that has it, and does not count.
    if (announced !== undefined && announced <= Math.min(bytesMax(), max ?? Infinity)) weigh?.(announced, 0)
    // Others count as they arrive, where that is.
    const weighedFor = announced === undefined && weigh !== undefined ? terms.caller : undefined
    const options = { ...(max === undefined ? {} : { bytesMax: max }), ...(isShort === undefined ? {} : { isShort }) }
    try {
      const bytes = await thread.call('readBytes', { requestId, terms: sent, weighedFor, options })
      return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
    } catch (error) {
      const hasLeft = signal.aborted || (error instanceof Error && error.name === ClientGone.name)
      throw hasLeft ? new ClientGone('the connection ended before the request body was read', { cause: error }) : error
    }
  }
  const readJson = async (options: JsonBodyOptions): Promise<JsonObject> => {
    const read = request.hasBody ? () => readBytes(options) : undefined
    const weigh = (bytes: number, before: number): void => terms.weigh?.(bytes, before)
    try {
      return await readJsonObject({ headers, read, weigh, enterLane }, options)
    } finally {
      if (options.isDoneWhenRead === true) leaveLane?.()
    }
  }

  return {
    ...{ requestId, target, headers, clientAddress, isFromProxy, method: request.method },
    path: mark === -1 ? target : target.slice(0, mark),
    params: {},
    route: '',
    query: parseQuery(mark === -1 ? '' : target.slice(mark + 1)),
    get isAbandoned() {
      return signal.aborted
    },
    get signal() {
      if (!isWatched) thread.tell('watch', requestId)
      isWatched = true
      return signal
    },
    get logFields() {
      return logFields
    },
    get bodyBytesMax() {
      return bytesMax()
    },
    addLogFields(fields) {
      logFields = { ...logFields, ...fields }
    },
    weigh: (bytes) => terms.weigh?.(bytes, 0),
    async growBody(bytes) {
      terms.weigh?.(bytes, 0)
      if (bytes > LONG_BODY_BYTES) await enterLane()
    },
    setBodyTerms(more) {
      terms = { ...terms, ...more }
    },
    readJson: (options = {}) => (json ??= readJson(options)),
    readBytes,
    release: () => leaveLane?.(),
  }
}
