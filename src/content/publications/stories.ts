/**
 * From headlines to the stories that readers of a publication see. Only members that its administrators chose are read, so that
 * nothing else can get any further, and only addresses of the web.
 */
import { isObject, type Json, type JsonObject } from '../../base/json.ts'
import type { ShownMember } from '../../models/publication-model.ts'
import { ownPicture, webLink, type Story } from '../../publications/paper.ts'

/**
 * The story of a headline. A stored headline may be older than the rules of its model: what is no text is empty. A picture of the
 * service is at the address of the site, where that is known.
 */
export function storyOf(headline: JsonObject, { shown, site }: { readonly shown: ReadonlySet<ShownMember>; readonly site: string }): Story {
  const createdAt = textIn(headline, 'createdAt')
  const stored = webLink(textIn(headline, 'imageUrl'))
  const own = stored === undefined || site === '' ? undefined : ownPicture(stored)
  const imageUrl = own === undefined ? stored : `${site}${own}`
  const copyIn = (name: ShownMember): JsonObject | undefined => (shown.has(name) && isObject(headline[name]) ? headline[name] : undefined)
  const [source, topic, country] = [copyIn('source'), copyIn('topic'), copyIn('eventCountry')]
  return {
    id: textIn(headline, 'id'),
    title: textIn(headline, 'title'),
    url: webLink(textIn(headline, 'url')),
    publishedAt: textIn(headline, 'publishedAt') || createdAt,
    updatedAt: textIn(headline, 'updatedAt') || createdAt,
    ...(shown.has('excerpt') && { excerpt: textIn(headline, 'excerpt') }),
    ...(shown.has('imageUrl') && imageUrl !== undefined && { imageUrl }),
    ...(source && { source: { ...named(source), url: webLink(textIn(source, 'url')) } }),
    ...(topic && { topic: named(topic) }),
    ...(country && { eventCountry: { isoCode: textIn(country, 'isoCode'), name: textIn(country, 'name') } }),
  }
}

function named(copy: JsonObject): { readonly id: string; readonly name: string } {
  return { id: textIn(copy, 'id'), name: textIn(copy, 'name') }
}

function textIn(object: JsonObject, name: string): string {
  const value: Json | undefined = Object.hasOwn(object, name) ? object[name] : undefined
  return typeof value === 'string' ? value : ''
}
