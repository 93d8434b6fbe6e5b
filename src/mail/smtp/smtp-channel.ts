/**
 * The line to a mail server: a socket that takes commands and gives replies, each within its time.
 *
 * Everything that ends a conversation early (a time-out, a drop, bytes that are no reply, the end of the attempt)
 * becomes one stored DeliveryError and a destroyed socket; whoever waits gets it, and so does every later call.
 * Replies that arrived before the end still count: a server that accepts a mail and hangs up has accepted it.
 *
 * A channel serves one attempt after the other. Between two it rests: it waits for nothing, does not keep the process
 * alive, and takes any byte from the server for the end of it.
 */
import { connect, isIP, isIPv6, type Socket } from 'node:net'
import { connect as connectTls, type SecureContext, type TLSSocket } from 'node:tls'
import { type DeliveryError, type Stage, safeReplyText, safeText } from '../delivery/delivery-error.ts'
import { certificateProblem, describeTls } from './peer-certificate.ts'
import { createReplyParser, type Reply, ReplyError } from './smtp-replies.ts'
import type { SmtpAttempt } from './smtp-attempt.ts'
import { connectionProblem, type SmtpFailure, type SmtpServer, smtpFailure, tellingError } from './smtp-failure.ts'
import type { SmtpTimeouts } from './smtp-timeouts.ts'

/** RFC 4954 section 4 lets an AUTH line be this long; all others of ours are far shorter. */
const COMMAND_BYTES_MAX = 12_288
/** What may wait unread: the replies to one group of commands, and a farewell. */
const WAITING_REPLIES_MAX = 8
/** How long one address of a server may take before the next is tried as well, in milliseconds (RFC 8305 says 250). */
const NEXT_ADDRESS_MS = 1_000

export interface ChannelSettings {
  readonly server: SmtpServer
  readonly timeouts: SmtpTimeouts
  /** What the certificate is checked against, and the name asked for (SNI). */
  readonly tlsName: string
  /** Asked for once TLS begins. */
  readonly secureContext: () => SecureContext
}

export interface CommandLine {
  readonly stage: Stage
  /** Without its CRLF. */
  readonly line: string
  /** What the trace shows in its place. */
  readonly shown?: string
}

/** Connects. Rejects with a temporary DeliveryError. */
export async function openChannel(settings: ChannelSettings, attempt: SmtpAttempt): Promise<SmtpChannel> {
  const channel = new SmtpChannel(settings, attempt)
  try {
    await channel.connected()
    return channel
  } catch (error) {
    channel.close()
    throw error
  }
}

export class SmtpChannel {
  readonly #settings: ChannelSettings
  readonly #tcp: Socket
  /** Texts that must not show in an error or a trace though a server repeats them. */
  readonly #secrets: string[] = []
  #attempt: SmtpAttempt | undefined
  #leaveAttempt: () => void = () => {}
  #socket: Socket
  #stage: Stage = 'connect'
  #isReady = false
  #isEncrypted = false
  #parser = createReplyParser()
  #replies: Reply[] = []
  #ended: DeliveryError | undefined
  #wake: () => void = () => {}
  #onDisturbed: (() => void) | undefined
  #restTimer: NodeJS.Timeout | undefined

  constructor(settings: ChannelSettings, attempt: SmtpAttempt) {
    this.#settings = settings
    const { host, port } = settings.server
    attempt.tell('note', `connecting to ${host}:${port}`)
    this.#tcp = connect({ host, port, noDelay: true, autoSelectFamilyAttemptTimeout: NEXT_ADDRESS_MS })
    this.#socket = this.#tcp
    this.#listen(this.#tcp, 'connect')
    this.#serve(attempt)
  }

  get isEncrypted(): boolean {
    return this.#isEncrypted
  }

  get isOpen(): boolean {
    return this.#ended === undefined
  }

  /** The IP address of the server, once connected. */
  get serverAddress(): string {
    return this.#tcp.remoteAddress ?? ''
  }

  /** Our own end as an EHLO argument: an address literal (RFC 5321 section 4.1.3). */
  get ownAddressLiteral(): string {
    const address = this.#tcp.localAddress ?? '127.0.0.1'
    const mapped = address.replace(/^::ffff:(?=\d+\.)/, '')
    return isIPv6(mapped) ? `[IPv6:${mapped}]` : `[${mapped}]`
  }

  /** Hides a text, such as a password, wherever the server repeats it. */
  hide(secret: string): void {
    if (!this.#secrets.includes(secret)) this.#secrets.push(secret)
  }

  async connected(): Promise<void> {
    await this.#until(this.#settings.timeouts.connect, () => this.#isReady || undefined)
    this.note(`connected to ${this.serverAddress}`)
  }

  /** Waits for the greeting, which is the one reply that nothing asks for. */
  greeting(): Promise<Reply> {
    return this.reply('greeting')
  }

  /** Sends one command and waits for its reply. */
  command(stage: Stage, line: string, shown = line): Promise<Reply> {
    this.send([{ stage, line, shown }])
    return this.reply(stage)
  }

  /** Sends commands in one packet (RFC 2920); their replies are then to be taken one by one. */
  send(commands: readonly CommandLine[]): void {
    for (const { stage, line, shown = line } of commands) {
      if (/[\r\n\0]/.test(line) || Buffer.byteLength(line) > COMMAND_BYTES_MAX - 2) {
        throw new Error(`Cannot send SMTP command at ${stage}: it has a line break or is too long`)
      }
      if (this.#attempt?.isTraced === true) this.#tell('client', shown)
    }
    this.#write(commands[0]?.stage ?? this.#stage, commands.map(({ line }) => `${line}\r\n`).join(''))
  }

  /** Sends the message as `dotStuffed` gives it and waits for the server's word on it. */
  message(bytes: Uint8Array): Promise<Reply> {
    this.#tell('client', `… ${bytes.length} bytes`)
    this.#write('message', bytes)
    return this.reply('message')
  }

  /** The next reply, from now within the time of its stage. */
  reply(stage: Stage): Promise<Reply> {
    this.#stage = stage
    // Of one packet with several replies, only the first has to be waited for.
    const here = this.#replies.shift()
    if (here !== undefined) return Promise.resolve(here)
    const { timeouts } = this.#settings
    return this.#until(timeouts[TIMEOUT_OF[stage] ?? 'command'], () => this.#replies.shift())
  }

  /** Goes over to TLS, at once or after the reply to STARTTLS. The handshake checks the certificate if `verify`. */
  async startTls({ verify }: { readonly verify: boolean }): Promise<void> {
    // Bytes from before the handshake are no part of what TLS protects; whoever sits between may have put them there
    // to be read as replies from inside it (CVE-2011-0411 and its kin).
    if (this.#parser.isMidReply || this.#replies.length > 0) {
      this.#end('the server, or somebody between, sent more before TLS began', { problem: 'garbled' })
    }
    this.#stage = 'tls'
    if (this.#ended !== undefined) throw this.#ended
    const { tlsName, secureContext, timeouts } = this.#settings
    this.#isReady = false
    const socket = connectTls({
      socket: this.#tcp,
      host: tlsName,
      // Server Name Indication takes no IP addresses (RFC 6066 section 3); the certificate is checked against `host`.
      servername: isIP(tlsName) === 0 ? tlsName : '',
      secureContext: secureContext(),
      // Judged by `#judgeCertificate` before a byte is sent: a socket that refuses by itself does not tell the issuer.
      rejectUnauthorized: false,
    })
    this.#socket = socket
    this.#parser = createReplyParser()
    this.#listen(socket, 'secureConnect')
    await this.#until(timeouts.connect, () => this.#isReady || undefined)
    if (verify) this.#judgeCertificate(socket, tlsName)
    this.#isEncrypted = true
    if (this.#attempt?.isTraced === true) this.note(describeTls(socket))
  }

  /** The error for a conversation that cannot go on, at the present stage or another, with the reply that says so. */
  error(problem: string, parts: Omit<SmtpFailure, 'stage'> & { readonly stage?: Stage }): DeliveryError {
    return smtpFailure(this.#settings.server, problem, { stage: this.#stage, ...parts }, this.#secrets)
  }

  /** A reply in one line, fit for the log. */
  safe(reply: Reply): string {
    return safeReplyText(reply, this.#secrets)
  }

  /** Tells whoever follows the dialogue something that neither side said. */
  note(text: string): void {
    this.#tell('note', text)
  }

  /**
   * The attempt is over; the line is kept for another, for at most `ms`. `onDisturbed` is called when it is no more.
   */
  rest(ms: number, onDisturbed: () => void): void {
    this.#leaveAttempt()
    this.#attempt = undefined
    if (this.#ended !== undefined || this.#replies.length > 0 || this.#parser.isMidReply) {
      onDisturbed()
      return
    }
    this.#onDisturbed = onDisturbed
    this.#restTimer = setTimeout(() => this.#disturbed(), ms)
    this.#restTimer.unref()
    this.#socket.unref()
  }

  /** The rest is over: whoever calls will use the line, or close it. */
  stir(): void {
    this.#onDisturbed = undefined
    clearTimeout(this.#restTimer)
    this.#socket.ref()
  }

  /** Takes up another attempt after a rest. */
  resume(attempt: SmtpAttempt): void {
    this.stir()
    this.#serve(attempt)
    this.note(
      `using the connection to ${this.#settings.server.host}:${this.#settings.server.port} that is open already`,
    )
  }

  /** Frees the socket and lets go of the attempt. To be called once the conversation is over, however it went. */
  close(): void {
    this.#end('it is over')
    clearTimeout(this.#restTimer)
    this.#leaveAttempt()
  }

  #serve(attempt: SmtpAttempt): void {
    const end = (): void => this.#end(attempt.problem ?? 'it is over')
    this.#attempt = attempt
    this.#leaveAttempt = attempt.onEnd(end)
    if (attempt.problem !== undefined) end()
  }

  #disturbed(): void {
    const tell = this.#onDisturbed
    if (tell === undefined) return
    this.stir()
    tell()
  }

  /** Once TLS has taken over, only what comes out of it counts; the socket beneath can still report an error. */
  #listen(socket: Socket, readyEvent: 'connect' | 'secureConnect'): void {
    const isCurrent = (): boolean => socket === this.#socket
    const onClose = (): void => {
      if (isCurrent()) this.#end('the server closed the connection', { problem: 'closed' })
    }
    socket.on('data', (chunk: Buffer) => {
      if (isCurrent()) this.#read(chunk)
    })
    socket.on('error', (error: NodeJS.ErrnoException) => {
      this.#end(connectionProblem(error), { cause: tellingError(error) })
    })
    socket.on('end', onClose)
    socket.on('close', onClose)
    socket.once(readyEvent, () => {
      this.#isReady = true
      this.#wake()
    })
  }

  #judgeCertificate(socket: TLSSocket, name: string): void {
    const found = certificateProblem(socket, name)
    if (found === undefined) return
    const { problem, ...parts } = found
    this.#end(problem, parts)
    throw this.#ended
  }

  #read(chunk: Buffer): void {
    if (this.#ended !== undefined) return
    const known = this.#replies.length
    try {
      this.#replies.push(...this.#parser.push(chunk))
      this.#tellReplies(known)
      if (this.#replies.length > WAITING_REPLIES_MAX) {
        this.#end('the server sends replies that nothing asked for', { problem: 'garbled' })
      }
    } catch (error) {
      if (!(error instanceof ReplyError)) throw error
      this.#replies.push(...error.replies.slice(0, WAITING_REPLIES_MAX))
      this.#tellReplies(known)
      this.#end(error.message, { problem: 'garbled' })
    }
    this.#wake()
    this.#disturbed()
  }

  #write(stage: Stage, bytes: string | Uint8Array): void {
    this.#stage = stage
    // A server may announce that it closes, with 421, at any time (RFC 5321 section 3.8). Any other reply ahead of its
    // command would shift all later ones by one: a 250 for the recipient would be taken for one for the message.
    const early = this.#replies[0]
    if (early !== undefined && early.code !== 421) {
      this.#end('the server spoke out of turn', { problem: 'garbled', reply: early })
      throw this.#ended
    }
    if (early === undefined && this.#ended === undefined) this.#socket.write(bytes)
  }

  /** Resolves as soon as `ready` gives something, which is asked after each event; rejects once the line has ended. */
  #until<T>(timeoutMs: number, ready: () => T | undefined): Promise<T> {
    return new Promise((resolve, reject) => {
      const silence = (): void =>
        this.#end(`no answer came within ${timeoutMs} ms`, { problem: 'silent', cause: timedOut() })
      const timer = setTimeout(silence, timeoutMs)
      this.#wake = () => {
        const value = ready()
        if (value === undefined && this.#ended === undefined) return
        clearTimeout(timer)
        this.#wake = () => {}
        if (value !== undefined) resolve(value)
        else reject(this.#ended)
      }
      this.#wake()
    })
  }

  #end(problem: string, parts: Omit<SmtpFailure, 'stage' | 'temporary'> = {}): void {
    if (this.#ended !== undefined) return
    this.#ended = this.error(problem, { temporary: true, ...parts })
    this.#socket.destroy()
    this.#tcp.destroy()
    this.#wake()
    this.#disturbed()
  }

  #tellReplies(known: number): void {
    if (this.#attempt?.isTraced !== true) return
    for (const { code, lines } of this.#replies.slice(known)) {
      for (const [at, line] of lines.entries()) {
        this.#tell('server', `${code}${at < lines.length - 1 ? '-' : ' '}${line}`)
      }
    }
  }

  #tell(from: 'client' | 'server' | 'note', text: string): void {
    if (this.#attempt?.isTraced === true) this.#attempt.tell(from, safeText(text, this.#secrets))
  }
}

/** As a socket of its own accord would report it. */
function timedOut(): Error {
  return Object.assign(new Error('no answer came in time'), { code: 'ETIMEDOUT' })
}

const TIMEOUT_OF: Readonly<Partial<Record<Stage, 'greeting' | 'data' | 'quit'>>> = {
  greeting: 'greeting',
  message: 'data',
  quit: 'quit',
}
