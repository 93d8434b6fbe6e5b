/**
 * The page of a publication: a small newspaper in HTML. It has no script and no cookie, and loads pictures alone, where readers
 * see them. All its links are relative, but for those that name its address to other programs.
 *
 * Browsers that can wait paint it when its stories are there, so that nothing moves that stands in a half of it
 * (https://html.spec.whatwg.org/multipage/links.html#link-type-expect).
 */
import { html, joined, type Html, type Part } from '../base/html.ts'
import { directionOf } from '../mail/templates/template-language.ts'
import { SEARCH_CHARS_MAX } from '../query/words.ts'
import { PAGE_STYLE_ELEMENT } from './page-style.ts'
import { pageTexts, type PageTexts } from './page-texts.ts'
import { contactOf, FEEDS, ownPicture, queryOf, titleOf, type Paper, type Story } from './paper.ts'

/** Topics that the page offers, those with the most stories of the page first. */
const TOPICS_MAX = 8
const FEED_NAMES = { atom: 'Atom', rss: 'RSS', json: 'JSON Feed' } as const

export interface PageOptions {
  /** From the page to those of all publications: `../` or, behind a secret, `../../`. */
  readonly root: string
}

export function writePage(paper: Paper, { root }: PageOptions): string {
  const { title, language, stories, choice, cursor, next } = paper
  const { texts, language: textLanguage } = pageTexts(language)
  const direction = directionOf(language)
  const own = textLanguage === language ? null : html` lang="${textLanguage}" dir="${directionOf(textLanguage)}"`
  const isChosen = queryOf(choice) !== ''
  return html`<!doctype html>
<html lang="${language}" dir="${direction}">
<head>
${head(paper)}</head>
<body>
<a class="skip" href="#stories"${own}>${texts.skip}</a>
<header>
<div class="bar">${newest(paper)}${searchForm(paper, texts, own)}</div>
<div class="masthead"><h1 dir="auto"><a href="./">${title}</a></h1>
${paper.description !== '' && html`<p class="about" dir="auto">${paper.description}</p>`}</div>
${isChosen ? null : topicLinks(stories, texts, own)}</header>
<main id="stories">
${isChosen && html`<div class="chosen"><h2 dir="auto">${chosenOf(paper)}</h2><a href="./"${own}>${texts.all}</a></div>\n`}${
    stories.length === 0 ? html`<p class="empty"${own}>${isChosen || cursor !== undefined ? texts.noMatch : texts.empty}</p>\n` : sections(paper, root)
  }</main>
${(cursor ?? next) !== undefined && html`<nav class="pages" aria-label="${texts.pages}"${own}>${cursor !== undefined && html`<a href="${queryOf(choice) || './'}">${texts.latest}</a>`}${next !== undefined && html`<a rel="next" href="${queryOf(choice, next)}">${texts.older}</a>`}</nav>\n`}${footer(paper, texts, own)}</body>
</html>
`.markup
}

function head(paper: Paper): Html {
  const { description, language, stories, choice, cursor, base } = paper
  const query = queryOf(choice)
  // What a reader has typed stands in no search engine under the name of the publication.
  const isTyped = choice.search !== undefined
  const isIndexed = !isTyped && cursor === undefined && (query === '' || stories.length > 0)
  const pictured = stories.find(({ imageUrl }) => imageUrl !== undefined)
  const property = (name: string, content: string): Html => html`<meta property="og:${name}" content="${content}">\n`
  const feeds = Object.entries(FEEDS).map(([kind, { file, type }]) => {
    return html`<link rel="alternate" type="${type}" title="${titleOf(paper)} (${FEED_NAMES[kind as keyof typeof FEEDS]})" href="${file}${query}">\n`
  })
  return html`<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${titleOf(paper)}</title>
${description !== '' && html`<meta name="description" content="${description}">\n`}<meta name="color-scheme" content="light dark">
<link rel="expect" href="#stories" blocking="render">
${PAGE_STYLE_ELEMENT}
${!isIndexed && html`<meta name="robots" content="noindex">\n`}${base !== '' && html`<link rel="canonical" href="${base}${isTyped ? '' : queryOf(choice, cursor)}">\n`}${feeds}${property('type', 'website')}${property('title', isTyped ? paper.title : titleOf(paper))}${property('site_name', paper.title)}${property('locale', language)}${description !== '' && property('description', description)}${base !== '' && property('url', `${base}${isTyped ? '' : query}`)}${pictured?.imageUrl !== undefined && property('image', pictured.imageUrl)}${pictured?.imageAlt !== undefined && property('image:alt', pictured.imageAlt)}`
}

/** The day of the newest story, as papers have it above their names. */
function newest({ stories, sortedBy = 'publishedAt', language }: Paper): Html {
  const [first] = stories.map((story) => story[sortedBy]).toSorted().reverse()
  if (first === undefined) return html`<span></span>`
  return html`<time datetime="${first.slice(0, 10)}">${dayText(first, language, 'long')}</time>`
}

function searchForm({ choice }: Paper, { search }: PageTexts, own: Part): Html {
  const { topic, source } = choice
  const hidden = Object.entries({ topic, source }).map(([name, value]) => value !== undefined && html`<input type="hidden" name="${name}" value="${value}">`)
  return html`<form role="search"${own}><label for="search">${search}</label><input id="search" type="search" name="search" value="${choice.search}" maxlength="${SEARCH_CHARS_MAX}" required>${hidden}<button>${search}</button></form>`
}

function topicLinks(stories: readonly Story[], { topics }: PageTexts, own: Part): Part {
  const counted = new Map<string, { readonly name: string; n: number }>()
  for (const { topic } of stories) {
    if (topic === undefined) continue
    const known = counted.get(topic.id)
    if (known === undefined) counted.set(topic.id, { name: topic.name, n: 1 })
    else known.n++
  }
  const most = [...counted].sort(([, one], [, other]) => other.n - one.n).slice(0, TOPICS_MAX)
  if (most.length < 2) return null
  const links = most.map(([id, { name }]) => html`<li><a href="${queryOf({ topic: id })}" dir="auto">${name}</a></li>`)
  return html`<nav class="topics" aria-label="${topics}"${own}><ul>${links}</ul></nav>\n`
}

/** What the reader chose, in words. */
function chosenOf(paper: Paper): string {
  const { choice, stories, title } = paper
  const text = titleOf(paper).slice(title.length + ': '.length)
  return text === '' ? (choice.search ?? (stories.length === 0 ? '—' : title)) : text
}

function sections({ stories, sortedBy, language, choice, cursor, base }: Paper, root: string): Part {
  const hasLead = queryOf(choice) === '' && cursor === undefined
  const [year] = (stories[0]?.[sortedBy ?? 'publishedAt'] ?? '').split('-')
  const days = Map.groupBy(stories, (story) => (sortedBy === undefined ? '' : story[sortedBy].slice(0, 10)))
  return [...days].map(([day, some], section) => {
    const articles = some.map((story, i) => article(story, { sortedBy, language, base, root, isLead: hasLead && section === 0 && i === 0 }))
    // The paper has its day above its name already.
    const isSaid = hasLead && section === 0
    const heading = day === '' ? null : html`<h2 id="day-${day}"${isSaid && html` class="seen"`}><time datetime="${day}">${dayText(day, language, day.startsWith(year ?? '') ? 'short' : 'long')}</time></h2>\n`
    const label = day === '' ? null : html` aria-labelledby="day-${day}"`
    return html`<section class="${isSaid ? 'today' : 'day'}"${label}>\n${heading}<div class="stories">\n${articles}</div>\n</section>\n`
  })
}

interface ArticleOptions extends Pick<Paper, 'sortedBy' | 'language' | 'base'>, PageOptions {
  readonly isLead: boolean
}

function article(story: Story, { sortedBy = 'publishedAt', language, base, root, isLead }: ArticleOptions): Html {
  const { title, url, excerpt = '', imageUrl, imageAlt = '', source, topic, eventCountry } = story
  const picture = imageUrl === undefined ? undefined : loadedFrom(imageUrl, base, root)
  const kickers = [
    topic !== undefined && html`<a href="${queryOf({ topic: topic.id })}" dir="auto">${topic.name}</a>`,
    eventCountry !== undefined && html`<span dir="auto">${eventCountry.name}</span>`,
  ].filter((part) => part !== false)
  const at = story[sortedBy]
  const time = html`<time datetime="${at}">${timeText(at, language)}</time>`
  const size = isLead ? { width: 600, height: 400 } : { width: 104, height: 78 }
  return html`<article${isLead && html` class="lead"`}>
<div>
${kickers.length > 0 && html`<p class="kicker">${joined(kickers, html` <span>·</span> `)}</p>\n`}<h3 dir="auto">${url === undefined ? title : html`<a href="${url}">${title}</a>`}</h3>
${excerpt !== '' && html`<p class="excerpt" dir="auto">${excerpt}</p>\n`}<p class="meta">${source !== undefined && html`<a href="${queryOf({ source: source.id })}" dir="auto">${source.name}</a>`}${time}</p>
</div>
${picture !== undefined && html`<img src="${picture}" alt="${imageAlt}" width="${size.width}" height="${size.height}"${!isLead && html` loading="lazy"`} decoding="async">\n`}</article>
`
}

/**
 * Where the page loads a picture from; undefined where its policy does not let the picture in. That is over TLS from any host, or
 * from the site itself, whose own pictures are found by their path whatever the site was called when they were sent.
 */
function loadedFrom(imageUrl: string, base: string, root: string): string | undefined {
  if (imageUrl.startsWith('https:')) return imageUrl
  if (base !== '' && imageUrl.startsWith(new URL('/', base).href)) return imageUrl
  const own = ownPicture(imageUrl)
  return own && `${root}../${own}`
}

function footer({ rights, contact, choice }: Paper, texts: PageTexts, own: Part): Html {
  const { address } = contactOf(contact)
  const written = contact === '' ? null : address === undefined ? html`<span dir="auto">${contact}</span>` : html`<a href="${address}"${own}>${texts.contact}</a>`
  const feeds = Object.entries(FEEDS).map(([kind, { file, type }]) => {
    return html`<a type="${type}" href="${file}${queryOf(choice)}">${FEED_NAMES[kind as keyof typeof FEEDS]}</a>`
  })
  return html`<footer>
<p>${rights !== '' && html`<span dir="auto">${rights}</span>`}${written}<span${own}>${texts.times}</span></p>
<p><span${own}>${texts.feeds}</span>${feeds}</p>
</footer>
`
}

/** Formats by their language, which are few: making one takes longer than the rest of a page. */
const formats = new Map<string, Intl.DateTimeFormat>()

function format(language: string, kind: 'long' | 'short' | 'time'): Intl.DateTimeFormat {
  const key = `${language} ${kind}`
  let found = formats.get(key)
  if (found === undefined) {
    const day = { weekday: 'long', day: 'numeric', month: 'long' } as const
    const wanted = kind === 'time' ? ({ hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const) : kind === 'long' ? { ...day, year: 'numeric' as const } : day
    found = new Intl.DateTimeFormat([language, 'en'], { ...wanted, timeZone: 'UTC' })
    formats.set(key, found)
  }
  return found
}

function dayText(iso: string, language: string, kind: 'long' | 'short'): string {
  return format(language, kind).format(new Date(iso))
}

function timeText(iso: string, language: string): string {
  return format(language, 'time').format(new Date(iso))
}
