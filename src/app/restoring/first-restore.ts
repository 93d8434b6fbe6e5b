/**
 * Restoring a site from off-site backups in the place of a new service that is empty, for the reader of its set-up address.
 *
 * It is `dateline restore --from` in parts: the same note of a restore that has not ended, the same download, and the same files
 * beside the database. The database itself is replaced when the service starts again, as where an administrator restores a backup
 * (store/backup/backup-restores.ts). So a service that is killed meanwhile leaves an empty site, the restored one, or a directory
 * that no service opens until that command has run.
 *
 * The reader of the address, which is printed in the terminal, is the operator, who may also name a directory. Connections are those
 * of all places: an address of a private network needs --outbound-allow. Keys and the identity stay in memory for the time of one
 * request.
 */
import { VERSION_LINE } from '../../age/age-header.ts'
import { AgeError } from '../../age/age-error.ts'
import { parseIdentityFile, type AgeIdentity } from '../../age/age-keys.ts'
import type { Clock } from '../../base/clock.ts'
import { describe, fail, Failure } from '../../base/failure.ts'
import { systemReason } from '../../base/system-error.ts'
import { commandHere, shellWord } from '../../config/command-here.ts'
import type { Config } from '../../config/settings.ts'
import type { FirstRestore, RestoreSource } from '../../endpoints/service-parts.ts'
import { LOCAL_ADMIN_EMAIL } from '../../models/guest.ts'
import type { FirstRestoreProgress } from '../../models/responses.ts'
import { openPlace } from '../../offsite/open-place.ts'
import { keyFor, parsePlace, parsePlaceKeys } from '../../offsite/place-address.ts'
import { PlaceError, type Place } from '../../offsite/place.ts'
import { findRestorable } from '../../offsite/restoring.ts'
import type { OutboundRules } from '../../outbound/outbound-rules.ts'
import type { BackupRestores } from '../../store/backup/backup-restores.ts'
import { DatabaseFileError } from '../../store/backup/database-copy.ts'
import type { RestorePlace } from '../../store/backup/restore.ts'
import { beginRestore, type BegunRestore } from '../../store/backup/unfinished-restore.ts'
import type { Store } from '../../store/store.ts'
import { fetchSite, parseRestoreTime, passedOverText, timeOfSite, type FetchedSite } from './site-fetch.ts'
import { givenFlags, writeBeside } from './site-files.ts'

/** For arguments that were in no file of this machine. */
const [IDENTITY_FILE, KEYS_FILE] = ['FILE-WITH-THE-IDENTITY', 'FILE-WITH-THE-KEYS']
const IDLE: FirstRestoreProgress = { state: 'idle', percent: 0, reason: null }

export interface FirstRestoreOptions {
  readonly dir: RestorePlace
  readonly restores: Pick<BackupRestores, 'bring'>
  readonly store: Pick<Store, 'accounts'>
  readonly rules: OutboundRules
  readonly config: () => Config
  readonly now: Clock
}

interface Opened {
  readonly place: Place
  readonly identities: readonly AgeIdentity[]
  readonly until: number | undefined
  /** The command that does the same. */
  readonly command: string
}

export function createFirstRestore({ dir, restores, store, rules, config, now }: FirstRestoreOptions): FirstRestore {
  let looking = new AbortController()
  let progress = IDLE

  const requireUnused = (): void => {
    if (store.accounts.isUnused(LOCAL_ADMIN_EMAIL)) return
    throw fail('conflict', 'Cannot restore into a site that has accounts or documents of its own: stop the service, and run "dateline restore --from"')
  }
  const open = (source: RestoreSource, signal: AbortSignal): Opened => {
    const address = member('place', () => parsePlace(source.place))
    const keys = member('keys', () => (source.keys.trim() === '' ? new Map<string, string>() : parsePlaceKeys(source.keys)))
    if (address.kind === 's3') member('keys', () => keyFor(address, keys))
    const identities = member('identity', () => identitiesOf(source.identity))
    const until = source.at === '' ? undefined : parseRestoreTime(source.at)
    if (source.at !== '' && until === undefined) throw fail('invalidInput', `at: expected a time such as 2026-11-24T09:30Z, found ${describe(source.at)}`)
    const place = openPlace(address, { keys, rules, rate: config().backupRate, wasUsed: false, now, signal })
    const words = ['restore', '--from', shellWord(source.place.trim()), '--identity', IDENTITY_FILE]
    if (until !== undefined) words.push('--at', shellWord(source.at))
    if (address.kind === 's3') words.push('--offsite-keys-file', KEYS_FILE)
    return { place, identities, until, command: commandHere(words.join(' '), config()) }
  }

  return {
    look: (source) =>
      inWords(async () => {
        requireUnused()
        // The reader has gone on to another place.
        looking.abort()
        looking = new AbortController()
        const { place, identities, until } = open(source, looking.signal)
        const found = await findRestorable(place, identities, until)
        return { place: place.name, found, warnings: passedOverText(found) }
      }),
    restore: (source, requireAdmitted) =>
      inWords(async () => {
        requireUnused()
        if (progress.state !== 'idle' && progress.state !== 'failed') throw fail('conflict', 'A site is being restored already: wait until that is done')
        const stopped = new AbortController()
        const opened = open(source, stopped.signal)
        looking.abort()
        progress = { state: 'fetching', percent: 0, reason: null }
        let [begun, fetched, isReplacing] = [undefined as BegunRestore | undefined, undefined as FetchedSite | undefined, false]
        const fetch = async (signal: AbortSignal): Promise<FetchedSite> => {
          signal.addEventListener('abort', () => stopped.abort())
          const { place, identities, until, command } = opened
          const onProgress = (share: number): void => void (progress = { state: 'fetching', percent: Math.floor(share * 100), reason: null })
          const site = await fetchSite({ place, identities, until, dataDir: dir.path, signal, onProgress }, async () => {
            begun ??= beginRestore(dir, command)
            return true
          })
          if (site === undefined) throw new Error('What is always wanted was not fetched')
          progress = { state: 'checking', percent: 100, reason: null }
          return site
        }
        try {
          const { pictures } = await restores.bring({
            name: opened.place.name,
            fetch: async (signal) => (fetched = await fetch(signal)).file,
            admit() {
              requireAdmitted()
              requireUnused()
            },
            place(request) {
              isReplacing = true
              begun?.replacing()
              writeBeside(dir, fetched?.beside ?? [])
              request()
              begun?.end()
            },
          })
          progress = { state: 'restored', percent: 100, reason: null }
          const site = fetched as FetchedSite | undefined
          if (site === undefined) throw new Error('A site was restored that was not fetched')
          return { until: timeOfSite(site), replayed: site.replayed, pictures, flags: givenFlags(site.beside), warnings: passedOverText(site.found) }
        } catch (error) {
          progress = { state: 'failed', percent: 0, reason: failureOf(error)?.message ?? 'The log of the service has the reason' }
          throw error
        } finally {
          const [site, note] = [fetched, begun] as [FetchedSite | undefined, BegunRestore | undefined]
          site?.discard()
          if (!isReplacing) note?.undo()
        }
      }),
    progress: () => progress,
  }
}

/** Throws invalidInput that names the member; messages of these parsers have no secrets. */
function member<T>(name: keyof RestoreSource, parse: () => T): T {
  try {
    return parse()
  } catch (error) {
    throw fail('invalidInput', `${name}: ${systemReason(error)}`)
  }
}

function identitiesOf(text: string): readonly AgeIdentity[] {
  if (!text.startsWith(VERSION_LINE)) return parseIdentityFile(text)
  throw new AgeError('it is encrypted with a passphrase: decrypt it with "age -d", or restore with "dateline restore --from … --passphrase-stdin"')
}

async function inWords<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw failureOf(error) ?? error
  }
}

/** What the place, the key and the disk say; undefined for our own bug. */
function failureOf(error: unknown): Failure | undefined {
  if (error instanceof Failure) return error
  const isExpected = error instanceof PlaceError || error instanceof AgeError || error instanceof DatabaseFileError
  return isExpected ? fail('conflict', error.message, { cause: error }) : undefined
}
