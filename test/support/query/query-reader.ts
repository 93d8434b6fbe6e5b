/** The caller of the queries of tests in which every caller gets the same result. */
import type { QueryCaller } from '../../../src/store/query/find-query.ts'

export const QUERY_READER: QueryCaller = { id: 'a reader', class: 'user' }
