/**
 * A mail server for tests that follows a script, over real sockets.
 *
 * A script is a list of steps. Each waits for a line that starts with its first text ('' is the connection itself and,
 * later on, any line; '.' is the end of the message after a 354) and then replies with its second. The peer records what
 * it heard, and whether it was encrypted. Every connection gets the script from its beginning, or its own.
 */
import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import type { AddressInfo } from 'node:net'
import { createSecureContext, TLSSocket } from 'node:tls'
import type { ServerCertificate } from './mail-certificates.ts'
import { TEST_CERTIFICATE, TEST_KEY } from '../service/test-certificate.ts'
import { until } from '../until.ts'

/**
 * What the peer hears, what it replies, and what it does then. A reply gets its CRLF unless it ends in a line feed; '' is
 * no reply, and a function returns one for the line that was heard. Then: `tls` starts a handshake, `drop` closes the
 * connection, `flood` repeats the reply without end.
 */
export type Step = readonly [
  hears: string,
  answers: string | ((heard: string) => string),
  then?: 'tls' | 'drop' | 'flood',
]

export const QUIT: Step = ['QUIT', '221 bye']

/** Accepts one mail. */
export const TRANSACTION: readonly Step[] = [
  ['MAIL', '250 ok'],
  ['RCPT', '250 ok'],
  ['DATA', '354 go'],
  ['.', '250 queued'],
]
export const SEND: readonly Step[] = [...TRANSACTION, QUIT]

/** Accepts any login and one mail; after the greeting and EHLO. */
export const TAKES_ONE: readonly Step[] = [
  ['AUTH', '235 welcome'],
  ['MAIL', '250 ok'],
  ['RCPT', '250 ok'],
  ['DATA', '354 go'],
  ['.', '250 queued as 4711'],
  ['QUIT', '221 bye'],
]

export interface PeerOptions {
  /** How replies are sent: each in one packet, a byte at a time, or all replies to one packet in one packet. */
  readonly chunks?: 'whole' | 'bytes' | 'joined'
  /** The scripts of the connections after the first; all later ones get the last of them. */
  readonly later?: readonly (readonly Step[])[]
  /** Drops the first connection after so many bytes of replies, inside TLS or not. */
  readonly dropAfter?: number
  /** Where to listen; the default is 127.0.0.1. */
  readonly address?: string
  /** TLS from the first byte. */
  readonly implicitTls?: boolean
  /** Its certificate, where that is not the one of test-certificate.ts. */
  readonly identity?: ServerCertificate
}

export interface Heard {
  readonly line: string
  readonly encrypted: boolean
}

interface Answer {
  readonly text: string
  readonly then: Step[2]
}

export interface SmtpPeer extends AsyncDisposable {
  readonly port: number
  readonly heard: readonly Heard[]
  /** The bytes between 354 and the final dot, as on the wire. */
  readonly messages: readonly string[]
  /** Lines that the script did not expect. */
  readonly surprises: readonly string[]
  /** The names that clients asked for as TLS began (SNI). */
  readonly names: readonly string[]
  /** How many connections there have been. */
  readonly connections: number
  /** Bytes of replies that were sent. */
  readonly answered: number
  /** Resolves when the client has closed its first connection. */
  readonly closed: Promise<unknown>
  /** Resolves when no connection is open. */
  quiet(): Promise<void>
  /** The commands that were heard: `EHLO MAIL RCPT DATA . QUIT`. */
  verbs(): string
}

export async function openPeer(script: readonly Step[], options: PeerOptions = {}): Promise<SmtpPeer> {
  const { chunks = 'whole', address = '127.0.0.1', implicitTls = false, later = [], dropAfter = Infinity } = options
  const { certificate, key } = options.identity ?? { certificate: TEST_CERTIFICATE, key: TEST_KEY }
  const heard: Heard[] = []
  const messages: string[] = []
  const surprises: string[] = []
  const names: string[] = []
  const sockets = new Set<Socket>()
  const closing = Promise.withResolvers<undefined>()
  let [connections, answered] = [0, 0]

  const serve = (tcp: Socket): void => {
    const steps = [...(connections === 0 ? script : (later[connections - 1] ?? later.at(-1) ?? script))]
    let budget = connections++ === 0 ? dropAfter : Infinity
    let socket = tcp
    let buffered = ''
    let inMessage = false
    // Replies are sent in order, also byte by byte.
    let sending: Promise<void> = Promise.resolve()

    const put = async (text: string): Promise<void> => {
      const bytes = Buffer.from(text).subarray(0, budget)
      budget -= bytes.length
      answered += bytes.length
      await send(socket, bytes, chunks)
      if (budget === 0) tcp.destroy()
    }
    const answer = async (due: readonly Answer[]): Promise<void> => {
      let held = ''
      for (const { text, then } of due) {
        held += text === '' || text.endsWith('\n') ? text : `${text}\r\n`
        if (chunks === 'joined' && then === undefined) continue
        do {
          await put(held)
        } while (then === 'flood' && !socket.destroyed)
        held = ''
        if (then === 'drop') socket.destroy()
        if (then === 'tls') secure()
      }
      if (held !== '') await put(held)
    }
    const hear = (line: string): Answer | undefined => {
      inMessage = false
      heard.push({ line, encrypted: socket instanceof TLSSocket })
      const step = steps[0]
      if (step === undefined || !line.startsWith(step[0])) {
        surprises.push(line)
        return undefined
      }
      steps.shift()
      const [, answers, then] = step
      const text = typeof answers === 'string' ? answers : answers(line)
      inMessage = line.startsWith('DATA') && text.startsWith('354')
      return { text, then }
    }
    const read = (chunk: Buffer): void => {
      buffered += chunk.toString('latin1')
      const due: Answer[] = []
      for (;;) {
        // A message may consist of its final dot.
        const mark = !inMessage ? '\r\n' : buffered.startsWith('.\r\n') ? '.\r\n' : '\r\n.\r\n'
        const end = buffered.indexOf(mark)
        if (end < 0) break
        const text = buffered.slice(0, end)
        buffered = buffered.slice(end + mark.length)
        if (inMessage) messages.push(mark === '.\r\n' ? '' : `${text}\r\n`)
        const answered = hear(inMessage ? '.' : text)
        if (answered !== undefined) due.push(answered)
      }
      sending = sending.then(() => answer(due))
    }
    const secure = (): void => {
      socket.removeListener('data', read)
      const secureContext = createSecureContext({ cert: certificate, key })
      socket = new TLSSocket(socket, {
        isServer: true,
        secureContext,
        SNICallback: (name, answer) => {
          names.push(name)
          answer(null, secureContext)
        },
      })
      socket.on('error', () => {})
      // A TLS socket whose handshake failed waits for its last write without end.
      socket.on('end', () => tcp.destroy())
      socket.on('data', read)
      buffered = ''
    }
    const begin = (): void => {
      const [hears, answers, then] = steps[0] ?? []
      if (hears !== '' || typeof answers !== 'string') return
      steps.shift()
      sending = sending.then(() => answer([{ text: answers, then }]))
    }

    sockets.add(tcp)
    tcp.on('close', () => sockets.delete(tcp))
    tcp.setNoDelay(true)
    tcp.on('error', () => {})
    tcp.on('close', () => closing.resolve(undefined))
    tcp.on('data', read)
    if (implicitTls) secure()
    begin()
  }

  const server = createServer(serve)
  server.listen(0, address)
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    heard,
    messages,
    surprises,
    names,
    get connections() {
      return connections
    },
    get answered() {
      return answered
    },
    closed: closing.promise,
    async quiet() {
      await until(() => sockets.size === 0)
    },
    verbs: () => heard.map(({ line }) => line.split(' ')[0]).join(' '),
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}

async function send(socket: Socket, bytes: Buffer, chunks: 'whole' | 'bytes' | 'joined'): Promise<void> {
  const pieces = chunks !== 'bytes' ? [bytes] : Array.from(bytes, (byte) => Buffer.of(byte))
  for (const piece of pieces) {
    if (socket.destroyed) return
    await new Promise<void>((resolve) => {
      const done = (): void => {
        socket.removeListener('close', done)
        setImmediate(resolve)
      }
      // A socket that closes with unsent data does not call back.
      socket.once('close', done)
      socket.write(piece, done)
    })
  }
}
