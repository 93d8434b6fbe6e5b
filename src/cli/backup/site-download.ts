/** Fetches a site from a place of off-site backups, for `dateline restore --from`. */
import { fetchSite, parseRestoreTime, passedOverText, type FetchedSite } from '../../app/restoring/site-fetch.ts'
import { systemClock } from '../../base/clock.ts'
import { counted, sizeText } from '../../base/counted.ts'
import { isoDate } from '../../base/dates.ts'
import type { Config } from '../../config/settings.ts'
import { openPlace } from '../../offsite/open-place.ts'
import { parsePlace, readPlaceKeys } from '../../offsite/place-address.ts'
import type { Restorable } from '../../offsite/restoring.ts'
import { readOutboundRules } from '../../outbound/outbound-settings.ts'
import { UsageError, type Arguments, type Terminal } from '../command.ts'
import { firstLineOf } from '../first-line.ts'
import { progressOn, abortOn } from '../progress.ts'
import { isAnsweredYes } from '../question.ts'
import { readIdentityFile } from './identity-file.ts'

const MODELS_SHOWN_MAX = 20

/** Undefined for a person who does not want what was found. Throws UsageError, and what the place, the key and the disk say. */
export async function downloadSite({ options }: Pick<Arguments, 'options'>, config: Config, dataDir: string, terminal: Terminal): Promise<FetchedSite | undefined> {
  const { environment, stdin, stderr, stderrIsTerminal } = terminal
  const address = addressOf(options.get('--from') ?? '')
  const until = timeOf(options.get('--at'))
  const file = options.get('--identity')
  if (file === undefined) throw new UsageError('--from needs --identity FILE, which "dateline backup key" has printed')
  if (!options.has('--yes') && !stderrIsTerminal) throw new UsageError('There is no terminal to ask on: restore without asking with --yes')
  const identities = await readIdentityFile(file, () => {
    if (!options.has('--passphrase-stdin')) throw new UsageError(`The identity in "${file}" has a passphrase: give it with --passphrase-stdin`)
    return firstLineOf(stdin, 'the passphrase of the identity')
  })
  const { rules, warnings } = readOutboundRules(config, { now: systemClock, environment })
  for (const warning of warnings) stderr.write(`${warning}\n`)
  const keys = config.offsiteKeysFile === undefined ? new Map<string, string>() : readPlaceKeys(config.offsiteKeysFile)
  const place = openPlace(address, { keys, rules, rate: config.backupRate, wasUsed: false, now: systemClock })
  const progress = progressOn(terminal, 'Fetching')
  const fetch = { place, identities, until, dataDir, signal: abortOn(terminal.interrupted), onProgress: progress.show }
  return fetchSite(fetch, async (found) => {
    progress.end()
    for (const warning of passedOverText(found)) stderr.write(`Warning: ${warning}\n`)
    stderr.write(foundText(place.name, found))
    return options.has('--yes') || (await isWanted(terminal, dataDir))
  }).finally(progress.end)
}

function addressOf(text: string) {
  try {
    return parsePlace(text)
  } catch (error) {
    throw new UsageError(`Cannot use --from: ${error instanceof Error ? error.message : String(error)}`)
  }
}

function timeOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const time = parseRestoreTime(text)
  if (time === undefined) throw new UsageError(`Cannot use --at: expected a time such as 2026-11-24T09:30Z, found ${JSON.stringify(text)}`)
  return time
}

function foundText(place: string, { snapshot, manifest, segments, hole, bytes }: Restorable): string {
  const items = Object.entries(manifest.items).filter(([, count]) => count > 0)
  const shown = items.slice(0, MODELS_SHOWN_MAX).map(([model, count]) => `${model} ${count}`).join(', ')
  const last = segments.at(-1)
  const more = last === undefined ? 'without later changes' : `with changes up to ${isoDate(last.at)}`
  return (
    `${place}: a snapshot of ${isoDate(snapshot.at)}, ${more}\n` +
    (hole === undefined ? '' : holeText(hole, isoDate(last?.at ?? snapshot.at))) +
    `Written by dateline ${manifest.version}: ${sizeText(manifest.database.bytes)}, ${shown === '' ? 'no documents' : shown}\n` +
    `To be fetched: ${sizeText(bytes)} in ${counted(segments.length + 1 + manifest.pictures.count, 'file')}\n`
  )
}

function holeText({ first, last, laterAt }: NonNullable<Restorable['hole']>, reached: string): string {
  return (
    `Warning: the place lacks the changes ${first} to ${last}. Later ones, up to ${isoDate(laterAt)}, do not follow without them: ` +
    `the site is restored up to ${reached}\n`
  )
}

async function isWanted(terminal: Terminal, dataDir: string): Promise<boolean> {
  if (await isAnsweredYes(terminal, `Restore it into "${dataDir}"?`)) return true
  terminal.stderr.write('Nothing was restored\n')
  return false
}
