/** What the service prints when it has started. */
import { resolve } from 'node:path'
import { isSea } from 'node:sea'
import type { App } from '../../app.ts'
import { VERSION } from '../../base/version.ts'
import { DECLARED, type Config } from '../../config/settings.ts'
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
  const { isNew, hasDashboard } = facts
  return [
    `Listening on ${url}`,
    ...(hasDashboard && port !== undefined ? [`Dashboard at ${url}/`] : []),
    `Data in ${resolve(config.dataDir)}${isNew ? ' (new)' : ''}`,
    ...mail,
    ...warnings(config, facts),
    ...(isNew ? firstSteps(config) : []),
  ]
}

/** The same for a person on a terminal, who reads the URL in the ready line: one line, and what is unsafe. */
export function terminalLines(config: Config, { mail }: App, facts: StartFacts): readonly string[] {
  const isConsole = config.mail.kind === 'console'
  const { adminEmail } = config
  const data = `${facts.isNew ? 'New data' : 'Data'} in ${resolve(config.dataDir)}`
  const codes = isConsole ? 'the code appears here' : 'the code comes by mail'
  const step =
    adminEmail === undefined
      ? `to become administrator, run in another terminal: ${adminCommand(config)}`
      : `sign in as ${adminEmail}, ${codes}`
  const rest = isConsole ? 'sign-in codes appear here' : (mail[0] ?? '')
  return [
    `${data}; ${facts.isNew ? step : rest}`,
    ...mail.filter((line) => line.startsWith('Warning:')),
    ...warnings(config, facts),
  ]
}

/** As it is typed where the program was started: in a clone, or beside the executable. */
function adminCommand({ dataDir }: Config): string {
  const dataDirFlag = dataDir === DECLARED.dataDir.initial ? '' : ` --data-dir ${JSON.stringify(resolve(dataDir))}`
  return `${isSea() ? 'dateline' : 'npm run dateline --'} admin --email you@example.org --code${dataDirFlag}`
}

function warnings(config: Config, { exposed }: StartFacts): readonly string[] {
  return [
    ...(config.mail.kind === 'console' && !isLoopback(config.host)
      ? [`Warning: other machines can reach ${config.host}, but their users get no code until --mail is set`]
      : []),
    ...exposed.map((text) => `Warning: ${text}`),
    ...(config.rateLimits ? [] : ['Warning: rate limits are off']),
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
