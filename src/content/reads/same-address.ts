/**
 * Documents with an address that another one has already, for an editor who is typing it.
 *
 * Two addresses are the same where they lead to one page; see base/page-address.ts. The index has addresses as they are
 * stored, so each form of one is a short range of it.
 */
import { fail } from '../../base/failure.ts'
import { parseJson, type Json, type JsonObject } from '../../base/json.ts'
import { LAST_SLASHES, pageOf, withoutTracking } from '../../base/page-address.ts'
import type { Caller } from '../../models/caller.ts'
import { placesOf } from '../../models/incomplete.ts'
import type { DuplicateDocuments } from '../../models/responses.ts'
import type { Model } from '../../models/schema.ts'
import { requireDrafts, requireRole } from '../rules/access.ts'
import { TEXT_FORMS } from '../rules/text-forms.ts'
import type { TextRange } from '../../store/documents/text-look-up.ts'
import type { TransactionView } from '../../store/documents/transaction-view.ts'

const FOUND_MAX = 5
/** Documents that are looked at in each range. */
const RANGE_MAX = 20
/** The last text that begins so, by code points. */
const LAST = '\u{10ffff}'
/** How parameters begin that page-address.ts leaves out. */
const TRACKING_STARTS = ['utm_', 'fbclid=', 'gclid=']

export interface AddressQuery {
  readonly model: Model
  readonly url: string
  /** The id of the document whose address it is to be. */
  readonly except: string | undefined
}

/** The member that holds the address of a document; undefined for a model without one. */
export function addressOf({ fields, sought = [] }: Model): string | undefined {
  return sought.find((path) => {
    const field = fields[path]
    return field?.kind === 'text' && field.form === 'httpUrl'
  })
}

/** The documents with the same address, the published ones first; none for a text that is no address. */
export function sameAddress({ lookUp }: Pick<TransactionView, 'lookUp'>, { model, url, except }: AddressQuery, places: readonly Model[]): readonly JsonObject[] {
  const path = addressOf(model)
  if (path === undefined || url === '' || !TEXT_FORMS.httpUrl.isOf(url)) return []
  const key = pageOf(url)
  const found = places.flatMap((place) => lookUp(place, path, rangesOf(url), RANGE_MAX))
  const others = new Map(found.filter(({ id }) => id !== except).map(({ id, text }) => [id, text]))
  const documents = [...others.values()].map((text) => parseJson(text) as JsonObject)
  const same = documents.filter((document) => pageOf(String(document[path])) === key)
  return same.sort((one, other) => rank(one['status']) - rank(other['status'])).slice(0, FOUND_MAX)
}

export function titleOf({ title, name }: JsonObject): string {
  return String(title ?? name ?? '')
}

function rank(status: Json | undefined): number {
  return status === 'active' ? 0 : 1
}

/** What a caller may know of them. Throws forbidden for one who may not write the model, badRequest for one without addresses. */
export function findDuplicates(
  documents: Pick<TransactionView, 'lookUp'>,
  query: AddressQuery,
  { caller, includes }: { readonly caller: Caller; readonly includes: boolean },
): DuplicateDocuments {
  const { model } = query
  requireRole(model, 'replace', caller, ['read'])
  if (includes) requireDrafts(model, caller)
  const path = addressOf(model)
  if (path === undefined) throw fail('badRequest', `Cannot find duplicates of a ${model.name}: it has no address`)
  const items = sameAddress(documents, query, placesOf(model, includes)).map((document) => ({
    id: String(document['id']),
    title: titleOf(document),
    url: String(document[path]),
    status: document['status'] as DuplicateDocuments['items'][number]['status'],
  }))
  return { items }
}

/** Where the index may have the same page: as it is written, and as the URL Standard writes it. */
function rangesOf(address: string): readonly TextRange[] {
  const bases = new Set([...new Set([address, new URL(address).href])].flatMap(basesOf))
  return [...bases].flatMap((base) => {
    const joint = base.includes('?') ? '&' : '?'
    const starts = [`${base}#`, ...TRACKING_STARTS.map((start) => `${base}${joint}${start}`)]
    return [{ from: base, to: base }, ...starts.map((start) => ({ from: start, to: `${start}${LAST}` }))]
  })
}

/** `https://a.example/b` of `https://a.example/b/?utm_source=x#c`, with either scheme, with and without the slash. */
function basesOf(address: string): readonly string[] {
  const [, rest = '', search = ''] = /^https?:\/\/([^?#]*)(\?[^#]*)?/i.exec(address) ?? []
  const path = rest.replace(LAST_SLASHES, '')
  const query = withoutTracking(search)
  return ['https', 'http'].flatMap((scheme) => [`${scheme}://${path}${query}`, `${scheme}://${path}/${query}`])
}
