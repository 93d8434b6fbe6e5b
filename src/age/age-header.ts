/**
 * The header of a file of age (age-encryption.org/v1): a line with the version, one stanza for each recipient, which wraps the
 * file key for it, and a MAC under the file key.
 */
import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto'
import type { ByteSource } from '../base/byte-source.ts'
import { AgeError, DamagedAge } from './age-error.ts'

export const VERSION_LINE = 'age-encryption.org/v1'
/** What begins an armored file, which only people who paste files need. */
const ARMOR_LINE = '-----BEGIN AGE ENCRYPTED FILE-----'
const COLUMNS = 64
const MAC_BYTES = 32
const LINE_BYTES_MAX = 1_024
const STANZAS_MAX = 100
const BODY_LINES_MAX = 200

export interface Stanza {
  readonly type: string
  readonly args: readonly string[]
  readonly body: Buffer
}

export interface ReadHeader {
  readonly stanzas: readonly Stanza[]
  /** Throws an AgeError where the header is not of this file key. */
  readonly verify: (fileKey: Uint8Array) => void
}

export function writeHeader(stanzas: readonly Stanza[], fileKey: Uint8Array): Buffer {
  const text = [VERSION_LINE, ...stanzas.flatMap(stanzaLines), '---'].join('\n')
  return Buffer.from(`${text} ${base64(macOf(text, fileKey))}\n`, 'latin1')
}

/** Reads up to the payload. Throws an AgeError. */
export async function readHeader(source: Pick<ByteSource, 'line'>): Promise<ReadHeader> {
  const line = async (): Promise<string> => {
    const found = await source.line(LINE_BYTES_MAX)
    if (found === undefined) throw damaged('the header has no end')
    return found
  }
  const version = await source.line(LINE_BYTES_MAX)
  if (version?.trimEnd() === ARMOR_LINE) throw new AgeError('The file is armored: run it through "age -d" or remove the armor first')
  if (version !== VERSION_LINE) throw new DamagedAge('The file is not one of age (age-encryption.org/v1), or it is cut off or damaged')
  const lines = [VERSION_LINE]
  const stanzas: Stanza[] = []
  for (;;) {
    const first = await line()
    if (first.startsWith('---')) {
      const mac = unbase64(/^--- (\S+)$/.exec(first)?.[1] ?? '')
      if (stanzas.length === 0 || mac?.length !== MAC_BYTES) throw damaged('the header has no MAC')
      const text = [...lines, '---'].join('\n')
      return {
        stanzas,
        verify(fileKey) {
          if (!timingSafeEqual(mac, macOf(text, fileKey))) throw damaged('the header was changed')
        },
      }
    }
    if (stanzas.length === STANZAS_MAX) throw damaged(`it is for more than ${STANZAS_MAX} recipients`)
    lines.push(first)
    const [, type, rest = ''] = /^-> ([\x21-\x7e]+)((?: [\x21-\x7e]+)*)$/.exec(first) ?? []
    if (type === undefined) throw damaged('a line of the header is none of age')
    const body: string[] = []
    do {
      if (body.length === BODY_LINES_MAX) throw damaged('a stanza is too long')
      body.push(await line())
    } while (body.at(-1)?.length === COLUMNS)
    lines.push(...body)
    const bytes = body.map(unbase64)
    if (bytes.some((part) => part === undefined) || (body.at(-1)?.length ?? 0) > COLUMNS) throw damaged('a stanza is no Base64')
    stanzas.push({ type, args: rest.split(' ').slice(1), body: Buffer.concat(bytes as Buffer[]) })
  }
}

function stanzaLines({ type, args, body }: Stanza): readonly string[] {
  const text = base64(body)
  // The last line is shorter than the others, so it may have to be empty.
  const lines = Array.from({ length: Math.floor(text.length / COLUMNS) + 1 }, (_, i) => text.slice(i * COLUMNS, (i + 1) * COLUMNS))
  return [['->', type, ...args].join(' '), ...lines]
}

function macOf(text: string, fileKey: Uint8Array): Buffer {
  const key = Buffer.from(hkdfSync('sha256', fileKey, '', 'header', MAC_BYTES))
  return createHmac('sha256', key).update(text, 'latin1').digest()
}

/** Base64 without padding (RFC 4648 section 4). */
export function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64').replace(/=+$/, '')
}

/** Undefined for a text that is not exactly what base64() writes. */
export function unbase64(text: string): Buffer | undefined {
  const bytes = Buffer.from(text, 'base64')
  return base64(bytes) === text ? bytes : undefined
}

export function damaged(problem: string): DamagedAge {
  return new DamagedAge(`The file of age is damaged: ${problem}`)
}
