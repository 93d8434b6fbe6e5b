/**
 * A channel to a mail server: commands go out over a socket, replies come back, each within its timeout. What ends it early becomes
 * one stored DeliveryError: the waiting caller gets it, and so does every later call. Who uses it is the matter of channel-use.ts.
 */
import type { SecureContext } from 'node:tls'
import { certificateProblem, describeTls } from '../../base/peer-certificate.ts'
import { mostSpecificError } from '../../base/system-error.ts'
import type { DeliveryError, Stage } from '../delivery/delivery-error.ts'
import { createChannelUse } from './channel-use.ts'
import type { SmtpAttempt } from './smtp-attempt.ts'
import { describeConnectionError, type SmtpErrorDetails, type SmtpServer } from './smtp-error.ts'
import { createInbox } from './smtp-inbox.ts'
import type { Reply } from './smtp-replies.ts'
import { openSocket } from './smtp-socket.ts'
import type { SmtpTimeouts } from './smtp-timeouts.ts'
import { createTranscript } from './smtp-transcript.ts'

/** RFC 4954 section 4 lets an AUTH line be this long; all our other commands are far shorter. */
const COMMAND_BYTES_MAX = 12_288

export interface ChannelSettings {
  readonly server: SmtpServer
  readonly timeouts: SmtpTimeouts
  /** What the certificate is checked against, and the name asked for (SNI). */
  readonly tlsName: string
  /** Called when TLS starts. */
  readonly secureContext: () => SecureContext
}

export interface Command {
  readonly stage: Stage
  /** Without its CRLF. */
  readonly line: string
  /** What the trace shows in place of the line. */
  readonly shown?: string
}

type ErrorDetails = Omit<SmtpErrorDetails, 'stage'> & { readonly stage?: Stage }
type EndDetails = Omit<SmtpErrorDetails, 'stage' | 'temporary'>

export type SmtpChannel = ReturnType<typeof createChannel>

/** Connects. Rejects with a temporary DeliveryError. */
export async function openChannel(settings: ChannelSettings, attempt: SmtpAttempt): Promise<SmtpChannel> {
  const channel = createChannel(settings, attempt)
  try {
    await channel.connected()
    return channel
  } catch (error) {
    channel.close()
    throw error
  }
}

function createChannel({ server, timeouts, tlsName, secureContext }: ChannelSettings, firstAttempt: SmtpAttempt) {
  const { host, port } = server
  const transcript = createTranscript(server)
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
    use.interrupt()
    return cause
  }
  const read = (chunk: Buffer): void => {
    if (inbox.error !== undefined) return
    const { replies, problem } = inbox.push(chunk)
    for (const reply of replies) transcript.server(reply)
    if (problem !== undefined) end(problem, { kind: 'protocol' })
    inbox.notify()
    use.interrupt()
  }
  firstAttempt.trace('note', `connecting to ${host}:${port}`)
  const socket = openSocket(server, {
    onData: read,
    onReady: inbox.notify,
    onClose: () => void end('the server closed the connection', { kind: 'closed' }),
    onError: (cause) => void end(describeConnectionError(cause), { cause: mostSpecificError(cause) }),
  })
  const isQuiet = (): boolean => inbox.error === undefined && !inbox.hasUnread
  const use = createChannelUse({ server, transcript, socket, isQuiet, end })
  use.serve(firstAttempt)

  const waitFor = <T>(ready: () => T | undefined, ms: number): Promise<T> =>
    inbox.waitFor(ready, ms, () => void end(`no answer came within ${ms} ms`, { kind: 'silent', cause: timeoutError() }))
  const ready = (): Promise<true> => waitFor(() => socket.isReady || undefined, timeouts.connect)

  const write = (at: Stage, bytes: string | Uint8Array): void => {
    stage = at
    // A server may announce that it closes, with 421, at any time (RFC 5321 section 3.8). Any other reply ahead of
    // its command would shift all later ones by one: a 250 for the recipient would count for the message.
    const early = inbox.first
    if (early !== undefined && early.code !== 421) {
      throw end('the server replied before it was asked', { kind: 'protocol', reply: early })
    }
    if (early === undefined && inbox.error === undefined) socket.write(bytes)
  }
  /** Sends commands in one packet (RFC 2920); the replies are then taken one by one. */
  const send = (commands: readonly Command[]): void => {
    for (const command of commands) {
      assertSendable(command)
      transcript.client(command.shown ?? command.line)
    }
    write(commands[0]!.stage, commands.map(({ line }) => `${line}\r\n`).join(''))
  }
  /** The next reply, within the timeout of its stage. */
  const reply = (at: Stage): Promise<Reply> => {
    stage = at
    const arrived = inbox.take()
    if (arrived !== undefined) return Promise.resolve(arrived)
    return waitFor(inbox.take, timeouts[TIMEOUT_OF[at] ?? 'command'])
  }

  return {
    get isOpen(): boolean {
      return inbox.error === undefined
    },
    get isEncrypted(): boolean {
      return isEncrypted
    },
    /** The addresses of both ends. */
    socket: socket as Pick<typeof socket, 'remoteAddress' | 'localAddressLiteral'>,
    mask: transcript.mask,
    safe: transcript.safe,
    error,
    send,
    reply,
    async connected(): Promise<void> {
      await ready()
      transcript.note(`connected to ${socket.remoteAddress}`)
    },
    command(at: Stage, line: string, shown = line): Promise<Reply> {
      send([{ stage: at, line, shown }])
      return reply(at)
    },
    /** Sends the message with its final dot and waits for the reply. */
    message(bytes: Uint8Array): Promise<Reply> {
      transcript.client(`… ${bytes.length} bytes`)
      write('message', bytes)
      return reply('message')
    },
    /** Switches to TLS, immediately or after the reply to STARTTLS, and checks the certificate if `verify`. */
    async startTls({ verify }: { readonly verify: boolean }): Promise<void> {
      // Bytes from before the handshake are not protected by TLS: a machine in between may have injected them to be
      // read as replies from inside it (CVE-2011-0411).
      if (!isQuiet()) throw end('more bytes came before TLS started', { kind: 'protocol' })
      stage = 'tls'
      const secured = socket.startTls(tlsName, secureContext())
      inbox.reset()
      await ready()
      const { problem, ...details } = (verify ? certificateProblem(secured, tlsName) : undefined) ?? {}
      if (problem !== undefined) throw end(problem, details)
      isEncrypted = true
      if (transcript.isTraced) transcript.note(describeTls(secured))
    },
    park: use.park,
    wake: use.wake,
    resume: use.resume,
    /** Frees the socket and leaves the attempt. To be called once the conversation is over, however it went. */
    close(): void {
      end('it is over')
      use.leave()
    },
  }
}

function assertSendable({ stage, line }: Command): void {
  if (/[\r\n\0]/.test(line) || Buffer.byteLength(line) > COMMAND_BYTES_MAX - 2) {
    throw new Error(`Cannot send SMTP command at ${stage}: it has a line break or is too long`)
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
