/** What the service prints when it has started. */
import { resolve } from 'node:path'
import type { App } from '../../app.ts'
import { VERSION } from '../../base/version.ts'
import type { Config } from '../../config/settings.ts'
import type { Terminal } from '../command.ts'

/** One line on stdout, when requests are accepted: for a person on a terminal, for a program elsewhere. */
export function readyLine({ url, port, instance }: App, { stdoutIsTerminal }: Terminal): string {
  if (stdoutIsTerminal) return `Dateline ${VERSION} is ready at ${url}\n`
  return `${JSON.stringify({ event: 'ready', url, port, pid: process.pid, instance, version: VERSION })}\n`
}

interface StartFacts {
  /** Whether the data directory was empty. */
  readonly isNew: boolean
  readonly hasDashboard: boolean
  /** Files that other users can read or change, a sentence each. */
  readonly exposed: readonly string[]
}

/** Where the service listens and stores, what is unsafe, and on a new data directory the first steps. */
export function startLines(config: Config, { url, port, mail }: App, facts: StartFacts): readonly string[] {
  const { isNew, hasDashboard, exposed } = facts
  return [
    `Listening on ${url}`,
    ...(hasDashboard && port !== undefined ? [`Dashboard at ${url}/`] : []),
    `Data in ${resolve(config.dataDir)}${isNew ? ' (new)' : ''}`,
    ...mail,
    ...(config.mail.kind === 'console' && !isLoopback(config.host)
      ? [`Warning: other machines can reach ${config.host}, but their users get no code until --mail is set`]
      : []),
    ...exposed.map((text) => `Warning: ${text}`),
    ...(config.rateLimits ? [] : ['Warning: rate limits are off']),
    ...(isNew ? firstSteps(config) : []),
  ]
}

function firstSteps({ adminEmail }: Config): readonly string[] {
  return [
    adminEmail === undefined
      ? 'To become administrator: dateline admin --email you@example.org --code (in another terminal, same --data-dir)'
      : `Administrator is ${adminEmail}: sign in by e-mail, or get a code with dateline admin --email ${adminEmail} --code`,
    'To load sample content: dateline seed (same --data-dir)',
  ]
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || host.startsWith('127.')
}
