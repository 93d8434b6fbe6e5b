/**
 * Parser of SMTP replies (RFC 5321 section 4.2), incremental and strict, since a reply decides what happens to a mail:
 * a line ends in CRLF, every line of a reply carries the same code, and no control character could reach a terminal.
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

export interface ParsedReplies {
  readonly replies: readonly Reply[]
  /** What is wrong with the bytes; it quotes nothing of them. Once set, it stays for all later bytes. */
  readonly problem: string | undefined
}

export function createReplyParser() {
  const line = Buffer.alloc(LINE_BYTES_MAX)
  let [lineBytes, replyBytes] = [0, 0]
  let code: string | undefined
  let texts: string[] = []
  let problem: string | undefined

  /** Takes one byte. Returns what is wrong with it. */
  const take = (byte: number, replies: Reply[]): string | undefined => {
    const afterCr = lineBytes > 0 && line[lineBytes - 1] === CR
    if (afterCr !== (byte === LF)) return 'a line must end in CRLF'
    if ((byte < SPACE && byte !== HT && byte !== CR && byte !== LF) || byte === DEL) return 'it has control characters'
    if (lineBytes === LINE_BYTES_MAX) return `a line is longer than ${LINE_BYTES_MAX} bytes`
    if (replyBytes === REPLY_BYTES_MAX) return `it is longer than ${REPLY_BYTES_MAX} bytes`
    line[lineBytes++] = byte
    replyBytes++
    return byte === LF ? endLine(replies) : undefined
  }
  const endLine = (replies: Reply[]): string | undefined => {
    const match = REPLY_LINE.exec(line.toString('utf8', 0, lineBytes - 2))
    lineBytes = 0
    if (match === null) return 'a line must open with a code from 200 to 599'
    const [, lineCode = '', separator, text = ''] = match
    if (code !== undefined && code !== lineCode) return 'its lines carry different codes'
    code = lineCode
    if (texts.length === REPLY_LINES_MAX) return `it has more than ${REPLY_LINES_MAX} lines`
    texts.push(text)
    if (separator === '-') return undefined
    replies.push(replyOf(code, texts))
    code = undefined
    texts = []
    replyBytes = 0
    return undefined
  }

  return {
    push(chunk: Uint8Array): ParsedReplies {
      const replies: Reply[] = []
      for (const byte of chunk) {
        if (problem !== undefined) break
        const found = take(byte, replies)
        if (found !== undefined) problem = `Cannot read SMTP reply: ${found}`
      }
      return { replies, problem }
    },
    /** Whether bytes of an incomplete reply are held. */
    get isMidReply(): boolean {
      return replyBytes > 0
    },
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
