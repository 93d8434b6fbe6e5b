/**
 * What the endpoints for the dashboard and for administrators answer and take, in the language of the models.
 *
 * Every export is one record: its name with a capital is that of the schema in the description of the API, and
 * `ValueOf` makes the type of it that handlers, clients and the page share. A name that ends in `Body` is what a client
 * sends. Dates are UTC with milliseconds, sizes are bytes, and a list stands in `items`, so that more can be told beside
 * it later.
 */
import { LOG_LEVELS } from '../base/log-level.ts'
import { PROBLEM_CODES, PROBLEM_PARAMS } from '../base/problem.ts'
import { audit } from './audit.ts'
import { MESSAGE_STATES } from './message-state.ts'
import { boolean, choice, date, embedded, list, map, nullable, record, text, whole, type ValueOf } from './schema.ts'
import { user } from './user.ts'

export const signedIn = record({ user: embedded(user), token: text() }, 'drop')

/** What somebody who is not signed in has to know to do so. */
export const dashboardSetup = record(
  {
    appName: text(),
    hasAdministrator: boolean(),
    /** Where sign-in codes go: with no mail set up they are shown on the console of the service. */
    codesBy: choice(['mail', 'terminal']),
    codeMinutes: whole(),
  },
  'drop',
)
export type DashboardSetup = ValueOf<typeof dashboardSetup>

const statusCounts = record({ active: whole(), draft: whole(), archived: whole() }, 'drop')

export const dashboardOverview = record(
  {
    counts: record({ headline: statusCounts, topic: statusCounts, source: statusCounts }, 'drop'),
    /** Headlines created in each hour of the last 31 days that has any, oldest first. */
    hours: list(record({ hour: date(), headlines: whole() }, 'drop')),
  },
  'drop',
)
export type DashboardOverview = ValueOf<typeof dashboardOverview>

/** `dashboard` counts publishers and administrators. */
const callerCounts = record({ guest: whole(), user: whole(), dashboard: whole() }, 'drop')

export const serviceStatus = record(
  {
    version: text(),
    node: text(),
    platform: text(),
    instance: text(),
    startedAt: date(),
    uptimeSeconds: whole(),
    dataDir: text(),
    database: record({ bytes: whole(), logBytes: whole(), freeBytes: whole() }, 'drop'),
    /** What somebody should look at. */
    attention: list(record({ kind: choice(['database', 'disk', 'mail', 'backups']), message: text() }, 'drop')),
    /** Requests that each limit has refused since the start. */
    limits: list(record({ name: text(), refused: whole() }, 'drop')),
    /** How queries were answered since the start, and how many run and wait now. */
    queries: record(
      {
        /** Beside the other requests. */
        inline: whole(),
        /** In a thread of their own. */
        worker: whole(),
        timedOut: whole(),
        refused: whole(),
        refusedBecause: record(
          {
            /** Too many queries of the caller waited. */
            lineFull: whole(),
            /** Too many queries of all callers waited. */
            allFull: whole(),
            waitedTooLong: whole(),
          },
          'drop',
        ),
        /** Whose client left while they waited. */
        abandoned: whole(),
        /** How many had to wait for their turn and came to it, and how long that took them in all. */
        waited: whole(),
        waitedMs: whole(),
        running: callerCounts,
        waiting: callerCounts,
      },
      'drop',
    ),
    mail: record(
      {
        description: list(text()),
        counts: record(
          {
            waiting: whole(),
            sending: whole(),
            delivered: whole(),
            failed: whole(),
            expired: whole(),
            superseded: whole(),
          },
          'drop',
        ),
        oldestWaitingAt: nullable(date()),
      },
      'drop',
    ),
    backups: record(
      {
        everyMs: nullable(whole()),
        keep: whole(),
        directory: text(),
        last: nullable(record({ name: text(), at: date(), bytes: whole() }, 'drop')),
        failure: nullable(record({ at: date(), message: text() }, 'drop')),
      },
      'drop',
    ),
  },
  'drop',
)
export type ServiceStatus = ValueOf<typeof serviceStatus>

export const serviceSettings = record(
  {
    items: list(
      record(
        {
          name: text(),
          /** Null for the secret, which has no flag. */
          flag: nullable(text()),
          /** As people read it, with passwords masked. */
          value: text(),
          /** A flag, a variable, a member of the settings file, `default`, or `dataDir`. */
          origin: text(),
          meaning: text(),
        },
        'drop',
      ),
    ),
  },
  'drop',
)
export type ServiceSettings = ValueOf<typeof serviceSettings>

export const logLines = record(
  {
    /** The newest first. */
    items: list(
      record(
        {
          time: date(),
          level: choice(LOG_LEVELS),
          event: text(),
          /** Texts as they are, everything else as JSON. */
          fields: list(record({ name: text(), value: text() }, 'drop')),
        },
        'drop',
      ),
    ),
    /** Lines of these levels that were written since the start and are no longer at hand. */
    dropped: whole(),
  },
  'drop',
)
export type LogLines = ValueOf<typeof logLines>

/** A page of the audit trail. */
export const auditRecords = record(
  { items: list(record(audit.fields, 'drop')), cursor: nullable(text()), hasMore: boolean() },
  'drop',
)
export type AuditRecords = ValueOf<typeof auditRecords>

export const outboxMessages = record(
  {
    /** The newest first. */
    items: list(
      record(
        {
          id: text(),
          address: text(),
          state: choice(MESSAGE_STATES),
          attempts: whole(),
          /** The mail server's last words. */
          reply: nullable(text()),
          createdAt: date(),
          triedAt: nullable(date()),
          /** Of one that waits: when it is tried next. */
          dueAt: nullable(date()),
          expiresAt: date(),
          doneAt: nullable(date()),
        },
        'drop',
      ),
    ),
  },
  'drop',
)
export type OutboxMessages = ValueOf<typeof outboxMessages>

export const outboxRetry = record({ state: choice(MESSAGE_STATES) }, 'drop')
export type OutboxRetry = ValueOf<typeof outboxRetry>

export const mailTestBody = record({ to: text() }, 'drop')

export const mailTest = record(
  {
    delivered: boolean(),
    /** The dialogue: `>` we, `<` the mail server, `*` what happened besides, and at the end what came of it. */
    lines: list(text()),
    /** What to do about it; null where the mail was delivered. */
    advice: nullable(text()),
  },
  'drop',
)
export type MailTest = ValueOf<typeof mailTest>

export const backup = record({ name: text(), bytes: whole(), createdAt: date() }, 'drop')
export type Backup = ValueOf<typeof backup>

/** The newest first. */
export const backups = record({ items: list(backup) }, 'drop')
export type Backups = ValueOf<typeof backups>

export const userSessions = record(
  {
    /** The newest first. */
    items: list(
      record(
        {
          id: text(),
          /** A readable name of the client. */
          client: text(),
          /** What the client calls itself, or what a token is for. */
          label: text(),
          createdAt: date(),
          lastUsedAt: date(),
          expiresAt: date(),
          /** Whether it is the one that asks. */
          current: boolean(),
        },
        'drop',
      ),
    ),
  },
  'drop',
)
export type UserSessions = ValueOf<typeof userSessions>

export const sessionsEnded = record({ ended: whole() }, 'drop')
export type SessionsEnded = ValueOf<typeof sessionsEnded>

/** What creating or replacing a document would refuse; nothing where it would be taken. */
export const documentProblems = record(
  {
    problems: list(
      record(
        {
          path: text(),
          code: choice(PROBLEM_CODES),
          params: map(PROBLEM_PARAMS, text()),
          message: text(),
        },
        'drop',
      ),
    ),
  },
  'drop',
)
export type DocumentProblems = ValueOf<typeof documentProblems>

/** How a query is answered, and what that took. */
export const queryPlan = record(
  {
    model: text(),
    access: choice(['nothing', 'index', 'search', 'ids', 'table']),
    index: nullable(text()),
    /** SQL decides every condition; otherwise its rows are a superset, and the filter is applied to each. */
    exact: boolean(),
    runs: choice(['inline', 'thread']),
    /** How the rows come: in the order of the page, in that of its first keys, or in none, so that they are sorted. */
    order: choice(['total', 'partial', 'none']),
    ranges: whole(),
    sql: nullable(text()),
    /** The values in that SQL. */
    values: list(text()),
    rowsExpected: whole(),
    rowsRead: whole(),
    rowsReturned: whole(),
    hasMore: boolean(),
    /** False where the query was given up shortly before its deadline: it read and returned no more than is told. */
    finished: boolean(),
    milliseconds: whole(),
    /** All ways that were weighed; the cheapest is taken. Costs are in rows of an index. */
    weighed: list(
      record(
        {
          access: choice(['nothing', 'index', 'search', 'ids', 'table']),
          index: nullable(text()),
          cost: whole(),
        },
        'drop',
      ),
    ),
  },
  'drop',
)
export type QueryPlan = ValueOf<typeof queryPlan>
