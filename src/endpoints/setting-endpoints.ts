/** The settings, for administrators: what is in use and where it comes from, and changes, which apply immediately. */
import { readEmail } from '../auth/accounts.ts'
import type { Session } from '../auth/sessions.ts'
import { describe, fail } from '../base/failure.ts'
import { isObject } from '../base/json.ts'
import type { JsonSchema } from '../base/json-schema.ts'
import { requireAdministrator, requireSignIn } from '../content/rules/access.ts'
import type { BodyLimit, HttpResponse } from '../http/exchange.ts'
import { readPreconditions, requirePreconditions } from '../http/entity-tag.ts'
import type { Caller } from '../models/caller.ts'
import { editable, EDITABLE_CHARS_MAX, EDITABLE_NAMES, MAIL_NAMES } from '../models/editable-settings.ts'
import { mailTest, serviceSettings, type MailTest, type ServiceSettings } from '../models/responses.ts'
import { endpointOn, type NamedSchema } from './endpoint.ts'
import type { Service } from './service-parts.ts'

const LIMIT: BodyLimit = { bytesMax: 64 * 1024, isShort: true }

const EXAMPLES: Readonly<Record<string, string>> = {
  appName: 'City News',
  mail: 'smtp://news@mail.example.org',
  mailPassword: 'correct horse battery staple',
  mailFrom: 'City News <news@example.org>',
  backupEvery: '24h',
}

const PATCH: NamedSchema = {
  kind: 'schema',
  name: 'SettingChanges',
  schema: changesOf(EDITABLE_NAMES),
}

const TEST: NamedSchema = {
  kind: 'schema',
  name: 'MailSettingsTest',
  schema: {
    type: 'object',
    properties: {
      to: { type: 'string', description: 'The e-mail address of the recipient', examples: ['you@example.org'] },
      settings: changesOf(MAIL_NAMES),
    },
    required: ['to', 'settings'],
  },
}

const endpoint = endpointOn<Service>('Administration')

export const SETTINGS_ENDPOINTS = [
  endpoint({
    route: 'GET /api/v1/admin/settings',
    id: 'serviceSettings',
    access: 'administrator',
    summary: 'Read the settings in use and their origin, with secrets masked',
    response: { kind: 'text', schema: serviceSettings, tagged: true },
    client: 'admin.settings',
    // As they are stored now: another node or a command may have changed them.
  }).handle(async ({ settings }) => tagged(await settings.refresh())),
  endpoint({
    route: 'PATCH /api/v1/admin/settings',
    id: 'changeSettings',
    access: 'administrator',
    summary: 'Change settings, which apply immediately and are stored in the database',
    description:
      'A JSON merge patch: null removes a stored value. A flag, a variable or the settings file wins over it (409). Where ' +
      'the change is one of mail, a test mail goes to your own address first, and nothing is stored unless the mail server ' +
      'accepts it. Another `mail` ends the stored password, unless the same change brings one. Tokens of the API cannot ' +
      'change settings.',
    parameters: ['ifMatch'],
    body: PATCH,
    bodyLimit: LIMIT,
    response: { kind: 'text', schema: serviceSettings, tagged: true },
    errors: ['badRequest', 'invalidInput', 'conflict', 'preconditionFailed', 'tooManyRequests'],
    client: 'admin.changeSettings',
  }).handle(async ({ settings, store, mail: { testMail }, now }, exchange, session) => {
    requireSignIn(session.caller)
    const conditions = readPreconditions(exchange.headers)
    const patch = await exchange.readJson({ isPatch: true, isDoneWhenRead: true })
    const { changes, check, mail, isTested } = await settings.plan(patch)
    if (conditions !== undefined) requirePreconditions(conditions, (await settings.refresh()).version)
    if (isTested) requireDelivered(await testMail(ownEmail(session), session, mail))
    await store.as(session.acting(requireOperating)).changeSettings({ changes, check, now: now() })
    return tagged(await settings.refresh())
  }),
  endpoint({
    route: 'POST /api/v1/admin/settings/test',
    id: 'testMailSettings',
    access: 'administrator',
    summary: 'Send a test mail with other mail settings, which are not stored, and read the SMTP dialogue',
    description:
      'A mail that was not accepted is a 200 as well, with `advice`. A setting that is left out is the one in use, and null ' +
      'tries the value that holds without the stored one. If that is no mail server, the service prints the mail in its terminal.',
    body: TEST,
    bodyLimit: LIMIT,
    response: mailTest,
    errors: ['invalidInput', 'conflict', 'tooManyRequests'],
    client: 'admin.testMailSettings',
  }).handle(async ({ settings, mail: { testMail } }, exchange, session) => {
    requireSignIn(session.caller)
    const { to, settings: patch } = await exchange.readJson({ isDoneWhenRead: true })
    const email = readEmail(to, 'to')
    if (patch === undefined || !isObject(patch)) throw fail('invalidInput', 'settings: expected an object of mail settings')
    const other = Object.keys(patch).find((name) => !MAIL_NAMES.some((one) => one === name))
    if (other !== undefined) throw fail('invalidInput', `settings: expected ${MAIL_NAMES.join(', ')}, found ${describe(other)}`)
    const { mail } = await settings.plan(patch)
    return testMail(email, session, mail)
  }),
]

/** Checked again where it is written. */
function requireOperating(caller: Caller): void {
  requireAdministrator(caller)
  requireSignIn(caller)
}

function ownEmail({ user }: Session): string {
  return String((JSON.parse(user) as { readonly email: unknown }).email)
}

function requireDelivered({ delivered, lines, advice }: MailTest): void {
  if (delivered) return
  const reply = (lines.at(-1) ?? '').replace(/^\* /, '')
  throw fail('invalidInput', `Nothing was stored, because the test mail was not accepted: ${reply}${advice === null ? '' : `: ${advice}`}`)
}

function tagged(settings: ServiceSettings): HttpResponse {
  return { kind: 'data', status: 200, data: JSON.stringify(settings), headers: { ETag: settings.version } }
}

function changesOf(names: typeof EDITABLE_NAMES): JsonSchema {
  return {
    type: 'object',
    properties: Object.fromEntries(names.map((name) => [name, valueOf(name)])),
    additionalProperties: false,
    description: 'Names of settings, each with its new value as the text of its flag, or null for none',
    examples: [{ mailFrom: 'News <news@example.org>' }],
  }
}

function valueOf(name: (typeof EDITABLE_NAMES)[number]): JsonSchema {
  const { kind, min = 0, max, zero, choices } = editable(name)
  if (kind === 'whole') {
    return { type: ['integer', 'string', 'null'], minimum: zero === true ? 0 : min, maximum: max, examples: [max] }
  }
  if (choices !== undefined) return { type: ['string', 'null'], enum: [...choices, null], examples: [choices[0]] }
  return { type: ['string', 'number', 'null'], maxLength: EDITABLE_CHARS_MAX, examples: [EXAMPLES[name] ?? null] }
}
