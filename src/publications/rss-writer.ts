/**
 * RSS 2.0 (rssboard.org/rss-specification), with the times of changes as terms of Dublin Core, sources as its creators, and
 * pictures as thumbnails of Media RSS. What RSS says of an item is HTML: so texts are escaped for HTML, and then for XML.
 */
import { html, xml, type Html } from '../base/html.ts'
import { categoriesOf, contactOf, FEEDS, permanentId, queryOf, titleOf, type Paper, type Story } from './paper.ts'

export function writeRss(paper: Paper): string {
  const { description, language, contact, rights, stories, choice, updatedAt, base, hub } = paper
  const query = queryOf(choice)
  const { email } = contactOf(contact)
  return xml`<?xml version="1.0" encoding="UTF-8"?>
<rss version="2.0" xmlns:atom="http://www.w3.org/2005/Atom" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:dcterms="http://purl.org/dc/terms/" xmlns:media="http://search.yahoo.com/mrss/">
<channel>
<title>${html`${titleOf(paper)}`.markup}</title>
<link>${base === '' ? './' : base}${query}</link>
<description>${html`${description === '' ? paper.title : description}`.markup}</description>
<language>${language}</language>
${rights !== '' && xml`<copyright>${rights}</copyright>\n`}${email !== undefined && xml`<managingEditor>${email} (${paper.title})</managingEditor>\n`}<lastBuildDate>${rfc822(updatedAt)}</lastBuildDate>
<generator>Dateline</generator>
<atom:link rel="self" type="${FEEDS.rss.type}" href="${base}${FEEDS.rss.file}${query}"/>
${hub !== undefined && xml`<atom:link rel="hub" href="${hub}"/>\n`}${stories.map(item)}</channel>
</rss>
`.markup
}

function item(story: Story): Html {
  const { id, title, url, publishedAt, updatedAt, excerpt = '', imageUrl, source } = story
  return xml`<item>
<title>${html`${title}`.markup}</title>
${url !== undefined && xml`<link>${url}</link>\n`}<guid isPermaLink="false">${permanentId(id)}</guid>
<pubDate>${rfc822(publishedAt)}</pubDate>
<dcterms:modified>${updatedAt}</dcterms:modified>
${source !== undefined && xml`<dc:creator>${source.name}</dc:creator>\n`}${categoriesOf(story).map((name) => xml`<category>${name}</category>\n`)}${imageUrl !== undefined && xml`<media:thumbnail url="${imageUrl}"/>\n`}${excerpt !== '' && xml`<description>${html`${excerpt}`.markup}</description>\n`}</item>
`
}

/** `Fri, 27 Nov 2026 22:20:00 GMT`: RFC 822 with a year of four digits, as RSS wants it. */
function rfc822(iso: string): string {
  return new Date(iso).toUTCString()
}
