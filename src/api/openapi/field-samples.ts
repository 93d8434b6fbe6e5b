/**
 * A value of each text and number that documents hold, for the examples of the description: like a real one, and always
 * the same. Fields without one get a value by their kind.
 */
import type { Json } from '../../base/json.ts'
import type { Model } from '../../models/schema.ts'

/** Of the field of this name in every model. */
const COMMON: Readonly<Record<string, Json>> = {
  createdAt: '2026-03-01T08:00:00.000Z',
  updatedAt: '2026-03-01T09:30:00.000Z',
  url: 'https://harbour.example/ferry',
}

const SAMPLES: Readonly<Record<string, Readonly<Record<string, Json>>>> = {
  headline: {
    id: '66f000000000000000000501',
    title: 'New ferry line opens',
    excerpt: 'Two boats a day from next week.',
    imageUrl: 'https://harbour.example/ferry.jpg',
  },
  topic: {
    id: '66f000000000000000000301',
    name: 'Harbours',
    description: 'Ships, ports and tides.',
    iconUrl: 'https://example.org/harbours.png',
  },
  source: {
    id: '66f000000000000000000401',
    name: 'The Harbour Post',
    description: 'A small paper about the sea.',
    url: 'https://harbour.example',
    sourceType: 'localNewsOutlet',
  },
  country: {
    id: '66f000000000000000000101',
    isoCode: 'IS',
    name: 'Iceland',
    flagUrl: 'https://flagcdn.com/h40/is.png',
  },
  language: { id: '66f000000000000000000201', code: 'is', name: 'Icelandic', nativeName: 'Íslenska' },
  user: {
    id: '66f000000000000000000601',
    email: 'reader@example.org',
    appRole: 'standardUser',
    'feedDecoratorStatus.*.lastShownAt': '2026-03-01T08:15:00.000Z',
  },
  user_app_settings: { id: '66f000000000000000000601', 'displaySettings.fontFamily': 'SystemDefault' },
  user_content_preferences: {
    id: '66f000000000000000000601',
    'savedFilters.id': '0b7f1f6e-6a1e-4a55-9b43-7c1f4f0f2a10',
    'savedFilters.name': 'News from the sea',
  },
  remote_config: {
    id: '6643b1b7a4a4e6e1a8e7b1c2',
    'adConfig.feedAdConfiguration.adType': 'native',
    'appStatus.latestAppVersion': '1.2.0',
    'appStatus.iosUpdateUrl': 'https://apps.example.org/ios',
    'appStatus.androidUpdateUrl': 'https://apps.example.org/android',
  },
  dashboard_summary: { id: '6643b1b7a4a4e6e1a8e7b1c3', headlineCount: 1204, topicCount: 12, sourceCount: 57 },
  documentProblems: {
    'problems.path': 'source.language.code',
    'problems.code': 'notText',
    'problems.message': 'expected a string, found 7',
  },
  dashboardSetup: { appName: 'Dateline', codeMinutes: 15 },
  dashboardOverview: { 'hours.hour': '2026-03-01T11:00:00.000Z' },
  serviceStatus: {
    version: '0.1.0',
    node: '26.10.0',
    platform: 'linux-x64',
    instance: 'b1946ac9-2f0d-4c3e-8a57-6d1f0e9c8b7a',
    startedAt: '2026-02-28T06:00:00.000Z',
    uptimeSeconds: 108000,
    dataDir: '/var/lib/dateline',
    'database.bytes': 52428800,
    'database.logBytes': 4194304,
    'database.freeBytes': 21474836480,
    'attention.message': 'A mail waits since 4 minutes',
    'limits.name': 'codes_per_email',
    'mail.description': ['smtp://mail.example.org'],
    'backups.everyMs': 86400000,
    'backups.directory': '/var/lib/dateline/backups',
    'backups.last.name': 'dateline-20260301T060000Z.db',
    'backups.last.bytes': 52428800,
    'backups.failure': null,
  },
  serviceSettings: {
    'items.name': 'port',
    'items.flag': '--port',
    'items.value': '8080',
    'items.origin': 'default',
    'items.meaning': 'port to listen on; 0 takes any free one',
  },
  logLines: { 'items.event': 'request', 'items.fields.name': 'status', 'items.fields.value': '200', dropped: 0 },
  auditRecords: {
    'items.id': '66f000000000000000000901',
    'items.time': '2026-03-01T09:30:00.000Z',
    'items.event': 'document.replaced',
    'items.actor': '66f000000000000000000601',
    'items.role': 'publisher',
    'items.clientAddress': '192.0.2.7',
    'items.sessionId': '66f000000000000000000801',
    'items.requestId': '66f000000000000000000902',
    'items.emailHash': '',
    'items.model': 'headline',
    'items.documentId': '66f000000000000000000501',
    'items.before': '"n4bQgYhMfWWaL-qgxVrQFa"',
    'items.after': '"Yx2TLwOhMfWWaL-qgxVrQF"',
    'items.changes': [],
    'items.details': [],
    cursor: null,
    hasMore: false,
  },
  outboxMessages: {
    'items.id': '66f000000000000000000701',
    'items.address': 'reader@example.org',
    'items.attempts': 1,
    'items.reply': '450 4.2.1 Try again later',
    'items.doneAt': null,
  },
  mailTestBody: { to: 'you@example.org' },
  mailTest: { lines: ['< 220 mail.example.org ESMTP', '> EHLO news.example.org'], advice: null },
  backup: { name: 'dateline-20260301T060000Z.db', bytes: 52428800 },
  backups: { 'items.name': 'dateline-20260301T060000Z.db', 'items.bytes': 52428800 },
  userSessions: {
    'items.id': '66f000000000000000000801',
    'items.client': 'Firefox on Linux',
    'items.label': 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
    'items.createdAt': '2026-03-01T08:00:00.000Z',
    'items.lastUsedAt': '2026-03-01T11:30:00.000Z',
    'items.expiresAt': '2026-03-08T08:00:00.000Z',
    'items.current': true,
  },
  queryPlan: {
    model: 'headline',
    access: 'index',
    index: 'status, updatedAt:desc',
    sql: 'SELECT … WHERE "status" = ? ORDER BY "updatedAt" DESC',
    values: ['"active"'],
    'weighed.access': 'index',
    'weighed.index': 'status, updatedAt:desc',
  },
  signedIn: { token: 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiI2NmYwIn0.c2lnbmF0dXJl' },
}

/** The sample of a field of a model or reply, by its dotted path with `*` for any key of a map. */
export function sampleOf(of: Pick<Model, 'name'>, path: string): Json | undefined {
  const own = SAMPLES[of.name]?.[path]
  return own === undefined ? COMMON[path] : own
}
