/** One feed of each format, with the members that its format has, and a page that names them. */

export const SAMPLE_ADDRESS = 'https://harbour.example/news/feed'
/** Later than all dates of the samples. */
export const SAMPLE_NOW = Date.parse('2026-03-10T12:00:00.000Z')

export const SAMPLE_RSS = `<?xml version="1.0" encoding="UTF-8"?>
<rss version="2.0" xmlns:atom="http://www.w3.org/2005/Atom" xmlns:dc="http://purl.org/dc/elements/1.1/"
  xmlns:content="http://purl.org/rss/1.0/modules/content/" xmlns:media="http://search.yahoo.com/mrss/"
  xmlns:sy="http://purl.org/rss/1.0/modules/syndication/" xmlns:itunes="http://www.itunes.com/dtds/podcast-1.0.dtd">
<channel>
  <title>Harbour &amp;amp; Sea</title>
  <link>https://harbour.example/</link>
  <description>News of the &lt;b&gt;harbour&lt;/b&gt;</description>
  <language>en-GB</language>
  <atom:link rel="self" type="application/rss+xml" href="https://harbour.example/feed.xml"/>
  <atom:link rel="hub" href="https://hub.example/"/>
  <image><url>https://harbour.example/logo.png</url><title>Harbour</title><link>https://harbour.example/</link></image>
  <sy:updatePeriod>hourly</sy:updatePeriod><sy:updateFrequency>2</sy:updateFrequency>
  <item>
    <title>New ferry &#8211; two boats a day</title>
    <link>/ferry?from=feed&amp;day=1</link>
    <guid isPermaLink="false">ferry-1</guid>
    <pubDate>Tue, 03 Mar 2026 09:30:00 +0100</pubDate>
    <dc:creator>Ann Pilot</dc:creator>
    <category>Transport</category><category><![CDATA[Sea & ships]]></category>
    <description><![CDATA[<p>Two boats a day.</p><p>From next week.</p>]]></description>
    <content:encoded><![CDATA[<p>Two boats.</p><img src="/ferry.jpg" alt="">]]></content:encoded>
    <media:content url="https://cdn.example/small.jpg" medium="image" width="200"/>
    <media:content url="https://cdn.example/large.jpg" medium="image" width="1200"/>
  </item>
  <item>
    <title><![CDATA[Pilots <em>wanted</em>]]></title>
    <guid>https://harbour.example/pilots</guid>
    <dc:date>2026-03-02T08:00:00Z</dc:date>
    <content:encoded>&lt;p&gt;The pilots&apos; office looks for three.&lt;/p&gt;&lt;img src="pilots.jpg"&gt;</content:encoded>
  </item>
</channel>
</rss>`

export const SAMPLE_ATOM = `<?xml version="1.0" encoding="utf-8"?>
<feed xmlns="http://www.w3.org/2005/Atom" xmlns:media="http://search.yahoo.com/mrss/" xml:lang="de" xml:base="https://hafen.example/">
  <title type="html">Hafen &amp;amp; Meer</title>
  <subtitle>Nachrichten</subtitle>
  <link rel="self" href="/atom.xml"/><link rel="alternate" type="text/html" href="/"/>
  <icon>/icon.png</icon>
  <author><name>Redaktion</name></author>
  <entry xml:base="2026/">
    <title type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml">Neue <b>Fähre</b> 1 &lt; 2</div></title>
    <id>tag:hafen.example,2026:1</id>
    <link rel="enclosure" type="image/jpeg" href="faehre.jpg"/><link href="faehre"/>
    <published>2026-03-01T10:00:00+01:00</published><updated>2026-03-01T11:00:00.5Z</updated>
    <category term="verkehr" label="Verkehr"/>
    <summary type="html">&lt;p&gt;Zwei Schiffe&lt;br&gt;am Tag.&lt;/p&gt;</summary>
    <content type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml"><p>Zwei.</p><img src="bild.jpg"/></div></content>
  </entry>
  <entry>
    <title>Aus &lt;b&gt; wird nichts &amp;amp; mehr</title><author><name>Bo</name></author><author><name>Ida</name></author>
    <id>tag:hafen.example,2026:2</id><link rel="alternate" href="https://andere.example/b"/>
    <updated>2026-02-28T10:00:00Z</updated>
    <media:group><media:thumbnail url="https://cdn.example/t.jpg" width="480"/><media:description>Aus der Gruppe</media:description></media:group>
  </entry>
</feed>`

export const SAMPLE_JSON = JSON.stringify({
  version: 'https://jsonfeed.org/version/1.1',
  title: 'Port & mer',
  home_page_url: 'https://port.example/',
  feed_url: 'https://port.example/feed.json',
  icon: 'https://port.example/icon.png',
  language: 'fr',
  authors: [{ name: 'Rédaction' }],
  hubs: [{ type: 'WebSub', url: 'https://hub.example/' }],
  items: [
    {
      id: 7,
      url: 'https://port.example/7',
      title: 'Un nouveau ferry',
      content_html: '<p>Deux bateaux par jour.</p><img src="/7.jpg">',
      date_published: '2026-03-01T10:00:00+01:00',
      date_modified: '2026-03-02T10:00:00Z',
      tags: ['transport', 'mer', 'mer'],
      language: 'fr-FR',
    },
    {
      id: 'https://port.example/8',
      external_url: 'https://autre.example/8',
      content_text: 'Un texte\n sans titre, 1 < 2.',
      image: 'https://port.example/8.png',
      authors: [{ name: 'Léa' }, { name: 'Luc' }],
    },
  ],
})

export const SAMPLE_RDF = `<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/"
  xmlns:dc="http://purl.org/dc/elements/1.1/">
<channel rdf:about="https://porto.example/"><title>Porto</title><link>https://porto.example/</link><dc:language>pt</dc:language></channel>
<image rdf:about="https://porto.example/logo.png"><url>https://porto.example/logo.png</url></image>
<item rdf:about="https://porto.example/1"><title>Novo barco</title><link>https://porto.example/1</link>
<description>Dois por dia.</description><dc:date>2026-03-01</dc:date><dc:subject>mar</dc:subject></item>
</rdf:RDF>`

export const SAMPLE_PAGE = `<!doctype html><html><head><title>Harbour</title>
<base href="https://harbour.example/en/">
<link rel="alternate" type="application/rss+xml" title="News &amp; more" href="../feed.xml">
<link rel='ALTERNATE home' type='application/atom+xml; charset=utf-8' href='//harbour.example/atom.xml'>
<link rel=alternate type=application/feed+json href=/feed.json />
<link rel="alternate" type="application/json" href="https://harbour.example/wp-json/wp/v2/pages/1">
<link rel="alternate" hreflang="de" href="https://harbour.example/de/">
<link rel="stylesheet" type="text/css" href="/a.css">
<link rel="alternate" type="application/rss+xml" href="javascript:alert(1)">
<!-- <link rel="alternate" type="application/rss+xml" href="/old.xml"> -->
<script>document.write('<link rel="alternate" type="application/rss+xml" href="/script.xml">')</script>
</head><body><link rel="alternate" type="application/rss+xml" href="https://harbour.example/feed.xml"></body></html>`
