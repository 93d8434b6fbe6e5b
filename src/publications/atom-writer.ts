/** Atom (RFC 4287), with pictures as thumbnails of Media RSS, which needs no media type for them. */
import { html, Html, xml } from '../base/html.ts'
import { categoriesOf, contactOf, FEEDS, permanentId, queryOf, titleOf, type Paper, type Story } from './paper.ts'

export function writeAtom(paper: Paper): string {
  const { id, description, language, contact, rights, stories, choice, updatedAt, base, hub } = paper
  const query = queryOf(choice)
  const { email, link } = contactOf(contact)
  return xml`<?xml version="1.0" encoding="UTF-8"?>
<feed xmlns="http://www.w3.org/2005/Atom" xmlns:media="http://search.yahoo.com/mrss/" xml:lang="${language}">
<id>${permanentId(`${id}${query}`)}</id>
${textElement('title', titleOf(paper))}${description !== '' && textElement('subtitle', description)}<updated>${updatedAt}</updated>
<link rel="self" type="${FEEDS.atom.type}" href="${base}${FEEDS.atom.file}${query}"/>
<link rel="alternate" type="text/html" href="${base === '' ? './' : base}${query}"/>
${hub !== undefined && xml`<link rel="hub" href="${hub}"/>\n`}<author><name>${paper.title}</name>${link !== undefined && xml`<uri>${link}</uri>`}${email !== undefined && xml`<email>${email}</email>`}</author>
${rights !== '' && textElement('rights', rights)}<generator>Dateline</generator>
${stories.map(entry)}</feed>
`.markup
}

/**
 * A text construct (RFC 4287 section 3.1). Many readers take what looks like markup for markup whatever its type says: such a
 * text is written as HTML, which means the same.
 */
function textElement(name: 'title' | 'subtitle' | 'rights' | 'summary' | 'content', text: string): Html {
  const [start, end] = [new Html(`<${name}`), new Html(`</${name}>`)]
  return /[<&]/.test(text) ? xml`${start} type="html">${html`${text}`.markup}${end}\n` : xml`${start}>${text}${end}\n`
}

/** An entry that links to no page has to have a content (RFC 4287 section 4.1.2). */
function textOf(url: string | undefined, excerpt: string): Html | undefined {
  if (url === undefined) return textElement('content', excerpt)
  return excerpt === '' ? undefined : textElement('summary', excerpt)
}

function entry(story: Story): Html {
  const { id, title, url, publishedAt, updatedAt, excerpt = '', imageUrl, source } = story
  return xml`<entry>
<id>${permanentId(id)}</id>
${textElement('title', title)}${url !== undefined && xml`<link rel="alternate" href="${url}"/>\n`}<published>${publishedAt}</published>
<updated>${updatedAt}</updated>
${source !== undefined && xml`<author><name>${source.name}</name>${source.url !== undefined && xml`<uri>${source.url}</uri>`}</author>\n`}${categoriesOf(story).map((name) => xml`<category term="${name}"/>\n`)}${imageUrl !== undefined && xml`<media:thumbnail url="${imageUrl}"/>\n`}${textOf(url, excerpt)}</entry>
`
}
