/**
 * The interface between the service and its database, in the terms of the service.
 *
 * Everything is asynchronous and small, and each change is one call: what must happen together stands in one
 * operation, with its conditions inside, so that no caller can check first and act later. Nothing above this folder
 * knows SQL or sees a transaction. Reads are methods of the store; writes are methods of `store.as(actor)`: actor.ts.
 */
import type { Json, JsonObject } from '../base/json.ts'
import type { TextPart } from '../base/text-parts.ts'
import type { Caller, CallerClass } from '../models/caller.ts'
import type { MessageState } from '../models/message-state.ts'
import type { QueryPlan } from '../models/responses.ts'
import type { Model } from '../models/schema.ts'
import type { Filter } from '../query/ast.ts'
import type { Position, Sort } from '../query/order.ts'
import type { Actor, CallerClaim, Token, Visitor } from './actor.ts'
import type { AuditEntry } from './audit/audit-record.ts'

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

/** The start of an hour in UTC, as `2026-03-01T12:00:00.000Z`, and its number of documents. */
export interface HourCount {
  readonly hour: string
  readonly n: number
}

/** Checks the stored JSON text before a change. What it throws is thrown, and nothing changes. */
export type Condition = (text: string) => void

/** 'exists': the id or a unique value is taken; 'orphan': the user that it belongs to does not exist. */
export type InsertOutcome = 'inserted' | 'exists' | 'orphan'

/** What a write sees inside its transaction. */
export interface Moment {
  /** The caller, with its present roles; undefined where no user writes. */
  readonly caller: Caller | undefined
  /** The JSON text of a stored document. */
  textOf(model: Model, id: string): string | undefined
}

/** A stored document as it was read: its JSON text and its value. */
export interface ReadDocument {
  readonly text: string
  readonly value: JsonObject
}

/** Returns the value that replaces the stored one, of which it also gets the JSON text. */
export type Change = (stored: JsonObject, text: string, moment: Moment) => JsonObject

export interface DocumentStore {
  /** The JSON text of a document. A look-up of microseconds, made at once. */
  get(model: Model, id: string): string | undefined
  /**
   * A page of the documents that match, in the order of the sort, then of the ids: at most `limit`, and fewer where
   * they would exceed the bytes of a page. A long query runs in a thread, under a deadline: throws badRequest past it. It
   * may wait for its turn: throws tooManyRequests where many queries of this caller are waiting or this one waited too
   * long, networkError where too many of all callers wait, and the reason of the signal when that aborts.
   */
  find(model: Model, query: FindQuery, caller: QueryCaller): Promise<Found>
  /** How `find` answers a query, and what that costs. Runs it, in a thread; throws what `find` throws. */
  explain(model: Model, query: FindQuery, caller: QueryCaller): Promise<QueryPlan>
  /**
   * A number that differs whenever a document of any model has changed since, by this process or another. It belongs to the
   * snapshot that all reads of this turn of the event loop see; cheap. Throws networkError.
   */
  revision(): number
  /** The versions of some models in the same snapshot, as one text. It never comes again once one of them has changed. */
  versionsOf(models: readonly Model[]): string
  /** How many documents of a counted model have the status `active`. */
  countActive(model: Model): Promise<number>
  /** How many documents of a counted model have each status that any has. */
  countByStatus(model: Model): Promise<ReadonlyMap<string, number>>
  /**
   * The hours with documents of a model with a timeline, oldest first. Each of the two hours is given by any moment in
   * it, in milliseconds since the epoch. Costs the same however many documents there are.
   */
  countByHour(model: Model, hours: { readonly from: number; readonly to: number }): Promise<readonly HourCount[]>
  /** Ids of the countries in which active headlines happen, or active sources sit. */
  countriesInUse(use: 'eventCountry' | 'headquarters'): Promise<readonly string[]>
}

interface DocumentWriter {
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
  /** Removes a document for which the condition holds; false where there is none. */
  remove(model: Model, id: string, condition?: Condition): Promise<boolean>
}

/** A sign-in code to be stored, with the sealed message that carries it, unless the operator made it. */
export interface CodeIssue {
  readonly email: string
  readonly mac: Uint8Array
  readonly now: number
  readonly expiresAt: number
  /** Undefined for a code of the operator, which replaces every other code of the email. */
  readonly message: { readonly id: string; readonly sealed: Uint8Array } | undefined
  /** The key of a rate whose events are forgotten. */
  readonly forget?: Uint8Array | undefined
}

export interface CodeClaim {
  readonly email: string
  readonly mac: Uint8Array
  /** A hash of the network address of the client. */
  readonly client: Uint8Array
  readonly now: number
  /** Wrong attempts after which a code is void: for one client, and for all. */
  readonly attempts: { readonly perClient: number; readonly inAll: number }
  /** Count wrong attempts over all codes: of a client, live code or not, and of an email. Undefined where they are off. */
  readonly rates: { readonly perClient: Rate | undefined; readonly perEmail: Rate | undefined }
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
   * The guest who signs in. The token is revoked when the guest becomes or joins the account; an invalid one is
   * ignored.
   */
  readonly guest: CallerClaim | undefined
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
  /** The account as it was before a guest joined it. */
  readonly before?: JsonObject
}
/** 'no-dashboard': the code was right and is consumed, and the user, if there is one, has no dashboard role. */
export type SignInOutcome =
  | SignedIn
  | CodeFailure
  | { readonly kind: 'no-dashboard'; readonly user: JsonObject | undefined }

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
   * Made at once.
   */
  caller(claim: CallerClaim): string | undefined
  /**
   * A number that differs whenever anything may have changed in the database, by this process or another: what was read at
   * a number is true for as long as it stays. Costs microseconds once in a turn of the event loop. Throws networkError.
   */
  changes(): number
  userByEmail(email: string): Promise<JsonObject | undefined>
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
  /** Creates a user with settings, preferences and, where one is given, a session; 'exists' for a taken email. */
  createAccount(account: NewAccount, session?: SessionRecord): Promise<'inserted' | 'exists'>
  /** Makes an existing user an administrator; undefined where there is none. */
  promote(email: string, now: number): Promise<JsonObject | undefined>
  /**
   * Consumes the code, so that of two requests with the right one only one succeeds; then finds, creates, converts or
   * merges the account, and adds missing settings and preferences.
   */
  signIn(request: SignIn): Promise<SignInOutcome>
  revoke(token: Token & { readonly now: number }): Promise<void>
  /** Adds a session of a user; 'missing' where the user is gone. */
  addSession(userId: string, session: SessionRecord): Promise<'added' | 'missing'>
  /** Stores that a session was used. A power cut may undo that. */
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
  /** Makes a waiting message due at once; otherwise returns its state, or 'missing'. */
  retryMessage(id: string, now: number): Promise<'due' | Exclude<MessageState, 'waiting'> | 'missing'>
}

/** What the service writes by itself. The removals are small steps. */
interface ServiceWriter {
  /** Stores metadata of the database under a name. */
  writeMeta(name: string, value: Json): Promise<void>
  /** Adds an audit record of an action outside the store. Other writes add theirs by themselves. */
  record(entry: AuditEntry): Promise<void>
  /** Adds an audit record of how many records were left out since the last such record, if any were. */
  recordSuppressed(): Promise<void>
  /** Returns the milliseconds until the next event is allowed; undefined when this one was, and has been counted. */
  countRate(rate: Rate, now: number): Promise<number | undefined>
  /** Stores that a guest was here. */
  seeGuest(id: string, now: number): Promise<void>
  /** Removes some expired rows. Returns whether there may be more. */
  removeExpired(now: number): Promise<boolean>
  /**
   * Removes some audit records from before a time, or none because of their age where it is undefined, and some of those
   * that visitors have caused too many of. Continues the erasure of deleted accounts. Returns whether there may be more.
   */
  removeOldRecords(before: number | undefined): Promise<boolean>
  /** Starts to watch guests who are not watched yet. Returns the user to go on from; undefined at the end. */
  registerGuests(after: number, now: number): Promise<number | undefined>
  /** Permanently deletes some of the guests who were last active on a day before that of a time. */
  removeGuests(before: number, now: number): Promise<{ readonly removed: number; readonly isDone: boolean }>
}

/** Counts of queries since the start, and of those that run and wait now. */
export interface QueryCounts {
  /** On the main thread. */
  readonly inline: number
  /** In a thread. */
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
export type VisitorWriter = Pick<Writer, 'issueCode' | 'signIn' | 'createAccount' | 'record'>

/** The way to write. Every method checks the actor in the transaction that writes, and may throw unauthorized. */
export interface Writable {
  as(actor: Actor): Writer
  as(actor: Visitor): VisitorWriter
}

export interface Store extends DocumentStore, AccountStore, OutboxStore, Writable {
  /** Metadata of the database that was stored under a name. */
  readMeta(name: string): Promise<Json | undefined>
  /** Whether audit records were left out that no record counts yet. */
  hasSuppressed(): boolean
  queryCounts(): QueryCounts
  /** Finishes what is running and closes the files. */
  close(): Promise<void>
}
