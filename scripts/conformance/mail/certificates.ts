/** A certificate authority for one run, and the mail server's certificate. Both are removed with their directory. */
import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { NotAvailable } from '../conformance.ts'

export interface Certificates {
  /** PEM. */
  readonly ca: string
  /** PEM; for `localhost` and `mail.example.test`, and for no IP address. */
  readonly certificate: string
  readonly key: string
}

/** Makes both with openssl. Throws NotAvailable. */
export function makeCertificates(directory: string): Certificates {
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  const file = (name: string): string => join(directory, name)
  const openssl = (...args: string[]): void => {
    try {
      execFileSync('openssl', args, { cwd: directory, stdio: 'pipe' })
    } catch (error) {
      throw new NotAvailable(`openssl failed: ${error instanceof Error ? error.message : String(error)}`)
    }
  }
  const newKey = ['-newkey', 'rsa:2048', '-nodes']
  const ca = ['-subj', '/O=Dateline/CN=Authority of one run', '-keyout', 'ca-key.pem', '-out', 'ca.pem']
  openssl('req', '-x509', ...newKey, '-days', '2', ...ca)
  openssl('req', ...newKey, '-subj', '/CN=mail.example.test', '-keyout', 'key.pem', '-out', 'request.pem')
  writeFileSync(file('names'), 'subjectAltName=DNS:localhost,DNS:mail.example.test\nbasicConstraints=CA:FALSE\n')
  const signing = ['-CA', 'ca.pem', '-CAkey', 'ca-key.pem', '-CAcreateserial', '-extfile', 'names', '-days', '2']
  openssl('x509', '-req', '-in', 'request.pem', ...signing, '-out', 'certificate.pem')
  return {
    ca: readFileSync(file('ca.pem'), 'utf8'),
    certificate: readFileSync(file('certificate.pem'), 'utf8'),
    key: readFileSync(file('key.pem'), 'utf8'),
  }
}
