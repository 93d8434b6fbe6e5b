/**
 * Why an item has become no headline, or a draft. The code and the name are stored with the item; the sentence is in English, and a
 * page writes its own.
 */
import { isObject, parseJson, type Json } from '../../base/json.ts'
import type { ItemReasonCode } from '../../base/feed-note.ts'

export interface ItemReason {
  readonly code: ItemReasonCode
  /** What the headline lacks; a sentence in English, where it is that of a rule of the model, or says why a picture is not kept. */
  readonly name: string
}

/** What a headline lacks, as people call it. */
export type Lack = 'title' | 'link' | 'picture' | 'topic' | 'country' | 'source'

const LACKS: Readonly<Record<Lack, string>> = {
  title: 'a title',
  link: 'a link',
  picture: 'a picture: give the source a logo, and items without one have it',
  topic: 'a topic: give the feed one, or a rule',
  country: 'a country: give the feed one, or a rule',
  source: 'a source',
}

/** Without a full stop. */
function reasonSentence({ code, name }: ItemReason): string {
  switch (code) {
    case 'lacks':
      return `It lacks ${LACKS[name as Lack]}`
    case 'rule':
      return 'A rule drops it'
    case 'item':
      return 'Another item led to this page'
    case 'headline':
      return 'A headline led to this page'
    case 'deleted':
      return 'A headline that led to this page was deleted'
    case 'nothing':
      return 'It has neither id, link nor title'
    case 'invalid':
      return name
    case 'picture':
      return `Its picture is not kept: ${name}`
  }
}

/** All of them as one text; undefined where there is none. */
export function reasonText(reasons: readonly ItemReason[]): string | undefined {
  return reasons.length === 0 ? undefined : reasons.map(reasonSentence).join('. ')
}

/** As the store keeps them. */
export function writeReasons(reasons: readonly ItemReason[]): string | undefined {
  return reasons.length === 0 ? undefined : JSON.stringify(reasons)
}

export function readReasons(text: string | undefined): readonly ItemReason[] {
  const stored = text === undefined ? [] : parseJson(text)
  return Array.isArray(stored) ? (stored as readonly Json[]).filter(isObject).map(({ code, name }) => ({ code: code as ItemReasonCode, name: String(name) })) : []
}

/** As responses have them. */
export function shownReasons(reasons: readonly ItemReason[]): readonly (ItemReason & { readonly message: string })[] {
  return reasons.map((reason) => ({ ...reason, message: reasonSentence(reason) }))
}
