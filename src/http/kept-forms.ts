/**
 * Compressed forms of responses, made in threads of libuv. A response that is kept in memory is compressed once in each coding, when
 * a client asks for it, and every response waits for that.
 */
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { Awaitable } from '../base/awaitable.ts'
import type { Coding } from './accept-encoding.ts'
import { ownBytes, type Effort } from './coded-envelope.ts'

/** Threads of libuv that compress at the same time: there are four, and files are read in them too. */
const RUNNING_MAX = 2

interface Form {
  readonly bytes: Uint8Array
}

export interface KeptForms<F extends Form> {
  readonly plain: F
  /** A promise while it is being made. */
  readonly coded: { [coding in Coding]?: Awaitable<F | undefined> }
  /** Called with the bytes of each form that is added. */
  readonly onGrowth: (bytes: number) => void
}

/** A body without an envelope. */
export interface KeptBody extends KeptForms<Form> {
  readonly type: string
  /** In the form of HTTP; see RFC 9110 section 8.8.2. */
  readonly lastModified: string
  /** `kept` for a body that is sent to many clients. */
  readonly effort: Effort
}

export function createCompression() {
  let running = 0
  const isFull = (): boolean => running >= RUNNING_MAX
  /** Undefined where compressing fails, as it may without memory. */
  const run = async <F>(making: Promise<F>): Promise<F | undefined> => {
    running++
    try {
      return await making
    } catch {
      return undefined
    } finally {
      running--
    }
  }
  return {
    /** Whether nothing more is compressed at present. */
    isFull,
    run,
    /** The form in a coding, which `make` compresses; undefined where there is none at present. A promise only while it is being made. */
    formOf<F extends Form>({ coded, onGrowth }: KeptForms<F>, coding: Coding, make: () => Promise<F>): Awaitable<F | undefined> {
      const form = coded[coding]
      if (form !== undefined || isFull()) return form
      const making = run(make()).then((made) => {
        coded[coding] = made
        if (made !== undefined) onGrowth(made.bytes.length)
        return made
      })
      coded[coding] = making
      return making
    },
  }
}

/** The quality of brotli, and the level of gzip. */
const QUALITY: Readonly<Record<Effort, number>> = { once: 3, kept: 8 }
const LEVEL: Readonly<Record<Effort, number>> = { once: 1, kept: 8 }

/** The body in a coding, in memory of its own. */
export async function compressBody({ plain: { bytes }, effort }: KeptBody, coding: Coding): Promise<Form> {
  if (coding === 'gzip') return { bytes: ownBytes([await promisify(gzip)(bytes, { level: LEVEL[effort] })]) }
  const params = { [constants.BROTLI_PARAM_QUALITY]: QUALITY[effort], [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length }
  return { bytes: ownBytes([await promisify(brotliCompress)(bytes, { params })]) }
}
