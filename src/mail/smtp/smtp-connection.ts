/**
 * The connection to a mail server: a socket, the replies that come out of it, and a timeout for each wait. What ends it
 * early becomes one stored DeliveryError: the waiting caller gets it, and so does every later call.
 */
import type { SecureContext } from 'node:tls'
import { certificateProblem, describeTls } from '../../base/peer-certificate.ts'
import { mostSpecificError } from '../../base/system-error.ts'
import type { DeliveryError, Stage } from '../delivery/delivery-error.ts'
import { describeConnectionError, type SmtpErrorDetails, type SmtpServer } from './smtp-error.ts'
import { createInbox } from './smtp-inbox.ts'
import type { Reply } from './smtp-replies.ts'
import { openSocket } from './smtp-socket.ts'
import type { SmtpTimeouts } from './smtp-timeouts.ts'
import type { createTranscript } from './smtp-transcript.ts'

export interface ConnectionSettings {
  readonly server: SmtpServer
  readonly timeouts: SmtpTimeouts
  /** What the certificate is checked against, and the name asked for (SNI). */
  readonly tlsName: string
  /** Called when TLS starts. */
  readonly secureContext: () => SecureContext
}

type ErrorDetails = Omit<SmtpErrorDetails, 'stage'> & { readonly stage?: Stage }
type EndDetails = Omit<SmtpErrorDetails, 'stage' | 'temporary'>

/** Starts to connect. `onActivity` is called for bytes and for the end, which an idle connection must not have. */
export function openConnection(
  { server, timeouts, tlsName, secureContext }: ConnectionSettings,
  transcript: ReturnType<typeof createTranscript>,
  onActivity: () => void,
) {
  const inbox = createInbox()
  let stage: Stage = 'connect'
  let isEncrypted = false

  /** An error at the present stage or another, with the reply that caused it. */
  const error = (message: string, details: ErrorDetails): DeliveryError =>
    transcript.error(message, { stage, ...details })
  /** Ends the connection. Returns the error that ended it, which may be an earlier one. */
  const end = (message: string, details: EndDetails = {}): DeliveryError => {
    if (inbox.error !== undefined) return inbox.error
    const cause = error(message, { temporary: true, ...details })
    inbox.fail(cause)
    socket.destroy()
    onActivity()
    return cause
  }
  const read = (chunk: Buffer): void => {
    if (inbox.error !== undefined) return
    const { replies, problem } = inbox.push(chunk)
    for (const reply of replies) transcript.server(reply)
    if (problem !== undefined) end(problem, { kind: 'protocol' })
    inbox.notify()
    onActivity()
  }
  const socket = openSocket(server, {
    onData: read,
    onReady: inbox.notify,
    onClose: () => void end('the server closed the connection', { kind: 'closed' }),
    onError: (cause) => void end(describeConnectionError(cause), { cause: mostSpecificError(cause) }),
  })
  const waitFor = <T>(ready: () => T | undefined, ms: number): Promise<T> =>
    inbox.waitFor(ready, ms, () => void end(`no answer came within ${ms} ms`, { kind: 'silent', cause: timeoutError() }))
  const ready = (): Promise<true> => waitFor(() => socket.isReady || undefined, timeouts.connect)

  return {
    get isOpen(): boolean {
      return inbox.error === undefined
    },
    get isEncrypted(): boolean {
      return isEncrypted
    },
    /** Whether it is open and the server sent nothing unasked. */
    get isQuiet(): boolean {
      return inbox.error === undefined && !inbox.hasUnread
    },
    socket,
    error,
    end,
    connected: ready,
    write(at: Stage, bytes: string | Uint8Array): void {
      stage = at
      // A server may announce that it closes, with 421, at any time (RFC 5321 section 3.8). Any other reply ahead of
      // its command would shift all later ones by one: a 250 for the recipient would count for the message.
      const early = inbox.first
      if (early !== undefined && early.code !== 421) {
        throw end('the server replied before it was asked', { kind: 'protocol', reply: early })
      }
      if (early === undefined && inbox.error === undefined) socket.write(bytes)
    },
    /** The next reply, within the timeout of its stage. */
    reply(at: Stage): Promise<Reply> {
      stage = at
      const arrived = inbox.take()
      if (arrived !== undefined) return Promise.resolve(arrived)
      return waitFor(inbox.take, timeouts[TIMEOUT_OF[at] ?? 'command'])
    },
    /** Switches to TLS, immediately or after the reply to STARTTLS, and checks the certificate if `verify`. */
    async startTls({ verify }: { readonly verify: boolean }): Promise<void> {
      // Bytes from before the handshake are not protected by TLS: a machine in between may have injected them to be
      // read as replies from inside it (CVE-2011-0411).
      if (inbox.hasUnread || inbox.error !== undefined) {
        throw end('more bytes came before TLS started', { kind: 'protocol' })
      }
      stage = 'tls'
      const secured = socket.startTls(tlsName, secureContext())
      inbox.reset()
      await ready()
      const { problem, ...details } = (verify ? certificateProblem(secured, tlsName) : undefined) ?? {}
      if (problem !== undefined) throw end(problem, details)
      isEncrypted = true
      if (transcript.isTraced) transcript.note(describeTls(secured))
    },
  }
}

/** The error that a socket would report by itself. */
function timeoutError(): Error {
  return Object.assign(new Error('no answer came in time'), { code: 'ETIMEDOUT' })
}

const TIMEOUT_OF: Readonly<Partial<Record<Stage, 'greeting' | 'data' | 'quit'>>> = {
  greeting: 'greeting',
  message: 'data',
  quit: 'quit',
}
