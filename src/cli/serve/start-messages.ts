/** What the service prints when it has started. */
import { resolve } from 'node:path'
import type { App } from '../../app.ts'
import { VERSION } from '../../base/version.ts'
import { DECLARED, type Config } from '../../config/settings.ts'
import { commandHere } from '../../config/command-here.ts'
import type { Terminal } from '../command.ts'

/** One line on stdout, when requests are accepted: for a person on a terminal, for a program elsewhere. */
export function readyLine({ url, port, instance }: App, { stdoutIsTerminal }: Terminal): string {
  if (stdoutIsTerminal) return `Dateline ${VERSION} is ready at ${url}\n`
  return `${JSON.stringify({ event: 'ready', url, port, pid: process.pid, instance, version: VERSION })}\n`
}

/** Where there is no administrator yet: how to become one in the browser. */
export function setupLine(url: string | undefined): string {
  // An address of every network is one to listen on, and not every system can open it.
  return url === undefined ? '' : `Become administrator, once and within an hour, at ${url.replace(EVERY_ADDRESS, '//localhost')}\n`
}

const EVERY_ADDRESS = /\/\/(?:0\.0\.0\.0|\[::\])(?=[:/])/

interface StartFacts {
  /** Whether the data directory was empty. */
  readonly isNew: boolean
  readonly hasDashboard: boolean
  /** Whether an address that makes the first administrator in the browser is printed as well. */
  readonly hasSetupUrl: boolean
  /** Settings that need attention: files that other users can read, ignored variables; a sentence each. */
  readonly cautions: readonly string[]
}

/** Where the service listens and stores, what is unsafe, and on a new data directory the first steps. */
export function startLines(config: Config, { url, port, mail, threads }: App, facts: StartFacts): readonly string[] {
  const { isNew, hasDashboard } = facts
  return [
    `Listening on ${url}${threads === 1 ? '' : ` with ${threads} threads`}`,
    ...(hasDashboard && port !== undefined ? [`Dashboard at ${url}/`] : []),
    `Data in ${resolve(config.dataDir)}${isNew ? ' (new)' : ''}`,
    ...mail,
    ...warnings(config, facts),
    ...(isNew ? firstSteps(config, port) : []),
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
      ? `to become administrator${facts.hasSetupUrl ? ' without a browser on this machine' : ''}, run in another terminal: ${adminCommand(config)}`
      : `sign in as ${adminEmail}, ${codes}`
  const rest = isConsole ? 'sign-in codes appear here' : (mail[0] ?? '')
  return [
    `${data}; ${facts.isNew ? step : rest}`,
    ...mail.filter((line) => line.startsWith('Warning:')),
    ...warnings(config, facts),
  ]
}

function adminCommand(config: Config): string {
  return commandHere(`admin --email ${config.adminEmail ?? 'you@example.org'} --code`, config)
}

function warnings(config: Config, { cautions }: StartFacts): readonly string[] {
  return [
    ...(config.mail.kind === 'console' && !isLoopback(config.host)
      ? [`Warning: other machines can reach ${config.host}, but their users get no code until --mail is set`]
      : []),
    ...cautions.map((text) => `Warning: ${text}`),
    ...(config.rateLimits ? [] : ['Warning: rate limits are off']),
  ]
}

function firstSteps(config: Config, port: number | undefined): readonly string[] {
  const { adminEmail } = config
  // The sample names its pictures by the address of the service.
  const portFlag = port === undefined || port === DECLARED.port.initial ? '' : ` --port ${port}`
  return [
    adminEmail === undefined
      ? `To become administrator, in another terminal: ${adminCommand(config)}`
      : `Administrator is ${adminEmail}: sign in by e-mail, or get a code with ${adminCommand(config)}`,
    `To load sample content: ${commandHere(`seed${portFlag}`, config)}`,
  ]
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || host.startsWith('127.')
}
