/**
 * The line to a mail server: a socket that takes commands and gives replies, each within its time.
 *
 * Everything that ends a conversation early (a time-out, a drop, bytes that are no reply, the caller's signal) becomes
 * one stored DeliveryError and a destroyed socket; whoever waits gets it, and so does every later call. Replies that
 * arrived before the end still count: a server that accepts a mail and hangs up has accepted it. This is the only file
 * of the layer that sets timers.
 */
import { connect, isIP, isIPv6, type Socket } from 'node:net'
import { connect as connectTls, getCACertificates } from 'node:tls'
import { DeliveryError, type Stage, safeReplyText } from './delivery-error.ts'
import { createReplyParser, type Reply, ReplyError } from './replies.ts'

/** RFC 4954 section 4 lets an AUTH line be this long; all others of ours are far shorter. */
const COMMAND_BYTES_MAX = 12_288
/** Without pipelining a server owes one reply at a time. */
const WAITING_REPLIES_MAX = 4

/** How long each step may take, in milliseconds. */
export interface SmtpTimeouts {
  /** The TCP connection, with name look-up; and again a TLS handshake. */
  readonly connect: number
  readonly greeting: number
  /** From each command to its reply. */
  readonly command: number
  /** From the first byte of the message to its reply. */
  readonly data: number
  /** The farewell. It comes after the mail's fate is known, so it may be short. */
  readonly quit: number
  /** All of an attempt together. */
  readonly total: number
}

export interface ChannelSettings {
  readonly host: string
  readonly port: number
  readonly timeouts: SmtpTimeouts
  /** PEM certificates trusted beside those that Node trusts. */
  readonly ca: readonly string[]
  /** Texts that must not show in an error though a server repeats them. */
  readonly secrets: readonly string[]
  readonly signal: AbortSignal | undefined
}

interface Refusal {
  readonly temporary: boolean
  readonly reply?: Reply
  readonly stage?: Stage
}

/** Connects. Rejects with a temporary DeliveryError. */
export async function openChannel(settings: ChannelSettings): Promise<SmtpChannel> {
  const channel = new SmtpChannel(settings)
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
  readonly #total: NodeJS.Timeout
  readonly #tcp: Socket
  #socket: Socket
  #stage: Stage = 'connect'
  #isReady = false
  #isEncrypted = false
  #parser = createReplyParser()
  #replies: Reply[] = []
  #ended: DeliveryError | undefined
  #wake: () => void = () => {}

  constructor(settings: ChannelSettings) {
    this.#settings = settings
    this.#total = setTimeout(() => this.#end('it took too long as a whole'), settings.timeouts.total)
    this.#tcp = connect({ host: settings.host, port: settings.port, noDelay: true })
    this.#socket = this.#tcp
    this.#listen(this.#tcp, 'connect')
    settings.signal?.addEventListener('abort', this.#onAbort)
    if (settings.signal?.aborted === true) this.#onAbort()
  }

  get isEncrypted(): boolean {
    return this.#isEncrypted
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

  async connected(): Promise<void> {
    await this.#until(this.#settings.timeouts.connect, () => this.#isReady || undefined)
  }

  /** Waits for the greeting, which is the one reply that nothing asks for. */
  greeting(): Promise<Reply> {
    this.#stage = 'greeting'
    return this.#reply(this.#settings.timeouts.greeting)
  }

  /** Sends one command line and waits for its reply. */
  async command(stage: Stage, line: string): Promise<Reply> {
    if (/[\r\n\0]/.test(line) || Buffer.byteLength(line) > COMMAND_BYTES_MAX - 2) {
      throw new Error(`Cannot send SMTP command at ${stage}: it has a line break or is too long`)
    }
    const { timeouts } = this.#settings
    return this.#exchange(stage, `${line}\r\n`, stage === 'quit' ? timeouts.quit : timeouts.command)
  }

  /** Sends the message as `dotStuffed` gives it and waits for the server's word on it. */
  async message(bytes: Uint8Array): Promise<Reply> {
    return this.#exchange('message', bytes, this.#settings.timeouts.data)
  }

  /** Goes over to TLS, at once or after the reply to STARTTLS. The handshake checks the certificate if `verify`. */
  async startTls({ verify }: { readonly verify: boolean }): Promise<void> {
    // Bytes from before the handshake are no part of what TLS protects; whoever sits between may have put them there
    // to be read as replies from inside it (CVE-2011-0411 and its kin).
    if (this.#parser.isMidReply || this.#replies.length > 0) {
      this.#end('the server, or somebody between, sent more before TLS began')
    }
    this.#stage = 'tls'
    if (this.#ended !== undefined) throw this.#ended
    const { host, ca, timeouts } = this.#settings
    this.#isReady = false
    this.#socket = connectTls({
      socket: this.#tcp,
      host,
      // Server Name Indication takes no IP addresses (RFC 6066 section 3); the certificate is checked against `host`.
      servername: isIP(host) === 0 ? host : '',
      rejectUnauthorized: verify,
      ...(ca.length > 0 ? { ca: [...getCACertificates('default'), ...ca] } : {}),
    })
    this.#parser = createReplyParser()
    this.#listen(this.#socket, 'secureConnect')
    await this.#until(timeouts.connect, () => this.#isReady || undefined)
    this.#isEncrypted = true
  }

  /** The error for a conversation that cannot go on, at the present stage or another, with the reply that says so. */
  error(problem: string, { temporary, reply, stage = this.#stage }: Refusal): DeliveryError {
    const { host, port, secrets } = this.#settings
    const text = reply === undefined ? undefined : safeReplyText(reply, secrets)
    const found = text === undefined ? '' : `, got ${JSON.stringify(text)}`
    return new DeliveryError(`Cannot deliver mail through "${host}:${port}" at ${stage}: ${problem}${found}`, {
      stage,
      temporary,
      ...(text === undefined ? {} : { reply: text }),
    })
  }

  /** Frees socket, timer and signal. To be called once the conversation is over, however it went. */
  close(): void {
    this.#end('it is over')
    clearTimeout(this.#total)
    this.#settings.signal?.removeEventListener('abort', this.#onAbort)
  }

  #onAbort = (): void => this.#end('the service is stopping')

  /** Once TLS has taken over, only what comes out of it counts; the socket beneath can still report an error. */
  #listen(socket: Socket, readyEvent: 'connect' | 'secureConnect'): void {
    const isCurrent = (): boolean => socket === this.#socket
    const onClose = (): void => {
      if (isCurrent()) this.#end('the server closed the connection')
    }
    socket.on('data', (chunk: Buffer) => {
      if (isCurrent()) this.#read(chunk)
    })
    // Texts of the system and of OpenSSL name hosts and reasons, never content. Some errors have a code only.
    socket.on('error', (error: NodeJS.ErrnoException) => {
      this.#end(`the connection failed (${error.message || error.code})`)
    })
    socket.on('end', onClose)
    socket.on('close', onClose)
    socket.once(readyEvent, () => {
      this.#isReady = true
      this.#wake()
    })
  }

  #read(chunk: Buffer): void {
    if (this.#ended !== undefined) return
    try {
      this.#replies.push(...this.#parser.push(chunk))
      if (this.#replies.length > WAITING_REPLIES_MAX) this.#end('the server sends replies that nothing asked for')
    } catch (error) {
      if (!(error instanceof ReplyError)) throw error
      this.#replies.push(...error.replies.slice(0, WAITING_REPLIES_MAX))
      this.#end(error.message)
    }
    this.#wake()
  }

  async #exchange(stage: Stage, bytes: string | Uint8Array, timeoutMs: number): Promise<Reply> {
    this.#stage = stage
    // A server may announce that it closes, with 421, at any time (RFC 5321 section 3.8). Any other reply ahead of its
    // command would shift all later ones by one: a 250 for the recipient would be taken for one for the message.
    const early = this.#replies[0]
    if (early !== undefined && early.code !== 421) {
      throw this.error('the server spoke out of turn', { temporary: true, reply: early })
    }
    if (early === undefined && this.#ended === undefined) this.#socket.write(bytes)
    return this.#reply(timeoutMs)
  }

  #reply(timeoutMs: number): Promise<Reply> {
    return this.#until(timeoutMs, () => this.#replies.shift())
  }

  /** Resolves as soon as `ready` gives something, which is asked after each event; rejects once the line has ended. */
  #until<T>(timeoutMs: number, ready: () => T | undefined): Promise<T> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => this.#end(`nothing came within ${timeoutMs} ms`), timeoutMs)
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

  #end(problem: string): void {
    if (this.#ended !== undefined) return
    this.#ended = this.error(problem, { temporary: true })
    this.#socket.destroy()
    this.#tcp.destroy()
    this.#wake()
  }
}
