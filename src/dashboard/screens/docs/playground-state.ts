/** What the playground shows, as the query of its address and back: a shared address runs the same filter. */

/** Longer filters stay out of the address, which servers of chats and mails cut. The service takes 64 KiB. */
const SHARED_CHARS_MAX = 8_000
export const LIMIT_MAX = 100

export interface PlaygroundState {
  readonly model: string
  /** As it was typed; empty for all documents. */
  readonly filter: string
  readonly sort: string
  readonly limit: number
}

/** What an address says; a model that there is not, or a number that is none, is what stands there at first. */
export function readPlayground(query: URLSearchParams, models: readonly string[]): PlaygroundState {
  const model = query.get('model') ?? ''
  const limit = Number(query.get('limit') ?? Number.NaN)
  return {
    model: models.includes(model) ? model : (models[0] ?? ''),
    filter: (query.get('filter') ?? '').slice(0, SHARED_CHARS_MAX),
    sort: (query.get('sort') ?? '').slice(0, SHARED_CHARS_MAX),
    limit: Number.isInteger(limit) && limit >= 1 && limit <= LIMIT_MAX ? limit : 10,
  }
}

export function playgroundQuery({ model, filter, sort, limit }: PlaygroundState): Readonly<Record<string, string>> {
  const shared = filter.length > SHARED_CHARS_MAX ? '' : filter
  return { model, filter: shared, sort, limit: limit === 10 ? '' : String(limit) }
}
