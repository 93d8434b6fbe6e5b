/**
 * SMTP replies out of bytes (RFC 5321 section 4.2).
 *
 * The parser is pure and incremental: bytes may come one at a time or many replies in one packet, and the result is
 * the same. It is strict, since a reply decides what happens to somebody's mail: a line ends in CRLF, every line of a
 * reply carries the same code, and there are no control characters that could reach an operator's terminal.
 */

/** RFC 5321 4.5.3.1.5 promises 512 octets; servers with long explanations send more. */
const LINE_BYTES_MAX = 2_000
const REPLY_BYTES_MAX = 32_000
const REPLY_LINES_MAX = 256

const [HT, LF, CR, SPACE, DEL] = [0x09, 0x0a, 0x0d, 0x20, 0x7f]

export interface Reply {
  /** 200 to 599. */
  readonly code: number
  /** The text of each line, without code, separator and line end. At least one. */
  readonly lines: readonly string[]
  /** The enhanced status code that opens the text (RFC 2034), such as `5.1.1`. */
  readonly enhanced?: string
}

/** Bytes that are no SMTP reply. The message says what is wrong and quotes nothing of them. */
export class ReplyError extends Error {
  override readonly name = 'ReplyError'
  /** The replies that the same chunk completed before it went wrong. */
  readonly replies: readonly Reply[]

  constructor(problem: string, replies: readonly Reply[]) {
    super(`Cannot read SMTP reply: ${problem}`)
    this.replies = replies
  }
}

export interface ReplyParser {
  /** Takes the next bytes and gives the replies they complete. Throws ReplyError, from then on always. */
  push(chunk: Uint8Array): Reply[]
  /** Whether bytes of a reply that is not complete yet are held. */
  readonly isMidReply: boolean
}

export function createReplyParser(): ReplyParser {
  return new IncrementalParser()
}

class IncrementalParser implements ReplyParser {
  readonly #line = Buffer.alloc(LINE_BYTES_MAX)
  #lineBytes = 0
  #replyBytes = 0
  #code: string | undefined
  #texts: string[] = []
  #problem: string | undefined

  get isMidReply(): boolean {
    return this.#replyBytes > 0
  }

  push(chunk: Uint8Array): Reply[] {
    const replies: Reply[] = []
    for (const byte of chunk) {
      if (this.#problem !== undefined) break
      this.#problem = this.#take(byte, replies)
    }
    if (this.#problem !== undefined) throw new ReplyError(this.#problem, replies)
    return replies
  }

  /** Takes one byte; gives what is wrong with it, if something is. */
  #take(byte: number, replies: Reply[]): string | undefined {
    const afterCr = this.#lineBytes > 0 && this.#line[this.#lineBytes - 1] === CR
    if (afterCr !== (byte === LF)) return 'a line must end in CRLF'
    if ((byte < SPACE && byte !== HT && byte !== CR && byte !== LF) || byte === DEL) return 'it has control characters'
    if (this.#lineBytes === LINE_BYTES_MAX) return `a line is longer than ${LINE_BYTES_MAX} bytes`
    if (this.#replyBytes === REPLY_BYTES_MAX) return `it is longer than ${REPLY_BYTES_MAX} bytes`
    this.#line[this.#lineBytes++] = byte
    this.#replyBytes++
    return byte === LF ? this.#endLine(replies) : undefined
  }

  #endLine(replies: Reply[]): string | undefined {
    const line = this.#line.toString('utf8', 0, this.#lineBytes - 2)
    this.#lineBytes = 0
    const match = REPLY_LINE.exec(line)
    if (match === null) return 'a line must open with a code from 200 to 599'
    const [, code = '', separator, text = ''] = match
    if (this.#code !== undefined && this.#code !== code) return 'its lines carry different codes'
    this.#code = code
    if (this.#texts.length === REPLY_LINES_MAX) return `it has more than ${REPLY_LINES_MAX} lines`
    this.#texts.push(text)
    if (separator === '-') return undefined
    replies.push(replyOf(code, this.#texts))
    this.#code = undefined
    this.#texts = []
    this.#replyBytes = 0
    return undefined
  }
}

/** `250-text`, `250 text` or, as RFC 5321 4.2 asks clients to take it, `250` alone. */
const REPLY_LINE = /^([2-5]\d\d)(?:([ -])(.*))?$/s

/** RFC 3463: class.subject.detail; its class must be that of the reply code. */
const ENHANCED = /^([245])\.\d{1,3}\.\d{1,3}(?= |$)/

function replyOf(code: string, lines: readonly string[]): Reply {
  const enhanced = ENHANCED.exec(lines[0] ?? '')
  const reply = { code: Number(code), lines }
  return enhanced !== null && enhanced[1] === code[0] ? { ...reply, enhanced: enhanced[0] } : reply
}
