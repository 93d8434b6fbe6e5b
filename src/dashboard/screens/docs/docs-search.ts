/** Searching the reference: everything that has a place in it, found by words anywhere in what it says. */
import type { ApiDocument } from './api-document.ts'
import { errorCodes } from './error-codes.ts'
import { membersOfSchema } from './schema-words.ts'

const RESULTS_MAX = 30

export interface SearchEntry {
  readonly kind: 'Operation' | 'Model' | 'Schema' | 'Field' | 'Error' | 'Filter' | 'Guide'
  readonly title: string
  /** A line below the title. */
  readonly about: string
  readonly segments: readonly string[]
  /** More words by which it is found, that are not shown. */
  readonly words: string
}

export function searchEntries(api: ApiDocument): readonly SearchEntry[] {
  const fields = [...api.schemas].flatMap(([schema, given]) =>
    membersOfSchema(given).map(({ name, schema: { description } }): SearchEntry => ({
      kind: 'Field',
      title: `${schema}.${name}`,
      about: typeof description === 'string' ? description : '',
      segments: ['schemas', schema],
      words: '',
    })),
  )
  return [
    ...GUIDES,
    ...api.operations.map(({ id, method, path, summary, about, parameters }): SearchEntry => ({
      kind: 'Operation',
      title: summary,
      about: `${method} ${path}`,
      segments: ['operations', id],
      words: [id, about, ...parameters.map(({ name }) => name)].join(' '),
    })),
    ...api.models.map(({ name, about }): SearchEntry => ({
      kind: 'Model',
      title: name,
      about,
      segments: ['models', name],
      words: '',
    })),
    ...api.operators.map(({ name, about, example }): SearchEntry => ({
      kind: 'Filter',
      title: name,
      about,
      segments: ['filters'],
      words: JSON.stringify(example),
    })),
    ...errorCodes(api).map(({ code, status, about }): SearchEntry => ({
      kind: 'Error',
      title: code,
      about: `${status} ${about}`,
      segments: ['errors', code],
      words: '',
    })),
    ...[...api.schemas].map(([name, { description }]): SearchEntry => ({
      kind: 'Schema',
      title: name,
      about: typeof description === 'string' ? description : '',
      segments: ['schemas', name],
      words: '',
    })),
    ...fields,
  ]
}

const GUIDES: readonly SearchEntry[] = [
  {
    kind: 'Guide',
    title: 'Getting started',
    about: 'Address, signing in, replies',
    segments: ['start'],
    words: 'token curl client',
  },
  {
    kind: 'Guide',
    title: 'Filter playground',
    about: 'Try filters on your own data',
    segments: ['playground'],
    words: 'explain plan index sql',
  },
]

/** Those in which every word of the query stands, the best first: in the title, at its beginning, whole. */
export function searchFor(query: string, entries: readonly SearchEntry[]): readonly SearchEntry[] {
  const words = query
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '')
  if (words.length === 0) return []
  return entries
    .map((entry) => ({ entry, score: scoreOf(entry, words) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
    .slice(0, RESULTS_MAX)
    .map(({ entry }) => entry)
}

function scoreOf({ title, about, words: more, kind }: SearchEntry, words: readonly string[]): number {
  const name = title.toLowerCase()
  const rest = `${about} ${more} ${kind}`.toLowerCase()
  let score = 0
  for (const word of words) {
    if (name === word) score += 8
    else if (name.startsWith(word)) score += 5
    else if (name.includes(word)) score += 3
    else if (rest.includes(word)) score += 1
    else return 0
  }
  // Fields are many, and most of their names are in several schemas.
  return kind === 'Field' ? score - 0.5 : score
}
