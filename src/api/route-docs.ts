/**
 * What people are told of each route, beside the table that serves it. A test holds both together: no route without
 * its words, no words without their route.
 */
import type { FailureCode } from '../base/failure.ts'
import { DOWNLOADS_MAX, DOWNLOADS_PER_USER_MAX } from './download-slots.ts'
import type { JsonSchema } from './openapi/openapi-schema.ts'

/** A parameter of the query, or a header, that some routes share. */
export type ParameterName =
  'model' | 'filter' | 'sort' | 'limit' | 'cursor' | 'newest' | 'level' | 'state' | 'id' | 'email' | 'auditFilter' | 'auditSort' | 'ifMatch' | 'ifNoneMatch'

export interface RouteDoc {
  readonly tag: 'Accounts' | 'Data' | 'Dashboard' | 'Administration' | 'Operation'
  readonly id: string
  readonly summary: string
  readonly description?: string
  /** For whom it is, where that is not what the models say of one of their operations. */
  readonly whoMay?: string
  /** Whether a token is wanted, may be there, or is of no use. */
  readonly token: 'required' | 'optional' | 'none'
  readonly parameters?: readonly ParameterName[]
  /** A name in `components.schemas`, such as that of a declaration in replies.ts, or `document` for that of the model. */
  readonly body?: string
  readonly reply:
    /** `tagged` replies name the version of their document in an ETag, `named` ones the file to save them as. */
    | { readonly status: 200 | 201; readonly data: string; readonly tagged?: true }
    | { readonly status: 202 | 204 }
    | { readonly status: 200; readonly type: string; readonly schema: JsonSchema; readonly named?: true }
  /** Besides those that every route can have. */
  readonly errors: readonly FailureCode[]
}

const ASKED = ['unauthorized', 'tooManyRequests'] as const
const ADMINS = ['unauthorized', 'forbidden', 'networkError'] as const

const INSTANCE_SAMPLE = 'b1946ac9-2f0d-4c3e-8a57-6d1f0e9c8b7a'
const METRICS_SAMPLE = '# TYPE dateline_requests_total counter\ndateline_requests_total{method="GET",status="200"} 12\n'

export const ROUTE_DOCS: Readonly<Record<string, RouteDoc>> = {
  'POST /api/v1/auth/request-code': {
    tag: 'Accounts',
    id: 'requestCode',
    summary: 'Send a sign-in code by e-mail',
    description: 'The answer is the same whether or not the address has an account. With `isDashboardLogin` it must.',
    token: 'none',
    body: 'RequestCode',
    reply: { status: 202 },
    errors: ['invalidInput', 'unauthorized', 'forbidden', 'tooManyRequests', 'networkError'],
  },
  'POST /api/v1/auth/verify-code': {
    tag: 'Accounts',
    id: 'verifyCode',
    summary: 'Sign in with a code',
    description:
      'A guest who sends the own token becomes the account, or is merged into the one that is there. After five wrong ' +
      'tries of a client a code is void for that client, after fifteen of all clients for all. A client with too many ' +
      'wrong codes in an hour gets 429, for right ones too.',
    token: 'optional',
    body: 'VerifyCode',
    reply: { status: 200, data: 'SignedIn' },
    errors: ['invalidInput', 'unauthorized', 'forbidden', 'tooManyRequests'],
  },
  'POST /api/v1/auth/anonymous': {
    tag: 'Accounts',
    id: 'signInAnonymously',
    summary: 'Sign in as a guest',
    description: 'It needs no body; one of JSON has to be an object.',
    token: 'none',
    reply: { status: 200, data: 'SignedIn' },
    errors: ['invalidInput', 'payloadTooLarge', 'tooManyRequests'],
  },
  'GET /api/v1/auth/me': {
    tag: 'Accounts',
    id: 'me',
    summary: 'Read the user of the token',
    token: 'required',
    reply: { status: 200, data: 'User' },
    errors: ['unauthorized'],
  },
  'POST /api/v1/auth/sign-out': {
    tag: 'Accounts',
    id: 'signOut',
    summary: 'End the session: the token is refused from now on',
    token: 'required',
    reply: { status: 204 },
    errors: ['unauthorized'],
  },
  'GET /api/v1/auth/sessions': {
    tag: 'Accounts',
    id: 'ownSessions',
    summary: 'List where the own account is signed in, the newest first',
    token: 'required',
    reply: { status: 200, data: 'UserSessions' },
    errors: ASKED,
  },
  'DELETE /api/v1/auth/sessions': {
    tag: 'Accounts',
    id: 'endOtherSessions',
    summary: 'End every other session of the own account; the one that asks stays',
    token: 'required',
    reply: { status: 200, data: 'SessionsEnded' },
    errors: ASKED,
  },
  'DELETE /api/v1/auth/sessions/:session': {
    tag: 'Accounts',
    id: 'endOwnSession',
    summary: 'End one session of the own account, which may be the one that asks',
    token: 'required',
    reply: { status: 204 },
    errors: [...ASKED, 'notFound'],
  },
  'DELETE /api/v1/auth/delete-account': {
    tag: 'Accounts',
    id: 'deleteAccount',
    summary: 'Delete the own account and all that belongs to it, for good',
    token: 'required',
    reply: { status: 204 },
    errors: ['unauthorized'],
  },
  'GET /api/v1/data': {
    tag: 'Data',
    id: 'list',
    summary: 'List documents of a model',
    token: 'required',
    parameters: ['model', 'filter', 'sort', 'limit', 'cursor'],
    reply: { status: 200, data: 'Page' },
    errors: [...ASKED, 'badRequest', 'forbidden', 'methodNotAllowed', 'networkError'],
  },
  'POST /api/v1/data': {
    tag: 'Data',
    id: 'create',
    summary: 'Create a document',
    token: 'required',
    parameters: ['model'],
    body: 'document',
    reply: { status: 201, data: 'Document', tagged: true },
    errors: [...ASKED, 'badRequest', 'invalidInput', 'forbidden', 'methodNotAllowed', 'conflict'],
  },
  'POST /api/v1/data/query': {
    tag: 'Data',
    id: 'query',
    summary: 'List documents of a model, for filters that do not fit a URL',
    token: 'required',
    parameters: ['model'],
    body: 'Query',
    reply: { status: 200, data: 'Page' },
    errors: [...ASKED, 'badRequest', 'invalidInput', 'forbidden', 'methodNotAllowed', 'networkError'],
  },
  'POST /api/v1/data/explain': {
    tag: 'Data',
    id: 'explain',
    summary: 'Tell how a list would be answered: its index, its SQL, the rows it reads',
    description: 'The query really runs, on the stored data, and is given up shortly before its deadline.',
    whoMay: 'publishers and administrators, of the models that they may list',
    token: 'required',
    parameters: ['model'],
    body: 'Query',
    reply: { status: 200, data: 'QueryPlan' },
    errors: [...ASKED, 'badRequest', 'invalidInput', 'forbidden', 'methodNotAllowed', 'networkError'],
  },
  'POST /api/v1/data/check': {
    tag: 'Data',
    id: 'check',
    summary: 'Tell all that creating or, with an id, replacing a document would refuse, and write nothing',
    description: 'At most fifty problems. `path` is empty where the whole body is meant.',
    token: 'required',
    parameters: ['model', 'id'],
    body: 'document',
    reply: { status: 200, data: 'DocumentProblems' },
    errors: [...ASKED, 'badRequest', 'invalidInput', 'forbidden', 'notFound', 'methodNotAllowed'],
  },
  'GET /api/v1/data/:id': {
    tag: 'Data',
    id: 'read',
    summary: 'Read a document',
    description:
      'With `If-None-Match`, 304 without a body where the client has it already. With the setting ' +
      '`--public-remote-config`, `remote_config` is read without a token.',
    token: 'required',
    parameters: ['model', 'ifMatch', 'ifNoneMatch'],
    reply: { status: 200, data: 'Document', tagged: true },
    errors: [...ASKED, 'badRequest', 'forbidden', 'notFound', 'methodNotAllowed', 'preconditionFailed'],
  },
  'PUT /api/v1/data/:id': {
    tag: 'Data',
    id: 'replace',
    summary: 'Replace a document by a whole one',
    description: 'With the ETag of what was read in `If-Match`, nothing that somebody else changed since is lost.',
    token: 'required',
    parameters: ['model', 'ifMatch', 'ifNoneMatch'],
    body: 'document',
    reply: { status: 200, data: 'Document', tagged: true },
    errors: [...ASKED, 'badRequest', 'invalidInput', 'forbidden', 'notFound', 'methodNotAllowed', 'preconditionFailed'],
  },
  'DELETE /api/v1/data/:id': {
    tag: 'Data',
    id: 'remove',
    summary: 'Delete a document',
    token: 'required',
    parameters: ['model', 'ifMatch', 'ifNoneMatch'],
    reply: { status: 204 },
    errors: [...ASKED, 'badRequest', 'forbidden', 'notFound', 'methodNotAllowed', 'preconditionFailed'],
  },
  'GET /api/v1/dashboard/overview': {
    tag: 'Dashboard',
    id: 'overview',
    summary: 'Read how many items of each status there are, and how many headlines each hour brought',
    description: 'Hours are those of UTC in the last 31 days that have any headline by its `createdAt`.',
    whoMay: 'publishers and administrators',
    token: 'required',
    reply: { status: 200, data: 'DashboardOverview' },
    errors: ['unauthorized', 'forbidden'],
  },
  'GET /api/v1/dashboard/setup': {
    tag: 'Dashboard',
    id: 'dashboardSetup',
    summary: 'Read what a sign-in page has to know',
    token: 'none',
    reply: { status: 200, data: 'DashboardSetup' },
    errors: ['tooManyRequests', 'networkError'],
  },
  'GET /api/v1/admin/status': {
    tag: 'Administration',
    id: 'serviceStatus',
    summary: 'Read what runs and how it is doing',
    token: 'required',
    reply: { status: 200, data: 'ServiceStatus' },
    errors: ADMINS,
  },
  'GET /api/v1/admin/settings': {
    tag: 'Administration',
    id: 'serviceSettings',
    summary: 'Read the settings in use and where each comes from, with secrets masked',
    token: 'required',
    reply: { status: 200, data: 'ServiceSettings' },
    errors: ADMINS,
  },
  'GET /api/v1/admin/log': {
    tag: 'Administration',
    id: 'logLines',
    summary: 'Read the newest lines of the log',
    token: 'required',
    parameters: ['level', 'newest'],
    reply: { status: 200, data: 'LogLines' },
    errors: [...ADMINS, 'badRequest'],
  },
  'GET /api/v1/admin/audit': {
    tag: 'Administration',
    id: 'auditTrail',
    summary: 'List who did what, the newest first',
    description:
      'Fast are filters and sorts by `time`, `event`, `actor`, `documentId` and `emailHash`. Records are kept for as ' +
      'long as `--audit-days` says, and nothing in the API changes them.',
    token: 'required',
    parameters: ['auditFilter', 'email', 'auditSort', 'limit', 'cursor'],
    reply: { status: 200, data: 'AuditRecords' },
    errors: [...ADMINS, 'badRequest', 'invalidInput', 'tooManyRequests'],
  },
  'GET /api/v1/admin/outbox': {
    tag: 'Administration',
    id: 'outbox',
    summary: 'List the mail that waits and that of the last seven days, the newest first',
    token: 'required',
    parameters: ['state', 'newest'],
    reply: { status: 200, data: 'OutboxMessages' },
    errors: [...ADMINS, 'badRequest'],
  },
  'POST /api/v1/admin/outbox/test': {
    tag: 'Administration',
    id: 'testMail',
    summary: 'Send one mail now, and read what the mail server and we said to each other',
    description: 'It takes half a minute at most. A mail that was not taken is a 200 as well, with `advice`.',
    token: 'required',
    body: 'MailTestBody',
    reply: { status: 200, data: 'MailTest' },
    errors: [...ADMINS, 'invalidInput', 'conflict', 'tooManyRequests'],
  },
  'POST /api/v1/admin/outbox/:id/retry': {
    tag: 'Administration',
    id: 'retryMail',
    summary: 'Try a mail that waits at once',
    token: 'required',
    reply: { status: 200, data: 'OutboxRetry' },
    errors: [...ADMINS, 'notFound', 'conflict'],
  },
  'GET /api/v1/admin/backups': {
    tag: 'Administration',
    id: 'backups',
    summary: 'List the backups in the directory of the service, newest first',
    token: 'required',
    reply: { status: 200, data: 'Backups' },
    errors: ADMINS,
  },
  'POST /api/v1/admin/backups': {
    tag: 'Administration',
    id: 'makeBackup',
    summary: 'Make a backup now; answers when it is made and checked',
    description:
      'As many as `--backup-keep` says are kept of these, apart from those that the service makes by itself.',
    token: 'required',
    reply: { status: 201, data: 'Backup' },
    errors: [...ADMINS, 'conflict'],
  },
  'GET /api/v1/admin/backups/:name': {
    tag: 'Administration',
    id: 'downloadBackup',
    summary: 'Download a backup',
    description: `At most ${DOWNLOADS_MAX} at the same time, ${DOWNLOADS_PER_USER_MAX} of one user.`,
    token: 'required',
    reply: {
      status: 200,
      type: 'application/vnd.sqlite3',
      schema: { type: 'string', description: 'A whole database of SQLite', examples: ['SQLite format 3'] },
      named: true,
    },
    errors: [...ADMINS, 'notFound', 'tooManyRequests'],
  },
  'GET /api/v1/admin/users/:id/sessions': {
    tag: 'Administration',
    id: 'sessions',
    summary: 'List where a user is signed in, the newest first',
    token: 'required',
    reply: { status: 200, data: 'UserSessions' },
    errors: [...ADMINS, 'notFound'],
  },
  'DELETE /api/v1/admin/users/:id/sessions': {
    tag: 'Administration',
    id: 'endSessions',
    summary: 'End every session of a user, and all other tokens',
    token: 'required',
    reply: { status: 200, data: 'SessionsEnded' },
    errors: [...ADMINS, 'notFound'],
  },
  'DELETE /api/v1/admin/users/:id/sessions/:session': {
    tag: 'Administration',
    id: 'endSession',
    summary: 'End one session of a user, which may be the own one',
    token: 'required',
    reply: { status: 204 },
    errors: [...ADMINS, 'notFound'],
  },
  'GET /api/v1/openapi.json': {
    tag: 'Operation',
    id: 'openapi',
    summary: 'Read this description',
    token: 'none',
    reply: { status: 200, type: 'application/json', schema: { type: 'object', examples: [{ openapi: '3.1.0' }] } },
    errors: [],
  },
  'GET /healthz': {
    tag: 'Operation',
    id: 'health',
    summary: 'Ask whether the service is alive, and which run of it answers',
    token: 'none',
    reply: {
      status: 200,
      type: 'application/json',
      schema: {
        type: 'object',
        properties: {
          status: { const: 'ok' },
          instance: { type: 'string', examples: [INSTANCE_SAMPLE] },
          uptimeSeconds: { type: 'integer', minimum: 0, examples: [86400] },
        },
        required: ['status', 'instance', 'uptimeSeconds'],
      },
    },
    errors: [],
  },
  'GET /readyz': {
    tag: 'Operation',
    id: 'ready',
    summary: 'Ask whether the service can do its work; 503 says why not',
    token: 'none',
    reply: {
      status: 200,
      type: 'application/json',
      schema: {
        type: 'object',
        properties: { status: { const: 'ok' }, instance: { type: 'string', examples: [INSTANCE_SAMPLE] } },
        required: ['status', 'instance'],
      },
    },
    errors: [],
  },
  'GET /metrics': {
    tag: 'Operation',
    id: 'metrics',
    summary: 'Read numbers in the text format of Prometheus; from this machine, or as an administrator',
    description:
      'Only an administrator may where the service runs with `--trusted-proxies`, where a proxy passed the request on, ' +
      'and under a name with a dot in it.',
    token: 'optional',
    reply: { status: 200, type: 'text/plain', schema: { type: 'string', examples: [METRICS_SAMPLE] } },
    errors: ['unauthorized', 'forbidden'],
  },
}
