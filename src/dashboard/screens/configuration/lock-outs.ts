/** Effects of a configuration that its author may not have meant: above all, which readers it locks out. */
import type { Json } from '../../../client/client.ts'
import { isMembers, memberOf, type Members } from '../../any-documents.ts'

export type Warning =
  | { readonly kind: 'maintenance' | 'noIdentifiers' | 'noAds' | 'feedAds' }
  | { readonly kind: 'oldVersions'; readonly version: string }
  /** The name of the limit, or of the card. */
  | { readonly kind: 'nothing' | 'noItems'; readonly name: string }

/** The gravest first. What has not the right type is left to the server. */
export function warningsOf(document: Members): readonly Warning[] {
  const at = (path: string) => valueAt(document, path)
  const warnings: Warning[] = []
  if (at('appStatus.isUnderMaintenance') === true) warnings.push({ kind: 'maintenance' })
  if (at('appStatus.isLatestVersionOnly') === true) {
    warnings.push({ kind: 'oldVersions', version: String(at('appStatus.latestAppVersion') ?? '') })
  }
  for (const [name, limit] of entriesOf(at('userPreferenceConfig'))) {
    if (limit === 0) warnings.push({ kind: 'nothing', name })
  }
  for (const [name, card] of entriesOf(at('feedDecoratorConfig'))) {
    const { category, enabled, itemsToDisplay = null } = isMembers(card) ? card : {}
    const isEmpty = itemsToDisplay === 0 || itemsToDisplay === null
    if (enabled === true && category === 'contentCollection' && isEmpty) warnings.push({ kind: 'noItems', name })
  }
  return [...warnings, ...adWarnings(document)]
}

function adWarnings(document: Members): readonly Warning[] {
  const at = (path: string) => valueAt(document, `adConfig.${path}`)
  if (at('enabled') !== true) return at('feedAdConfiguration.enabled') === true ? [{ kind: 'feedAds' }] : []
  const platform = at('primaryAdPlatform')
  if (platform === 'local' || platform === 'demo') return [{ kind: 'noAds' }]
  const identifiers = entriesOf(at(`platformAdIdentifiers.${String(platform)}`))
  return identifiers.some(([, id]) => typeof id === 'string' && id !== '') ? [] : [{ kind: 'noIdentifiers' }]
}

/** The value at a dotted path; undefined where the path ends early. */
function valueAt(document: Members, path: string): Json | undefined {
  return path.split('.').reduce<Json | undefined>(memberOf, document)
}

function entriesOf(value: Json | undefined): readonly (readonly [string, Json])[] {
  return isMembers(value) ? Object.entries(value) : []
}
