/**
 * Which documents publishers and administrators have open in an editor. A stream says so for as long as it is open; nothing of
 * it is stored. On a cluster, a node knows those of its own streams.
 */
import type { Awaitable } from '../../base/awaitable.ts'
import type { Clock } from '../../base/clock.ts'

/** A stream that was not heard of for this long has ended with its thread. */
const SILENT_MS_MAX = 10_000
/** Documents in editors, each counted for each stream. Past it, what is opened is not told to others. */
export const PRESENT_MAX = 10_000

/** What a stream says again and again. */
export interface Beat {
  readonly stream: string
  /** The user whose stream it is. */
  readonly user: string
  /** Names of documents. */
  readonly documents: readonly string[]
}

export interface Presence {
  /** For each of the documents, the other users who have it open. */
  beat(beat: Beat): Awaitable<readonly (readonly string[])[]>
  /** The stream has ended. */
  leave(stream: string): void
}

interface Present {
  readonly user: string
  readonly at: number
}

export function createPresence(now: Clock) {
  /** By the document, and then by the stream. */
  const present = new Map<string, Map<string, Present>>()
  let count = 0

  function forget(document: string, stream: string): void {
    const streams = present.get(document)
    if (streams?.delete(stream) === true) count--
    if (streams?.size === 0) present.delete(document)
  }

  function forgetSilent(): void {
    for (const [document, streams] of present) {
      for (const [stream, { at }] of streams) {
        if (isSilent(at)) forget(document, stream)
      }
    }
  }

  const isSilent = (at: number): boolean => now() - at > SILENT_MS_MAX

  function enter(document: string, stream: string, user: string): void {
    const streams = present.get(document) ?? new Map<string, Present>()
    if (!streams.has(stream)) {
      if (count >= PRESENT_MAX) forgetSilent()
      if (count >= PRESENT_MAX) return
      count++
    }
    streams.set(stream, { user, at: now() })
    present.set(document, streams)
  }

  return {
    count: () => count,
    beat({ stream, user, documents }: Beat): readonly (readonly string[])[] {
      return documents.map((document) => {
        enter(document, stream, user)
        const others = [...(present.get(document)?.values() ?? [])].filter((one) => one.user !== user && !isSilent(one.at))
        return [...new Set(others.map((one) => one.user))].sort()
      })
    },
    leave(stream: string): void {
      for (const document of present.keys()) forget(document, stream)
    },
  } satisfies Presence & { count(): number }
}
