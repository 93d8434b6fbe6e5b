/**
 * Loads a renewed certificate while the server runs: on a signal, and otherwise once an hour when a file has changed,
 * since a renewal that sends no signal would be noticed only when the old certificate has expired. A certificate that
 * cannot be used is logged and otherwise ignored.
 */
import { statSync } from 'node:fs'
import type { Clock } from '../base/clock.ts'
import { isoDate } from '../base/dates.ts'
import { DAY_MS } from '../base/duration.ts'
import type { Log } from '../base/log.ts'
import { systemReason } from '../base/system-error.ts'
import { CertificateError, loadCertificate, type Certificate, type CertificateFiles } from './certificate.ts'

/** Automatic renewals come a month before; without one by now an operator has to act. */
const WARNED_MS = 14 * DAY_MS

/** What a renewal has in use. */
export interface KeptCertificate {
  readonly files: CertificateFiles
  readonly seen: string
  readonly current: Certificate
}

/**
 * Reads the certificate. Throws CertificateError where it cannot be used. With `kept`, that of a run before is the first one.
 */
export function createRenewal(
  initial: CertificateFiles,
  { now, log, kept }: { readonly now: Clock; readonly log: Log; readonly kept?: KeptCertificate | undefined },
) {
  let { files, seen, current } = kept ?? { files: initial, seen: stampOf(initial), current: loadCertificate(initial, now()) }
  const listeners = new Set<(certificate: Certificate) => void>()
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
      for (const listener of listeners) listener(current)
      log.info('certificate.loaded', { expiresAt: isoDate(current.expiresAt) })
    } catch (error) {
      if (!(error instanceof CertificateError)) throw error
      log.error('certificate.kept', { reason: error.message, expiresAt: isoDate(current.expiresAt) })
    }
    warn()
  }
  const check = (): void => {
    if (stampOf(files) === seen) warn()
    else reload(files)
  }
  warn()
  return {
    /** The one in use. */
    current: (): Certificate => current,
    /** Called with each newer one. */
    onChange: (listener: (certificate: Certificate) => void): void => void listeners.add(listener),
    /** Reads the files again, and logs why they cannot be used where they cannot. */
    reload,
    /** The same where a file has changed since it was last read. */
    check,
    /** For the renewal of a next run: neither what was reloaded nor a file that is gone since changes what is in use. */
    kept: (): KeptCertificate => ({ files, seen, current }),
  }
}

/** Differs after a file was written, replaced or made unreadable. */
function stampOf({ certFile, keyFile }: CertificateFiles): string {
  const stamps = [certFile, keyFile].map((file) => {
    try {
      const { mtimeMs, size, ino } = statSync(file)
      return `${mtimeMs} ${size} ${ino}`
    } catch (error) {
      return systemReason(error) // Reported when the certificate is read; a periodic check must not throw.
    }
  })
  return stamps.join('; ')
}
