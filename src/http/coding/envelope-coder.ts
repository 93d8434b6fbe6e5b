/**
 * Decides in which coding the data of a response leaves, and has it compressed off the event loop.
 *
 * Bytes that are kept are compressed once for each coding, and every response waits for that. Bytes for one client are
 * compressed only where the process has time to spare: it would cost the machine more than the rest of the request.
 */
import { performance } from 'node:perf_hooks'
import { chooseCoding, CODINGS, type Coding } from '../request/accept-encoding.ts'
import { setNewest } from '../../base/bounded-map.ts'
import { compressStart, type Effort, type EnvelopeStart } from './coded-envelope.ts'

/** Shorter data gains less than a packet. */
const CODED_BYTES_MIN = 1024
/** Longer kept data is compressed as quickly as other: a stranger could ask for one large page after the other. */
const KEPT_EFFORT_BYTES_MAX = 256 * 1024
/** Threads of libuv that compress at the same time: there are four, and files are read in them too. */
const RUNNING_MAX = 2
/** Browsers and apps send the same few headers, of some thirty characters. */
const HEADERS_KEPT_MAX = 200
const KEPT_CHARS_MAX = 200
/** The event loop is judged by its share of work since the last sample. */
const SAMPLE_MS = 100
const BUSY_SHARE = 0.5

/** Uncompressed bytes that are kept, and their compressed forms, which are added when a client asks for them. */
export interface KeptStart {
  readonly plain: EnvelopeStart
  readonly coded: Map<Coding, EnvelopeStart | Promise<EnvelopeStart>>
  /** Called with the bytes of each form that is added. */
  readonly onGrowth: (bytes: number) => void
}

export type EnvelopeCoder = ReturnType<typeof createEnvelopeCoder>

/** `isBusy` tells whether the process has no time to spare. */
export function createEnvelopeCoder(isBusy: () => boolean = loadMeter()) {
  const chosen = new Map<string, Coding | undefined>()
  let running = 0

  /** The coding for a client; undefined where the bytes are to be sent as they are. */
  const codingFor = (accept: string | undefined, bytes: number): Coding | undefined => {
    if (accept === undefined || bytes < CODED_BYTES_MIN) return undefined
    const known = chosen.get(accept)
    if (known !== undefined || chosen.has(accept)) return known
    const coding = chooseCoding(accept, CODINGS)
    if (accept.length <= KEPT_CHARS_MAX) setNewest(chosen, accept, coding, HEADERS_KEPT_MAX)
    return coding
  }

  /** The compressed form, or the one that is given where compressing fails, as it may without memory. */
  const compress = async (plain: EnvelopeStart, coding: Coding, effort: Effort): Promise<EnvelopeStart> => {
    running++
    try {
      return await compressStart(plain, coding, effort)
    } catch {
      return plain
    } finally {
      running--
    }
  }

  return {
    codingFor,
    /** Whether bytes for one client may be compressed now. */
    mayCompress: (): boolean => running < RUNNING_MAX && !isBusy(),
    /** The form of bytes that are sent once. */
    once: (plain: EnvelopeStart, coding: Coding): Promise<EnvelopeStart> => compress(plain, coding, 'once'),
    /** The form of kept bytes; a promise only while it is being made. */
    kept({ plain, coded, onGrowth }: KeptStart, coding: Coding): EnvelopeStart | Promise<EnvelopeStart> {
      const known = coded.get(coding)
      if (known !== undefined) return known
      if (running >= RUNNING_MAX) return plain
      const effort = plain.bytes.length > KEPT_EFFORT_BYTES_MAX ? 'once' : 'kept'
      const making = compress(plain, coding, effort).then((made) => {
        coded.delete(coding)
        if (made === plain) return plain
        coded.set(coding, made)
        onGrowth(made.bytes.length)
        return made
      })
      coded.set(coding, making)
      return making
    },
  }
}

/** Measures by the event loop's own account of its time: what passed since the last sample is work and waiting. */
function loadMeter(): () => boolean {
  let [last, isBusy] = [performance.eventLoopUtilization(), false]
  return () => {
    const now = performance.eventLoopUtilization()
    if (now.active + now.idle - last.active - last.idle < SAMPLE_MS) return isBusy
    isBusy = performance.eventLoopUtilization(now, last).utilization > BUSY_SHARE
    last = now
    return isBusy
  }
}
