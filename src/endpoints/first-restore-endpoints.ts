/** The site of off-site backups in the place of a new service, by the address that the service printed at its start. */
import { isoDate } from '../base/dates.ts'
import { describe, fail } from '../base/failure.ts'
import type { JsonObject } from '../base/json.ts'
import type { Exchange } from '../http/exchange.ts'
import { firstRestoreBody, firstRestored, firstRestoreProgress, firstRestoreProgressBody, foundSite } from '../models/responses.ts'
import { endpointOn, SHORT_BODY } from './endpoint.ts'
import { refuseSetup } from './first-admin.ts'
import { documentCounts } from './model-counts.ts'
import type { FirstRestore, RestoreSource, Service } from './service-parts.ts'

const WHO =
  'For the reader of the set-up address, while the service is empty: without documents, and without accounts but those of ' +
  'guests. Neither keys nor identity are stored or logged. Private addresses need `--outbound-allow`. Not on a node of a cluster.'

const endpoint = endpointOn<Service>('Accounts')

export const FIRST_RESTORE = [
  endpoint({
    route: 'POST /api/v1/auth/setup/restore/look',
    id: 'lookForSite',
    access: 'visitor',
    summary: 'See which site a place of off-site backups holds, before it is restored',
    description: WHO,
    body: firstRestoreBody,
    bodyLimit: SHORT_BODY,
    response: foundSite,
    errors: ['invalidInput', 'unauthorized', 'conflict'],
    client: 'auth.lookForSite',
  }).handle(async (service, exchange) => {
    const { first, source } = await admitted(service, exchange)
    const { place, found, warnings } = await first.look(source)
    const { snapshot, manifest, segments, hole, bytes } = found
    const last = segments.at(-1)
    return {
      ...{ place, bytes, version: manifest.version, documents: documentCounts(manifest.items) },
      snapshotAt: isoDate(snapshot.at),
      changesUntil: last === undefined ? null : isoDate(last.at),
      missingUntil: hole === undefined ? null : isoDate(hole.laterAt),
      warnings: [...warnings],
    }
  }),
  endpoint({
    route: 'POST /api/v1/auth/setup/restore',
    id: 'restoreSite',
    access: 'visitor',
    summary: 'Restore a site from a place of off-site backups, and restart the service with it',
    description: `${WHO} The response comes when the site is there, and the service restarts within seconds. Sign in then as on the site before.`,
    body: firstRestoreBody,
    bodyLimit: SHORT_BODY,
    response: firstRestored,
    errors: ['invalidInput', 'unauthorized', 'conflict'],
    client: 'auth.restoreSite',
  }).handle(async (service, exchange) => {
    const { first, source, token } = await admitted(service, exchange)
    const { until, replayed, pictures, flags, warnings } = await first.restore(source, () => {
      // Its hour may be over by now.
      if (service.auth.setupToken.check(token, service.now()) === 'wrong') throw fail('unauthorized', 'This set-up address was used meanwhile: nothing was restored')
    })
    return { until: isoDate(until), replayed, pictures, flags: [...flags], warnings: [...warnings] }
  }),
  endpoint({
    route: 'POST /api/v1/auth/setup/restore/progress',
    id: 'siteProgress',
    access: 'visitor',
    summary: 'Read how far the restore of a site has come',
    body: firstRestoreProgressBody,
    bodyLimit: SHORT_BODY,
    response: firstRestoreProgress,
    errors: ['unauthorized', 'conflict'],
    client: 'auth.siteProgress',
  }).handle(async (service, exchange) => {
    const { token } = await exchange.readJson()
    if (service.auth.setupToken.check(token, service.now()) === 'wrong') await refuseSetup(service, exchange, 'wrong')
    return requireAlone(service).progress()
  }),
]

/** Throws unauthorized before anything else of the body is looked at. */
async function admitted(service: Service, exchange: Exchange): Promise<{ readonly first: FirstRestore; readonly source: RestoreSource; readonly token: unknown }> {
  const body = await exchange.readJson()
  const found = service.auth.setupToken.check(body['token'], service.now())
  if (found !== 'valid') await refuseSetup(service, exchange, found)
  const source = { place: textOf(body, 'place'), keys: textOf(body, 'keys'), identity: textOf(body, 'identity'), at: textOf(body, 'at') }
  return { first: requireAlone(service), source, token: body['token'] }
}

function requireAlone({ backups: { first } }: Service): FirstRestore {
  if (first !== undefined) return first
  throw fail('conflict', 'Cannot restore on a node of a cluster: restore on one machine with "dateline restore --from", and make a cluster of it with "dateline cluster init"')
}

/** What was given may be a secret: the message tells its kind alone. */
function textOf(body: JsonObject, name: keyof RestoreSource): string {
  const value = body[name]
  if (typeof value === 'string') return value
  throw fail('invalidInput', `${name}: expected a text, found ${value === undefined ? 'nothing' : describe(typeof value)}`)
}
