/**
 * All mail settings, combined and checked as a whole before the service starts. Settings that contradict each other are
 * rejected: one without effect means that the operator is mistaken about what the service does.
 */
import { accessSync, constants, statSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import type { Clock } from '../../base/clock.ts'
import { systemReason } from '../../base/system-error.ts'
import type { Mailbox } from '../address.ts'
import { readCaBundle } from '../../base/ca-bundle.ts'
import { type DkimSettings, type MailSigning, readDkimSettings } from './dkim-settings.ts'
import type { ExecCommand } from '../delivery/exec-delivery.ts'
import { rightsWarnings } from './program-rights.ts'
import { type LoginFiles, readMailLogin } from './mail-login.ts'
import type { MailTarget, ServerTarget } from './mail-target.ts'
import { cannotUse, SettingError } from '../../base/setting-file.ts'
import type { SmtpSettings } from '../smtp/smtp.ts'
import { isThisMachine, type TlsMode } from '../smtp/smtp-policy.ts'

export interface MailOptions extends LoginFiles, DkimSettings {
  readonly mail: MailTarget
  readonly mailTls: MailTls | undefined
  readonly mailCa: string | undefined
  readonly mailTlsName: string | undefined
  readonly mailCleartextLogin: boolean
}

export const MAIL_TLS = ['starttls', 'starttls-if-offered', 'none'] as const
export type MailTls = (typeof MAIL_TLS)[number]

/** Where mail goes, with all that delivery needs. */
export type MailRoute =
  | { readonly kind: 'console' }
  | { readonly kind: 'file'; readonly directory: string }
  | { readonly kind: 'exec'; readonly command: ExecCommand }
  | { readonly kind: 'smtp'; readonly settings: SmtpSettings }

export interface MailSettings {
  readonly from: Mailbox
  readonly route: MailRoute
  readonly signing?: MailSigning
  /** One sentence each. */
  readonly warnings: readonly string[]
}

interface Surroundings {
  readonly now: Clock
  readonly environment: Readonly<Record<string, string | undefined>>
}

/** Combines the settings and reads their files. Throws a SettingError. */
export function readMailSettings(options: MailOptions, { now, environment }: Surroundings): MailSettings {
  const { mail, mailFrom: from, mailDkimKey, mailDkimSelector } = options
  if (mail.kind !== 'smtp') rejectServerSettings(options, mail.kind)
  if (mail.kind === 'console' && (mailDkimKey ?? mailDkimSelector) !== undefined) {
    const flag = mailDkimKey === undefined ? '--mail-dkim-selector' : '--mail-dkim-key'
    throw new SettingError(`Cannot use ${flag}: expected a --mail that sends messages, found console:`)
  }
  const { signing, warnings: keyWarnings } = readDkimSettings(options)
  const { route, warnings } = routeTo(mail, options, { now, environment })
  return { from, route, ...(signing === undefined ? {} : { signing }), warnings: [...warnings, ...keyWarnings] }
}

interface Routed {
  readonly route: MailRoute
  readonly warnings: readonly string[]
}

function routeTo(mail: MailTarget, options: MailOptions, { now, environment }: Surroundings): Routed {
  if (mail.kind === 'smtp') return routeToServer(mail, options, now)
  if (mail.kind === 'exec') {
    const { program, args } = mail
    const path = findProgram(program, environment['PATH'])
    return { route: { kind: 'exec', command: { program, args, environment } }, warnings: rightsWarnings(path) }
  }
  return { route: mail, warnings: [] }
}

function routeToServer(mail: ServerTarget, options: MailOptions, now: Clock): Routed {
  const { mailTls, mailCa, mailTlsName, mailCleartextLogin: cleartextLogin } = options
  const isLocal = mail.servers.every(({ host }) => isThisMachine(host))
  if (mail.isImplicit && mailTls !== undefined) {
    throw new SettingError(
      `Cannot use --mail-tls ${mailTls}: expected smtp://… in --mail, found smtps://…, which is TLS from the first byte`,
    )
  }
  const mode: TlsMode = mail.isImplicit ? 'implicit' : (mailTls ?? (isLocal ? 'starttls-if-offered' : 'starttls'))
  if (mode === 'none' && (mailCa ?? mailTlsName) !== undefined) {
    const flag = mailCa === undefined ? '--mail-tls-name' : '--mail-ca'
    throw new SettingError(`Cannot use ${flag}: expected TLS to the mail server, found --mail-tls none`)
  }
  const { login, warnings: loginWarnings } = readMailLogin(mail, options)
  if (cleartextLogin && login === undefined) {
    throw new SettingError('Cannot use --mail-cleartext-login: expected a user in --mail, found none')
  }
  if (cleartextLogin && (mode === 'implicit' || mode === 'starttls')) {
    const found = mode === 'implicit' ? 'smtps://…' : 'that TLS is required'
    throw new SettingError(
      `Cannot use --mail-cleartext-login: expected --mail-tls none or starttls-if-offered, found ${found}`,
    )
  }
  if (mode === 'none' && login !== undefined && 'token' in login && !cleartextLogin) {
    throw new SettingError(
      'Cannot use --mail-token-file: expected TLS to the mail server or --mail-cleartext-login, found --mail-tls none',
    )
  }
  const ca = mailCa === undefined ? undefined : readCaBundle({ flag: '--mail-ca', path: mailCa }, now)
  const tls = {
    mode,
    verify: !isLocal || mode === 'implicit' || mode === 'starttls' || (ca ?? mailTlsName) !== undefined,
    ...(ca === undefined ? {} : { ca: ca.certificates }),
    ...(mailTlsName === undefined ? {} : { name: mailTlsName }),
  }
  const settings = { servers: mail.servers, tls, ...(login === undefined ? {} : { login }), cleartextLogin }
  const warnings = [
    ...(isLocal ? [] : remoteWarnings(options, mode)),
    ...(cleartextLogin && !isLocal ? ['the password or token for the mail server may travel unencrypted'] : []),
    ...loginWarnings,
    ...(ca?.warnings ?? []),
  ]
  return { route: { kind: 'smtp', settings }, warnings }
}

/** Warnings for mail that leaves this machine. */
function remoteWarnings({ mailFrom }: MailOptions, mode: TlsMode): readonly string[] {
  const warnings: string[] = []
  if (mode === 'none') warnings.push('mail leaves this machine unencrypted: anyone who intercepts it can sign in with its codes')
  if (mode === 'starttls-if-offered') {
    warnings.push(
      'mail leaves this machine unencrypted if the server, or an attacker in between, does not offer TLS',
    )
  }
  if (!mailFrom.address.replace(/^.*@/, '').includes('.')) {
    warnings.push(`few servers accept mail from ${mailFrom.address}: set --mail-from to an address of your domain`)
  }
  return warnings
}

function rejectServerSettings(options: MailOptions, kind: 'console' | 'file' | 'exec'): void {
  const given: ReadonlyArray<readonly [string, boolean]> = [
    ['--mail-tls', options.mailTls !== undefined],
    ['--mail-ca', options.mailCa !== undefined],
    ['--mail-tls-name', options.mailTlsName !== undefined],
    ['--mail-cleartext-login', options.mailCleartextLogin],
    ['--mail-password-file', options.mailPasswordFile !== undefined],
    ['--mail-token-file', options.mailTokenFile !== undefined],
  ]
  const [flag] = given.find(([, isGiven]) => isGiven) ?? []
  if (flag === undefined) return
  const found = { console: 'console:', file: 'file:…', exec: 'exec:…' }[kind]
  throw new SettingError(
    `Cannot use ${flag}: expected a mail server in --mail (smtp:// or smtps://), found ${found}`,
  )
}

/** The path of a program. A name without a slash is looked up in PATH, as the system does. Throws a SettingError. */
function findProgram(program: string, path: string | undefined): string {
  // Windows looks in other directories, and tries several extensions.
  if (process.platform === 'win32') return program
  const setting = { flag: '--mail exec:', path: program }
  if (program.includes('/')) {
    const problem = programProblem(program)
    if (problem !== undefined) throw cannotUse(setting, `expected a program that can be run, found ${problem}`)
    return program
  }
  if (path === undefined) return program
  const found = path.split(delimiter).find((one) => programProblem(join(one, program)) === undefined)
  if (found === undefined) throw cannotUse(setting, 'expected a program in one of the directories of PATH, found none of that name')
  return join(found, program)
}

function programProblem(path: string): string | undefined {
  try {
    if (statSync(path).isDirectory()) return 'a directory'
    accessSync(path, constants.X_OK)
    return undefined
  } catch (error) {
    return `none (${systemReason(error)})`
  }
}
