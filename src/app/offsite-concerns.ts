/** What of the off-site backups an operator should look at, and what the status and metrics tell of them. */
import { isoDate } from '../base/dates.ts'
import { MINUTE_MS } from '../base/duration.ts'
import type { Metrics, Reading } from '../base/metrics.ts'
import type { ServiceStatus } from '../models/responses.ts'
import type { PlaceStatus } from '../offsite/offsite-work.ts'

/** A server restarts, and a network is gone for a moment. */
const FAILS_MAX_MS = 5 * MINUTE_MS

/** What startOffsite() gives. */
export interface OffsitePlaces {
  places(): readonly PlaceStatus[]
  everyMs(): number
}

/** Of each place that fails for longer than a moment, or whose newest snapshot is too old, why. */
export function offsiteConcerns({ places, everyMs }: OffsitePlaces, now: number): readonly string[] {
  return places().flatMap((place) => {
    const failure = failureOf(place)
    // Each message begins with the name of its place, but for those about the machine.
    if (failure !== undefined && now - failure.since >= FAILS_MAX_MS) return [withName(place.name, failure.message)]
    const { snapshot } = place
    return snapshot !== null && now - snapshot.at > 2 * everyMs() ? [`${place.name}: the last snapshot is of ${isoDate(snapshot.at)}`] : []
  })
}

export function offsiteStatus({ places }: OffsitePlaces): ServiceStatus['backups']['offsite'] {
  return places().map((place) => {
    const { name, snapshot, changes, provedAt, waiting, hasGap } = place
    const failure = failureOf(place)
    return {
      ...{ name, waiting, hasGap },
      snapshot: snapshot === null ? null : { at: isoDate(snapshot.at), bytes: snapshot.bytes },
      changesAt: changes === null || changes.at === 0 ? null : isoDate(changes.at),
      provedAt: provedAt === null ? null : isoDate(provedAt),
      failure: failure === undefined ? null : { at: isoDate(failure.at), since: isoDate(failure.since), message: withName(name, failure.message) },
    }
  })
}

export function offsiteMetrics(metrics: Metrics, { places }: OffsitePlaces): void {
  const ofPlaces = (read: (place: PlaceStatus) => number | undefined) => (): readonly Reading[] =>
    places().flatMap((place): Reading[] => {
      const value = read(place)
      return value === undefined ? [] : [[{ place: place.name }, value]]
    })
  metrics.gauge('dateline_offsite_failed', 'Whether the last try at a place failed.', ofPlaces((place) => (failureOf(place) === undefined ? 0 : 1)))
  metrics.gauge('dateline_offsite_timestamp_seconds', 'Of the last snapshot at a place.', ofPlaces(({ snapshot }) => snapshot === null ? undefined : snapshot.at / 1000))
  metrics.gauge('dateline_offsite_bytes', 'Size of that snapshot, compressed and encrypted.', ofPlaces(({ snapshot }) => snapshot?.bytes))
  metrics.gauge('dateline_offsite_waiting', 'Commits that a place has still to store.', ofPlaces(({ waiting }) => waiting))
  metrics.gauge('dateline_offsite_proved_timestamp_seconds', 'When something was read back from a place last.', ofPlaces(({ provedAt }) => provedAt === null ? undefined : provedAt / 1000))
}

/** The one that began first. */
function failureOf({ failures }: PlaceStatus) {
  return Object.values(failures).toSorted((a, b) => a.since - b.since)[0]
}

function withName(name: string, message: string): string {
  return message.startsWith(name) ? message : `${name}: ${message}`
}
