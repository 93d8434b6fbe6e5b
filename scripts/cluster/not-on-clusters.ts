/** Tests of the API, and groups of them, that cannot hold on a cluster, by their titles, each with the reason. */

export interface LeftOut {
  readonly title: string
  /** Left out of one mode only: against one node, or spread over all. */
  readonly mode?: 'one' | 'spread'
  readonly because: string
}

const PAST_THE_LOG = 'it writes into the database of a node, past the log'
const BEHIND = 'it looks into the files of the first node, which may be a moment behind the one that answered'
const ORDER = 'each node counts ids for itself within a millisecond, and the clock of the test stands still'
const DIVIDED = '--data-per-user is divided by the number of nodes'
const POSITION = 'each response has the position of its moment'
const OWN_BACKUPS = 'the backups of a node are its own'

export const NOT_ON_CLUSTERS: readonly LeftOut[] = [
  ...[
    'ids grow in the order of creation',
    'guests, and what becomes of them',
    'is added with a fresh code, listed, used to sign in, and removed',
    'come to editors alone where lists hide them from readers, and leave no trace that were never published',
    'has 20 items where the request names no limit, in the order of creation',
    'orders types: null and absent, numbers, text, objects, arrays (by an element), booleans',
    'sorts lists, what was never published last, page by page',
    'are listed, counted, queried and exported, with any filter, and drafts that lack something where they are asked for',
    'from a page of another site, and one whose browser gives no passkeys',
    'have a password that no response, record, log line or file shows',
    'with an open session, and without a code, with a wrong one, one of another, and one that was used',
  ].map((title) => ({ title, mode: 'spread', because: ORDER }) as const),
  ...[
    'of one user ends at eight streams, waiting requests included',
    'is for users, for their models, and for at most 32 of each: more get 503, at which RxDB tries again',
  ].map((title) => ({ title, mode: 'spread', because: 'each node counts its own streams' }) as const),
  ...[
    'of a client that goes on sending ends with its connection, and buys no response',
    'forbids it: 400 to GET / HTTP/1.1 bad header',
    'forbids it: 413 to POST /api/v1/data?model=topic',
    'a flood of new connections with requests of long pages leaves a new client its turn',
  ].map((title) => ({ title, mode: 'spread', because: 'the proxy takes what the client sends, over connections of its own' }) as const),
  ...[
    'request-code responds with 503 and Retry-After while the outbox is full, and with 202 afterwards',
    'holds what is stored at that moment, in every coding and as a 304',
    'holds every write that was confirmed before it began, whichever connections read and write',
    ...['headline', 'topic', 'source', 'remote_config', 'user'].map(
      (model) => `is found to be old where writes forget the version of ${model}`,
    ),
  ].map((title) => ({ title, because: PAST_THE_LOG })),
  { title: 'holds what an import in another process has written', because: 'its command is told no cluster; shared-state.test.ts imports into one' },
  ...[
    ...['counts as many requests as it has operations', 'count as so many requests', 'limits requests of the same minute'],
    'the session comes before the rate limit, and the rate limit before the model',
    ...['the limit on data requests per user', 'data requests'],
  ].map((title) => ({ title, because: DIVIDED })),
  ...['attack: one client address is limited', 'are limited in number', 'is limited by client address'].map((title) => ({ title, mode: 'one', because: DIVIDED }) as const),
  ...['gets the same response whether or not the email has a user', 'with the same response, byte for byte, however it fails'].map((title) => ({ title, because: POSITION })),
  ...[
    'leaves no row of any table that names the address or the user, but the revoked token',
    'leaves no byte in any file of the data directory, deleted by its user or an administrator',
    ...['signs out', 'is signed out everywhere', 'is demoted', 'deletes the own account', 'is deleted'].map(
      (loss) => `and ${loss} before the body is there is refused, and nothing is written`,
    ),
  ].map((title) => ({ title, mode: 'spread', because: BEHIND }) as const),
  ...[
    'the settings at the start, and the administrator of the settings',
    'by any filter of the language, and declared fields by an index',
  ].map((title) => ({ title, because: 'each node records its start' })),
  ...['a later start keeps what was edited or added, and brings back by its id what was deleted', 'comes back at the next start when it is missing, and is left alone when it is there'].map(
    (title) => ({ title, because: 'a node brings back what is missing behind its start: cluster-service.test.ts waits for it' }),
  ),
  ...['backups and their downloads', 'forbids it: 200 to GET /api/v1/admin/backups/dateline-20260301T120000Z-manual.d'].map(
    (title) => ({ title, mode: 'spread', because: OWN_BACKUPS }) as const,
  ),
  { title: 'tells that the service is alive, and which run of it', because: 'a node tells its position too: see cluster-service.test.ts' },
  { title: 'are not stored when the mail server refuses, and its answer is told', mode: 'spread', because: 'each node shows its own directory among the settings' },
  { title: 'off ends automatic backups, and a time begins them again', because: 'a node always makes backups, behind which its log is trimmed' },
  ...[
    'counts what each limit refused',
    'count requests by route, method and status, never by what a client wrote',
    'leaves its bytes within --cache-mb, and what is read often in it',
    'tell of sign-ins, limits, queries, mail and files',
    'tell when each was last used, to within five minutes, and administrators see the same',
    'with the signature of another, told with the name of the passkey; and a flood of such attempts, which is counted',
  ].map((title) => ({ title, mode: 'spread', because: 'each node counts and remembers for itself' }) as const),
  {
    title: 'can be replaced: the first signs, and old ones hold until their line is gone',
    mode: 'spread',
    because: 'it changes the secrets of the first node only',
  },
]

/** Files of tests that cannot hold, with the reason. */
export const FILES_NOT_ON_CLUSTERS: ReadonlyMap<string, string> = new Map([
  ['test/api/admin-backups.test.ts', `it counts backups, of which a cluster makes one at its start, and ${OWN_BACKUPS}`],
])
