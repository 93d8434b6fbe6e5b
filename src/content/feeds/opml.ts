/** OPML 2.0 (opml.org/spec2.opml): the lists in which readers of feeds hand over what they subscribe to. */
import { xml, type Html } from '../../base/html.ts'
import type { FeedDocument } from '../../models/feed-model.ts'

/** What a list says of a feed. */
export type ListedFeed = Pick<FeedDocument, 'title' | 'address' | 'siteUrl'> & { readonly topic: { readonly name: string } | null }

/** A list of feeds, by their topics. */
export function writeOpml(feeds: readonly ListedFeed[], title = 'Feeds'): string {
  const byTopic = Map.groupBy(feeds, ({ topic }) => topic?.name ?? '')
  const groups = [...byTopic].sort(([one], [other]) => one.localeCompare(other, 'en'))
  const body = groups.map(([topic, some]) => {
    const outlines = some.map(outline)
    return topic === '' ? outlines : xml`<outline text="${topic}">\n${outlines}</outline>\n`
  })
  return xml`<?xml version="1.0" encoding="UTF-8"?>
<opml version="2.0">
<head><title>${title}</title></head>
<body>
${body}</body>
</opml>
`.markup
}

function outline({ title, address, siteUrl }: ListedFeed): Html {
  const site = siteUrl === '' ? null : xml` htmlUrl="${siteUrl}"`
  return xml`<outline type="rss" text="${title}" title="${title}" xmlUrl="${address}"${site}/>
`
}
