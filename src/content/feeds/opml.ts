/** OPML 2.0 (opml.org/spec2.opml): the lists in which readers of feeds hand over what they subscribe to. */
import type { FeedDocument } from '../../models/feed-model.ts'

/** A list of feeds, by their topics. */
export function writeOpml(feeds: readonly FeedDocument[]): string {
  const byTopic = Map.groupBy(feeds, ({ topic }) => topic?.name ?? '')
  const groups = [...byTopic].sort(([one], [other]) => one.localeCompare(other, 'en'))
  const body = groups.flatMap(([topic, some]) =>
    topic === '' ? some.map((feed) => outline(feed, '    ')) : [`    <outline text="${escaped(topic)}">`, ...some.map((feed) => outline(feed, '      ')), '    </outline>'],
  )
  return ['<?xml version="1.0" encoding="UTF-8"?>', '<opml version="2.0">', '  <head><title>Feeds</title></head>', '  <body>', ...body, '  </body>', '</opml>', ''].join('\n')
}

function outline({ title, address, siteUrl }: FeedDocument, indent: string): string {
  const site = siteUrl === '' ? '' : ` htmlUrl="${escaped(siteUrl)}"`
  return `${indent}<outline type="rss" text="${escaped(title)}" title="${escaped(title)}" xmlUrl="${escaped(address)}"${site}/>`
}

/** For an attribute of XML 1.0, which has no way to write control characters. */
function escaped(text: string): string {
  return text
    .replaceAll(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, '')
    .replaceAll(/[&<>"\t\n\r]/g, (character) => `&#${character.charCodeAt(0)};`)
}
