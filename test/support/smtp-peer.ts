/**
 * A mail server for tests that follows a script, over real sockets.
 *
 * A script is a list of steps. Each waits for a line that opens with its first text ('' is the connection itself, '.'
 * the end of the message after a 354) and then answers with its second. It keeps what it heard, and in which state, so
 * that a test can say what must never have been sent. It serves one conversation.
 */
import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import type { AddressInfo } from 'node:net'
import { createSecureContext, TLSSocket } from 'node:tls'
import { TEST_CERTIFICATE, TEST_KEY } from './test-certificate.ts'

/**
 * What the peer hears, what it answers, and what it does then. An answer gets its CRLF unless it ends in a line feed;
 * '' is no answer. Then: `tls` begins a handshake, `drop` cuts the connection, `flood` repeats the answer without end.
 */
export type Step = readonly [hears: string, answers: string, then?: 'tls' | 'drop' | 'flood']

export interface PeerOptions {
  /** How answers travel: each in one packet, or a byte at a time. */
  readonly chunks?: 'whole' | 'bytes'
  /** Where to listen; 127.0.0.1 unless told otherwise. */
  readonly address?: string
  /** TLS from the first byte. */
  readonly implicitTls?: boolean
}

export interface Heard {
  readonly line: string
  readonly encrypted: boolean
}

export interface SmtpPeer extends AsyncDisposable {
  readonly port: number
  readonly heard: readonly Heard[]
  /** The bytes between 354 and the final dot, as they were on the wire. */
  readonly messages: readonly string[]
  /** Lines that the script did not expect. */
  readonly surprises: readonly string[]
  /** Resolves when the client has closed its connection. */
  readonly closed: Promise<unknown>
  /** The first words of what was heard: `EHLO MAIL RCPT DATA . QUIT`. */
  verbs(): string
}

export async function openPeer(
  script: readonly Step[],
  { chunks = 'whole', address = '127.0.0.1', implicitTls = false }: PeerOptions = {},
): Promise<SmtpPeer> {
  const heard: Heard[] = []
  const messages: string[] = []
  const surprises: string[] = []
  const sockets = new Set<Socket>()
  const closing = Promise.withResolvers<undefined>()

  const serve = (tcp: Socket): void => {
    const steps = [...script]
    let socket = tcp
    let buffered = ''
    let inMessage = false
    // One answer after the other, also when they go out byte by byte.
    let sending: Promise<void> = Promise.resolve()

    const answer = async ([, text, then]: Step): Promise<void> => {
      const bytes = Buffer.from(text === '' || text.endsWith('\n') ? text : `${text}\r\n`)
      do {
        await send(socket, bytes, chunks)
      } while (then === 'flood' && !socket.destroyed)
      if (then === 'drop') socket.destroy()
      if (then === 'tls') secure()
    }
    const hear = (line: string): void => {
      heard.push({ line, encrypted: socket instanceof TLSSocket })
      const step = steps[0]
      if (step === undefined || step[0] === '' || !line.startsWith(step[0])) {
        surprises.push(line)
        return
      }
      steps.shift()
      inMessage = line.startsWith('DATA') && step[1].startsWith('354')
      sending = sending.then(() => answer(step))
    }
    const read = (chunk: Buffer): void => {
      buffered += chunk.toString('latin1')
      for (;;) {
        const mark = inMessage ? '\r\n.\r\n' : '\r\n'
        const end = buffered.indexOf(mark)
        if (end < 0) return
        const text = buffered.slice(0, end)
        buffered = buffered.slice(end + mark.length)
        if (inMessage) {
          inMessage = false
          messages.push(`${text}\r\n`)
          hear('.')
        } else hear(text)
      }
    }
    const secure = (): void => {
      socket.removeListener('data', read)
      const secureContext = createSecureContext({ cert: TEST_CERTIFICATE, key: TEST_KEY })
      socket = new TLSSocket(socket, { isServer: true, secureContext })
      socket.on('error', () => {})
      // A TLS socket whose handshake failed waits for ever for what it still has to write.
      socket.on('end', () => tcp.destroy())
      socket.on('data', read)
      buffered = ''
    }
    const begin = (): void => {
      if (steps[0]?.[0] === '') sending = sending.then(() => answer(steps.shift() ?? ['', '']))
    }

    sockets.add(tcp)
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
    closed: closing.promise,
    verbs: () => heard.map(({ line }) => line.split(' ')[0]).join(' '),
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}

async function send(socket: Socket, bytes: Buffer, chunks: 'whole' | 'bytes'): Promise<void> {
  const pieces = chunks === 'whole' ? [bytes] : Array.from(bytes, (byte) => Buffer.of(byte))
  for (const piece of pieces) {
    if (socket.destroyed) return
    await new Promise<void>((resolve) => {
      const done = (): void => {
        socket.removeListener('close', done)
        setImmediate(resolve)
      }
      // A socket that closes while it still holds data back reports no end of the write.
      socket.once('close', done)
      socket.write(piece, done)
    })
  }
}
