/**
 * The SMTP client: hands mails to one of the servers that the operator named.
 *
 * The bytes are read by replies.ts, sockets and time are smtp-channel.ts, a conversation begins in smtp-hello.ts and
 * goes on in smtp-session.ts, sessions are kept by session-pool.ts, and what we insist on is smtp-policy.ts.
 *
 * Servers are tried in turn until one takes us in: what goes wrong before MAIL is about the server. From then on it is
 * about the mail, and a second server would be asked to overrule the first.
 */
import { randomBytes } from 'node:crypto'
import { createSecureContext, getCACertificates, type SecureContext } from 'node:tls'
import { DeliveryError } from '../delivery/delivery-error.ts'
import { PoolError, type PoolLimits, SessionPool } from './session-pool.ts'
import { type AttemptOptions, SmtpAttempt } from './smtp-attempt.ts'
import type { Login, TokenLogin } from './smtp-auth.ts'
import { type Envelope, envelopeOf, type OutgoingMail } from './smtp-envelope.ts'
import { type SmtpServer, smtpFailure } from './smtp-failure.ts'
import type { TlsMode } from './smtp-policy.ts'
import { openSession, type SmtpSession } from './smtp-session.ts'
import { SMTP_TIMEOUTS, type SmtpTimeouts } from './smtp-timeouts.ts'

const POOL_LIMITS: PoolLimits = { sessions: 4, mailsPerSession: 100, restMs: 20_000, waiting: 1_000 }
const NONCE_BYTES = 24

export interface SmtpSettings {
  /** Tried in turn; at least one. */
  readonly servers: readonly SmtpServer[]
  readonly tls: {
    readonly mode: TlsMode
    /** Whether the certificate must be valid. Without that, a connection that leaves this machine is refused. */
    readonly verify: boolean
    /** PEM certificates trusted beside those that Node trusts. */
    readonly ca?: readonly string[]
    /** The name that the certificate must have, where that is not the server's host. */
    readonly name?: string
  }
  /** None for a relay that knows us otherwise. */
  readonly login?: Login | TokenLogin
  /** Whether PLAIN, LOGIN and XOAUTH2 may go unencrypted. */
  readonly cleartextLogin: boolean
  readonly timeouts?: Partial<SmtpTimeouts>
  readonly limits?: Partial<PoolLimits>
}

export interface SmtpClient {
  /**
   * Hands over one mail; resolves with the server's reply to it. Rejects with a DeliveryError after at most
   * `timeouts.total` (and with another Error only for a message that breaks our own rules; see dotStuffed).
   */
  deliver(mail: OutgoingMail, options?: AttemptOptions): Promise<{ reply: string }>
  /** Says hello to each server and logs in, as for a mail, and takes leave. Rejects with the first DeliveryError. */
  probe(): Promise<void>
  /** Ends what is under way with a temporary error and takes leave of the servers. */
  close(): Promise<void>
}

/** Opens the client. It connects when there is a mail. */
export function openSmtpClient(settings: SmtpSettings): SmtpClient {
  return new PooledClient(settings)
}

class PooledClient implements SmtpClient {
  readonly #settings: SmtpSettings
  readonly #timeouts: SmtpTimeouts
  readonly #pool: SessionPool
  #secureContext: SecureContext | undefined
  /** Where in the list to begin: at the server that took us in last. */
  #preferred = 0

  constructor(settings: SmtpSettings) {
    if (settings.servers.length === 0) throw new Error('Cannot open SMTP client: expected a server, got none')
    this.#settings = settings
    this.#timeouts = { ...SMTP_TIMEOUTS, ...settings.timeouts }
    this.#pool = new SessionPool({ ...POOL_LIMITS, ...settings.limits })
  }

  async deliver(mail: OutgoingMail, options: AttemptOptions = {}): Promise<{ reply: string }> {
    const envelope = envelopeOf(mail)
    const attempt = new SmtpAttempt(options, this.#timeouts.total)
    try {
      return { reply: await this.#attempt(envelope, attempt) }
    } catch (error) {
      if (!(error instanceof PoolError)) throw error
      throw smtpFailure(this.#serversInTurn()[0]!.server, error.message, { stage: 'connect', temporary: true })
    } finally {
      attempt.close()
    }
  }

  async probe(): Promise<void> {
    for (const server of this.#settings.servers) {
      const attempt = new SmtpAttempt({}, this.#timeouts.total)
      try {
        const session = await openSession(this.#sessionSettings(server), attempt)
        await session.quit()
      } finally {
        attempt.close()
      }
    }
  }

  close(): Promise<void> {
    return this.#pool.close()
  }

  #attempt(envelope: Envelope, attempt: SmtpAttempt): Promise<string> {
    return this.#pool.use(attempt, {
      open: () => this.#open(attempt),
      work: (session) => session.deliver(envelope),
      mayRepeat: (error, session) => attempt.problem === undefined && isDead(error, session),
    })
  }

  /** A session with the first server that takes us in, beginning with the one that did last. */
  async #open(attempt: SmtpAttempt): Promise<SmtpSession> {
    const problems: DeliveryError[] = []
    for (const { server, at } of this.#serversInTurn()) {
      try {
        const session = await openSession(this.#sessionSettings(server), attempt)
        this.#preferred = at
        return session
      } catch (error) {
        if (!(error instanceof DeliveryError)) throw error
        problems.push(error)
        // A password that one server refused is not shown to the next.
        const isFinal = error.stage === 'auth' && (error.code ?? 0) >= 500
        if (isFinal || attempt.problem !== undefined) break
      }
    }
    throw together(problems)
  }

  #serversInTurn(): readonly { readonly server: SmtpServer; readonly at: number }[] {
    const servers = this.#settings.servers.map((server, at) => ({ server, at }))
    return [...servers.slice(this.#preferred), ...servers.slice(0, this.#preferred)]
  }

  #sessionSettings(server: SmtpServer): Parameters<typeof openSession>[0] {
    const { tls, login, cleartextLogin } = this.#settings
    const { host } = server
    const { mode, verify, name: tlsName = host } = tls
    const nonce = (): string => randomBytes(NONCE_BYTES).toString('base64')
    return {
      channel: { server, timeouts: this.#timeouts, tlsName, secureContext: () => this.#context() },
      hello: { host, mode, verify, login, cleartextLogin, nonce },
    }
  }

  /** Made once: node's own certificates are a hundred and more to parse. */
  #context(): SecureContext {
    const { ca = [] } = this.#settings.tls
    const trusted = ca.length > 0 ? { ca: [...getCACertificates('default'), ...ca] } : {}
    this.#secureContext ??= createSecureContext(trusted)
    return this.#secureContext
  }
}

/** Whether a session failed before the mail got anywhere, without a word about the mail. */
function isDead(error: unknown, session: SmtpSession): boolean {
  if (!(error instanceof DeliveryError) || session.isOpen || session.hasBegunMessage) return false
  return error.code === undefined || error.code === 421
}

/** One error for all servers: the last one's, with what the others said in front. */
function together(errors: readonly DeliveryError[]): DeliveryError {
  const last = errors.at(-1)
  if (last === undefined) throw new Error('Cannot deliver mail: no server was tried')
  if (errors.length === 1) return last
  return new DeliveryError(errors.map(({ message }) => message).join('; then: '), last)
}
