/** A request to another server that failed: its kind, and one sentence that says what was found and what helps. */

export type OutboundErrorKind =
  | 'address' // it is no http or https URL
  | 'refused' // the rules for outbound connections forbid it
  | 'dns'
  | 'connect'
  | 'proxy'
  | 'tls'
  | 'timeout'
  | 'protocol' // what the server sent is not valid HTTP
  | 'redirect'
  | 'coding' // the body cannot be decompressed
  | 'truncated'
  | 'too-large'
  | 'busy'
  | 'stopped' // the service is stopping

export class OutboundError extends Error {
  override readonly name = 'OutboundError'
  readonly kind: OutboundErrorKind

  /** The message has neither credentials nor the query of an address, which may be one. */
  constructor(kind: OutboundErrorKind, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause })
    this.kind = kind
  }
}

export function stopped(): OutboundError {
  return new OutboundError('stopped', 'The service is stopping: it asks again after its start')
}
