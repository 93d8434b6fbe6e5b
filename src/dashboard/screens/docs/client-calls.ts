/** What each operation is with the typed client, where that has a method for it. */
import type { CallValues } from './api-call.ts'

type Write = (given: {
  readonly model: string
  readonly id: string
  readonly body: string
  value(name: string): string
}) => string

const listed: Write = ({ model, value }) => {
  const filter = value('filter')
  const limit = value('limit')
  const query = [
    ...(filter === '' ? [] : [`filter: ${filter}`]),
    ...(value('sort') === '' ? [] : [`sort: '${value('sort')}'`]),
    ...(limit === '' ? [] : [`limit: ${limit}`]),
  ]
  return `const { items, cursor } = await client.data('${model}').list({ ${query.join(', ')} })`
}

/** By operationId. A new operation has no line here at first, and its other examples all the same. */
const CALLS: Readonly<Record<string, Write>> = {
  requestCode: ({ body }) => `await client.auth.requestCode(${body})`,
  verifyCode: ({ body }) => `const { user, token } = await client.auth.verifyCode(${body})`,
  signInAnonymously: () => 'const { user, token } = await client.auth.anonymous()',
  me: () => 'const user = await client.auth.me()',
  signOut: () => 'await client.auth.signOut()',
  ownSessions: () => 'const { items } = await client.auth.sessions()',
  endOwnSession: ({ value }) => `await client.auth.endSession('${value('session')}')`,
  endOtherSessions: () => 'const { ended } = await client.auth.endOtherSessions()',
  deleteAccount: () => 'await client.auth.deleteAccount()',
  list: listed,
  query: ({ model, body }) => `const { items, cursor } = await client.data('${model}').list(${body})`,
  explain: ({ model, body }) => `const plan = await client.data('${model}').explain(${body})`,
  check: ({ model, body }) => `const { problems } = await client.data('${model}').check(${body})`,
  create: ({ model, body }) => `const { document, etag } = await client.data('${model}').create(${body})`,
  read: ({ model, id }) => `const { document, etag } = await client.data('${model}').get('${id}')`,
  replace: ({ model, id, body }) =>
    `const { document, etag } = await client.data('${model}').replace('${id}', ${body})`,
  remove: ({ model, id }) => `await client.data('${model}').remove('${id}')`,
  overview: () => 'const overview = await client.dashboard.overview()',
  dashboardSetup: () => 'const setup = await client.dashboard.setup()',
  serviceStatus: () => 'const status = await client.admin.status()',
  serviceSettings: () => 'const { items } = await client.admin.settings()',
  logLines: () => "const { items } = await client.admin.log({ level: 'warn' })",
  auditTrail: () => "const { items, cursor } = await client.admin.audit({ filter: { event: 'user.role-changed' } })",
  outbox: () => "const { items } = await client.admin.outbox({ state: 'failed' })",
  retryMail: ({ id }) => `const { state } = await client.admin.retryMail('${id}')`,
  testMail: ({ body }) => `const { delivered, lines, advice } = await client.admin.testMail(${body})`,
  backups: () => 'const { items } = await client.admin.backups()',
  makeBackup: () => 'const backup = await client.admin.makeBackup()',
  downloadBackup: ({ value }) => `const file = await client.admin.downloadBackup('${value('name')}')`,
  sessions: ({ id }) => `const { items } = await client.admin.sessions('${id}')`,
  endSession: ({ id, value }) => `await client.admin.endSession('${id}', '${value('session')}')`,
  endSessions: ({ id }) => `const { ended } = await client.admin.endSessions('${id}')`,
}

export function clientCall(operationId: string, { parameters, body }: CallValues): string | undefined {
  if (!Object.hasOwn(CALLS, operationId)) return undefined
  const value = (name: string): string => parameters.get(name) ?? ''
  return CALLS[operationId]?.({ model: value('model') || 'headline', id: value('id'), body, value })
}
