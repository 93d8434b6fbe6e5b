/** What `dateline check` says of off-site backups: whether they can be made, and how the service fared with each place. */
import { resolve } from 'node:path'
import { AgeError } from '../../age/age-error.ts'
import { systemClock } from '../../base/clock.ts'
import { sizeText } from '../../base/counted.ts'
import { isoDate } from '../../base/dates.ts'
import type { Config } from '../../config/settings.ts'
import { readRecipients } from '../../offsite/offsite-work.ts'
import { keyFor, readPlaceKeys, type PlaceKeys } from '../../offsite/place-address.ts'
import { readPlaceState } from '../../offsite/place-state.ts'
import type { Database } from '../../store/db/database.ts'
import { placeState } from '../../store/pending/pending-changes.ts'

/** What cannot work is in `problem`; what should be looked at in `warning`. */
type OffsiteFinding = { readonly problem: string } | { readonly warning: string } | string

export function checkOffsite(database: Database, config: Config): OffsiteFinding {
  const { places } = config.offsite
  if (places.length === 0) return 'no place is set up: see "dateline help backups"'
  const problem = problemOf(config)
  if (problem !== undefined) return { problem }
  const found = places.map(({ name }) => {
    const { snapshot, failures } = readPlaceState(placeState(database, name))
    const [failure] = Object.values(failures)
    const isOld = snapshot === null || systemClock() - snapshot.at > 2 * config.offsiteEvery
    const last = snapshot === null ? 'no snapshot yet' : `the last snapshot is of ${isoDate(snapshot.at)}, ${sizeText(snapshot.bytes)}`
    return { text: `${name}: ${last}${failure === undefined ? '' : `; ${failure.message}`}`, isWell: failure === undefined && !isOld }
  })
  const text = found.map((one) => one.text).join('; ')
  return found.every(({ isWell }) => isWell) ? text : { warning: text }
}

/** Why nothing can be stored; undefined where something can. */
function problemOf({ offsite, offsiteKeysFile, dataDir }: Config): string | undefined {
  try {
    if (readRecipients(resolve(dataDir)) === undefined) return 'there is no key to encrypt for: run dateline backup key'
    const keys: PlaceKeys = offsite.keys?.() ?? (offsiteKeysFile === undefined ? new Map() : readPlaceKeys(offsiteKeysFile))
    for (const address of offsite.places) if (address.kind === 's3') keyFor(address, keys)
    return undefined
  } catch (error) {
    return error instanceof AgeError ? `${error.message}: run dateline backup key --replace` : error instanceof Error ? error.message : String(error)
  }
}
