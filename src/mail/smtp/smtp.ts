/**
 * The SMTP client: delivers mails through one of the servers that the operator named. They are tried in turn until one
 * accepts the session: what fails before MAIL is about the server. After that it is about the mail, and a second server
 * would be asked to overrule the first.
 */
import { randomBytes } from 'node:crypto'
import { createSecureContext, getCACertificates, type SecureContext } from 'node:tls'
import { DeliveryError, type SendOptions } from '../delivery/delivery-error.ts'
import { createSessionPool, PoolError, type PoolLimits } from './session-pool.ts'
import { createAttempt, type SmtpAttempt } from './smtp-attempt.ts'
import type { Login } from './smtp-auth.ts'
import { envelopeOf, type OutgoingMail } from './smtp-envelope.ts'
import { smtpError, type SmtpServer } from './smtp-error.ts'
import type { TlsMode } from './smtp-policy.ts'
import { openSession, type SmtpSession } from './smtp-session.ts'
import { SMTP_TIMEOUTS, type SmtpTimeouts } from './smtp-timeouts.ts'

const POOL_LIMITS: PoolLimits = { sessions: 4, mailsPerSession: 100, idleMs: 20_000, queued: 1_000 }
const NONCE_BYTES = 24

export interface SmtpSettings {
  /** Tried in turn; at least one. */
  readonly servers: readonly SmtpServer[]
  readonly tls: {
    readonly mode: TlsMode
    /** Whether the certificate must be valid. Without that, a connection that leaves this machine is rejected. */
    readonly verify: boolean
    /** PEM certificates trusted beside those that Node trusts. */
    readonly ca?: readonly string[]
    /** The name that the certificate must have, where that is not the server's host. */
    readonly name?: string
  }
  /** None for a relay that accepts us without. */
  readonly login?: Login
  /** Whether PLAIN, LOGIN and XOAUTH2 may go unencrypted. */
  readonly cleartextLogin: boolean
  readonly timeouts?: Partial<SmtpTimeouts>
  readonly limits?: Partial<PoolLimits>
}

export type SmtpClient = ReturnType<typeof createSmtpClient>

export function createSmtpClient(settings: SmtpSettings) {
  if (settings.servers.length === 0) throw new Error('Cannot create SMTP client: expected a server, found none')
  const timeouts = { ...SMTP_TIMEOUTS, ...settings.timeouts }
  const pool = createSessionPool({ ...POOL_LIMITS, ...settings.limits })
  const sessionSettings = sessionSettingsOf(settings, timeouts)
  const servers = settings.servers.map((server, at) => ({ server, at }))
  /** The index of the server that accepted the last session: the next one starts there. */
  let preferred = 0
  const serversInTurn = () => [...servers.slice(preferred), ...servers.slice(0, preferred)]

  /** A session with the first server that accepts it. */
  const openAny = async (attempt: SmtpAttempt): Promise<SmtpSession> => {
    const errors: DeliveryError[] = []
    for (const { server, at } of serversInTurn()) {
      try {
        const session = await openSession(sessionSettings(server), attempt)
        preferred = at
        return session
      } catch (error) {
        if (!(error instanceof DeliveryError)) throw error
        errors.push(error)
        // A password that one server rejected is not sent to the next.
        const isFinal = error.stage === 'auth' && (error.code ?? 0) >= 500
        if (isFinal || attempt.abortReason !== undefined) break
      }
    }
    throw combined(errors)
  }

  return {
    /**
     * Delivers one mail; resolves with the server's reply to it. Rejects with a DeliveryError after at most
     * `timeouts.total` (and with another Error only for a message that breaks our own rules; see dotStuffed).
     */
    async deliver(mail: OutgoingMail, options: SendOptions = {}): Promise<{ reply: string }> {
      const envelope = envelopeOf(mail)
      const attempt = createAttempt(options, timeouts.total)
      try {
        const reply = await pool.use(attempt, {
          open: () => openAny(attempt),
          work: (session) => session.deliver(envelope),
          canRetry: (error, session) => attempt.abortReason === undefined && wasDead(error, session),
        })
        return { reply }
      } catch (error) {
        if (!(error instanceof PoolError)) throw error
        throw smtpError(serversInTurn()[0]!.server, error.message, { stage: 'connect', temporary: true })
      } finally {
        attempt.close()
      }
    },
    /** Opens a session with each server, as for a mail, and quits. Rejects with the first DeliveryError. */
    async probe(): Promise<void> {
      for (const server of settings.servers) {
        const attempt = createAttempt({}, timeouts.total)
        try {
          const session = await openSession(sessionSettings(server), attempt)
          await session.quit()
        } finally {
          attempt.close()
        }
      }
    },
    /** Aborts running attempts with a temporary error and quits all sessions. */
    close: pool.close,
  }
}

function sessionSettingsOf(settings: SmtpSettings, timeouts: SmtpTimeouts) {
  const { tls, login, cleartextLogin } = settings
  const { mode, verify, ca = [], name } = tls
  const nonce = (): string => randomBytes(NONCE_BYTES).toString('base64')
  let context: SecureContext | undefined
  /** Made once: parsing Node's own certificates, a hundred and more, takes time. */
  const secureContext = (): SecureContext => {
    context ??= createSecureContext(ca.length > 0 ? { ca: [...getCACertificates('default'), ...ca] } : {})
    return context
  }
  return (server: SmtpServer): Parameters<typeof openSession>[0] => {
    const { host } = server
    return { server, host, timeouts, tlsName: name ?? host, secureContext, mode, verify, login, cleartextLogin, nonce }
  }
}

/** Whether a session failed before the message was started, without a word about the mail. */
function wasDead(error: unknown, session: SmtpSession): boolean {
  if (!(error instanceof DeliveryError) || session.isOpen || session.hasStartedMessage) return false
  return error.code === undefined || error.code === 421
}

/** One error for all servers: the last one's, with the messages of the others in front. */
function combined(errors: readonly DeliveryError[]): DeliveryError {
  const last = errors.at(-1)
  if (last === undefined) throw new Error('Cannot deliver mail: no server was tried')
  if (errors.length === 1) return last
  return new DeliveryError(errors.map(({ message }) => message).join('; then: '), last)
}
