/**
 * The interface between the service and its database, in the terms of the service.
 *
 * Everything is asynchronous and small, and each change is one call: what must happen together stands in one
 * operation, with its conditions inside, so that no caller can check first and act later. Nothing above this folder
 * knows SQL or sees a transaction. Reads are methods of the store; writes are methods of `store.as(actor)`: actor.ts.
 */
import type { Awaitable } from '../base/awaitable.ts'
import type { Failure } from '../base/failure.ts'
import type { Json, JsonObject } from '../base/json.ts'
import type { TextPart } from '../base/text-parts.ts'
import type { Caller, CallerClass } from '../models/caller.ts'
import type { MessageKind, MessageState } from '../models/message-state.ts'
import type { QueryPlan } from '../models/responses.ts'
import type { Model } from '../models/schema.ts'
import type { Status } from '../models/status.ts'
import type { Filter } from '../query/ast.ts'
import type { Position, Sort } from '../query/order.ts'
import type { BulkWriter } from './writes/bulk.ts'
import type { Actor, CallerClaim, Token, Visitor } from './actor.ts'
import type { AuditEntry } from './audit/audit-record.ts'
import type { FollowedStep, ReferenceLook, ReferenceProgress } from './references/reference-progress.ts'
import type { Replication } from './cluster/replication.ts'
import type { WriteLock } from './db/write-lock.ts'
import type { ApiTokenRecord } from './accounts/api-token-table.ts'
import type { GuestStorage } from './accounts/guest-storage.ts'
import type { ChangedSetting, SettingsChange, StoredSetting } from './settings/setting-table.ts'

/** A document to be stored; `id` is the same text as its member. */
export interface Document {
  readonly id: string
  readonly value: JsonObject
  /** The JSON text of the value, where the caller has it. */
  readonly text?: string
}

export interface FindQuery {
  readonly filter: Filter
  readonly sort: Sort
  /** How many items at most; undefined for as many as make a page in bytes. */
  readonly limit: number | undefined
  /** The sort values and the id after which the page begins. */
  readonly after: Position | undefined
  /** Counts matches, up to the limit, in place of reading them: the only item found is the JSON text of a MatchCount. */
  readonly counts?: true
  /** The filter names only some of the documents that were asked for: the page says so, and a count of them is a floor. */
  readonly isPart?: true
}

/** Ids of documents that users have changed, and whether they are all that the log knows. */
export interface ChangedDocuments {
  readonly ids: readonly string[]
  readonly isWhole: boolean
}

/** How many documents match; a floor where the limit, or what counting may cost, was reached. */
export interface MatchCount {
  readonly total: number
  readonly isFloor: boolean
}

export interface Found {
  /** Documents as JSON text. */
  readonly items: readonly string[]
  /** The same in UTF-8, with a comma between two documents: what the array of a response holds. */
  readonly joined: Uint8Array
  /** The same for a response, which sends it once: afterwards `joined` may be empty. */
  readonly part: TextPart
  /** The position after which the next page begins; undefined when nothing follows. */
  readonly next: Position | undefined
}

/** The caller of a query, which decides when it is served while others wait. */
export interface QueryCaller {
  readonly id: string
  readonly class: CallerClass
  /** Aborts when the answer is not wanted any more. Used only by queries that wait. */
  readonly signal?: AbortSignal
}

/** Work on the main thread that can pause, in steps as those of a query (query/steps.ts). */
export interface TurnWork<Result> {
  /** What it is expected to take. */
  readonly stepsExpected: number
  /** The steps taken since the beginning. */
  spent(): number
  /** The bytes that it holds while it waits. */
  held(): number
  /** Works for as long as it is allowed, and at least a little. Returns the result when it is done. */
  advance(mayGoOn: () => boolean): Result | undefined
}

/** The start of an hour in UTC, as `2026-03-01T12:00:00.000Z`, and its number of documents. */
export interface HourCount {
  readonly hour: string
  readonly n: number
}

/** Checks the stored JSON text before a change. What it throws is thrown, and nothing changes. */
export type Condition = (text: string) => void

/** The id of the document that replaces a deleted one. What it throws is thrown, and nothing changes. */
export type Replacement = (moment: Moment) => string

/** 'exists': the id or a unique value is taken; 'orphan': the user that it belongs to does not exist. */
export type InsertOutcome = 'inserted' | 'exists' | 'orphan'

export type RestoreOutcome = { readonly kind: 'restored'; readonly text: string } | { readonly kind: 'missing' | 'exists' }

/** A document whose status changes at a time. */
export interface DueDocument {
  readonly id: string
  /** Milliseconds since the epoch. */
  readonly at: number
  readonly text: string
}

/** Some guests were deleted. */
export interface GuestStep {
  readonly removed: number
  readonly isDone: boolean
}

/** What a write sees inside its transaction. */
export interface Moment {
  /** The caller, with its present roles; undefined where no user writes. */
  readonly caller: Caller | undefined
  /** The JSON text of a stored document. */
  textOf(model: Model, id: string): string | undefined
  /** Whether a document with the id is in the trash, also as an incomplete draft. */
  isTrashed(model: Model, id: string): boolean
  readonly lookUp: DocumentStore['lookUp']
  /** Bytes that guests may still add; none where this is not above 0. */
  guestRoom(): number
}

/** A stored document as it was read: its JSON text and its value. */
export interface ReadDocument {
  readonly text: string
  readonly value: JsonObject
}

/** Returns the value that replaces the stored one, of which it also gets the JSON text. */
export type Change = (stored: JsonObject, text: string, moment: Moment) => JsonObject

/** A change of a document, as it was committed. */
export interface ChangeRecord {
  /** Grows with each change of any model; it need not be dense. */
  readonly seq: number
  /** The name of the model. */
  readonly model: string
  readonly id: string
  readonly kind: 'created' | 'updated' | 'deleted' | 'restored'
  /** Milliseconds since the epoch. */
  readonly at: number
  /** The id of a user, or `operator`, `service` or `stranger` as in the audit trail; undefined where it was erased. */
  readonly actor: string | undefined
  /** The versions before and after: their entity tags without quotes. */
  readonly before: string | undefined
  readonly after: string | undefined
  /** The status before, where the model has one. */
  readonly statusBefore: Status | undefined
  /** Whether the document was active at any time before this change, as far back as the log goes. */
  readonly wasActive: boolean
  /** Whether it made a document of which the log has no earlier change. */
  readonly isFirst: boolean
  /** Whether it is of the kind 'updated' and brought only copies of other documents up to date. */
  readonly isFollowing: boolean
}

/** The extent of the change log. */
export interface ChangeRange {
  /** Identifies the log: that of a restored backup is another one, in which a seq means another change. */
  readonly history: string
  /** The newest seq; 0 where there is none. */
  readonly newest: number
  /** The seq behind which the log is whole: a reader that stands before it must start over. */
  readonly wholeBehind: number
}

/** Which part of a list with the newest first. */
export interface HistoryQuery {
  readonly limit: number
  /** The seq behind which, toward older ones, the page begins; undefined for the newest. */
  readonly before: number | undefined
}

export interface HistoryPage<T> {
  readonly items: readonly T[]
  /** Whether there are older ones. */
  readonly hasMore: boolean
}

/** A change of a document, with its JSON text before and after; undefined where there was none, or it is not kept. */
export interface DocumentChange extends ChangeRecord {
  readonly textBefore: string | undefined
  readonly textAfter: string | undefined
}

/** A deleted document that can be restored. */
export interface TrashedDocument extends Pick<ChangeRecord, 'seq' | 'id' | 'at' | 'actor'> {
  readonly text: string
}

/** Which changes a reader is told of: those of all documents of some models, and those of the own documents of others. */
export interface ChangeSight {
  readonly models: readonly Model[]
  /** `id` is that of the user, and of all that the user owns. */
  readonly own?: { readonly models: readonly Model[]; readonly id: string } | undefined
}

export interface ChangePage {
  readonly records: readonly ChangeRecord[]
  /** The seq up to which the page tells all changes: the next one begins behind it. */
  readonly upTo: number
  /** Rows of the log that were looked at. */
  readonly looked: number
}

export interface ReferenceUsage {
  readonly counts: readonly HolderCount[]
  /** How many documents were looked at, of those that there were; undefined where no copies follow a change now. */
  readonly following: { readonly done: number; readonly total: number } | undefined
}

export interface UsageOfMany extends Pick<ReferenceUsage, 'counts'> {
  readonly used: readonly string[]
}

interface HolderCount {
  readonly model: Model
  readonly total: number
  /** Whether counting ended at the limit. */
  readonly isFloor: boolean
}

export interface DocumentStore {
  /** The extent of the change log, in the same snapshot as get(). */
  changeRange(): ChangeRange
  /**
   * The last change of each document behind a seq, oldest first, at most `limit`. A page looks at a bounded part of what the
   * log has for its reader: it may have no record and still not be the last one, which has `upTo` at the newest seq. A
   * document that changes while its reader turns pages comes again.
   */
  changesBehind(after: number, sight: ChangeSight, limit: number): ChangePage
  /**
   * Calls the listener behind each commit of this process that changed a document, and soon after one of another process:
   * within 250 ms, unless it wants none of those. Commits of one turn of the event loop may share a call. Returns a function
   * that ends it.
   */
  onChanges(listener: () => void, options?: { readonly ofOthers?: boolean }): () => void
  /** Documents of a scheduled model with a time to come or past, the earliest first, behind one of them; at most `limit`. */
  dueDocuments(model: Model, after: Pick<DueDocument, 'id' | 'at'> | undefined, limit: number): readonly DueDocument[]
  /** Drafts of a reviewed model that were handed in, the longest waiting first, at most `limit`; and how many there are. */
  handedIn(model: Model, limit: number): readonly { readonly id: string; readonly text: string }[]
  countHandedIn(model: Model): number
  /** The note with which a draft was given back. */
  reviewNote(model: Model, id: string): ReviewNote | undefined
  /** The changes of a document, newest first: at most `limit`, and fewer where their texts are long. */
  historyOf(model: Model, id: string, query: HistoryQuery): HistoryPage<DocumentChange>
  /**
   * The JSON text of a document as a change of it left it; undefined where that is not one of its changes, where it deleted
   * the document, or where the text is not kept any more.
   */
  textBehind(model: Model, id: string, seq: number): string | undefined
  /** What of a model is in the trash, what was deleted last first: at most `limit`, and fewer where they are long. */
  listTrash(model: Model, query: HistoryQuery): HistoryPage<TrashedDocument>
  /** The document with this id in the trash. */
  getTrashed(model: Model, id: string): TrashedDocument | undefined
  /** The response that a user's request with this key has got, for a day; and the hash of that request. */
  firstResponse(
    userId: string,
    key: string,
    now: number,
  ): (FirstResponse & Pick<RepeatableRequest, 'fingerprint'>) | undefined
  /** The JSON text of a document. A synchronous look-up of microseconds. */
  get(model: Model, id: string): string | undefined
  /**
   * A page of the documents that match, in the order of the sort, then of the ids: at most `limit`, and fewer where
   * they would exceed the bytes of a page. A short query is done immediately; a long one runs in a thread, under a deadline:
   * throws badRequest past it. It may wait for its turn: throws tooManyRequests where many queries of this caller are
   * waiting or this one waited too long, networkError where too many of all callers wait, and the reason of the signal
   * when that aborts.
   */
  find(model: Model, query: FindQuery, caller: QueryCaller): Awaitable<Found>
  /**
   * Does work in the turns of its caller: immediately where it is short, in slices between other requests where it is not. It may
   * wait: throws what `find` throws then, and what the work throws.
   */
  inTurns<Result>(work: TurnWork<Result>, caller: QueryCaller): Awaitable<Result>
  /** How `find` answers a query, and what that costs. Runs it, in a thread; throws what `find` throws. */
  explain(model: Model, query: FindQuery, caller: QueryCaller): Promise<QueryPlan>
  /**
   * A number that differs whenever a document of any model has changed since, by this process or another. It belongs to the
   * snapshot that all reads of this turn of the event loop see; cheap. Throws networkError.
   */
  revision(): number
  /** The versions of some models in the same snapshot, as one text. It never comes again once one of them has changed. */
  versionsOf(models: readonly Model[]): string
  /**
   * Documents whose text at a sought path is in one of the ranges, in its order: at most `limit` for each, and fewer where
   * they are long. A synchronous look-up of microseconds.
   */
  lookUp(model: Model, path: string, ranges: readonly TextRange[], limit: number): readonly FoundText[]
  /** How many documents of a counted model have the status `active`. */
  countActive(model: Model): Promise<number>
  /** How many documents of a counted model have each status that any has. */
  countByStatus(model: Model): Promise<ReadonlyMap<string, number>>
  /**
   * The hours with documents of a model with a timeline, oldest first. Each of the two hours is given by any moment in
   * it, in milliseconds since the epoch. Costs the same however many documents there are.
   */
  countByHour(model: Model, hours: { readonly from: number; readonly to: number }): Promise<readonly HourCount[]>
  /**
   * How many documents of some models hold copies of a document, each counted up to a limit, and how far these copies have
   * followed its last change; undefined where they have.
   */
  usageOf(model: Model, id: string, holders: readonly Model[], limit: number): ReferenceUsage
  /** Looks behind a change for copies that have to follow one. Bounded: see ReferenceLook. */
  referenceWork(after: number): ReferenceLook
  referenceProgress(): ReferenceProgress
  /**
   * Documents of some models that users have changed, as far back as the log goes: the last 1,000 documents of their last
   * 5,000 changes of any model, which several users share. Deleted documents may be among them. Synchronous.
   */
  changedBy(models: readonly Model[], actors: readonly string[]): ChangedDocuments
  /** How many documents of some models are in the trash, counted up to a limit. */
  countTrash(models: readonly Model[], limit: number): MatchCount
  /**
   * How many documents of some models hold copies of any of these documents, each counted up to a limit over all; and which of
   * these have copies in a model that no user owns.
   */
  usageOfMany(model: Model, ids: readonly string[], holders: readonly Model[], limit: number): UsageOfMany
  /** Ids of the countries in which active headlines happen, or active sources sit. */
  countriesInUse(use: 'eventCountry' | 'headquarters'): Promise<readonly string[]>
}

/** Texts by their code points, both ends included. */
export interface TextRange {
  readonly from: string
  readonly to: string
}

/** A document and its JSON text. */
export interface FoundText {
  readonly id: string
  readonly text: string
  /** Where it is, for one that is not stored. */
  readonly at?: string
}

/** A request with an Idempotency-Key, and a hash of what it wants. */
export interface RepeatableRequest {
  readonly key: string
  readonly fingerprint: Uint8Array
  readonly now: number
}

/** What a repetition of the request gets: the status and `data` of the response. */
export interface FirstResponse {
  readonly status: number
  readonly data: string
}

/** Writes inside a transaction that several share: each is there for the next, and what one throws undoes all. */
export interface ReviewNote {
  readonly note: string
  readonly at: number
}

export interface Steps {
  insert(model: Model, document: Document, admit?: (moment: Moment) => void): InsertOutcome
  update(model: Model, id: string, change: Change, known?: ReadDocument): string | undefined
  updateUser(id: string, change: Change): string | 'missing' | 'last-admin'
  /** `replacement` gives the id of the document that takes its place in all copies; without one, they are kept. */
  remove(model: Model, id: string, condition?: Condition, replacement?: Replacement): boolean
  /** Moves a document from one table to another, as it is; see models/incomplete.ts. Throws conflict where the id is taken. */
  move(from: Model, to: Model, id: string): void
  /** The same as update() for a change that was scheduled, which the service makes. It makes none where `change` returns none. */
  carryOut(model: Model, id: string, change: (stored: JsonObject, text: string) => JsonObject | undefined): void
  /** The same as update() for a change that gives a draft back to its author, with a note. */
  giveBack(model: Model, id: string, note: ReviewNote, change: Change): string | undefined
  /** The same as update() for a change that puts back an earlier version. */
  revert(model: Model, id: string, change: Change, known?: ReadDocument): string | undefined
  /**
   * Takes a document out of the trash, as it was deleted. What `admit` throws is thrown, and nothing changes. 'missing'
   * where it is not in the trash, 'exists' where there is a document with its id again.
   */
  restore(model: Model, id: string, admit: (stored: JsonObject, text: string, moment: Moment) => void): RestoreOutcome
  /** Removes a document of the trash for good, with its earlier versions; false where it is not there. */
  eraseTrashed(model: Model, id: string): boolean
  /**
   * Keeps the response of the caller's request, in the place of the data that an earlier transaction of the request has kept.
   * Throws conflict where its key was used meanwhile.
   */
  keepResponse(request: RepeatableRequest, response: FirstResponse, before?: string): void
}

interface DocumentWriter {
  /** Runs writes in one transaction. What the work throws is thrown, and nothing is written. */
  together<T>(work: (moment: Moment, steps: Steps) => T): Promise<T>
  /** What `admit` throws is thrown, and nothing is inserted. */
  insert(model: Model, document: Document, admit?: (moment: Moment) => void): Promise<InsertOutcome>
  /** Inserts those whose id does not exist yet. Returns their number. */
  insertMissing(model: Model, documents: readonly Document[]): Promise<number>
  /**
   * Replaces a document by the result of `change`, atomically. Returns its new text, or undefined where there is none.
   * What `change` throws is thrown, and nothing changes. Where `known` is still what is stored, it is not parsed again,
   * which would make the transaction long.
   */
  update(model: Model, id: string, change: Change, known?: ReadDocument): Promise<string | undefined>
  /** Removes a document for which the condition holds; false where there is none. See Steps for the replacement. */
  remove(model: Model, id: string, condition?: Condition, replacement?: Replacement): Promise<boolean>
}

/** A sign-in code to be stored, with the sealed message that carries it, unless the operator made it. */
export interface CodeIssue {
  readonly email: string
  readonly mac: Uint8Array
  readonly now: number
  readonly expiresAt: number
  /** Undefined for a code of the operator, which replaces every other code of the email. */
  readonly message: { readonly id: string; readonly sealed: Uint8Array } | undefined
  /** The client that requests a mailed code, as `client` of its claim. */
  readonly requester?: Uint8Array | undefined
  /** A rate whose events are forgotten. */
  readonly forget?: Pick<Rate, 'ring' | 'key'> | undefined
}

/** How often invitations may be sent by mail. */
export interface InvitationRates {
  readonly perUser: Rate
  readonly perEmail: Rate
}

/** The sealed message that invites a user. */
export interface InvitationMail {
  readonly email: string
  readonly message: { readonly id: string; readonly sealed: Uint8Array }
  readonly now: number
  /** When it is given up. */
  readonly expiresAt: number
  readonly rates: InvitationRates
}

export interface LimitedInvitation {
  readonly kind: 'limited'
  readonly limit: keyof InvitationRates
  readonly retryAfterMs: number
}

/** Why an invitation was not put into the outbox. */
export type UnsentInvitation = 'full' | LimitedInvitation

export interface CodeClaim {
  readonly email: string
  readonly mac: Uint8Array
  /** A hash of the network address of the client. */
  readonly client: Uint8Array
  readonly now: number
  /** Wrong attempts after which a code is void: for one client, and for all. */
  readonly attempts: { readonly perClient: number; readonly inAll: number }
  /**
   * Count wrong attempts over all codes: of a client, live code or not, and of an email. Undefined where they are off.
   * `requester` counts those that clients make at their own codes past the limit of the email.
   */
  readonly rates: { readonly perClient?: Rate | undefined; readonly perEmail?: Rate | undefined; readonly requester?: readonly Rate[] }
}
/** 'none': no live code. 'blocked': the client has used up its attempts at the code. */
export type CodeFailure =
  | { readonly kind: 'rejected'; readonly reason: 'none' | 'blocked' | 'wrong' }
  | { readonly kind: 'limited'; readonly limit: 'perClient' | 'perEmail'; readonly retryAfterMs: number }

/** A sliding window: at most `max` events of one key within `windowMs`. */
export interface Rate {
  readonly key: Uint8Array
  readonly max: number
  readonly windowMs: number
  /** Where its events are kept, apart from those of other rings: 500,000 in each. `rate_hit` without it. */
  readonly ring?: 'rate_hit' | 'client_try' | 'email_try'
}
/** A session as it is stored. */
export interface SessionRecord extends Token {
  /** The client that uses it, or its purpose. */
  readonly label: string
  /** Milliseconds since the epoch. */
  readonly createdAt: number
}

export interface ListedSession extends SessionRecord {
  /** When it was last used, in milliseconds since the epoch; useSession() keeps it. */
  readonly usedAt: number
}

export interface SignIn {
  /** The code that has to be right, with its email. */
  readonly code: CodeClaim
  /** Whether only a user with a dashboard role may sign in. */
  readonly dashboard: boolean
  /**
   * The session of the request. Where it is a guest's, the guest becomes or joins the account, and the token is revoked;
   * any other is ignored.
   */
  readonly by: CallerClaim | undefined
  /** The user with defaults that is created where none has the email and no guest is converted. */
  readonly newAccount: NewAccount
  /** Becomes a session of that user. */
  readonly session: SessionRecord
  readonly now: number
  /** The account's preferences with the guest's merged into them. */
  readonly merge: (parts: {
    readonly account: JsonObject
    readonly user: JsonObject
    readonly guest: JsonObject
    readonly config: JsonObject | undefined
  }) => JsonObject
}
export interface SignedIn {
  readonly kind: 'signed-in'
  readonly how: 'created' | 'existing' | 'converted' | 'merged'
  readonly user: JsonObject
  /** The account as it was before its role changed. */
  readonly before?: JsonObject
}
/** 'no-dashboard': the code was right and is consumed, and the user, if there is one, has no dashboard role. */
export type SignInOutcome =
  | SignedIn
  | CodeFailure
  | { readonly kind: 'no-dashboard'; readonly user: JsonObject | undefined }

/** A sign-in without a code: something that the service trusts has checked who it is. */
export interface TrustedSignIn {
  readonly email: string
  readonly newAccount: NewAccount
  readonly session: SessionRecord
  /** For the audit trail. */
  readonly means: string
}

export interface PasskeyRecord {
  /** base64url, as the public key. */
  readonly id: string
  readonly userId: string
  readonly origin: string
  readonly publicKey: string
  readonly signCount: number
  readonly isBackedUp: boolean
  readonly name: string
  /** Milliseconds since the epoch, as below. */
  readonly createdAt: number
  /** Undefined where it was not used yet. */
  readonly usedAt: number | undefined
}

/** A list of the dashboard that a user has named. */
export interface SavedView {
  readonly id: string
  readonly userId: string
  readonly name: string
  readonly model: string
  /** That of the URL of the list. */
  readonly query: string
}

export type ViewSaved = 'saved' | 'full' | 'missing'

export interface PasskeyAddition {
  /** Has to be right. */
  readonly code: CodeClaim
  /** Is used up. */
  readonly challenge: Token
  readonly passkey: PasskeyRecord
}

/** 'repeated': the challenge was used before. 'exists': the id is that of a passkey, maybe of another user. */
export type PasskeyAdded = 'added' | 'repeated' | 'exists' | 'full' | 'missing' | CodeFailure

export interface PasskeySignIn {
  /** What was checked, as it was read. */
  readonly passkey: PasskeyRecord
  readonly signCount: number
  readonly isBackedUp: boolean
  /** Is used up. */
  readonly challenge: Token
  readonly session: SessionRecord
  readonly now: number
}

/** 'changed': the passkey was removed or used elsewhere meanwhile. */
export type PasskeySignedIn =
  | { readonly kind: 'signed-in'; readonly user: JsonObject }
  | { readonly kind: 'repeated' | 'changed' | 'no-dashboard' }

/** A user with settings and preferences, which have the user's id. */
export interface NewAccount {
  readonly user: Document
  readonly settings: JsonObject
  readonly preferences: JsonObject
}

export interface AccountDeletion {
  readonly id: string
  readonly now: number
  /** Rejects the deletion of the last administrator. */
  readonly keepLastAdmin: boolean
  /** The token of the request, which is revoked; the others die with their user. */
  readonly token?: Token
  /** Checked in the same transaction. */
  readonly condition?: Condition | undefined
}

export interface AccountStore {
  /**
   * The JSON text of a token's user: undefined where the user is gone, or the token or all tokens of the user were ended.
   * Synchronous.
   */
  caller(claim: CallerClaim): string | undefined
  /** The token of the API with this hash; undefined where there is none. It may have expired. Synchronous. */
  apiToken(hash: string): ApiTokenRecord | undefined
  /** Tokens of the API, newest first, at most a thousand. */
  apiTokens(): Promise<readonly ApiTokenRecord[]>
  /** The saved views of a user, by their names. */
  viewsOf(userId: string): Promise<readonly SavedView[]>
  /** The passkey with this id; undefined where there is none. */
  passkey(id: string): Promise<PasskeyRecord | undefined>
  /** The passkeys of a user, newest first. */
  passkeysOf(userId: string): Promise<readonly PasskeyRecord[]>
  /**
   * A number that differs whenever anything may have changed in the database, by this process or another: what was read at
   * a number is true for as long as it stays. Costs microseconds once in a turn of the event loop. Throws networkError.
   */
  changes(): number
  userByEmail(email: string): Promise<JsonObject | undefined>
  guestStorage(): GuestStorage
  /** Bytes that guests may still add, as a write sees it. */
  guestRoom(): number
  /** Whether there is an administrator besides the user of one email. Cheap, however many users there are. */
  hasAdmin(except: string): Promise<boolean>
  /** The `language.code` in the settings of the email's user; undefined where there is no user, or no text there. */
  languageOf(email: string): Promise<string | undefined>
  /** The sessions of a user that have not expired, newest first, at most a thousand. */
  sessionsOf(userId: string, now: number): Promise<readonly ListedSession[]>
}

interface AccountWriter {
  /**
   * Replaces any earlier code of the email, and the message that carried it. 'full' where the outbox is: then nothing
   * changes, and an earlier code stays valid.
   */
  issueCode(issue: CodeIssue): Promise<'issued' | 'full'>
  /**
   * Creates a user with settings, preferences and, where one is given, a session; 'exists' for a taken email, 'full' for a
   * guest where guests may keep no more.
   */
  createAccount(account: NewAccount, session?: SessionRecord): Promise<'inserted' | 'exists' | 'full'>
  /** Creates a user, and adds the mail that invites it to the outbox; nothing changes where that is not possible. */
  inviteAccount(account: NewAccount, mail: InvitationMail | undefined): Promise<'inserted' | 'exists' | UnsentInvitation>
  /** Adds another mail that invites a user; 'missing' where there is none of that id and email. */
  inviteAgain(userId: string, mail: InvitationMail): Promise<'sent' | 'missing' | UnsentInvitation>
  /** Makes an existing user an administrator; undefined where there is none. */
  promote(email: string, now: number): Promise<JsonObject | undefined>
  /**
   * Consumes the code, so that of two requests with the right one only one succeeds; then finds, creates, converts or
   * merges the account, and adds missing settings and preferences.
   */
  signIn(request: SignIn): Promise<SignInOutcome>
  /** Signs in the user of an email that was checked elsewhere, and makes the account where there is none. */
  signInTrusted(request: TrustedSignIn): Promise<SignedIn>
  /** The same, and makes the user an administrator; 'refused' where there is one besides the user of one email. */
  signInFirstAdmin(request: TrustedSignIn, except: string): Promise<SignedIn | 'refused'>
  revoke(token: Token & { readonly now: number }): Promise<void>
  /** Stores that a ticket was used; false where it was used before. */
  useTicket(ticket: Token & { readonly now: number }): Promise<boolean>
  /** Adds a session of a user; 'missing' where the user is gone. */
  addSession(userId: string, session: SessionRecord): Promise<'added' | 'missing'>
  /** Ends a token of a user and adds the session that takes its place, with its label; 'missing' where the user is gone. */
  replaceSession(userId: string, old: Token, session: SessionRecord): Promise<'added' | 'missing'>
  /** Adds a token of the API by its hash; 'missing' where its user is gone, 'full' where there are a thousand. */
  addApiToken(hash: string, token: ApiTokenRecord): Promise<'added' | 'missing' | 'full'>
  /** Revokes a token of the API; false where there is none with that id. */
  revokeApiToken(id: string): Promise<boolean>
  /** Consumes the code and the challenge, and adds a passkey. */
  addPasskey(addition: PasskeyAddition): Promise<PasskeyAdded>
  /** Adds a session for a user with a dashboard role, whose passkey was checked and is still as it was then. */
  signInWithPasskey(request: PasskeySignIn): Promise<PasskeySignedIn>
  /** 'full' where the user has as many as there may be, 'missing' where the user is gone. */
  addView(view: SavedView): Promise<ViewSaved>
  /** 'missing' where the user has none with this id, whatever other users have. */
  replaceView(view: SavedView): Promise<ViewSaved>
  /** Removes a view of a user; false where the user has none with this id. */
  removeView(userId: string, id: string): Promise<boolean>
  /** Removes a passkey of a user, or all without an id. Returns how many. */
  removePasskeys(userId: string, id?: string): Promise<number>
  /** Stores that a session or a token was used. A power cut may undo that. */
  useSession(jti: string, now: number): Promise<void>
  /** Ends one session of a user; false where the user has none with that id. */
  endSession(userId: string, jti: string, now: number): Promise<boolean>
  /** Ends the listed sessions of a user but one. Returns how many of them had not expired. */
  endOtherSessions(userId: string, kept: string, now: number): Promise<number>
  /** Ends every session of a user. Returns how many listed ones had not expired. Later tokens are valid. */
  endSessions(userId: string, now: number): Promise<number>
  /** Changes a user; 'last-admin' where that would leave the site without an administrator. */
  updateUser(id: string, change: Change): Promise<string | 'missing' | 'last-admin'>
  /** Deletes a user and all its data permanently: the content is overwritten in the file. */
  deleteAccount(request: AccountDeletion): Promise<'deleted' | 'missing' | 'last-admin'>
}

export interface OutboxMessage {
  readonly id: string
  readonly sealed: Uint8Array
  /** Including this one. */
  readonly attempts: number
  readonly expiresAt: number
}

/** What the courier requests at each turn. Times in milliseconds since the epoch. */
export interface OutboxTurn {
  readonly now: number
  /** The lease of a message that is taken. */
  readonly leaseMs: number
  /** How many messages at most. */
  readonly take: number
  /** Takes only messages that an operator requested. */
  readonly onlyRequested: boolean
  /** The longest pause before an attempt. A longer one was set before the clock was set back: the message is due. */
  readonly pauseMsMax: number
  /** The messages with a running attempt. */
  readonly inHand: readonly string[]
}
export interface OutboxWork {
  /** Due messages, longest due first. */
  readonly messages: readonly OutboxMessage[]
  /** Running ones to be aborted: a newer code came, or the account is gone. */
  readonly unwanted: readonly string[]
  /** Messages that were just ended because their code had expired. */
  readonly expired: readonly { readonly id: string; readonly attempts: number; readonly reply: string | undefined }[]
  /** When the next waiting message is due that is not taken; it may be past. Undefined where none waits. */
  readonly nextDue: number | undefined
}

export type DeliveryResult =
  | { readonly kind: 'delivered' | 'failed' | 'expired'; readonly reply: string }
  | { readonly kind: 'later'; readonly reply: string; readonly dueAt: number }

/** The record of a message for the operator; times in milliseconds since the epoch. */
export interface MessageRecord {
  readonly id: string
  readonly kind: MessageKind
  readonly address: string
  readonly state: MessageState
  readonly attempts: number
  /** The mail server's last reply, or why there was none. */
  readonly reply: string | undefined
  readonly createdAt: number
  readonly triedAt: number | undefined
  /** The next attempt, of a waiting message. */
  readonly dueAt: number | undefined
  /** When its code expires. */
  readonly expiresAt: number
  readonly doneAt: number | undefined
}

export interface OutboxSummary {
  readonly counts: Readonly<Record<MessageState, number>>
  /** When the oldest open message was added. */
  readonly oldestWaitingAt: number | undefined
}

export interface OutboxStore {
  /** The newest records, newest first. */
  listMessages(query: {
    readonly state: MessageState | undefined
    readonly limit: number
    readonly now: number
  }): Promise<readonly MessageRecord[]>
  /** The newest invitation to an email; undefined where no record of one is kept. */
  lastInvitation(email: string, now: number): Promise<MessageRecord | undefined>
  /** When the oldest open message was added. Cheap, however many records there are. */
  oldestWaitingAt(): Promise<number | undefined>
  /** Reads all records. */
  outboxSummary(now: number): Promise<OutboxSummary>
}

export interface OutboxWriter {
  /** One turn of the courier, in one transaction: ends expired messages and takes due ones, with a lease. */
  takeMessages(turn: OutboxTurn): Promise<OutboxWork>
  /**
   * Records how an attempt ended. A message that is done loses its content. One that ended meanwhile stays as it is;
   * only the reply is added.
   */
  finishMessage(id: string, result: DeliveryResult, now: number): Promise<void>
  /** Makes a waiting message due immediately; otherwise returns its state, or 'missing'. */
  retryMessage(id: string, now: number): Promise<'due' | Exclude<MessageState, 'waiting'> | 'missing'>
}

/** What the service writes by itself. The removals are small steps. */
interface ServiceWriter {
  /** Stores metadata of the database under a name. */
  writeMeta(name: string, value: Json): Promise<void>
  /** Changes settings and returns those that are different now. Throws what its check throws, and conflict. */
  changeSettings(change: SettingsChange): Promise<readonly ChangedSetting[]>
  /** Adds an audit record of an action outside the store. Other writes add theirs by themselves. */
  record(entry: AuditEntry): Promise<void>
  /** Adds an audit record of how many records were left out since the last such record, if any were. */
  recordSuppressed(): Promise<void>
  /**
   * Counts an event of each rate, or of none where one of them is full: returns the place of that rate and the milliseconds
   * until it has room.
   */
  countRates(rates: readonly Rate[], now: number): Promise<{ readonly full: number; readonly retryAfterMs: number } | undefined>
  /**
   * Brings some copies of documents up to date, in one step. `upTo` is the change up to which referenceWork() found nothing
   * to do. It changes `documentsMax` documents at most, by default as many as take about a millisecond. A power cut may undo it.
   */
  followReferences(upTo: number, documentsMax?: number): Promise<FollowedStep>
  /** Begins to compare all copies with their documents; followReferences() goes on with it. */
  beginReferenceRepair(): Promise<ReferenceProgress>
  /** Stores that a guest was here. */
  seeGuest(id: string, now: number): Promise<void>
  /** Removes some expired rows. Returns whether there may be more. */
  removeExpired(now: number): Promise<boolean>
  /**
   * Removes some audit records from before a time, or none because of their age where it is undefined, and some of those
   * that visitors have caused too many of. Continues the erasure of deleted accounts. Returns whether there may be more.
   */
  removeOldRecords(before: number | undefined): Promise<boolean>
  /**
   * Removes some earlier versions and changes from before a time, and for good some of what went to the trash before
   * another. Returns whether there may be more.
   */
  removeOldChanges(before: number, deletedBefore: number): Promise<boolean>
  /** Starts to watch guests who are not watched yet. Returns the user to go on from; undefined at the end. */
  registerGuests(after: number, now: number): Promise<number | undefined>
  /** Permanently deletes some of the guests who were last active on a day before that of a time. */
  removeGuests(before: number, now: number): Promise<GuestStep>
  /** The same for those who were last active before a time, the oldest first, until all guests together have no more bytes. */
  makeGuestRoom(bytesMax: number, before: number, now: number): Promise<GuestStep>
}

/** Counts of queries since the start, and of those that run and wait now. */
export interface QueryCounts {
  /** On the main thread. */
  readonly inline: number
  /** In a thread, those that failed, were aborted or timed out included. */
  readonly worker: number
  readonly timedOut: number
  /** For any of the reasons below. */
  readonly refused: number
  readonly refusedBecause: {
    /** The maximum of queries of the caller waited. */
    readonly lineFull: number
    /** The maximum of queries of all callers waited. */
    readonly allFull: number
    readonly waitedTooLong: number
  }
  /** Those whose client disconnected while they waited. */
  readonly abandoned: number
  /** Those that had to wait and got their turn, and how long they waited in all. */
  readonly waited: number
  readonly waitedMs: number
  readonly running: Readonly<Record<CallerClass, number>>
  readonly waiting: Readonly<Record<CallerClass, number>>
}

/** All that can be changed. */
export interface Writer extends DocumentWriter, AccountWriter, OutboxWriter, ServiceWriter {}
/** What a request without an access token can change. */
export type VisitorWriter = Pick<
  Writer,
  'issueCode' | 'signIn' | 'signInTrusted' | 'signInFirstAdmin' | 'signInWithPasskey' | 'createAccount' | 'record'
>

/** The way to write. Every method checks the actor in the transaction that writes, and may throw unauthorized. */
export interface Writable {
  as(actor: Actor): Writer
  as(actor: Visitor): VisitorWriter
}

export interface Store extends DocumentStore, AccountStore, OutboxStore, Writable {
  /** For a thread that writes beside this store, on a connection of its own. */
  readonly writeLock: WriteLock
  /** For another store in this process: an open descriptor of the database, which is closed with this store. */
  readonly pageDescriptor: number
  /** The place in the log of a cluster; undefined for a store by itself. */
  readonly replication?: Replication
  /** Writes many documents through that log; undefined for a store by itself. `accountOf` gives what a new user begins with. */
  readonly bulkWriter?: (accountOf: (document: JsonObject) => NewAccount) => BulkWriter
  /** Metadata of the database that was stored under a name. */
  readMeta(name: string): Promise<Json | undefined>
  /** The settings that administrators have changed, by name. */
  settings(): Promise<readonly StoredSetting[]>
  /**
   * Calls a listener behind each entry of another node that changes stored settings: before any request sees that entry,
   * and before any later job runs. Where it throws, it is called again behind the next commit.
   */
  onSettings(listener: (stored: readonly StoredSetting[]) => void): void
  /** Whether audit records were left out that no record counts yet. */
  hasSuppressed(): boolean
  queryCounts(): QueryCounts
  /**
   * Erases from the search indexes words that only documents had which are gone for good, or have other texts now. `rest` is
   * called between two steps of some milliseconds, and tells whether to go on.
   */
  eraseWords(rest: () => Promise<boolean>): Promise<void>
  /** Rejects all later writes with a failure; resolves when earlier ones are on disk, with a function that takes writes again. */
  refuseWrites(failure: () => Failure): Promise<() => void>
  /** Finishes what is running and closes the files. */
  close(): Promise<void>
}
