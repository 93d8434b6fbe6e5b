/**
 * The `data` of responses that is not a document, and bodies of requests, in the language of the models. Each export is
 * a record: its name with a capital is the schema in the OpenAPI document, and `ValueOf` makes its type. A name that
 * ends in `Body` is what a client sends. Sizes are bytes, and a list stands in `items`, so that members can be added.
 */
import { CONCERN_CODES, CONCERN_PARAMS } from '../base/concern.ts'
import { SEPARATORS } from '../base/csv.ts'
import { LOG_LEVELS } from '../base/log-level.ts'
import { PROBLEM_CODES, PROBLEM_PARAMS } from '../base/problem.ts'
import { FEED_NOTE_PARAMS, FETCH_PROBLEM_CODES, ITEM_REASON_CODES, READ_NOTE_CODES } from '../base/feed-note.ts'
import { audit } from './audit.ts'
import { EDITABLE_GROUPS, EDITABLE_KINDS, EDITABLE_NAMES } from './editable-settings.ts'
import { MESSAGE_KINDS, MESSAGE_STATES } from './message-state.ts'
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
import { TOKEN_METHODS, TOKEN_SCOPES } from './caller.ts'
import { STATUSES } from './workflow.ts'
import { DASHBOARD_ROLES, user } from './user.ts'

const NEWEST_FIRST = { description: 'The newest first' }
const BACKUP_NAME = { example: 'dateline-20260301T060000Z.db' }
const SETUP_TOKEN = { description: 'What stands behind `#setup=` in the address', example: '2gYhMfWWaLqgxVrQFan4bQYx2TLwOhMfWWaLqgxVrQF' }
const BACKUP_BYTES = { example: 52_428_800 }

const object = <S extends Shape>(fields: S, docs?: Docs): RecordField<S> => record(fields, 'drop', docs)

export const signedIn = object({
  user: embedded(user),
  token: text({
    description: 'For `Authorization: Bearer …`, until it expires or the session ends',
    example: 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiI2NmYwIn0.c2lnbmF0dXJl',
  }),
})

export const changeTicket = object({
  ticket: text({ description: 'For the parameter `ticket` of one stream', example: 'eyJ1IjoiNjZmMCJ9.c2lnbmF0dXJl' }),
  expiresAt: date({ example: '2026-03-01T12:01:00.000Z' }),
})
export type ChangeTicket = ValueOf<typeof changeTicket>

export const firstAdminBody = object({
  token: text(SETUP_TOKEN),
  email: text({ description: 'Of the administrator', example: 'you@example.org' }),
})

export const firstRestoreBody = object({
  token: text(SETUP_TOKEN),
  place: text({ description: 'As in `--offsite`; the operator may name a directory', example: 's3://AKID@backups/news?region=eu-central-1' }),
  keys: text({ description: 'Access keys of a bucket, each as KEYID:SECRET; empty for a directory', example: 'AKID:secret' }),
  identity: text({ description: 'The text of the file that `dateline backup key` has made', example: 'AGE-SECRET-KEY-1QQQ' }),
  at: text({ description: 'The site as of this time; empty for the newest state', example: '2026-11-24T09:30Z' }),
})

export const foundSite = object({
  place: text({ example: 's3://backups/news' }),
  snapshotAt: date({ description: 'When its snapshot was made', example: '2026-11-24T06:00:00.000Z' }),
  changesUntil: nullable(date(), { description: 'Of the last change behind the snapshot; null without one', example: '2026-11-24T09:30:00.000Z' }),
  missingUntil: nullable(date(), { description: 'There are changes up to this time that cannot be restored, since others ahead of them are missing', example: null }),
  version: text({ description: 'The version of dateline that wrote the snapshot', example: '0.1.0' }),
  bytes: whole({ description: 'To be fetched', example: 52_428_800 }),
  documents: list(object({ model: text({ example: 'headline' }), count: whole({ example: 408 }) }), { description: 'How many documents of each model the snapshot has' }),
  warnings: list(text(), { description: 'Newer snapshots that are damaged, and what is taken in their place', example: [] }),
})
export type FoundSite = ValueOf<typeof foundSite>

export const firstRestored = object({
  until: date({ description: 'The time that the site is of', example: '2026-11-24T09:30:00.000Z' }),
  replayed: whole({ description: 'Changes behind the snapshot', example: 12 }),
  pictures: object({ count: whole({ example: 120 }), missing: whole({ example: 0 }) }, { description: 'Its pictures, and how many of them the place lacks' }),
  flags: list(text({ example: '--port 8080' }), { description: 'Those that its service was started with; secrets are `***`' }),
  warnings: list(text(), { description: 'Newer snapshots that are damaged, and what is taken in their place', example: [] }),
})
export type FirstRestored = ValueOf<typeof firstRestored>

export const firstRestoreProgressBody = object({ token: text(SETUP_TOKEN) })

export const firstRestoreProgress = object({
  state: choice(['idle', 'fetching', 'checking', 'restored', 'failed'], { description: 'After `restored`, the service starts again' }),
  percent: whole({ description: 'The part that was fetched', example: 40 }),
  reason: nullable(text(), { description: 'Why it failed', example: null }),
})
export type FirstRestoreProgress = ValueOf<typeof firstRestoreProgress>

export const personCode = object({
  email: text({ example: 'reader@example.org' }),
  code: text({ description: 'Six digits, for one sign-in', example: '123456' }),
  expiresAt: date(),
})
export type PersonCode = ValueOf<typeof personCode>

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
  offsite: list(
    object({
      name: text({ example: 's3://backups/news' }),
      snapshot: nullable(object({ at: date(), bytes: whole(BACKUP_BYTES) }), { description: 'The last one; null before the first' }),
      changesAt: nullable(date(), { description: 'The time of the last change that the place has' }),
      waiting: whole({ description: 'Commits that it has still to store' }),
      hasGap: boolean({ description: 'Whether changes behind its last snapshot are missing until the next one' }),
      provedAt: nullable(date(), { description: 'When something was stored and read back last' }),
      failure: nullable(object({ at: date(), since: date(), message: text() }), {
        description: 'Why the last attempts failed; null where they succeeded',
        example: null,
      }),
    }),
    { description: 'Encrypted backups outside of this machine, by place' },
  ),
})

const PICTURE_ROOM = { count: whole({ example: 1_200 }), bytes: whole({ example: 104_857_600 }), bytesMax: whole({ example: 10_737_418_240 }) }

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
  guests: object(
    {
      count: whole({ example: 120 }),
      bytes: whole({ example: 1_310_720 }),
      bytesMax: whole({ description: 'What all of them together may keep', example: 1_073_741_824 }),
    },
    { description: 'What guests keep in the database, and in each backup' },
  ),
  pictures: object(PICTURE_ROOM, { description: 'Pictures of our own, and what they may take' }),
  attention: list(
    object({
      kind: choice(['database', 'disk', 'guests', 'pictures', 'mail', 'backups', 'offsite', 'cluster', 'schedule', 'feeds', 'folder']),
      code: choice(CONCERN_CODES, { description: 'For programs; it never changes', example: 'mailFailing' }),
      params: map(CONCERN_PARAMS, text({ description: 'As text; only where the code has one' }), { description: 'Values for a sentence in the language of the reader' }),
      message: text({ description: 'In English', example: 'the mail server has failed for 4m' }),
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

const PICTURE_HASH = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'
const PICTURE_BYTES = { example: 81_920 }

export const picture = object({
  hash: text({ description: 'SHA-256 of the file, which names the picture', example: PICTURE_HASH }),
  url: text({ description: 'Its full address, for a document', example: `https://news.example.org/media/${PICTURE_HASH}.webp` }),
  type: text({ description: 'The media type', example: 'image/webp' }),
  width: whole({ example: 1_600 }),
  height: whole({ example: 900 }),
  frames: whole({ description: '1 for a still picture', example: 1 }),
  bytes: whole(PICTURE_BYTES),
  alt: text({ description: 'What it shows; empty where that was not said', example: 'A white ferry leaves the harbour' }),
  focus: nullable(object({ x: whole(), y: whole() }), {
    description: 'What stays in sight where it is cut, in hundredths from the left and from the top; null is its middle',
    example: null,
  }),
  createdAt: date(),
  createdBy: nullable(text(), { description: 'The id of a user, `operator`, `service` or `feed`; null where the account is gone', example: '66f000000000000000000601' }),
  uses: whole({ description: 'Documents that name it, counted up to 1,000', example: 2 }),
})
export type Picture = ValueOf<typeof picture>

export const picturePage = object({
  items: list(picture),
  cursor: nullable(text(), { description: 'For the next page; null on the last', example: null }),
  storage: object(PICTURE_ROOM, { description: 'All pictures, and what they may take: see `--media-max`' }),
})

export type PicturePage = ValueOf<typeof picturePage>

export const pictureUsage = object({
  picture,
  users: list(object({ model: text({ example: 'headline' }), id: text({ example: '66f000000000000000000501' }) })),
})

export type PictureUsage = ValueOf<typeof pictureUsage>

export const clusterStatus = object({
  prefix: text({ description: 'Where the site is in etcd', example: '/dateline/' }),
  site: text({ description: 'Identifies the log', example: '5f1b8a4c0d9e4f7ab2c3d4e5f6a7b8c9' }),
  position: whole({ description: 'Of the last entry of the log: its revision of etcd, which counts other keys as well', example: 5121 }),
  keeper: nullable(text(), { description: 'The node that sends mail and makes backups', example: '0f1e2d3c4b5a6978' }),
  nodes: list(
    object({
      id: text({ example: '0f1e2d3c4b5a6978' }),
      url: nullable(text(), { description: 'Where the other nodes reach it', example: 'https://n1.example.org' }),
      alive: boolean({ description: 'Whether it was heard within the last seconds', example: true }),
      state: choice(['in-step', 'behind', 'no-quorum', 'diverged', 'joined'], { description: 'As it said last; `joined` until its first start' }),
      position: whole({ description: 'Of the last entry that it had applied', example: 5121 }),
      version: text({ example: '1.0.0' }),
      startedAt: date(),
      heardAt: date({ description: 'When it said so, by its own clock' }),
      backup: nullable(object({ position: whole({ example: 4800 }), at: date() }), {
        description: 'Its last backup that is whole; null where it made none since its start',
      }),
    }),
  ),
  etcd: object({
    servers: list(
      object({
        url: text({ example: 'https://e1:2379' }),
        version: nullable(text(), { description: 'Null where it does not answer', example: '3.5.17' }),
        isLeader: boolean({ example: true }),
        problem: nullable(text(), { description: 'Why it cannot be used; null where it can', example: null }),
      }),
      { description: 'Those of `--cluster`' },
    ),
    members: whole({ description: 'Of the etcd cluster', example: 3 }),
    bytes: whole({ description: 'Of its database', example: 20_480_000 }),
    bytesInUse: whole({ description: 'Of these, what the log and the rest of its keys need', example: 4_096_000 }),
  }),
})
export type ClusterStatus = ValueOf<typeof clusterStatus>

export const serviceSettings = object({
  items: list(
    object({
      name: text({ example: 'port' }),
      flag: nullable(text(), { description: 'Null for the secret, which has no flag', example: '--port' }),
      value: text({ description: 'Readable, with passwords masked', example: '8080' }),
      origin: text({
        description: 'A flag, a variable, a member of the settings file, `database`, `default`, or `dataDir`',
        example: 'default',
      }),
      meaning: text({ example: 'port to listen on; 0 takes any free one' }),
      edit: nullable(
        object({
          group: choice(EDITABLE_GROUPS),
          kind: choice(EDITABLE_KINDS),
          min: nullable(whole(), { description: 'Of a whole number, as below', example: null }),
          max: nullable(whole(), { example: null }),
          zero: boolean({ description: 'Whether 0 is a value as well' }),
          choices: nullable(list(text()), { description: 'The only values', example: null }),
          initial: text({ description: 'What holds where nothing is set', example: '24h' }),
          stored: nullable(text(), { description: 'The stored value, in use or not; a secret is `***`', example: null }),
          overriddenBy: nullable(text(), {
            description: 'The flag, variable or file that wins over a stored value; null for none',
            example: null,
          }),
          changedAt: nullable(date(), { description: 'When it was stored', example: null }),
        }),
        { description: 'How an administrator may change it; null where only the operator may', example: null },
      ),
    }),
  ),
  version: text({ description: 'The ETag of the stored settings, for `If-Match`', example: '"n4bQgYhMfWWaL-qgxVrQFa"' }),
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

const outboxMessage = object({
  id: text({ example: '66f000000000000000000701' }),
  kind: choice(MESSAGE_KINDS, { description: 'A sign-in code or an invitation' }),
  address: text({ example: 'reader@example.org' }),
  state: choice(MESSAGE_STATES),
  attempts: whole({ example: 1 }),
  reply: nullable(text(), { description: 'The last reply of the mail server', example: '450 4.2.1 Try again later' }),
  createdAt: date(),
  triedAt: nullable(date()),
  dueAt: nullable(date(), { description: 'When a waiting mail is tried next' }),
  expiresAt: date(),
  doneAt: nullable(date(), { example: null }),
})

export const outboxMessages = object({ items: list(outboxMessage, NEWEST_FIRST) })
export type OutboxMessages = ValueOf<typeof outboxMessages>

export const invitation = object({
  canBeSent: boolean({ description: 'Whether a mail can invite the user: `--mail` and `--invitation-url` are set, and it has a role in the dashboard' }),
  mail: nullable(outboxMessage, { description: 'The newest invitation of the last seven days; null where there is none' }),
})
export type Invitation = ValueOf<typeof invitation>

export const outboxRetry = object({ state: choice(MESSAGE_STATES) })
export type OutboxRetry = ValueOf<typeof outboxRetry>

export const sampleAdded = object({
  topics: whole({ description: 'Documents that were new, as below', example: 32 }),
  sources: whole({ example: 46 }),
  headlines: whole({ example: 408 }),
})
export type SampleAdded = ValueOf<typeof sampleAdded>

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

export const restoreBody = object({
  confirm: text({ description: 'The name of the backup once more, as the person has typed it', ...BACKUP_NAME }),
})

export const checkedBackup = object({
  name: text(BACKUP_NAME),
  createdAt: date({ description: 'When it was made', example: '2026-03-01T08:00:00.000Z' }),
  bytes: whole(BACKUP_BYTES),
  schema: whole({ description: 'A later start of this program raises it to its own', example: 11 }),
  version: nullable(text(), { description: 'The version of dateline that wrote it', example: '0.1.0' }),
  documents: list(object({ model: text({ example: 'headline' }), count: whole({ example: 408 }) }), {
    description: 'How many documents of each model it has',
  }),
  pictures: object(
    { count: whole({ example: 120 }), missing: whole({ example: 0 }) },
    { description: 'Its pictures, and how many of them have no file beside the backup' },
  ),
  newestAt: nullable(date(), { description: 'The date of its newest document', example: '2026-03-01T07:59:00.000Z' }),
  account: choice(['administrator', 'signed-out', 'missing'], {
    description:
      'What you are in it: an administrator whose session goes on, one who has to sign in again, or no administrator at all',
  }),
  removed: object(
    { apiTokens: whole({ example: 0 }), passkeys: whole({ example: 1 }) },
    { description: 'Tokens of the API and passkeys that the database in use does not have: a restore leaves them out' },
  ),
  differs: object(
    {
      administrators: list(text({ example: 'late@example.org' }), {
        description: 'E-mail addresses of administrators that the database in use does not have, ten at most',
      }),
      settings: list(choice(EDITABLE_NAMES), { description: 'Settings whose stored values differ from those in use', example: ['mail'] }),
    },
    { description: 'What a restore keeps and an author of a forged file could have planted: look at it before you confirm' },
  ),
})
export type CheckedBackup = ValueOf<typeof checkedBackup>

export const lastRestore = object({
  restore: nullable(
    object({
      name: text(BACKUP_NAME),
      at: date({ description: 'When it was confirmed', example: '2026-03-02T09:30:00.000Z' }),
      outcome: choice(['restored', 'failed'], { description: 'After `failed`, the database from before is in use' }),
      kept: nullable(text(), {
        description: 'The file in the data directory that the database from before is kept as',
        example: 'dateline.db.replaced-20260302T093000Z',
      }),
      reason: nullable(text(), { description: 'Why it failed', example: null }),
    }),
    { description: 'The last one that was asked for over the API; null where there was none' },
  ),
})
export type LastRestore = ValueOf<typeof lastRestore>

const separator = choice(SEPARATORS, { description: 'Of CSV: what stands between two cells' })

export const importPreview = object({
  separator,
  columns: list(text(), { description: 'All columns that the model has', example: ['id', 'name', 'description'] }),
  header: list(object({ name: text({ example: 'Icon URL' }), column: text({ description: 'Empty where none fits', example: 'iconUrl' }) }), {
    description: 'The cells of the first row of CSV, each with the column that it stands for',
  }),
  rows: list(list(text()), { description: 'The cells of the next rows, at most ten; of JSON lines, the line' }),
})
export type ImportPreview = ValueOf<typeof importPreview>

export const importedPiece = object({
  bytes: whole({ description: 'How many bytes of the rows are done, in UTF-8; the next piece begins behind them', example: 83 }),
  nextLine: whole({ description: 'The line on which the next piece begins', example: 3 }),
  separator,
  columns: list(text(), { description: 'Of CSV: the columns of the cells, for the next piece', example: ['name', 'description', 'iconUrl', 'status'] }),
  inserted: whole({ example: 1 }),
  replaced: whole(),
  unchanged: whole(),
  rejected: list(object({ line: whole({ example: 7 }), id: nullable(text(), { example: null }), message: text({ example: 'name: expected a string, found nothing' }) }), {
    description: 'The rows that cannot be taken',
    example: [],
  }),
  sameAddress: list(object({
    line: whole({ example: 8 }),
    id: nullable(text(), { description: 'Of the document; null for a row', example: '66f000000000000000000501' }),
    title: text({ example: 'New ferry line opens' }),
    earlierLine: nullable(whole(), { description: 'Of the row; null for a document', example: null }),
  }), {
    description: 'With `dryRun`, of headlines and sources: rows whose address a stored document or an earlier row of the piece has already, and which one',
    example: [],
  }),
  stopped: nullable(object({ line: whole({ example: 9 }), message: text({ example: 'a quote is opened and never closed' }) }), {
    description: 'Why the rest of the file cannot be read',
    example: null,
  }),
  failed: nullable(object({ code: text({ example: 'networkError' }), message: text({ example: 'The database cannot be used now: the disk is full' }) }), {
    description: 'Why the rows behind `bytes` were not taken, after those before were stored: send them again, from `nextLine` on',
    example: null,
  }),
})
export type ImportedPiece = ValueOf<typeof importedPiece>

const apiToken = {
  id: text({ example: '66f000000000000000000b01' }),
  name: text({ example: 'nightly import' }),
  user: text({ description: 'The id of the user who made it and for whose account it acts', example: '66f000000000000000000601' }),
  role: choice(DASHBOARD_ROLES, { description: 'The role that it has at most' }),
  models: nullable(list(text()), { description: 'The only models that it reaches; null for all', example: null }),
  methods: nullable(list(choice(TOKEN_METHODS)), { description: 'The only methods that it may use; null for all', example: null }),
  scopes: nullable(list(choice(TOKEN_SCOPES)), {
    description: 'What it is for alone, with a token that reaches no model; null for one that is not narrowed so',
    example: null,
  }),
  createdAt: date(),
  expiresAt: date(),
  usedAt: nullable(date(), { description: 'When it was used last, to within minutes; null where it was not', example: null }),
}

export const apiTokens = object({ items: list(object(apiToken), NEWEST_FIRST) })
export type ApiTokens = ValueOf<typeof apiTokens>

export const newApiToken = object({
  ...apiToken,
  token: text({
    description: 'For `Authorization: Bearer …`; it cannot be shown again',
    example: 'dl_2gYhMfWWaLqgxVrQFan4bQYx2TLwOhMfWWaLqgxVrQF',
  }),
})
export type NewApiToken = ValueOf<typeof newApiToken>

const PASSKEY_CHALLENGE = { description: 'base64url', example: '8J-MvNNRcUmR1Ck7l3b9yQGTq1c3Xw4b0Hq0f8m2Vu1lT2sQb3k' }
const VERIFIED = { description: 'The authenticator verifies the person' }

/** PublicKeyCredentialRequestOptionsJSON (WebAuthn level 3, section 5.1.10). */
export const passkeyRequest = object({
  challenge: text(PASSKEY_CHALLENGE),
  timeout: whole({ description: 'In milliseconds', example: 300_000 }),
  userVerification: choice(['required'], VERIFIED),
})
export type PasskeyRequest = ValueOf<typeof passkeyRequest>

const publicKeyType = choice(['public-key'])

/** PublicKeyCredentialCreationOptionsJSON (WebAuthn level 3, section 5.1.8). */
export const passkeyCreation = object({
  challenge: text(PASSKEY_CHALLENGE),
  timeout: whole({ description: 'In milliseconds', example: 300_000 }),
  rp: object({ name: text({ example: 'Dateline' }) }),
  user: object({
    id: text({ description: 'The id of the user, base64url', example: 'NjZmMDAwMDAwMDAwMDAwMDAwMDAwNjAx' }),
    name: text({ example: 'you@example.org' }),
    displayName: text({ example: 'you@example.org' }),
  }),
  pubKeyCredParams: list(object({ type: publicKeyType }), {
    description: 'Empty, for the algorithms that browsers ask for by themselves: ES256 and RS256',
    example: [],
  }),
  excludeCredentials: list(object({ type: publicKeyType, id: text({ example: 'tK1Zlg' }) }), { description: 'Those that you have' }),
  authenticatorSelection: object({ residentKey: choice(['required']), userVerification: choice(['required'], VERIFIED) }),
})
export type PasskeyCreation = ValueOf<typeof passkeyCreation>

export const passkey = object({
  id: text({ description: 'base64url', example: 'tK1Zlg' }),
  name: text({ example: 'Laptop' }),
  origin: text({ description: 'The page where it was made, and where it works', example: 'https://news.example.org' }),
  backedUp: boolean({ description: 'Whether it is on several devices, by the keychain of their maker' }),
  createdAt: date(),
  lastUsedAt: nullable(date(), { description: 'Null where it was not used', example: null }),
})
export type Passkey = ValueOf<typeof passkey>

export const passkeys = object({ items: list(passkey, NEWEST_FIRST) })
export type Passkeys = ValueOf<typeof passkeys>

export const passkeysRemoved = object({ removed: whole({ description: 'How many there were', example: 2 }) })
export type PasskeysRemoved = ValueOf<typeof passkeysRemoved>

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

const problem = object({
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
})

/** What creating or replacing a document would reject. */
export const documentProblems = object({ problems: list(problem, { description: 'Empty where the document would be accepted' }) })
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

const actor = nullable(
  object({
    id: text({ description: 'A user, or `operator` for the command line, `service`, or `feed`', example: '66f000000000000000000601' }),
    email: nullable(text(), { description: 'For administrators, while the user exists', example: 'editor@example.org' }),
    name: nullable(text(), { description: 'What the user is called in the dashboard; null without a name', example: 'Ana Lima' }),
  }),
  { description: 'Who did it; null where that account is deleted' },
)
/** What publishers and administrators are called. */
export const people = object({
  items: list(
    object({
      id: text({ example: '66f000000000000000000601' }),
      name: nullable(text(), { description: 'Null without one', example: 'Ana Lima' }),
      email: nullable(text(), { description: 'For administrators', example: 'editor@example.org' }),
      role: choice(DASHBOARD_ROLES),
    }),
    { description: 'Of the ids, those of publishers and administrators; for administrators, of all users' },
  ),
})
export type People = ValueOf<typeof people>

const OLDER = { description: 'For the older ones; null at the end', example: null }

export const documentHistory = object({
  items: list(
    object({
      seq: whole({ description: 'Names the change, and the version that it left', example: 4711 }),
      at: date({ example: '2026-03-01T09:30:00.000Z' }),
      kind: choice(['created', 'updated', 'deleted', 'restored']),
      actor,
      etag: nullable(text(), { description: 'Of the version that it left; null for a deletion', example: '"n4bQgYhMfWWaL-qgxVrQFa"' }),
      paths: list(text(), { description: 'Members that it changed, as dotted paths, at most 200', example: ['title', 'topic.id'] }),
    }),
    NEWEST_FIRST,
  ),
  cursor: nullable(text(), OLDER),
  hasMore: boolean(),
})
export type DocumentHistory = ValueOf<typeof documentHistory>

export const savedView = object({
  id: text({ example: '66f000000000000000000903' }),
  name: text({ example: 'Drafts of this week' }),
  model: text({ description: 'Whose list it is', example: 'headline' }),
  query: text({ description: 'The query of the URL of the list', example: 'status=draft&updatedAt=week' }),
})
export type SavedView = ValueOf<typeof savedView>

export const savedViews = object({ items: list(savedView, { description: 'By their names' }) })
export type SavedViews = ValueOf<typeof savedViews>

/** What is to be told of a feed; see base/feed-note.ts. */
const noteOf = <const Code extends string>(codes: readonly Code[]) =>
  object({
    code: choice(codes, { description: 'For programs; it never changes' }),
    params: map(FEED_NOTE_PARAMS, text({ description: 'As text; only where the code has one' }), { description: 'Values for a sentence in the language of the reader' }),
    message: text({ description: 'In English' }),
  })

export const feedHealth = object({
  id: text({ example: '66f000000000000000000701' }),
  title: text({ example: 'The Harbour Post' }),
  address: text({ description: 'Of the feed', example: 'https://harbour.example/feed.xml' }),
  status: choice(['new', 'working', 'failing', 'ended', 'paused'], { description: 'Of fetching: `new` before the first time, `ended` where its server says so' }),
  sentence: nullable(text(), { description: 'What is wrong and what helps, or what the feed has that is not well-formed; null where all is well', example: null }),
  problem: nullable(noteOf(FETCH_PROBLEM_CODES), { description: 'Why it cannot be fetched; null where it can' }),
  notes: list(noteOf(READ_NOTE_CODES), { description: 'What of it is not well-formed, at most three' }),
  failingSince: nullable(date(), { description: 'When it could first not be fetched; null where it can', example: null }),
  fetchedAt: nullable(date(), { description: 'Of the last try', example: '2026-03-01T09:30:00.000Z' }),
  succeededAt: nullable(date(), { description: 'When its server last answered as it should', example: '2026-03-01T09:30:00.000Z' }),
  nextAt: nullable(date(), { description: 'When it is fetched next; null where it is paused or has ended', example: '2026-03-01T10:30:00.000Z' }),
  failures: whole({ description: 'In a row', example: 0 }),
  itemsOfDay: whole({ description: 'Headlines that it made in 24 hours, at most 10,000', example: 12 }),
  movedTo: nullable(text(), { description: 'Where permanent redirects lead, which is fetched', example: null }),
  suggestedAddress: nullable(text(), { description: 'The feed that its site names, while this one fails', example: null }),
  hasPassword: boolean({ description: 'Whether a password is stored, which is not readable' }),
})

export type FeedHealth = ValueOf<typeof feedHealth>

export const feedHealths = object({ items: list(feedHealth, { description: 'By their titles' }) })
export type FeedHealths = ValueOf<typeof feedHealths>

const itemTitle = text({ description: 'Empty where it has none', example: 'New ferry line opens' })
const itemUrl = text({ description: 'Empty where it has none', example: 'https://harbour.example/ferry' })

const itemReasons = (description: string) =>
  list(
    object({
      code: choice(ITEM_REASON_CODES, { description: 'For programs; it never changes' }),
      name: text({ description: 'What a headline lacks: title, link, picture, topic, country or source; of `invalid`, the message', example: 'picture' }),
      message: text({ description: 'In English', example: 'It lacks a picture' }),
    }),
    { description },
  )

export const feedPreview = object({
  address: text({ description: 'Of the feed, where that of a site was given', example: 'https://harbour.example/feed.xml' }),
  format: choice(['rss', 'atom', 'json']),
  title: nullable(text(), { example: 'The Harbour Post' }),
  description: nullable(text(), { example: 'A small paper about the sea.' }),
  siteUrl: nullable(text(), { example: 'https://harbour.example' }),
  language: nullable(text(), { description: 'As the feed writes it', example: 'is-IS' }),
  imageUrl: nullable(text(), { example: 'https://harbour.example/logo.png' }),
  total: whole({ description: 'Items in the feed', example: 20 }),
  problems: list(noteOf(READ_NOTE_CODES), { description: 'What of it is not well-formed, and how it was read' }),
  feeds: list(object({ address: text({ example: 'https://harbour.example/ferries.xml' }), title: nullable(text(), { example: 'Ferries' }) }), {
    description: 'All that the page of a site names',
  }),
  items: list(
    object({
      title: itemTitle,
      excerpt: text({ example: 'Two boats a day from next week.' }),
      url: itemUrl,
      imageUrl: text({ description: 'Empty where it has none', example: 'https://harbour.example/ferry.jpg' }),
      publishedAt: nullable(date(), { example: '2026-03-01T09:00:00.000Z' }),
      status: nullable(choice(['active', 'draft']), { description: 'Of the headline; null where there would be none' }),
      missing: itemReasons('What keeps it a draft, or why there would be no headline'),
      known: nullable(text(), { description: 'The id of a headline with the same page: the item would not come again', example: null }),
    }),
    { description: 'The newest ten, as the headlines that they would become' },
  ),
})
export type FeedPreview = ValueOf<typeof feedPreview>

export const feedItems = object({
  items: list(
    object({
      at: date({ description: 'When it came first', example: '2026-03-01T09:30:00.000Z' }),
      outcome: choice(['created', 'taken', 'archived', 'known', 'dropped', 'rejected'], {
        description:
          '`created`: a headline that only the feed has changed. `taken`: a person has changed or deleted it. `archived`: its ' +
          'retention is over. `known`: another headline has or had the page. `dropped`: a rule drops the item. `rejected`: it makes ' +
          'no headline',
      }),
      headline: nullable(text(), { description: 'The id of the headline, also of the other one', example: '66f000000000000000000501' }),
      reasons: itemReasons('What it lacks, or why there is no headline'),
      title: itemTitle,
      url: itemUrl,
      categories: list(text({ example: 'Ferries' })),
      author: nullable(text(), { example: null }),
      publishedAt: nullable(date(), { example: '2026-03-01T09:00:00.000Z' }),
    }),
    NEWEST_FIRST,
  ),
})
export type FeedItems = ValueOf<typeof feedItems>

export const opmlReport = object({
  added: whole({ description: 'Feeds; of a dry run, those that would be', example: 198 }),
  known: whole({ example: 1 }),
  rejected: whole({ example: 1 }),
  leftOut: whole({ description: 'Beyond 1,000', example: 0 }),
  rows: list(
    object({
      line: whole({ description: 'Of the file', example: 12 }),
      address: text({ example: 'https://harbour.example/feed.xml' }),
      title: text({ example: 'The Harbour Post' }),
      outcome: choice(['added', 'known', 'rejected']),
      known: nullable(text(), { description: 'The title of the feed that has the address already; null where the file has it above', example: null }),
      problem: nullable(problem, { description: 'Why it is rejected' }),
      message: nullable(text(), { description: 'Why it was not added, in English', example: null }),
    }),
    { description: 'In the order of the file' },
  ),
})
export type OpmlReport = ValueOf<typeof opmlReport>

export const rulePreview = object({
  tried: whole({ description: 'Items that the rules were tried on', example: 100 }),
  dropped: whole({ description: 'Those that no headline would be made of', example: 7 }),
  rules: list(
    object({
      found: whole({ description: 'Items that the rule finds', example: 7 }),
      items: list(object({ title: itemTitle, url: itemUrl }), { description: 'At most 20 of them' }),
    }),
    { description: 'In the order of the request' },
  ),
})
export type RulePreview = ValueOf<typeof rulePreview>

const ADDRESS = { description: 'Behind the URL of the site where a setting names it, else the path', example: 'https://news.example.org/p/harbour-news/' }

export const publicationStates = object({
  items: list(
    object({
      id: text({ example: '66f000000000000000000801' }),
      address: nullable(text(), { ...ADDRESS, description: `${ADDRESS.description}; null for a secret one` }),
      hasSecret: boolean({ description: 'Whether a secret address was made' }),
    }),
    { description: 'By their titles' },
  ),
})
export type PublicationStates = ValueOf<typeof publicationStates>

export const publicationPreview = object({
  stories: list(
    object({
      title: itemTitle,
      url: itemUrl,
      publishedAt: date({ example: '2026-03-01T09:30:00.000Z' }),
      updatedAt: date({ example: '2026-03-01T09:30:00.000Z' }),
      excerpt: nullable(text(), { description: 'Null where readers do not see it, as the others', example: 'Two boats a day from next week.' }),
      imageUrl: nullable(text(), { example: 'https://harbour.example/ferry.jpg' }),
      source: nullable(text(), { example: 'The Harbour Post' }),
      topic: nullable(text(), { example: 'Harbours' }),
      eventCountry: nullable(text(), { example: 'Iceland' }),
    }),
    { description: 'Those of the first page' },
  ),
  hasMore: boolean({ description: 'Whether there are more pages' }),
})
export type PublicationPreview = ValueOf<typeof publicationPreview>

export const publicationSecret = object({
  secret: text({ description: 'It cannot be shown again', example: '2gYhMfWWaLqgxVrQFan4bQYx' }),
  address: text({ ...ADDRESS, example: 'https://news.example.org/p/harbour-news/2gYhMfWWaLqgxVrQFan4bQYx/' }),
})
export type PublicationSecret = ValueOf<typeof publicationSecret>

export const headlineOrigins = object({
  items: list(
    object({
      headline: text({ example: '66f000000000000000000501' }),
      feed: text({ example: '66f000000000000000000701' }),
      title: nullable(text(), { description: 'Of the feed; null where it was deleted', example: 'The Harbour Post' }),
      item: nullable(text(), { description: 'The id of the item within the feed; null where it has none', example: 'tag:harbour.example,2026:ferry' }),
      isAlsoIn: boolean({ description: 'Whether the headline is of another feed, or was typed, and this one has its page too' }),
      at: date({ description: 'When the item came first', example: '2026-03-01T09:30:00.000Z' }),
    }),
    { description: 'Headlines that no feed has are left out' },
  ),
})
export type HeadlineOrigins = ValueOf<typeof headlineOrigins>

export const sameStories = object({
  items: list(
    object({
      id: text({ example: '66f000000000000000000502' }),
      title: text({ example: 'New Ferry Line opens' }),
      url: text({ description: 'Empty where it has none', example: 'https://island.example/ferry' }),
      status: choice(STATUSES),
      feed: text({ example: '66f000000000000000000703' }),
      feedTitle: nullable(text(), { description: 'Of the feed; null where it was deleted', example: 'The Island Post' }),
      isIncomplete: boolean({ description: 'Whether it is an incomplete draft, which no document embeds' }),
    }),
    { description: 'The first published first, drafts last, at most 20' },
  ),
})
export type SameStories = ValueOf<typeof sameStories>

export const documentUsage = object({
  items: list(
    object({
      model: text({ description: 'A model whose documents hold copies', example: 'headline' }),
      total: whole({ description: 'How many of its documents do', example: 412 }),
      totalIsFloor: boolean(),
    }),
    { description: 'For each model that the caller may list' },
  ),
  following: nullable(
    object({
      done: whole({ example: 180 }),
      total: whole({ example: 412 }),
    }),
    { description: 'How many documents were looked at, while copies follow a change; null otherwise' },
  ),
})
export type DocumentUsage = ValueOf<typeof documentUsage>

export const documentsUsage = object({
  used: list(text({ example: '66f000000000000000000301' }), { description: 'Ids of those with copies in documents that no user owns' }),
  items: documentUsage.fields.items,
})
export type DocumentsUsage = ValueOf<typeof documentsUsage>

export const duplicateDocuments = object({
  items: list(
    object({
      id: text({ example: '66f000000000000000000501' }),
      title: text({ description: 'Its title or name', example: 'New ferry line opens' }),
      url: text({ description: 'Its address, as it is stored', example: 'https://harbour.example/ferry?utm_source=feed' }),
      status: choice(STATUSES),
    }),
    { description: 'Documents with the same address' },
  ),
})
export type DuplicateDocuments = ValueOf<typeof duplicateDocuments>

export const trashedDocuments = object({
  items: list(
    object({
      id: text({ example: '66f000000000000000000501' }),
      deletedAt: date({ example: '2026-03-01T09:30:00.000Z' }),
      erasedAt: date({ example: '2026-03-31T09:30:00.000Z', description: 'From then on it is deleted for good, within the hour' }),
      actor,
      document: record({}, 'keep', { description: 'The document, as it was deleted' }),
    }),
    { description: 'Deleted last first' },
  ),
  cursor: nullable(text(), OLDER),
  hasMore: boolean(),
})
export type TrashedDocuments = ValueOf<typeof trashedDocuments>

const counted = object({
  total: whole({ example: 12 }),
  totalIsFloor: boolean({ description: 'Whether there are more' }),
})

export const documentCounts = object({
  all: counted,
  byStatus: map(STATUSES, counted, { description: 'Empty for a model without a status' }),
  scheduled: nullable(counted, { description: 'Drafts with a time of publication; null where the model has none' }),
  handedIn: nullable(counted, { description: 'Drafts that wait for review; null where the model has no review' }),
  trash: nullable(counted, { description: 'Without regard to the filter; null for callers who may not read the trash' }),
})
export type DocumentCounts = ValueOf<typeof documentCounts>

const reviewNote = object({
  text: text({ example: 'Name the source of the figures' }),
  at: date(),
})

export const reviewState = object({
  isOn: boolean({ description: 'Whether only administrators publish' }),
  note: nullable(reviewNote, { description: 'The note with which the draft was given back; null where there is none' }),
})
export type ReviewState = ValueOf<typeof reviewState>

export const reviewQueue = object({
  isOn: boolean({ description: 'Whether only administrators publish' }),
  total: whole({ description: 'How many drafts wait', example: 3 }),
  items: list(
    object({
      model: text({ example: 'headline' }),
      id: text({ example: '66f000000000000000000501' }),
      etag: text({ description: 'Of the draft as it is now', example: '"n4bQgYhMfWWaL-qgxVrQFa"' }),
      title: text({ example: 'New ferry line opens' }),
      handedInAt: date(),
      by: actor,
      publishedSeq: nullable(whole(), { description: 'The change that left the last published version; null where there is none', example: null }),
      returnedSeq: nullable(whole(), { description: 'The change by which it was given back last', example: null }),
      note: nullable(reviewNote, { description: 'The note of that time', example: null }),
    }),
    { description: 'The longest waiting first, at most 25' },
  ),
  returned: list(
    object({
      model: text({ example: 'headline' }),
      id: text({ example: '66f000000000000000000501' }),
      title: text({ example: 'New ferry line opens' }),
      at: date(),
    }),
    { description: 'Drafts that you handed in and an administrator gave back, the last first' },
  ),
})
export type ReviewQueue = ValueOf<typeof reviewQueue>
