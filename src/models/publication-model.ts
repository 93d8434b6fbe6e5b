/**
 * A publication: headlines that a filter chooses, which people read without an account, as a page, as feeds and as JSON. The
 * secret of its address is no part of the document, whose text goes to the history, exports and changes: see
 * store/publications/publication-rows.ts.
 */
import {
  boolean,
  choice,
  code,
  createdAt,
  id,
  list,
  model,
  nonBlankText,
  optionalText,
  text,
  updatedAt,
  whole,
  type DocumentOf,
} from './schema.ts'

/** Members of headlines that readers may see beside title, link and times. */
const SHOWN_MEMBERS = ['excerpt', 'imageUrl', 'source', 'topic', 'eventCountry'] as const
export type ShownMember = (typeof SHOWN_MEMBERS)[number]

/** Each is the order of an index, so that a page costs the same whatever the number of headlines. */
const PUBLICATION_SORTS = ['publishedAt:desc', 'updatedAt:desc', 'title:asc'] as const

/** Open to all, or to those who know its secret address. */
const VISIBILITIES = ['public', 'secret'] as const

/** How many headlines a page may have. */
export const PUBLICATION_SIZE = { min: 20, max: 200 } as const

export const publication = model({
  name: 'publication',
  description: 'Headlines that people read without an account, as a page, as feeds and as JSON',
  fields: {
    id: id({ example: '66f000000000000000000801' }),
    name: {
      ...nonBlankText({ description: 'Its place in addresses: `/p/harbour-news/`', example: 'harbour-news' }),
      form: 'publicationName',
    },
    title: nonBlankText({ example: 'Harbour News' }),
    description: optionalText({ description: 'A sentence below the title', example: 'What happens at the quays.' }),
    language: code('languageCode', { description: 'Of the page, and of its dates', example: 'en' }),
    filter: text({
      description: 'Which published headlines it has: a filter as JSON text; `{}` finds all. Readers never see it',
      example: '{"topic.name":"Harbours"}',
    }),
    sort: choice(PUBLICATION_SORTS, { initial: 'publishedAt:desc', description: 'Their order' }),
    pageSize: whole({ description: `How many a page and a feed have: ${PUBLICATION_SIZE.min} to ${PUBLICATION_SIZE.max}`, example: 30 }),
    members: list(choice(SHOWN_MEMBERS), {
      max: SHOWN_MEMBERS.length,
      description: 'What readers see of a headline beside its title, link and times. Readers filter and search by nothing else',
      example: ['excerpt', 'source', 'topic'],
    }),
    visibility: choice(VISIBILITIES, {
      initial: 'public',
      description: 'Whether all read it, or those who know its secret address, which `POST /admin/publications/:publication/secret` makes',
    }),
    isPaused: boolean({ description: 'Whether it is hidden' }),
    contact: {
      ...optionalText({ description: 'An e-mail address or a link where readers reach its publisher', example: 'news@harbour.example' }),
      form: 'contact',
    },
    rights: optionalText({ description: 'Who owns it', example: '© 2026 The Harbour Post' }),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  extras: 'drop',
  access: { list: 'publisher', read: 'publisher', create: 'admin', replace: 'admin', remove: 'admin' },
  search: ['title', 'name'],
  indexes: [['title'], ['name'], ['updatedAt:desc']],
  sought: ['name'],
  distinct: 'name',
})

export type PublicationDocument = DocumentOf<typeof publication>
