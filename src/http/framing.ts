/**
 * Where a request ends. A proxy that finds another end than this server forwards one request, of which the server would
 * serve the rest as the request of another client (request smuggling, RFC 9112 section 11.2).
 */
import type { IncomingMessage } from 'node:http'
import { describe, fail } from '../base/failure.ts'

const UPGRADE_TOKEN = /(?:^|,)[ \t]*upgrade[ \t]*(?:,|$)/i

/** Throws badRequest for a body in any transfer coding but `chunked`, which alone tells where a body ends. */
export function assertKnownCoding({ headers }: IncomingMessage): void {
  const coding = headers['transfer-encoding']
  if (coding === undefined || isChunked(coding)) return
  throw fail('badRequest', `Cannot read Transfer-Encoding ${describe(coding)}: expected chunked`)
}

/**
 * Whether what comes behind a request is not to be read:
 * - Behind one that asks for another protocol (RFC 9110 section 7.8), which this server ignores, the client may use that
 *   protocol already. Node's parser drops what has arrived with the request, and goes on with what arrives later.
 * - A body with a transfer coding in HTTP/1.0, which has none, has faulty framing (RFC 9112 section 6.1).
 * - Another coding than `chunked` is rejected.
 */
export function hasUncertainEnd({ headers, httpVersion }: IncomingMessage): boolean {
  const { connection, upgrade, 'transfer-encoding': coding } = headers
  if (upgrade !== undefined && connection !== undefined && UPGRADE_TOKEN.test(connection)) return true
  return coding !== undefined && (httpVersion === '1.0' || !isChunked(coding))
}

function isChunked(coding: string): boolean {
  return coding.toLowerCase() === 'chunked'
}
