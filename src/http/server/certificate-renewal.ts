/**
 * Taking a renewed certificate while the server runs: when it is asked to, and otherwise once an hour when a file has
 * changed, since a renewal that forgets to tell us would be noticed only when the old certificate has expired. A
 * certificate that cannot be used changes nothing but the log.
 */
import { statSync } from 'node:fs'
import type { Clock } from '../../base/clock.ts'
import { isoDate } from '../../base/dates.ts'
import { DAY_MS, HOUR_MS } from '../../base/duration.ts'
import type { Log } from '../../base/log.ts'
import { systemReason } from '../../base/system-error.ts'
import { CertificateError, loadCertificate, type Certificate, type CertificateFiles } from './certificate.ts'

const LOOK_MS = HOUR_MS
/** An authority that renews does it a month before; what has not come by now needs a person. */
const WARNED_MS = 14 * DAY_MS

export interface CertificateRenewal {
  /** The one that was read at start. */
  readonly first: Certificate
  /** Reads the files again and gives what they hold, or logs why they cannot be used. */
  reload(files: CertificateFiles): void
  /** Does the same where a file has changed since it was last read. */
  look(): void
  stop(): void
}

export interface RenewalOptions {
  readonly files: CertificateFiles
  readonly now: Clock
  readonly log: Log
  /** Takes a new certificate. */
  readonly use: (certificate: Certificate) => void
}

/** Reads the certificate and watches over it. Throws CertificateError where the first one cannot be used. */
export function startRenewal({ files: initial, now, log, use }: RenewalOptions): CertificateRenewal {
  let files = initial
  let seen = stampOf(files)
  let current = loadCertificate(files, now())
  let warnedAt = -Infinity
  const warn = (): void => {
    if (current.expiresAt - now() > WARNED_MS || now() - warnedAt < DAY_MS) return
    warnedAt = now()
    log.warn('certificate.expires', { expiresAt: isoDate(current.expiresAt) })
  }
  const reload = (next: CertificateFiles): void => {
    files = next
    seen = stampOf(files)
    try {
      current = loadCertificate(files, now())
      use(current)
      log.info('certificate.loaded', { expiresAt: isoDate(current.expiresAt) })
    } catch (error) {
      if (!(error instanceof CertificateError)) throw error
      log.error('certificate.kept', { reason: error.message, expiresAt: isoDate(current.expiresAt) })
    }
    warn()
  }
  const look = (): void => {
    if (stampOf(files) === seen) warn()
    else reload(files)
  }
  warn()
  const timer = setInterval(look, LOOK_MS)
  timer.unref()
  return { first: current, reload, look, stop: () => clearInterval(timer) }
}

/** Changes when a file is written or replaced, or cannot be looked at any more. */
function stampOf({ certFile, keyFile }: CertificateFiles): string {
  const stamps = [certFile, keyFile].map((file) => {
    try {
      const { mtimeMs, size, ino } = statSync(file)
      return `${mtimeMs} ${size} ${ino}`
    } catch (error) {
      return systemReason(error) // Reading the certificate tells it; a look by the clock must end nothing.
    }
  })
  return stamps.join('; ')
}
