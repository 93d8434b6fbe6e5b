/** aiosmtpd in a jail: one process with a port for each mode. */
import { join } from 'node:path'
import { freePorts } from '../../tools/free-ports.ts'
import type { Kit } from './kit.ts'
import { pythonProgram } from './python.ts'
import type { Receiver } from './receiver.ts'

/** The mode of each port, and after the colon the mechanism that is not offered. */
const SERVICES = {
  plain: 'starttls:LOGIN',
  login: 'starttls:PLAIN',
  implicitTls: 'tls',
  withoutTls: 'none',
} as const satisfies Readonly<Record<string, string>>

export type AiosmtpdService = keyof typeof SERVICES

export interface Aiosmtpd extends Receiver {
  readonly ports: Readonly<Record<AiosmtpdService, number>>
}

/** Starts it in the jail. */
export async function startAiosmtpd({ account, certificates, jail }: Kit): Promise<Aiosmtpd> {
  const names = Object.keys(SERVICES) as AiosmtpdService[]
  const numbers = await freePorts(names.length)
  const ports = Object.fromEntries(names.map((name, i) => [name, numbers[i] ?? 0])) as Record<AiosmtpdService, number>
  jail.write('/etc/certificate.pem', certificates.certificate)
  jail.write('/etc/key.pem', certificates.key, 0o600)
  jail.write('/etc/login.json', JSON.stringify(account), 0o600)
  jail.directories('root', '/var/mail/aiosmtpd/new')
  const listeners = names.map((name) => `${ports[name]}:${SERVICES[name]}`)
  jail.start([...pythonProgram(jail, 'aiosmtpd-inbox.py'), ...listeners])
  for (const port of numbers) await jail.listening(port)
  return {
    name: 'aiosmtpd',
    version: jail.run(['/usr/bin/python3', '-c', 'import aiosmtpd; print(aiosmtpd.__version__)']).trim(),
    folder: join(jail.root, 'var/mail/aiosmtpd/new'),
    ports,
    logs: () => jail.printed(),
  }
}
