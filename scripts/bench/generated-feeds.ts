/** Feeds as sites have them: news with pictures, blogs with whole articles, podcasts, Atom with HTML, and channels of videos. */
import type { Random } from '../tools/random.ts'

const WORDS = (
  'the harbour council has agreed on a new ferry line that will take passengers and bicycles across the bay twice a day ' +
  'while pilots engineers and fishermen ask for longer quays cheaper fuel “more light” & better weather in Málaga Zürich'
).split(' ')
const ITEMS_MIN = 10
const ITEMS_RANGE = 41

/** As many feeds of XML as wanted, of all kinds in turn; the same for the same random numbers. */
export function generatedFeeds(count: number, random: Random): readonly string[] {
  return Array.from({ length: count }, (_, i) => KINDS[i % KINDS.length]?.(random, ITEMS_MIN + random.below(ITEMS_RANGE)) ?? '')
}

const KINDS: readonly ((random: Random, items: number) => string)[] = [news, blog, podcast, atom, videos]

function news(random: Random, items: number): string {
  return rss(random, items, (i) => {
    const [title, text] = [words(random, 8), words(random, 30)]
    return (
      `<title><![CDATA[${title}]]></title><link>https://news.example/${i}?at_medium=RSS&amp;at_campaign=feed</link><guid isPermaLink="false">https://news.example/${i}#0</guid>` +
      `<description><![CDATA[${text}.]]></description><pubDate>Tue, 0${1 + (i % 9)} Mar 2026 09:${10 + (i % 50)}:00 GMT</pubDate>` +
      `<media:thumbnail width="240" height="134" url="https://cdn.example/${i}.jpg"/>`
    )
  })
}

function blog(random: Random, items: number): string {
  return rss(random, items, (i) => {
    const article = html(random, 12)
    return (
      `\n\t\t<title>${words(random, 7).replaceAll('&', '&#038;')}</title>\n\t\t<link>https://blog.example/2026/03/${i}/</link>\n\t\t<comments>https://blog.example/${i}/#comments</comments>\n` +
      `\t\t<dc:creator><![CDATA[Ann Pilot]]></dc:creator>\n\t\t<pubDate>Sun, 0${1 + (i % 9)} Mar 2026 08:00:00 +0000</pubDate>\n` +
      `\t\t<category><![CDATA[Sea & ships]]></category>\n\t\t<category><![CDATA[Transport]]></category>\n\t\t<guid isPermaLink="false">https://blog.example/?p=${i}</guid>\n` +
      `\t\t<description><![CDATA[<p>${words(random, 55)} [&#8230;]</p>\n]]></description>\n\t\t<content:encoded><![CDATA[${article}]]></content:encoded>\n\t\t<slash:comments>${i}</slash:comments>\n`
    )
  })
}

function podcast(random: Random, items: number): string {
  return rss(random, items, (i) => {
    const text = words(random, 80).replaceAll('&', '&amp;')
    return (
      `<title>Episode ${i}: ${words(random, 5).replaceAll('&', '&amp;')}</title><itunes:title>Episode ${i}</itunes:title><itunes:episode>${i}</itunes:episode>` +
      `<description>&lt;p&gt;${text}&lt;/p&gt;&lt;p&gt;&lt;a href=&quot;https://pod.example&quot;&gt;More&lt;/a&gt;&lt;/p&gt;</description><itunes:summary>${text}</itunes:summary>` +
      `<enclosure url="https://pod.example/${i}.mp3" length="34216300" type="audio/mpeg"/><guid>${i}-abcdef</guid><itunes:duration>1781</itunes:duration>` +
      `<itunes:image href="https://pod.example/${i}.jpg"/><itunes:explicit>no</itunes:explicit><pubDate>Mon, 02 Mar 2026 0${i % 10}:00:00 -0500</pubDate>`
    )
  })
}

function atom(random: Random, items: number): string {
  const entries = Array.from({ length: items }, (_, i) => {
    const content = html(random, 8).replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
    return (
      `<entry><id>tag:atom.example,2026:${i}</id><title type="html">${words(random, 7).replaceAll('&', '&amp;amp;')}</title><updated>2026-03-0${1 + (i % 9)}T10:00:00+01:00</updated>` +
      `<published>2026-03-01T09:00:00Z</published><link rel="alternate" type="text/html" href="https://atom.example/${i}"/><author><name>Bo</name></author>` +
      `<category term="sea"/><content type="html">${content}</content></entry>`
    )
  })
  return `<?xml version="1.0" encoding="UTF-8"?>\n<feed xmlns="http://www.w3.org/2005/Atom"><title>Atom</title><id>a</id><updated>2026-03-01T09:00:00Z</updated>${entries.join('\n')}</feed>`
}

function videos(random: Random, items: number): string {
  const entries = Array.from({ length: items }, (_, i) => {
    const title = words(random, 6).replaceAll('&', '&amp;')
    return (
      `<entry><id>yt:video:${i}</id><yt:videoId>${i}</yt:videoId><title>${title}</title><link rel="alternate" href="https://video.example/watch?v=${i}"/>` +
      `<author><name>Ida</name><uri>https://video.example/ida</uri></author><published>2026-03-01T09:00:00+00:00</published><updated>2026-03-02T09:00:00+00:00</updated>` +
      `<media:group><media:title>${title}</media:title><media:content url="https://video.example/v/${i}" type="application/x-shockwave-flash" width="640" height="390"/>` +
      `<media:thumbnail url="https://i.example/${i}/hq.jpg" width="480" height="360"/><media:description>${words(random, 60).replaceAll('&', '&amp;')}</media:description>` +
      `<media:community><media:starRating count="10" average="5.00" min="1" max="5"/><media:statistics views="${i}"/></media:community></media:group></entry>`
    )
  })
  const names = 'xmlns:yt="http://www.youtube.com/xml/schemas/2015" xmlns:media="http://search.yahoo.com/mrss/" xmlns="http://www.w3.org/2005/Atom"'
  return `<?xml version="1.0" encoding="UTF-8"?>\n<feed ${names}><title>Videos</title><id>v</id>${entries.join('\n')}</feed>`
}

function rss(random: Random, items: number, item: (i: number) => string): string {
  const names = [
    'xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:content="http://purl.org/rss/1.0/modules/content/" xmlns:atom="http://www.w3.org/2005/Atom"',
    'xmlns:media="http://search.yahoo.com/mrss/" xmlns:itunes="http://www.itunes.com/dtds/podcast-1.0.dtd" xmlns:slash="http://purl.org/rss/1.0/modules/slash/"',
  ]
  const channel = `<title>${words(random, 3).replaceAll('&', '&amp;')}</title><link>https://news.example/</link><description>News</description><language>en-gb</language>`
  const all = Array.from({ length: items }, (_, i) => `<item>${item(i)}</item>`)
  return `<?xml version="1.0" encoding="UTF-8"?>\n<rss version="2.0" ${names.join(' ')}><channel>${channel}${all.join('\n')}</channel></rss>`
}

function html(random: Random, paragraphs: number): string {
  const one = (i: number): string => {
    const text = words(random, 60).replaceAll('&', '&amp;')
    if (i === 1) return `<figure class="wp-block-image size-large"><img decoding="async" width="1024" height="683" src="https://cdn.example/${random.below(1_000)}.jpg" alt=""/></figure>`
    return `<p class="wp-block-paragraph">${text.slice(0, 80)} <a href="https://other.example/?a=1&amp;b=2"><strong>${text.slice(80, 100)}</strong></a> ${text.slice(100)}.</p>`
  }
  return Array.from({ length: paragraphs }, (_, i) => one(i)).join('\n\n')
}

function words(random: Random, count: number): string {
  return Array.from({ length: count }, () => random.pick(WORDS)).join(' ')
}
