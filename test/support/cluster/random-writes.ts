/** Random writes of every kind that the store has, over few ids, so that they meet. */
import { newAccount } from '../../../src/auth/new-account.ts'
import { guestEmail } from '../../../src/models/guest.ts'
import type { Json } from '../../../src/base/json.ts'
import { DAY_MS } from '../../../src/base/duration.ts'
import { headline } from '../../../src/models/headline.ts'
import { topic } from '../../../src/models/topic.ts'
import { user } from '../../../src/models/user.ts'
import { userContentPreferences } from '../../../src/models/user-content-preferences.ts'
import type { Random } from '../../../scripts/tools/random.ts'
import { randomHeadline } from '../query/headline-samples.ts'
import type { SystemStore } from '../../../scripts/tools/stores.ts'
import type { CodeClaim } from '../../../src/store/accounts/code-table.ts'
import type { Document } from '../../../src/store/documents/document-tables.ts'
import type { FeedItemRow } from '../../../src/store/feeds/feed-items.ts'
import type { NewAccount } from '../../../src/store/accounts/account-tables.ts'
import type { PasskeyRecord } from '../../../src/store/accounts/passkey-table.ts'
import type { SavedView } from '../../../src/store/accounts/saved-view-table.ts'
import type { Store } from '../../../src/store/store.ts'
import type { Writer } from '../../../src/store/writes/writer.ts'

export interface RandomWrite {
  readonly method: keyof Writer
  run(store: SystemStore): Promise<unknown>
}

const NUMBERS = 6
const START = Date.UTC(2026, 0, 1)
const EVENTS = ['sign-in.failed', 'code.requested', 'backup.made'] as const

/** What a service alone keeps, for off-site backups: a node of a cluster has none of it. */
const OF_CHAINS: readonly (keyof Writer)[] = ['continueChain', 'breakChain', 'prunePending', 'endChain']
export const isOfEveryNode = (method: keyof Writer): boolean => !OF_CHAINS.includes(method)

/** A write, all of whose values are chosen now, so that it does the same wherever it runs. */
export function randomWrite(random: Random, isWanted: (method: keyof Writer) => boolean = isOfEveryNode): RandomWrite {
  const now = START + random.below(40) * DAY_MS
  const pick = (kind: string): string => `${kind}-${random.below(NUMBERS)}`
  const email = `${pick('reader')}@example.org`
  const [id, jti, message] = [pick('user'), pick('session'), `message-${random.below(30)}`]
  const text = String(random.below(1000))
  const session = { jti, label: text, createdAt: now, expiresAt: now + random.below(20) * DAY_MS }
  const bytes = Buffer.from(random.pick(['a', 'b', 'c']).repeat(16))
  const account = accountOf(id, { email, isAdmin: random.oneIn(3), isGuest: random.oneIn(3), now })
  const code: CodeClaim = {
    ...{ email, mac: bytes, client: Buffer.alloc(16), now, attempts: { perClient: 3, inAll: 5 } },
    rates: { perClient: { key: bytes, max: 3, windowMs: DAY_MS }, perEmail: undefined },
  }
  const model = random.pick([headline, topic])
  const document = model === headline ? headlineOf(random) : topicOf(random, text)
  const token = { jti, expiresAt: session.expiresAt, now }
  const passkey: PasskeyRecord = {
    ...{ id: pick('passkey'), userId: id, origin: 'https://example.org', publicKey: text, signCount: random.below(3) },
    ...{ isBackedUp: false, name: text, createdAt: now, usedAt: undefined },
  }
  const view: SavedView = { id: pick('view'), userId: id, name: text, model: model.name, query: text }
  const [other, gone] = [topicOf(random, text), headlineOf(random)]
  const [erases, isFetched, isSettled, picture] = [random.oneIn(3), random.oneIn(3), random.oneIn(2), pick('picture')]
  const invitation = {
    ...{ email, message: { id: message, sealed: Buffer.from(text) }, now, expiresAt: now + DAY_MS },
    rates: { perUser: { key: bytes, max: 3, windowMs: DAY_MS }, perEmail: { key: bytes, max: 3, windowMs: DAY_MS } },
  }
  const item: FeedItemRow = {
    ...{ feed: pick('feed'), key: pick('item'), page: random.oneIn(2) ? undefined : text, outcome: 'created', headline: document.id },
    ...{ reason: undefined, content: text, at: now, seenAt: now, item: random.oneIn(2) ? undefined : JSON.stringify({ text }) },
    ...{ picture: random.oneIn(3) ? undefined : pick('picture'), isPictureWanted: random.oneIn(2) },
  }
  const said = { alt: text, focus: random.oneIn(2) ? undefined : { x: random.below(101), y: random.below(101) } }
  const choices: { [Method in keyof Writer]: () => Parameters<Writer[Method]> } = {
    insert: () => [model, document],
    insertMissing: () => [headline, random.list(4, () => headlineOf(random))],
    update: () => [model, document.id, (stored) => ({ ...document.value, ...kept(stored) })],
    together: () => [
      (_, steps) => [
        steps.insert(model, document),
        steps.update(topic, other.id, (stored) => ({ ...stored, name: text })),
        steps.updateUser(id, (stored) => ({ ...stored, text })),
        steps.remove(headline, gone.id),
        steps.revert(topic, other.id, (stored) => ({ ...stored, name: 'reverted' })),
        steps.restore(headline, document.id, () => {}).kind,
        erases && steps.eraseTrashed(topic, document.id),
        steps.feeds.put(item, picture),
        steps.feeds.wantPicture(picture, now),
        isFetched && steps.feeds.notePictureFile(picture, text, now),
        isFetched && steps.feeds.itemsThatWant(picture, 2).forEach(steps.feeds.ceaseToWant),
        isSettled && steps.feeds.settlePicture(picture),
        steps.feeds.isRemovedPage(text, now),
        steps.feeds.trim(item.feed),
      ],
    ],
    remove: () => [random.pick([model, userContentPreferences]), random.oneIn(2) ? document.id : id, undefined, () => other.id],
    followReferences: () => [0],
    beginReferenceRepair: () => [],
    issueCode: () => [
      {
        ...{ email, mac: bytes, now, expiresAt: now + DAY_MS, forget: { key: bytes }, requester: random.oneIn(2) ? bytes : Buffer.from('other') },
        message: random.oneIn(3) ? undefined : { id: message, sealed: Buffer.from(text) },
      },
    ],
    createAccount: () => (random.oneIn(2) ? [account] : [account, session]),
    inviteAccount: () => [account, random.oneIn(2) ? undefined : invitation],
    inviteAgain: () => [id, invitation],
    promote: () => [email, now],
    signIn: () => [
      {
        ...{ code, dashboard: random.oneIn(4), newAccount: account, session, now },
        by: random.oneIn(2) ? { userId: id, jti: pick('session'), iat: 0, expiresAt: Number.MAX_SAFE_INTEGER } : undefined,
        merge: ({ account: mine, guest }) => ({ ...guest, ...mine, merged: text }),
      },
    ],
    signInTrusted: () => [{ email, newAccount: account, session, means: 'proxy' }],
    signInFirstAdmin: () => [{ email, newAccount: account, session, means: 'setup' }, 'none'],
    revoke: () => [token],
    useTicket: () => [{ ...token, jti: `ticket-${jti}` }],
    addSession: () => [id, session],
    replaceSession: () => [id, { jti: pick('session'), iat: Math.floor(session.createdAt / 1000), expiresAt: session.expiresAt }, session],
    addApiToken: () => [
      pick('hash'),
      { id: jti, userId: id, name: text, limits: { role: 'publisher', models: null, methods: ['read'] }, createdAt: now, expiresAt: session.expiresAt, usedAt: undefined },
    ],
    revokeApiToken: () => [jti],
    addPasskey: () => [{ code, challenge: { ...token, jti: `passkey-${jti}` }, passkey }],
    signInWithPasskey: () => [
      { passkey, signCount: random.below(5), isBackedUp: random.oneIn(2), challenge: { ...token, jti: `passkey-${jti}` }, session, now },
    ],
    addView: () => [view],
    replaceView: () => [view],
    removeView: () => [id, view.id],
    removePasskeys: () => (random.oneIn(2) ? [id] : [id, passkey.id]),
    useSession: () => [jti, now],
    endSession: () => [id, jti, now],
    endOtherSessions: () => [id, session, now],
    endSessions: () => [id, now],
    updateUser: () => [id, (stored) => ({ ...stored, appRole: 'premiumUser', text })],
    deleteAccount: () => [{ id, now, keepLastAdmin: random.oneIn(2), token }],
    putFeedState: () => [{ feed: document.id, nextAt: now, state: { text } }, 'https://example.org/feed'],
    putFeedSecret: () => [pick('feed'), random.oneIn(2) ? undefined : { origin: 'https://example.org', sealed: bytes }],
    putPublicationSecret: () => [pick('publication'), bytes],
    putPublicationPing: () => [pick('publication'), text],
    notePictureFailure: () => [
      pick('feed'),
      { address: pick('picture'), problem: text, now, nextAt: random.oneIn(2) ? undefined : now + DAY_MS },
      random.oneIn(2) ? undefined : now + DAY_MS,
    ],
    forgetUnseenItems: () => [now, now + DAY_MS],
    addPicture: () => [
      { ...{ hash: pictureHash(random), format: 'webp', bytes: 1_000, width: 4, height: 3, frames: 1 }, ...said, createdAt: now, actor: id },
      random.pick([2_500, 1_000_000]),
    ],
    describePicture: () => [pictureHash(random), said],
    removePicture: () => [pictureHash(random)],
    removeUnusedPictures: () => [now, undefined],
    takeMessages: () => [
      { now, leaseMs: DAY_MS, take: random.below(3), onlyRequested: random.oneIn(3), pauseMsMax: DAY_MS, inHand: [message] },
    ],
    finishMessage: () => [
      message,
      random.pick([{ kind: 'delivered', reply: text }, { kind: 'later', reply: text, dueAt: now + DAY_MS }] as const),
      now,
    ],
    retryMessage: () => [message, now],
    writeMeta: () => [pick('note'), text],
    changeSettings: () => [
      { changes: [{ name: pick('setting'), value: random.oneIn(3) ? undefined : text, isSecret: random.oneIn(2) }], now, check: () => {} },
    ],
    continueChain: () => [text],
    breakChain: () => [text],
    prunePending: () => [random.below(10)],
    writePlaceState: () => [pick('place'), { text }],
    endChain: () => [],
    record: () => [{ event: random.pick(EVENTS), details: [{ name: 'text', value: text }] }],
    recordSuppressed: () => [],
    countRates: () => [[{ key: bytes, max: 1 + random.below(4), windowMs: DAY_MS, ring: random.pick(['rate_hit', 'client_try', 'email_try'] as const) }], now],
    seeGuest: () => [id, now],
    removeExpired: () => [now],
    removeOldRecords: () => [random.oneIn(2) ? undefined : now],
    removeOldChanges: () => [random.oneIn(4) ? now : 0, random.oneIn(4) ? 1 : 0],
    registerGuests: () => [random.below(3), now],
    removeGuests: () => [now, now],
    makeGuestRoom: () => [random.oneIn(2) ? 0 : 20_000, now, now],
  }
  const method = random.pick((Object.keys(choices) as (keyof Writer)[]).filter(isWanted))
  const values = choices[method]() as never[]
  return { method, run: (store) => (store[method] as (...values: never[]) => Promise<unknown>)(...values) }
}

/** Members that a change keeps. */
function kept(stored: Readonly<Record<string, Json>>): Record<string, Json> {
  return { id: stored['id'] ?? '', createdAt: stored['createdAt'] ?? '' }
}

function headlineOf(random: Random): Document {
  const id = `headline-${random.below(NUMBERS * 3)}`
  return { id, value: { ...randomHeadline(random, id), id } }
}

function pictureHash(random: Random): string {
  return String(random.below(NUMBERS)).repeat(64)
}

function topicOf(random: Random, name: string): Document {
  const id = `topic-${random.below(NUMBERS)}`
  const dates = { createdAt: '2026-01-01T00:00:00.000Z', updatedAt: '2026-01-01T00:00:00.000Z' }
  return { id, value: { id, name, iconUrl: `https://example.org/media/${pictureHash(random)}.webp`, ...dates, status: random.pick(['active', 'draft']) } }
}

interface AccountFacts {
  readonly email: string
  readonly isAdmin: boolean
  readonly isGuest: boolean
  readonly now: number
}

function accountOf(id: string, { email, isAdmin, isGuest, now }: AccountFacts): NewAccount {
  const dashboardRole = isAdmin && !isGuest ? 'admin' : 'none'
  return newAccount({ id, email: isGuest ? guestEmail(id) : email, appRole: isGuest ? 'guestUser' : 'standardUser', dashboardRole, now, language: {} })
}

/** What clients see of the content: the same wherever the data is the same. */
export async function readsOf(store: Store): Promise<Json> {
  const counts = store.documents.countByStatus(headline)
  const hours = store.documents.countByHour(headline, { from: START - 400 * DAY_MS, to: START + 400 * DAY_MS })
  const countries = store.documents.countriesInUse('eventCountry')
  const users = Array.from({ length: NUMBERS }, (_, i) => store.documents.get(user, `user-${i}`) ?? null)
  return { counts: Object.fromEntries(counts), hours: hours.map(({ hour, n }) => [hour, n]), countries: [...countries], users }
}
