/**
 * The parts of a running service by their names, as handlers get them. src/app/service.ts makes them; a thread that only
 * reads makes those of ReadService.
 */
import type { Accounts } from '../auth/accounts.ts'
import type { Codes } from '../auth/codes.ts'
import type { EmailHashes } from '../auth/keys.ts'
import type { FeedPasswords } from '../auth/feed-passwords.ts'
import type { Limits } from '../auth/limits.ts'
import type { Passkeys } from '../auth/passkeys/passkey-accounts.ts'
import type { RefusedSignIns } from '../auth/refused-sign-ins.ts'
import type { Session, Sessions } from '../auth/sessions.ts'
import type { SetupToken } from '../auth/setup-token.ts'
import type { Clock } from '../base/clock.ts'
import type { NewId } from '../base/ids.ts'
import type { JsonObject } from '../base/json.ts'
import type { LogMemory } from '../base/log-memory.ts'
import type { Metrics } from '../base/metrics.ts'
import type { PictureLimit, Pictures } from '../content/kept-pictures.ts'
import type { ChangePages } from '../content/changes/change-pages.ts'
import type { ChangeStreams } from '../content/changes/change-streams.ts'
import type { Documents } from '../content/documents.ts'
import type { FeedWork } from '../content/feeds/feed-work.ts'
import type { DocumentReads } from '../content/reads/document-reads.ts'
import type { ListSettings } from '../content/reads/list-query.ts'
import type { Reads } from '../content/reads/reads.ts'
import type { Repeats } from '../content/repeatable.ts'
import type { Reviews } from '../content/review-queue.ts'
import type { SyncReads } from '../content/sync/sync-pull.ts'
import type { ListExports } from '../content/transfer/export-files.ts'
import type { FeedReader } from '../feeds/reading/feed-reader.ts'
import type { Content, KeptEnvelope, Represent } from '../http/representation.ts'
import type { MailSource } from '../mail/delivery/test-delivery.ts'
import type { ClusterStatus, DashboardSetup, FirstRestoreProgress, LastRestore, MailTest, ServiceSettings, ServiceStatus } from '../models/responses.ts'
import type { Model } from '../models/schema.ts'
import type { Restorable } from '../offsite/restoring.ts'
import type { OutboundClient } from '../outbound/outbound-client.ts'
import type { BackupPaths } from '../store/backup/backup-files.ts'
import type { BackupRestores } from '../store/backup/backup-restores.ts'
import type { CopiedPictures } from '../store/backup/picture-copies.ts'
import type { BackupRuns } from '../store/backup/backup-runs.ts'
import type { SettingsChange } from '../store/settings/setting-table.ts'
import type { Store } from '../store/store.ts'
import type { TransferSlots } from './download-slots.ts'
import type { InvitationSender } from './invitation-sender.ts'
import type { SiteBase } from './site-base.ts'
import type { StreamSlots } from './stream-slots.ts'

/** What every thread has. */
export interface ReadService {
  /** Fresh for each start of the service. */
  readonly instance: string
  readonly startedAt: number
  readonly now: Clock
  /** Of the last entry of the log that this node has applied; undefined where the service runs alone. */
  readonly position: (() => number) | undefined
  readonly content: Reading
  readonly changes: Changes
}

export interface Service extends ReadService {
  readonly store: Store
  readonly newId: NewId
  readonly auth: Auth
  readonly content: Editing
  readonly mail: Mail
  readonly backups: Backups
  readonly settings: SettingsAccess
  readonly feeds: Feeds
  /** The URL of the site, where the settings name it. */
  readonly publicUrl: () => string | undefined
  readonly operation: Operation
  readonly downloads: TransferSlots
  readonly pictures: PictureParts
  readonly uploads: TransferSlots
}

interface Reading {
  readonly documents: Pick<DocumentReads, 'list' | 'read' | 'readPublic'>
  readonly reads: Reads<KeptEnvelope>
  readonly represent: Represent
  readonly sync: SyncReads
  /** Without a session: mobile apps since September 2025 read it before they have a token, or with an expired one. */
  readonly publicRemoteConfig: boolean
}

interface Editing extends Reading {
  readonly documents: Documents
  readonly review: Reviews
  readonly repeats: Repeats
  readonly exports: ListExports
  readonly listSettings: ListSettings
  readonly flagBaseUrl: string
}

export interface Changes {
  readonly pages: ChangePages
  readonly streams: ChangeStreams
  readonly slots: StreamSlots
  readonly tickets: {
    /** The session of a ticket, which may have been used; undefined for one that is not valid. */
    readonly sessionOf: (ticket: string) => Promise<Pick<Session, 'caller' | 'current'> | undefined>
    /** Uses a ticket; false for one that is not valid, or was used before. */
    readonly redeem: (ticket: string) => Promise<boolean>
  }
}

interface Auth {
  readonly accounts: Accounts
  readonly passkeys: Passkeys
  readonly codes: Codes
  readonly sessions: Sessions
  readonly limits: Limits
  readonly emailHashes: EmailHashes
  readonly setupToken: SetupToken
  readonly refusedSignIns: RefusedSignIns
  readonly issueTicket: (session: Session, now: number) => { readonly ticket: string; readonly expiresAt: string }
  readonly codeMinutes: number
  /** The header in which a proxy names the user, in lower case; undefined where none does. */
  readonly authHeader: string | undefined
  /** Whether the operator has named proxies that bring the requests of others. */
  readonly hasProxies: boolean
  readonly setup: () => Omit<DashboardSetup, 'hasAdministrator'>
}

interface Mail {
  /** To be called when a message was put into the outbox, or made due. */
  readonly wakeCourier: () => void
  readonly testMail: (to: string, by: Session, source?: MailSource) => Promise<MailTest>
  readonly invitations: InvitationSender
}

interface Feeds {
  readonly work: Pick<FeedWork, 'fetchNow'>
  readonly passwords: FeedPasswords
  /** For looks at other servers. */
  readonly outbound: OutboundClient
  readonly reader: FeedReader
}

interface PictureParts {
  readonly keeping: Pictures
  readonly limit: () => PictureLimit
  readonly base: SiteBase
}

interface Backups {
  readonly paths: BackupPaths
  readonly runs: Pick<BackupRuns, 'make'>
  /** Undefined on a node of a cluster. */
  readonly restores: Pick<BackupRestores, 'check' | 'restore'> | undefined
  /** Undefined on a node of a cluster. */
  readonly first: FirstRestore | undefined
  readonly lastRestore: () => Promise<LastRestore['restore']>
  /** Begins a snapshot at each place of off-site backups; its end is in the status. */
  readonly makeOffsite: () => void
  readonly placeNames: () => readonly string[]
}

/** Where a site is read from, as it was given; texts may be empty. */
export interface RestoreSource {
  /** The address of the place. */
  readonly place: string
  /** Access keys of a bucket, as KEYID:SECRET. */
  readonly keys: string
  /** The text of the file of the identity. */
  readonly identity: string
  /** The time that the site is to be of. */
  readonly at: string
}

/** Restoring a site from off-site backups in the place of a service that is empty. Both functions throw invalidInput and conflict. */
export interface FirstRestore {
  readonly look: (source: RestoreSource) => Promise<{ readonly place: string; readonly found: Restorable; readonly warnings: readonly string[] }>
  /** Resolves when the service is about to start again with it. `requireAdmitted` throws where the caller may not any more. */
  readonly restore: (source: RestoreSource, requireAdmitted: () => void) => Promise<{
    /** The time that it is of, in milliseconds since the epoch. */
    readonly until: number
    /** Changes behind its snapshot. */
    readonly replayed: number
    readonly pictures: CopiedPictures
    /** Those that its service was started with. */
    readonly flags: readonly string[]
    readonly warnings: readonly string[]
  }>
  readonly progress: () => FirstRestoreProgress
}

export interface SettingsPlan extends Pick<SettingsChange, 'changes' | 'check'> {
  /** How mail would be sent; undefined where that stays as it is. */
  readonly mail: MailSource | undefined
  /** Whether a mail has to be delivered before it is stored. */
  readonly isTested: boolean
}

export interface SettingsAccess {
  /** What a merge patch would change. Throws invalidInput and conflict. */
  readonly plan: (patch: JsonObject) => Promise<SettingsPlan>
  /** Takes what is stored into use, and lists it. */
  readonly refresh: () => Promise<ServiceSettings>
}

interface Operation {
  readonly status: () => Promise<ServiceStatus>
  /** Why the service cannot do its work; empty where it can. */
  readonly readiness: () => Promise<{ readonly reasons: readonly string[]; readonly warnings: readonly string[] }>
  /** Undefined where the service runs alone. */
  readonly cluster: (() => Promise<ClusterStatus>) | undefined
  readonly metrics: Metrics
  readonly logMemory: Pick<LogMemory, 'newest'>
  /** The OpenAPI document as JSON: that of the whole API, or for clients of one model. */
  readonly openApi: (model?: Model) => Content
}
