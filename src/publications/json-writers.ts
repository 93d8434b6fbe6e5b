/** JSON Feed 1.1 (jsonfeed.org/version/1.1), and plain items for the scripts of a website. */
import { categoriesOf, contactOf, FEEDS, permanentId, queryOf, titleOf, type Paper, type Story } from './paper.ts'

export function writeJsonFeed(paper: Paper): string {
  const { description, language, contact, stories, choice, next, base, hub } = paper
  const query = queryOf(choice)
  const { address } = contactOf(contact)
  const isKnown = base !== ''
  return JSON.stringify({
    version: 'https://jsonfeed.org/version/1.1',
    title: titleOf(paper),
    ...(description !== '' && { description }),
    language,
    home_page_url: `${isKnown ? base : './'}${query}`,
    feed_url: `${base}${FEEDS.json.file}${query}`,
    ...(next !== undefined && { next_url: `${base}${FEEDS.json.file}${queryOf(choice, next)}` }),
    authors: [{ name: paper.title, ...(address !== undefined && { url: address }) }],
    ...(hub !== undefined && { hubs: [{ type: 'WebSub', url: hub }] }),
    items: stories.map(feedItem),
  })
}

function feedItem(story: Story): object {
  const { id, title, url, publishedAt, updatedAt, excerpt = '', imageUrl, source } = story
  const tags = categoriesOf(story)
  return {
    id: permanentId(id),
    ...(url !== undefined && { url }),
    title,
    content_text: excerpt,
    ...(imageUrl !== undefined && { image: imageUrl }),
    date_published: publishedAt,
    date_modified: updatedAt,
    ...(source !== undefined && { authors: [{ name: source.name, ...(source.url !== undefined && { url: source.url }) }] }),
    ...(tags.length > 0 && { tags }),
  }
}

/** The stories with the members that a publication promises, and the cursor of the next page or null. */
export function writeItems({ stories, next }: Paper): string {
  return JSON.stringify({ items: stories.map(({ imageAlt: _, ...story }) => story), cursor: next ?? null })
}
