/**
 * The `data` of responses that is not a document, and bodies of requests, in the language of the models. Each export is
 * a record: its name with a capital is the schema in the OpenAPI document, and `ValueOf` makes its type. A name that
 * ends in `Body` is what a client sends. Sizes are bytes, and a list stands in `items`, so that members can be added.
 */
import { LOG_LEVELS } from '../base/log-level.ts'
import { PROBLEM_CODES, PROBLEM_PARAMS } from '../base/problem.ts'
import { audit } from './audit.ts'
import { MESSAGE_STATES } from './message-state.ts'
import {
  boolean,
  choice,
  date,
  embedded,
  list,
  map,
  nullable,
  record,
  text,
  whole,
  type Docs,
  type RecordField,
  type Shape,
  type ValueOf,
} from './schema.ts'
import { user } from './user.ts'

const NEWEST_FIRST = { description: 'The newest first' }
const BACKUP_NAME = { example: 'dateline-20260301T060000Z.db' }
const BACKUP_BYTES = { example: 52_428_800 }

const object = <S extends Shape>(fields: S, docs?: Docs): RecordField<S> => record(fields, 'drop', docs)

export const signedIn = object({
  user: embedded(user),
  token: text({
    description: 'For `Authorization: Bearer …`, until it expires or the session ends',
    example: 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiI2NmYwIn0.c2lnbmF0dXJl',
  }),
})

export const dashboardSetup = object({
  appName: text({ example: 'Dateline' }),
  hasAdministrator: boolean(),
  codesBy: choice(['mail', 'terminal'], {
    description: 'Where sign-in codes go: where no mail is set up, they are printed to the service log',
  }),
  codeMinutes: whole({ description: 'Lifetime of a sign-in code', example: 15 }),
})
export type DashboardSetup = ValueOf<typeof dashboardSetup>

const statusCounts = object({ active: whole(), draft: whole(), archived: whole() })

export const dashboardOverview = object({
  counts: object(
    { headline: statusCounts, topic: statusCounts, source: statusCounts },
    { description: 'Documents of each status' },
  ),
  hours: list(
    object({
      hour: date({ description: 'When the hour begins, in UTC', example: '2026-03-01T11:00:00.000Z' }),
      headlines: whole(),
    }),
    { description: 'Headlines created in each hour of the last 31 days that has any, oldest first' },
  ),
})
export type DashboardOverview = ValueOf<typeof dashboardOverview>

/** `dashboard` counts publishers and administrators. */
const callerCounts = object({ guest: whole(), user: whole(), dashboard: whole() })

const queryCounts = object(
  {
    /** Beside the other requests. */
    inline: whole(),
    /** In a thread of their own. */
    worker: whole(),
    timedOut: whole(),
    refused: whole(),
    refusedBecause: object({
      /** Too many queries of the caller waited. */
      lineFull: whole(),
      /** Too many queries of all callers waited. */
      allFull: whole(),
      waitedTooLong: whole(),
    }),
    /** Whose client left while they waited. */
    abandoned: whole(),
    /** How many had to wait for their turn and came to it, and how long that took them in all. */
    waited: whole(),
    waitedMs: whole(),
    running: callerCounts,
    waiting: callerCounts,
  },
  { description: 'How queries were executed since the start' },
)

const mailStatus = object({
  description: list(text(), { example: ['smtp://mail.example.org'] }),
  counts: object({
    waiting: whole(),
    sending: whole(),
    delivered: whole(),
    failed: whole(),
    expired: whole(),
    superseded: whole(),
  }),
  oldestWaitingAt: nullable(date()),
})

const backupStatus = object({
  everyMs: nullable(whole(), {
    description: 'Milliseconds between automatic backups; null where they are off',
    example: 86_400_000,
  }),
  keep: whole({ description: 'How many automatic backups are kept' }),
  directory: text({ example: '/var/lib/dateline/backups' }),
  last: nullable(object({ name: text(BACKUP_NAME), at: date(), bytes: whole(BACKUP_BYTES) })),
  failure: nullable(object({ at: date(), message: text() }), {
    description: 'Why the last attempt failed; null where it succeeded',
    example: null,
  }),
})

export const serviceStatus = object({
  version: text({ example: '0.1.0' }),
  node: text({ description: 'The version of Node in the program', example: '26.10.0' }),
  platform: text({ example: 'linux-x64' }),
  instance: text({ description: 'As in `X-Dateline-Instance`', example: 'b1946ac9-2f0d-4c3e-8a57-6d1f0e9c8b7a' }),
  startedAt: date({ example: '2026-02-28T06:00:00.000Z' }),
  uptimeSeconds: whole({ example: 108_000 }),
  dataDir: text({ example: '/var/lib/dateline' }),
  database: object({
    bytes: whole({ example: 52_428_800 }),
    logBytes: whole({ description: 'Of the write-ahead log beside the database', example: 4_194_304 }),
    freeBytes: whole({ description: 'On the disk of the data directory', example: 21_474_836_480 }),
  }),
  attention: list(
    object({
      kind: choice(['database', 'disk', 'mail', 'backups']),
      message: text({ example: 'a message has been waiting for 4 minutes' }),
    }),
    { description: 'What needs attention' },
  ),
  limits: list(object({ name: text({ example: 'codes_per_email' }), refused: whole() }), {
    description: 'Requests that each limit has rejected since the start',
  }),
  queries: queryCounts,
  mail: mailStatus,
  backups: backupStatus,
})
export type ServiceStatus = ValueOf<typeof serviceStatus>

export const serviceSettings = object({
  items: list(
    object({
      name: text({ example: 'port' }),
      flag: nullable(text(), { description: 'Null for the secret, which has no flag', example: '--port' }),
      value: text({ description: 'Readable, with passwords masked', example: '8080' }),
      origin: text({
        description: 'A flag, a variable, a member of the settings file, `default`, or `dataDir`',
        example: 'default',
      }),
      meaning: text({ example: 'port to listen on; 0 takes any free one' }),
    }),
  ),
})
export type ServiceSettings = ValueOf<typeof serviceSettings>

export const logLines = object({
  items: list(
    object({
      time: date(),
      level: choice(LOG_LEVELS),
      event: text({ example: 'request' }),
      fields: list(
        object({
          name: text({ example: 'status' }),
          value: text({ description: 'Texts as they are, everything else as JSON', example: '200' }),
        }),
      ),
    }),
    NEWEST_FIRST,
  ),
  dropped: whole({
    description: 'Lines of these levels since the start that are no longer in memory',
    example: 0,
  }),
})
export type LogLines = ValueOf<typeof logLines>

export const auditRecords = object({
  items: list(object(audit.fields), { description: 'The newest first, unless `sort` says otherwise' }),
  cursor: nullable(text(), { description: 'For the next page; null where there is none', example: null }),
  hasMore: boolean({ description: 'Whether there is a next page', example: false }),
})
export type AuditRecords = ValueOf<typeof auditRecords>

export const outboxMessages = object({
  items: list(
    object({
      id: text({ example: '66f000000000000000000701' }),
      address: text({ example: 'reader@example.org' }),
      state: choice(MESSAGE_STATES),
      attempts: whole({ example: 1 }),
      reply: nullable(text(), { description: 'The last reply of the mail server', example: '450 4.2.1 Try again later' }),
      createdAt: date(),
      triedAt: nullable(date()),
      dueAt: nullable(date(), { description: 'When a waiting mail is tried next' }),
      expiresAt: date(),
      doneAt: nullable(date(), { example: null }),
    }),
    NEWEST_FIRST,
  ),
})
export type OutboxMessages = ValueOf<typeof outboxMessages>

export const outboxRetry = object({ state: choice(MESSAGE_STATES) })
export type OutboxRetry = ValueOf<typeof outboxRetry>

export const mailTestBody = object({
  to: text({ description: 'The e-mail address of the recipient', example: 'you@example.org' }),
})

export const mailTest = object({
  delivered: boolean(),
  lines: list(text(), {
    description: 'The SMTP dialogue: `>` sent, `<` received, `*` other events, and the result at the end',
    example: ['< 220 mail.example.org ESMTP', '> EHLO news.example.org'],
  }),
  advice: nullable(text(), {
    description: 'How to fix it; null where the mail was delivered',
    example: null,
  }),
})
export type MailTest = ValueOf<typeof mailTest>

export const backup = object({
  name: text(BACKUP_NAME),
  bytes: whole(BACKUP_BYTES),
  createdAt: date({ description: 'Set by the server, in UTC', example: '2026-03-01T08:00:00.000Z' }),
})
export type Backup = ValueOf<typeof backup>

export const backups = object({ items: list(backup, NEWEST_FIRST) })
export type Backups = ValueOf<typeof backups>

export const userSessions = object({
  items: list(
    object({
      id: text({ example: '66f000000000000000000801' }),
      client: text({
        description: 'A readable name of the client; empty where it gave none',
        example: 'Firefox on Linux',
      }),
      label: text({
        description: 'The User-Agent that signed in, cleaned and shortened; or what a token is for',
        example: 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
      }),
      createdAt: date({ example: '2026-03-01T08:00:00.000Z' }),
      lastUsedAt: date({
        description: 'When it was last used, to within five minutes',
        example: '2026-03-01T11:30:00.000Z',
      }),
      expiresAt: date({ example: '2026-03-08T08:00:00.000Z' }),
      current: boolean({ description: 'Whether it is the session of this request', example: true }),
    }),
    NEWEST_FIRST,
  ),
})
export type UserSessions = ValueOf<typeof userSessions>

export const sessionsEnded = object({ ended: whole({ description: 'The number of ended sessions' }) })
export type SessionsEnded = ValueOf<typeof sessionsEnded>

/** What creating or replacing a document would reject. */
export const documentProblems = object({
  problems: list(
    object({
      path: text({
        description: 'The member, such as `source.language.code` or `followedTopics[2]`; empty for the document',
        example: 'source.language.code',
      }),
      code: choice(PROBLEM_CODES, {
        description: 'The rule that is broken, for programs; it never changes',
        example: 'notText',
      }),
      params: map(PROBLEM_PARAMS, text({ description: 'As text; only where the code has one' }), {
        description: 'Values for a sentence in the language of the reader',
      }),
      message: text({ description: 'In English', example: 'expected a string, found 7' }),
    }),
    { description: 'Empty where the document would be accepted' },
  ),
})
export type DocumentProblems = ValueOf<typeof documentProblems>

const QUERY_ACCESS = ['nothing', 'index', 'search', 'ids', 'table'] as const
const INDEX_USED = { example: 'status, updatedAt:desc' }

export const queryPlan = object({
  model: text({ example: 'headline' }),
  access: choice(QUERY_ACCESS, { description: 'How the rows are found', example: 'index' }),
  index: nullable(text(), INDEX_USED),
  exact: boolean({
    description:
      'Whether SQL decides every condition; otherwise its rows are a superset, and the filter is applied to each',
  }),
  runs: choice(['inline', 'thread'], { description: 'On the main thread, or in a thread with a deadline' }),
  order: choice(['total', 'partial', 'none'], {
    description:
      'How the rows come: in the order of the page, in that of its first keys, or in none, so that they are sorted',
  }),
  ranges: whole(),
  sql: nullable(text(), { example: 'SELECT … WHERE "status" = ? ORDER BY "updatedAt" DESC' }),
  values: list(text(), { description: 'The values in that SQL, each as JSON', example: ['"active"'] }),
  rowsExpected: whole(),
  rowsRead: whole(),
  rowsReturned: whole(),
  hasMore: boolean(),
  /** False where the query was given up shortly before its deadline: it read and returned no more than is told. */
  finished: boolean(),
  milliseconds: whole(),
  weighed: list(
    object({
      access: choice(QUERY_ACCESS, { example: 'index' }),
      index: nullable(text(), INDEX_USED),
      cost: whole({ description: 'In rows of an index' }),
    }),
    { description: 'The plans that were compared; the cheapest is used' },
  ),
})
export type QueryPlan = ValueOf<typeof queryPlan>
